//! Valued: the value that a claim says something has, held against a line that gives it another one. Only literals are compared;
//! whatever is computed, of another kind or said under a condition is undecided.

use crate::code_words::{CodeWord, Kind as Word, code_words};
use crate::covered;
use crate::denial::{self, bare_name};
use crate::event::{Event, Speaks};
use crate::given::{given_by, literals_of};
use crate::literal::Literal;
use crate::quote;
use crate::situation::Situation;

/// A value that a sentence gives to something.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Said {
    /// What has it; nothing of what is returned.
    pub name: Option<Name>,
    pub values: Vec<Literal>,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Is,
    Defaults,
    Returns,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name {
    pub word: String,
    /// Whether a word before it may make another name of it: `the connect timeout` is not every `timeout`.
    is_vague: bool,
}

/// What a line shows of a claim's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    /// The same value, or nothing that can be compared.
    NoOther,
    /// The very value.
    Same,
    /// Another one: what has it, what the claim says and what the line has.
    Other { name: String, said: String, has: String },
}

/// Words between a verb and its value.
const FILLERS: [&str; 22] = [
    "to",
    "a",
    "an",
    "the",
    "of",
    "by",
    "default",
    "value",
    "always",
    "now",
    "currently",
    "initially",
    "hard-coded",
    "hardcoded",
    "set",
    "equal",
    "exactly",
    "just",
    "only",
    "constant",
    "literal",
    "number",
];
/// Words behind a name that say what kind of thing it is, and before a verb.
const KINDS: [&str; 20] = [
    "value",
    "argument",
    "parameter",
    "flag",
    "option",
    "setting",
    "field",
    "attribute",
    "variable",
    "constant",
    "property",
    "keyword",
    "default",
    "by",
    "here",
    "always",
    "both",
    "currently",
    "key",
    "itself",
];
/// Words between two things of which either may be the one that has a value: `the timeout of the client`.
const JOINS: [&str; 5] = ["of", "for", "in", "on", "from"];
/// Words after which nothing is said to be so: a condition, a wish, or what somebody else says.
const UNASSERTED: [&str; 54] = [
    "if",
    "when",
    "whenever",
    "unless",
    "until",
    "while",
    "where",
    "whether",
    "after",
    "before",
    "once",
    "with",
    "not",
    "never",
    "no",
    "cannot",
    "may",
    "can",
    "could",
    "might",
    "should",
    "must",
    "would",
    "ought",
    "shall",
    "say",
    "says",
    "said",
    "claim",
    "claims",
    "state",
    "states",
    "document",
    "documents",
    "documented",
    "promises",
    "mentions",
    "according",
    "expects",
    "expect",
    "expected",
    "assumes",
    "wrongly",
    "comment",
    "docstring",
    "without",
    "checks",
    "check",
    "asserts",
    "ensures",
    "requires",
    "tests",
    "test",
    "validates",
];
/// Words behind a number by which it is a measure of something and not a value.
const MEASURES: [&str; 18] = [
    "or", "more", "less", "fewer", "higher", "lower", "greater", "larger", "smaller", "too", "off", "times",
    "short", "apart", "to", "through", "of", "plus",
];

