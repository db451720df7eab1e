//! Plain: a text without what terminals and loggers add to its lines.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Colours, and other things that only a terminal understands.
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))").expect("tested")
});

const PYTHON: &str = "Traceback (most recent call last)";

/// The text as the program wrote it.
pub(super) fn plain(text: &str) -> Cow<'_, str> {
    let text = ESCAPES.replace_all(text, "");
    match is_logged(&text) {
        true => Cow::Owned(unlogged(&text)),
        false => text,
    }
}

/// What stands before the first line of a trace of Python, where that is more than the bars of a group.
fn prefix(line: &str) -> Option<&str> {
    let before = &line[..line.find(PYTHON)?];
    // What pytest marks with a letter is no log.
    before.contains(|c: char| c.is_ascii_digit() || matches!(c, '[' | ':')).then_some(before)
}

fn is_logged(text: &str) -> bool {
    text.lines().any(|line| prefix(line).is_some())
}

/// A logger writes the same before every line, but for the numbers.
fn unlogged(text: &str) -> String {
    let mut before: Option<&str> = None;
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        before = prefix(line).or(before);
        let rest = before.and_then(|before| {
            let start = line.get(..before.len())?;
            start.chars().map(shape).eq(before.chars().map(shape)).then(|| &line[before.len()..])
        });
        out.push_str(rest.unwrap_or(line));
        out.push('\n');
    }
    out
}

fn shape(letter: char) -> char {
    if letter.is_ascii_digit() { '0' } else { letter }
}
