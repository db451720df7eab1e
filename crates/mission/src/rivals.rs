//! Rivals: what a quoted line says in the place of what a claim says: another text, number or truth, another error, something else
//! that is given back. A name may stand anywhere in what was shown; a value stands in the line that gives it.

use crate::code_words::{CodeWord, Kind};

/// Words before a truth by which it is the value of something, and not the case in which something happens.
const CASES: [&str; 9] = ["when", "if", "unless", "while", "until", "whenever", "where", "for", "and"];
/// Words that a case begins with.
const CONDITIONS: [&str; 8] = ["when", "if", "unless", "while", "until", "whenever", "where", "on"];
/// Words that turn a sentence round: what it says of a value, a line without it may show.
const TURNS: [&str; 12] =
    ["not", "never", "no", "without", "nor", "neither", "instead", "rather", "than", "cannot", "only", "or"];
/// How languages say that there is nothing.
const NOTHING: [&str; 5] = ["none", "null", "nil", "undefined", "nothing"];
const TRUTHS: [&str; 2] = ["true", "false"];
/// Words between a verb and a condition are so many at most.
const NEAR: usize = 4;

/// What a claim says and what its quoted lines say instead.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rival {
    pub said: String,
    pub instead: String,
}

/// The first value of a sentence that no quoted line has, while one of them has another of the same sort.
pub(crate) fn rival(sentence: &str, words: &[CodeWord], lines: &[&str]) -> Option<Rival> {
    let valued = words.iter().filter(|word| !word.is_denied && !is_of_a_case(sentence, &word.said));
    let found = valued.filter_map(|word| match &word.kind {
        Kind::Text(text) if !text.is_empty() => other_text(text, lines),
        Kind::Number(number) if !number.is_measured => other_number(&number.text, lines),
        Kind::Snippet(code) => numbers(code).into_iter().find_map(|number| other_number(&number, lines)),
        _ => None,
    });
    let plain: Vec<&str> = sentence.split_whitespace().map(bare).collect();
    let is_turned =
        plain.iter().any(|word| TURNS.contains(&word.to_lowercase().as_str()) || word.ends_with("n't"));
    let spoken = (!is_turned).then(|| {
        let at = (0..plain.len()).filter(|&at| !is_in_a_case(&plain, at));
        at.into_iter().find_map(|at| other_truth(&plain, at, lines).or_else(|| other_end(&plain, at, lines)))
    });
    found.chain(spoken.flatten()).next()
}

fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// Whether a word stands in what a sentence says of a case: `… when verify is False`.
fn is_in_a_case(words: &[&str], at: usize) -> bool {
    words[at.saturating_sub(NEAR)..at].iter().any(|word| CASES.contains(&word.to_lowercase().as_str()))
}

/// Whether a sentence says something of the case alone in which it speaks: `returns it when the size is 1`.
fn is_of_a_case(sentence: &str, said: &str) -> bool {
    let inner = said.trim_matches(['"', '`']);
    let before = sentence.find(inner).map_or("", |at| &sentence[..at]);
    let mut words = before.split_whitespace().map(bare);
    words.any(|word| CONDITIONS.contains(&word.to_lowercase().as_str()))
}

fn other_text(text: &str, lines: &[&str]) -> Option<Rival> {
    let said = text.trim();
    if lines.iter().any(|line| line.contains(said)) {
        return None;
    }
    let other = lines.iter().flat_map(|line| texts(line)).find(|other| !other.trim().is_empty())?;
    Some(Rival { said: format!("{text:?}"), instead: format!("{other:?}") })
}

/// What stands in quotes in a line.
fn texts(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    for (at, letter) in line.char_indices() {
        match open {
            Some((mark, from)) if letter == mark => {
                found.push(line[from..at].to_owned());
                open = None;
            }
            None if matches!(letter, '"' | '`') => open = Some((letter, at + 1)),
            // An apostrophe within a word opens nothing.
            None if letter == '\'' && !line[..at].ends_with(char::is_alphanumeric) => {
                open = Some((letter, at + 1))
            }
            _ => {}
        }
    }
    found
}

fn other_number(number: &str, lines: &[&str]) -> Option<Rival> {
    let said = value(number)?;
    let all: Vec<String> = lines.iter().flat_map(|line| numbers(line)).collect();
    if all.iter().any(|one| value(one) == Some(said)) {
        return None;
    }
    // Several numbers on a line may come to what is said of them.
    let [other] = &all[..] else { return None };
    let computes = |line: &&str| ["*", "+", " - ", " / ", "%"].iter().any(|sign| line.contains(sign));
    (!lines.iter().any(computes)).then(|| Rival { said: number.to_owned(), instead: other.clone() })
}

/// The numbers of a text, as they are written.
fn numbers(text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    let words = text.split(|letter: char| !is_part(letter)).map(|word| word.trim_matches('.'));
    words.filter(|word| value(word).is_some()).map(str::to_owned).collect()
}

