//! Named: the files that a claim speaks of.

use crate::claim::Claim;
use crate::situation::Situation;
use crate::state::State;

/// The file of the repository that a word names: by its path, or by the end of one where no other ends so.
pub type Names<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Words of a claim that may be paths; whoever names more names none.
const MOST_WORDS: usize = 64;
/// No path is longer, in bytes.
const LONGEST: usize = 400;

/// What stands around a path in a sentence, besides blanks.
const AROUND: &[char] = &['(', ')', '[', ']', '{', '}', '<', '>', ',', ';', '"', '\'', '`', '=', '|', '#'];
/// What a sentence puts behind one.
const BEHIND: &[char] = &['.', ':', '!', '?', '*', ')', ']', '}', '>', ',', ';', '"', '\'', '`'];
/// What it puts before one.
const BEFORE: &[char] = &['(', '[', '{', '<', '"', '\'', '`', '*'];

/// The files that a text names, each once, in its order. A word that is no file of the repository names none: it may be a
/// method, a module, or a file that the text says is not there.
pub fn named_in(text: &str, names: Names<'_>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    let words = text.split_whitespace().filter(|word| is_like_a_path(word));
    for word in words.take(MOST_WORDS) {
        let whole = word.trim_start_matches(BEFORE).trim_end_matches(BEHIND);
        let found = match named(whole, names) {
            Some(found) => vec![found],
            None => {
                word.split(AROUND).filter_map(|part| named(part.trim_end_matches(BEHIND), names)).collect()
            }
        };
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

/// A file, whatever stands behind it: `a.py:12`, `a.py:route`, `a.py::route`.
fn named(word: &str, names: Names<'_>) -> Option<String> {
    let mut word = word;
    loop {
        if is_like_a_path(word)
            && let Some(found) = names(word)
        {
            return Some(found);
        }
        word = word.rsplit_once(':')?.0.trim_end_matches(':');
    }
}

fn is_like_a_path(word: &str) -> bool {
    let has_end = || word.split('.').skip(1).any(|end| end.starts_with(char::is_alphanumeric));
    word.len() > 2 && word.len() < LONGEST && (word.contains('/') || has_end())
}

/// The lines that a text names, with their file: `a.py:12`, `a.py:10-20`, `a.py#L12`; and `line 12`, where it names one file, or
/// none and `other` is given.
pub(crate) fn lines_in(text: &str, names: Names<'_>, other: &Option<String>) -> Vec<(String, u64, u64)> {
    let mut found: Vec<(String, u64, u64)> = Vec::new();
    let words: Vec<&str> = text.split_whitespace().take(MOST_WORDS * 8).collect();
    for word in words.iter().filter(|word| is_like_a_path(word)).take(MOST_WORDS) {
        let word = word.trim_start_matches(BEFORE).trim_end_matches(BEHIND);
        let parts: Vec<&str> = word.split(&AROUND[..AROUND.len() - 1]).collect();
        for part in parts {
            let (path, lines) = match part.split_once("#L").or_else(|| part.split_once(':')) {
                Some((path, lines)) => (path, lines.split(':').next().unwrap_or_default()),
                None => continue,
            };
            let is_lines =
                !lines.is_empty() && lines.bytes().all(|byte| byte.is_ascii_digit() || b"-L".contains(&byte));
            if let Some((file, (first, last))) = names(path).filter(|_| is_lines).zip(span(lines)) {
                found.push((file, first, last));
            }
        }
    }
    let files = named_in(text, names);
    let about = match files.as_slice() {
        [] => other.clone(),
        [only] => Some(only.clone()),
        _ => None,
    };
    let Some(about) = about else { return found };
    for pair in words.windows(2) {
        let is_line = ["line", "lines"].contains(&pair[0].trim_start_matches(BEFORE).to_lowercase().as_str());
        let number = pair[1].trim_end_matches(BEHIND).trim_end_matches("'s");
        if let Some((first, last)) = span(number).filter(|_| is_line) {
            found.push((about.clone(), first, last));
        }
    }
    found
}

/// `12`, `10-20` or `L10-L20`.
fn span(text: &str) -> Option<(u64, u64)> {
    let number = |part: &str| part.trim_start_matches('L').parse::<u64>().ok();
    match text.split_once('-') {
        Some((first, last)) => number(first).zip(number(last)).filter(|(first, last)| first <= last),
        None => number(text).map(|line| (line, line)),
    }
}

/// What the planner does about a claim that names files: cite the look at one of them, or look.
pub(crate) enum Towards {
    /// The event that showed one of them, and that the claim does not cite.
    Cite(crate::ids::EventId),
    Read(String),
}

pub(crate) fn towards(state: &State, claim: &Claim, situation: &Situation<'_>) -> Option<Towards> {
    let named = named_in(&claim.text, situation.names);
    for path in named {
        let seen = state
            .files
            .get(&path)
            .filter(|seen| seen.content_hash.as_ref().is_some_and(|hash| situation.is_current(&path, hash)));
        match seen {
            Some(seen) if claim.event_ids.contains(&seen.event_id) => {}
            Some(seen) => return Some(Towards::Cite(seen.event_id.clone())),
            None => return Some(Towards::Read(path)),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Vec<String> {
        let all = ["src/flask/app.py", "docs/index.md", "pages/[id].tsx", "lib::/src/b.rs", "a.min.js"];
        named_in(text, &|word| {
            let ends: Vec<&&str> =
                all.iter().filter(|path| **path == word || path.ends_with(&format!("/{word}"))).collect();
            if let [one] = ends.as_slice() { Some((**one).to_owned()) } else { None }
        })
    }

    #[test]
    fn a_sentence_names_files_however_they_are_written() {
        for text in [
            "src/flask/app.py:route drops methods",
            "In `src/flask/app.py:12-20`, route drops methods.",
            "app.py drops methods",
            "route (app.py::Flask::route) drops methods",
            "see flask/app.py.",
            "Is it (src/flask/app.py)?",
            "src/flask/app.py#L12 is wrong",
        ] {
            assert_eq!(files(text), ["src/flask/app.py"], "{text}");
        }
        assert_eq!(files("pages/[id].tsx and `lib::/src/b.rs:3`"), ["pages/[id].tsx", "lib::/src/b.rs"]);
        assert_eq!(files("docs/index.md says what app.py:1 does"), ["docs/index.md", "src/flask/app.py"]);
        for text in [
            "Flask.route drops methods",
            "no/such.py is not there",
            "it is so, e.g. here",
            "1.5 times",
            "a/b",
        ] {
            assert_eq!(files(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_sentence_names_lines_of_its_files() {
        let names: Names<'_> = &|word| (word == "src/a.py" || word == "b.rs").then(|| word.to_owned());
        let lines = |text: &str, other: Option<&str>| lines_in(text, names, &other.map(str::to_owned));
        let of = |path: &str, first: u64, last: u64| vec![(path.to_owned(), first, last)];
        assert_eq!(lines("src/a.py:12 drops it", None), of("src/a.py", 12, 12));
        assert_eq!(lines("In `src/a.py:10-20`, it drops.", None), of("src/a.py", 10, 20));
        assert_eq!(lines("src/a.py:12:5: no", None), of("src/a.py", 12, 12));
        assert_eq!(lines("(src/a.py#L7)", None), of("src/a.py", 7, 7));
        assert_eq!(lines("line 9 of src/a.py drops", None), of("src/a.py", 9, 9));
        assert_eq!(lines("line 9 drops", Some("b.rs")), of("b.rs", 9, 9));
        assert_eq!(lines("line 9 of src/a.py or b.rs", None), vec![]);
        assert_eq!(lines("src/a.py:route drops 12 lines", None), vec![]);
    }
}