/// Why a claim is not so by the lines that are quoted for it: one of them gives something that it names another value, and none
/// gives it that value.
pub(crate) fn other_value(claim: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<String> {
    let said = said_in(claim);
    if said.is_empty() {
        return None;
    }
    let mut other = None;
    for event in cited.iter().filter(|event| event.draft.speaks() == Speaks::For) {
        let Some(text) = event.draft.quote() else { continue };
        let shown: Vec<(String, Shows)> = quote::all_in(&event.draft, text, situation)
            .iter()
            .filter_map(|place| {
                let text = (situation.text_of)(&place.path)?;
                let lines = (1_u64..).zip(text.lines());
                let lines = lines.filter(|(line, _)| (place.line..=place.last).contains(line));
                let lines: Vec<&str> = lines.map(|(_, line)| line).collect();
                Some((format!("{}:{}", place.path, place.line), shown_by(claim, &said, &place.path, &lines)))
            })
            .collect();
        if shown.iter().any(|(_, shows)| *shows == Shows::Same) {
            return None;
        }
        // Where a quote stands at several places, any may be meant.
        let is_all = shown.iter().all(|(_, shows)| matches!(shows, Shows::Other { .. }));
        if let (true, Some((at, Shows::Other { name, said, has }))) = (is_all, shown.into_iter().next()) {
            other = Some(format!(
                "It says {said} of {name}, and {at}, which is quoted for it, has {has}: quote a line that shows what it says, or \
                 claim what this one shows."
            ));
        }
    }
    other
}

/// Why a line that is quoted against a claim does not speak against it: it gives what the claim names the very value.
pub(crate) fn same_value(claim: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<String> {
    let said = said_in(claim);
    let is_pair = |word: &CodeWord| matches!(word.kind, Word::Pair { .. }) && !word.is_denied;
    let pairs: Vec<CodeWord> = code_words(claim, &|_| false).into_iter().filter(is_pair).collect();
    let denies = denial::denies(claim);
    if denies || said.is_empty() && pairs.is_empty() {
        return None;
    }
    cited.iter().filter(|event| event.draft.speaks() == Speaks::Against).find_map(|event| {
        let text = event.draft.quote()?;
        quote::all_in(&event.draft, text, situation).iter().find_map(|place| {
            let text = (situation.text_of)(&place.path)?;
            let lines = (1_u64..).zip(text.lines());
            let lines = lines.filter(|(line, _)| (place.line..=place.last).contains(line));
            let lines: Vec<&str> = lines.map(|(_, line)| line).collect();
            let is_given = !pairs.is_empty() && covered::is_given(&pairs, &place.path, &lines);
            (is_given || shown_by(claim, &said, &place.path, &lines) == Shows::Same).then(|| {
                format!(
                    "{}:{}, which is quoted against it, gives the very value that it says: it cannot reject that. Quote it with \
                     outcome supports, or a line that has another value.",
                    place.path, place.line
                )
            })
        })
    })
}

/// What lines show of the values that a claim gives. They are whole lines of a file.
fn shown_by(claim: &str, said: &[Said], path: &str, lines: &[&str]) -> Shows {
    let mut shows = Shows::NoOther;
    for one in said {
        let given: Vec<Literal> = lines.iter().flat_map(|line| given_by(one, path, line)).collect();
        let Some(first) = given.first() else { continue };
        let is_known = |known: &dyn Fn(Option<bool>) -> bool| {
            given.iter().any(|has| one.values.iter().any(|said| known(said.differs(has))))
        };
        if is_known(&|differs| differs == Some(false)) {
            shows = Shows::Same;
            continue;
        }
        if is_known(&|differs| differs.is_none()) {
            continue;
        }
        // What else the sentence has may be what the line has: `5 at first, 10 behind a proxy`.
        let own = said.iter().filter(|other| other.name != one.name || other.kind != one.kind);
        let own: Vec<&Literal> = own.flat_map(|other| &other.values).collect();
        let mut spoken = spoken_in(claim);
        spoken.retain(|literal| !own.iter().any(|own| own.text == literal.text));
        if spoken.iter().any(|said| given.iter().any(|has| said.differs(has) == Some(false))) {
            continue;
        }
        // A name that may be a part of another one, on a line that has the value elsewhere.
        let is_vague = one.name.as_ref().is_some_and(|name| name.is_vague);
        let here = || lines.iter().flat_map(|line| literals_of(line)).collect::<Vec<_>>();
        if is_vague && here().iter().any(|has| one.values.iter().any(|said| said.differs(has) == Some(false)))
        {
            continue;
        }
        let said = one.values.first().map(|value| value.text.clone()).unwrap_or_default();
        let name = one.name.as_ref().map_or("what it returns", |name| name.word.as_str());
        return Shows::Other { name: name.to_owned(), said, has: first.text.clone() };
    }
    shows
}

/// The literals that a sentence has and does not refuse.
fn spoken_in(claim: &str) -> Vec<Literal> {
    let words: Vec<&str> = claim.split_whitespace().collect();
    let mut found = Vec::new();
    for (place, word) in words.iter().enumerate() {
        let before =
            place.checked_sub(1).map(|before| bare(words[before]).to_lowercase()).unwrap_or_default();
        if ["line", "lines", "not", "than"].contains(&before.as_str())
            || before == "of" && place > 1 && bare(words[place - 2]) == "instead"
        {
            continue;
        }
        found.extend(Literal::said(&words[place..].join(" ")).map(|(literal, _)| literal));
        if let Some((_, value)) = word.split_once('=') {
            found.extend(Literal::said(value).map(|(literal, _)| literal));
        }
    }
    found
}

/// The values that a sentence gives, each with what has it.
pub(crate) fn said_in(claim: &str) -> Vec<Said> {
    let words: Vec<&str> = claim.split_whitespace().collect();
    let lower: Vec<String> = words.iter().map(|word| bare(word).to_lowercase()).collect();
    let at = |place: usize| lower.get(place).map_or("", String::as_str);
    let before = |place: usize, steps: usize| place.checked_sub(steps).map_or("", at);
    let mut all = Vec::new();
    for place in 0..words.len() {
        let (kind, behind) = match (at(place), at(place + 1)) {
            ("defaults" | "default", "to") => (Kind::Defaults, place + 2),
            ("is" | "are" | "equals", _) => (Kind::Is, place + 1),
            // `has value 5`, `has a value of 5`
            ("has" | "have", _) if at(place + 1) == "value" || at(place + 2) == "value" => {
                (Kind::Is, place + 1)
            }
            ("of", _)
                if place > 1
                    && at(place - 1) == "value"
                    && [at(place - 2), before(place, 3)].contains(&"has") =>
            {
                continue;
            }
            ("returns" | "return", _) if place > 0 => (Kind::Returns, place + 1),
            // `sets x to 5`, `a timeout of 5`: what has the value stands before it.
            ("to", _) if place > 1 && ["set", "sets"].contains(&at(place - 2)) => (Kind::Is, place + 1),
            ("of", _) if place > 0 => (Kind::Is, place + 1),
            (_, _) if words[place] == "=" => (Kind::Is, place + 1),
            _ => continue,
        };
        // `is 5 by default` says the same as `defaults to 5`.
        let is_cut = place > 0 && words[place - 1].ends_with([',', ';', ':', '.', '"']);
        if is_cut || !is_asserted(&words, place) || is_quoted(&words, place) {
            continue;
        }
        let Some(values) = values_at(&words, behind) else { continue };
        let is_default = |from: usize, to: usize| (from..to).any(|place| at(place) == "default");
        let kind = match kind {
            Kind::Is if is_default(place.saturating_sub(4), (behind + 5).min(words.len())) => Kind::Defaults,
            kind => kind,
        };
        let name = if kind == Kind::Returns { None } else { name_before(&words, place) };
        if kind == Kind::Returns || name.is_some() {
            all.push(Said { name, values, kind });
        }
    }
    all
}

/// The literals that stand behind a verb: one, or some of which each may be it. Nothing where they are no plain values.
fn values_at(words: &[&str], from: usize) -> Option<Vec<Literal>> {
    let mut place = from;
    while words.get(place).is_some_and(|word| FILLERS.contains(&word.to_lowercase().as_str())) {
        place += 1;
    }
    let mut values = Vec::new();
    loop {
        // A text in quotes may have blanks.
        let rest = words.get(place..)?.join(" ");
        let (mut literal, len) = Literal::said(&rest)?;
        let end = &rest[len..];
        let next = end.trim_start_matches(['`', '"', '\'', ')']);
        let is_last = next.is_empty() || next.starts_with([',', ';', ':', '.', '!', '?', ')']);
        let rest: Vec<&str> = next.split_whitespace().collect();
        if !is_last {
            let word = rest.first().map(|word| bare(word).to_lowercase()).unwrap_or_default();
            if word == "or" || word == "and" {
                values.push(literal);
                let behind = rest.get(1..).unwrap_or_default();
                let is_value = Literal::said(&behind.join(" ")).is_some();
                match (word.as_str(), is_value) {
                    (_, true) => {
                        place = words.len() - behind.len();
                        continue;
                    }
                    ("and", false) => return Some(values),
                    _ => return None,
                }
            }
            if !next.starts_with(char::is_whitespace) {
                // `5s`, `10%`: so many of something.
                literal.is_measured = true;
            } else if literal.is_number() {
                if MEASURES.contains(&word.as_str()) {
                    return None;
                }
                let is_plain = [
                    "by", "in", "here", "when", "if", "on", "for", "unless", "there", "at", "as", "instead",
                    "but",
                ];
                literal.is_measured |= !is_plain.contains(&word.as_str());
            }
        }
        values.push(literal);
        return Some(values);
    }
}

/// What stands before a verb and has the value: of `the timeout of the client`, the timeout; of `the value of x`, x.
fn name_before(words: &[&str], verb: usize) -> Option<Name> {
    let lower = |place: usize| bare(words[place]).to_lowercase();
    let is_one_of = |place: usize, known: &[&str]| known.contains(&lower(place).as_str());
    let mut found = None;
    let mut place = verb;
    loop {
        while place > 0 && is_one_of(place - 1, &KINDS) {
            place -= 1;
        }
        let last = place.checked_sub(1)?;
        // Where it is, and not what.
        if !words[last].contains('/') {
            let Some(name) = name_at(words, last) else { return found };
            found = Some(name);
        }
        let mut joint = last;
        while joint > 0 && is_one_of(joint - 1, &["the", "a", "an", "its"]) {
            joint -= 1;
        }
        let is_joined =
            joint > 1 && is_one_of(joint - 1, &JOINS) && !words[joint - 2].ends_with([',', ';', ':', '.']);
        if !is_joined || is_one_of(joint - 2, &KINDS) {
            return found;
        }
        place = joint - 1;
    }
}

fn name_at(words: &[&str], place: usize) -> Option<Name> {
    let word = bare(words[place]).trim_start_matches('-').trim_end_matches("'s");
    let word = bare_name(word).to_owned();
    let is_word = word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
        && word.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter));
    const BEFORE: [&str; 12] =
        ["the", "a", "an", "its", "their", "that", "and", "default", "has", "have", "sets", "set"];
    let begins = place.checked_sub(1).is_none_or(|before| {
        let said = bare(words[before]).to_lowercase();
        let said = said.as_str();
        words[before].ends_with([',', ';', ':', '.'])
            || BEFORE.contains(&said)
            || KINDS.contains(&said)
            || JOINS.contains(&said)
    });
    let is_written = words[place].contains('`') || word.contains('_');
    is_word.then_some(Name { word, is_vague: !is_written && !begins })
}