fn value(text: &str) -> Option<f64> {
    let plain = text.replace('_', "");
    plain.starts_with(|letter: char| letter.is_ascii_digit()).then(|| plain.parse().ok()).flatten()
}

fn words_of(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// `defaults to False` where the line says True alone.
fn other_truth(words: &[&str], at: usize, lines: &[&str]) -> Option<Rival> {
    let said = words[at].to_lowercase();
    let other = match said.as_str() {
        "true" => "false",
        "false" => "true",
        _ => return None,
    };
    let is_said_twice = words.iter().any(|word| word.to_lowercase() == other);
    let has =
        |wanted: &str| lines.iter().flat_map(|line| words_of(line)).any(|word| word.to_lowercase() == wanted);
    (!is_said_twice && has(other) && !has(&said))
        .then(|| Rival { said: words[at].to_owned(), instead: other.to_owned() })
}

/// `returns None`, `raises ValueError`, where the line gives back or raises something else.
fn other_end(words: &[&str], at: usize, lines: &[&str]) -> Option<Rival> {
    let said = *words.get(at + 1)?;
    let lower = said.to_lowercase();
    let is_value = NOTHING.contains(&lower.as_str()) || TRUTHS.contains(&lower.as_str());
    let (verbs, is_asked): (&[&str], bool) = match words[at].to_lowercase().as_str() {
        "returns" | "return" => (&["return"], is_value),
        "raises" | "throws" => (&["raise", "throw"], said.starts_with(char::is_uppercase) && said.len() > 2),
        _ => return None,
    };
    if !is_asked || lines.iter().any(|line| words_of(line).any(|word| word.to_lowercase() == lower)) {
        return None;
    }
    let is_same = |other: &str| {
        let other = other.to_lowercase();
        other == lower || [&lower, &other].iter().all(|one| NOTHING.contains(&one.as_str()))
    };
    let ends = lines.iter().filter_map(|line| {
        let (verb, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let rest = rest.trim().trim_end_matches(';').trim_start_matches("new ");
        verbs.contains(&verb).then_some(rest)
    });
    let is_plain =
        |rest: &&str| rest.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.'));
    let mut others = ends.filter_map(|rest| match verbs.len() {
        // What is computed may come to it.
        1 => Some(rest).filter(is_plain).filter(|rest| !rest.is_empty()),
        _ => rest.split(['(', ' ', '{', '<']).next().filter(|name| name.starts_with(char::is_uppercase)),
    });
    let other = others.find(|other| !is_same(other.rsplit('.').next().unwrap_or(other)))?;
    Some(Rival { said: said.to_owned(), instead: other.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code_words::code_words;

    fn instead(sentence: &str, line: &str) -> Option<String> {
        rival(sentence, &code_words(sentence, &|_| false), &[line])
            .map(|rival| rival.instead.trim_matches('"').to_owned())
    }

    #[test]
    fn a_line_that_gives_another_value_is_a_rival() {
        for (sentence, line, other) in [
            ("f defaults to False", "def f(default: bool = True) -> bool:", "true"),
            ("f passes throwIfNoEntry true to it", "stat(file, { throwIfNoEntry: false })", "false"),
            ("f returns None on success", "return self", "self"),
            ("f returns True", "    return None", "None"),
            ("f raises HTTPStatusError", "raise RuntimeError(message)", "RuntimeError"),
            ("f throws IllegalStateException", "throw new NullPointerException();", "NullPointerException"),
            ("f registers the shorthand \"help\"", "c.BoolP(flag, \"h\", false, usage)", "h"),
            ("f labels it as \"Client error\"", "5: \"Server error\",", "Server error"),
            ("f retries 5 times", "retries = 3", "3"),
        ] {
            assert_eq!(instead(sentence, line).as_deref(), Some(other), "{sentence}: {line}");
        }
    }

    #[test]
    fn a_line_that_gives_it_or_nothing_of_the_sort_is_none() {
        for (sentence, line) in [
            ("f defaults to True", "def f(default: bool = True) -> bool:"),
            ("f returns self when verify is False", "return True"),
            ("f returns None", "    return"),
            ("f returns None", "return null;"),
            ("f returns undefined", "return null"),
            ("f returns False for an empty list", "return len(items) > 0"),
            ("f returns None for it", "return table.get(key)"),
            ("f never returns True", "return False"),
            ("f returns False and not True", "return False"),
            ("f raises ValueError", "raise ValueError(x)"),
            ("f raises ValueError", "if not x:"),
            ("f waits 5 seconds", "wait(5000)"),
            ("f is 6", "x = 2 * 3"),
            ("f returns it if `len(args) > 5`", "return pick(3)"),
            ("f returns it when the flag is set to 1", "return it not in {\"0\", \"no\"}"),
            ("f sends it if the scheme is \"http\"", "send(\"ftp\")"),
            ("f uses \"Basic\"", "\"Basic \" + user"),
        ] {
            assert_eq!(instead(sentence, line), None, "{sentence}: {line}");
        }
    }
}