/// Whether what is said at a place is said to be so, as far as its part of the sentence goes.
fn is_asserted(words: &[&str], place: usize) -> bool {
    for at in (0..place).rev() {
        if words[at].ends_with([',', ';', ':', '.']) && at + 1 < place {
            // What somebody says goes on behind a comma.
            let said: Vec<String> = words[..=at].iter().map(|word| bare(word).to_lowercase()).collect();
            return !said
                .iter()
                .any(|word| ["says", "say", "docs", "according", "documents"].contains(&word.as_str()));
        }
        let word = bare(words[at]).to_lowercase();
        if UNASSERTED.contains(&word.as_str()) || word.ends_with("n't") {
            return false;
        }
    }
    true
}

/// Whether a place stands within quotes: what somebody else says.
fn is_quoted(words: &[&str], place: usize) -> bool {
    let before = words[..place].join(" ");
    before.matches('"').count() % 2 == 1 || before.matches('`').count() % 2 == 1
}

/// A word without the marks of a sentence around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|letter: char| !letter.is_alphanumeric() && !"_-'".contains(letter))
        .trim_end_matches('\'')
        .trim_start_matches('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(claim: &str, path: &str, line: &str) -> Shows {
        let lines: Vec<&str> = line.lines().collect();
        shown_by(claim, &said_in(claim), path, &lines)
    }

    #[test]
    fn a_line_with_another_value_than_the_claim_s_is_known() {
        for (claim, path, line) in [
            ("x defaults to True", "a.py", "def f(x=False):"),
            ("timeout is 5", "a.py", "timeout = 10"),
            ("f returns None", "a.py", "    return 0"),
            ("`f` returns nil", "a.go", "\treturn \"a\", 5"),
            ("the default timeout is 5 seconds", "a.py", "    timeout: float = 10.0,"),
            ("Client.timeout defaults to 5", "a.py", "timeout = kwargs.get('timeout', 10)"),
            ("--port defaults to 80", "a.py", "@click.option(\"--port\", default=8080)"),
            ("max_size is 1,000", "a.rs", "const max_size: usize = 10_000;"),
            ("the name is 'a'", "a.go", "name := \"b\""),
            ("strict is false", "a.json", "  \"strict\": true,"),
            ("`timeout` is 5 when no proxy is set", "a.toml", "timeout = 10 # as before"),
            ("timeout defaults to 5", "a.md", "The timeout defaults to 10."),
            ("the timeout of the client is 5", "a.py", "timeout = 10"),
            ("run sets timeout to 5", "a.py", "    self.timeout = 10"),
            ("run has a timeout of 5", "a.py", "run(timeout=10)"),
            ("timeout is 5 and retries is 10", "a.py", "timeout = 10"),
            ("the timeout of Limits in src/a.py is 10 seconds", "a.py", "Limits = Timeout(timeout=5.0)"),
            ("timeout is 5, not 10", "a.py", "timeout = 10"),
            ("MAX is 5", "a.h", "#define MAX 10"),
            ("f returns True", "a.js", "if (!x) return false;"),
            ("limit is None", "a.py", "f(limit=0)"),
            ("MAX_SIZE is ten", "a.py", "MAX_SIZE: int = 512"),
            ("MAX_SIZE has value 10", "a.py", "MAX_SIZE: int = 512"),
            ("MAX_SIZE has a value of 10", "a.py", "MAX_SIZE: int = 512"),
            ("The MAX_SIZE of the client is twenty", "a.py", "MAX_SIZE = 30"),
            ("the timeout is ten seconds", "a.py", "timeout = 30"),
        ] {
            assert!(matches!(shows(claim, path, line), Shows::Other { .. }), "{claim}: {line}");
        }
    }

    #[test]
    fn a_value_that_is_the_same_or_computed_is_no_other() {
        for (claim, path, line) in [
            ("x defaults to True", "a.py", "def f(x=True):"),
            ("the limit is 1000", "a.py", "limit = 1_000"),
            ("the mask is 16", "a.c", "int mask = 0x10;"),
            ("the name is \"a\"", "a.py", "name = 'a'"),
            ("timeout is 5", "a.md", "timeout defaults to 5"),
            ("x is 2", "a.py", "f(x=1); g(x=2)"),
            ("timeout is 50", "a.py", "timeout = 10 * 5"),
            ("timeout is 5", "a.py", "timeout = 10 if slow else 5"),
            ("timeout is 5", "a.py", "timeout = config.timeout"),
            ("timeout is 5", "a.py", "if timeout == 10:"),
            ("timeout is 5", "a.py", "read_timeout = 10"),
            ("timeout is 5 seconds", "a.js", "timeout: 5000,"),
            ("the connect timeout is 5", "a.py", "Timeout(timeout=10, connect=5)"),
            ("f returns None", "a.py", "return value or 0"),
            ("f returns None", "a.py", "return"),
            ("f returns None or 0", "a.py", "return 0"),
            ("f returns None for empty text, 0 otherwise", "a.py", "return 0"),
            ("f returns nil", "a.go", "return 0, nil"),
            ("f returns NULL", "a.c", "return 0;"),
            ("x is not None", "a.py", "x = 0"),
            ("x should default to True", "a.py", "def f(x=False):"),
            ("if x is True, f stops", "a.py", "def f(x=False):"),
            ("f raises when x is 0", "a.py", "def f(x=1):"),
            ("the README says that timeout is 5", "a.py", "timeout = 10"),
            ("timeout is at least 5", "a.py", "timeout = 10"),
            ("timeout is 5 or more", "a.py", "timeout = 10"),
            ("timeout is 5 times the delay", "a.py", "timeout = 10"),
            ("x is None", "a.py", "def f(x: bool, y=None):"),
            ("x never is None", "a.py", "x = 0"),
            ("the mode is strict", "a.py", "mode = 'loose'"),
            ("run prints \"timeout is 5\"", "a.py", "timeout = 10"),
            ("x can be None", "a.py", "x = 0"),
            ("the size of buffer is 5", "a.c", "buffer = 10;"),
            ("x is (5, 10)", "a.py", "x = 5, 10"),
            ("the first of x is 10", "a.py", "x = 5, 10"),
            ("x is True", "a.py", "# x = False"),
            ("MAX_SIZE is thirty", "a.py", "MAX_SIZE = 30"),
            ("MAX_SIZE has a value of 512", "a.py", "MAX_SIZE: int = 512"),
            ("MAX_SIZE is five hundred and twelve", "a.py", "MAX_SIZE: int = 512"),
            ("timeout is one of the settings", "a.py", "timeout = 5"),
            ("timeout is one setting of many", "a.py", "timeout = 5"),
            ("f returns two lists", "a.py", "return 5"),
        ] {
            assert!(!matches!(shows(claim, path, line), Shows::Other { .. }), "{claim}: {line}");
        }
        assert_eq!(shows("x defaults to True", "a.py", "def f(x=True):"), Shows::Same);
        assert_eq!(shows("f returns None", "a.py", "return value or 0"), Shows::NoOther);
    }
}
