//! Quote: a line that an agent points at, held against the lines that were shown to it.

use crate::event::Draft;
use crate::lines::shown_of;
use crate::situation::Situation;

/// Letters of a quote that is no whole line, without blanks: fewer stand in every file.
const ENOUGH: usize = 8;
/// Letters and digits of any quote.
const LEAST: usize = 3;

/// Where a quote stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub path: String,
    pub content_hash: String,
    /// Where it begins.
    pub line: u64,
    /// Where it ends.
    pub last: u64,
}

/// The first place of a quote in what an event showed, as it is now.
pub(crate) fn in_draft(draft: &Draft, quote: &str, situation: &Situation<'_>) -> Option<Place> {
    all_in(draft, quote, situation).into_iter().next()
}

/// Every place of it.
pub(crate) fn all_in(draft: &Draft, quote: &str, situation: &Situation<'_>) -> Vec<Place> {
    let mut places = Vec::new();
    for (path, hash) in draft.anchors().filter(|(path, hash)| situation.is_current(path, hash)) {
        let Some(text) = (situation.text_of)(path) else { continue };
        let lines = lines_of(&text, shown_of(draft, path).as_deref(), quote);
        places.extend(lines.into_iter().map(|(line, last)| Place {
            path: path.to_owned(),
            content_hash: hash.to_owned(),
            line,
            last,
        }));
    }
    places
}

/// Where a quote stands in a file that was shown, though not in the lines that were.
pub(crate) fn beyond(draft: &Draft, quote: &str, situation: &Situation<'_>) -> Option<String> {
    let mut files = draft.anchors().filter(|(path, hash)| situation.is_current(path, hash));
    files.find_map(|(path, _)| {
        let text = (situation.text_of)(path)?;
        let (line, _) = lines_of(&text, None, quote).into_iter().next()?;
        Some(format!("{path}:{line}"))
    })
}

/// Whether a quote says enough to be one, wherever it stands.
pub(crate) fn is_enough(quote: &str) -> bool {
    plain(quote).chars().filter(|letter| letter.is_alphanumeric()).count() >= LEAST
}

/// The lines at which a quote begins and ends, wherever it stands within the lines that were shown; where it is a whole line
/// somewhere, only there. Blanks do not matter, nor the numbers that a view puts before its lines. A part of a line must be
/// long enough to say something.
fn lines_of(text: &str, shown: Option<&[(u64, u64)]>, quote: &str) -> Vec<(u64, u64)> {
    let quote = plain(quote);
    if !is_enough(&quote) {
        return Vec::new();
    }
    let is_long = quote.chars().filter(|letter| !letter.is_whitespace()).count() >= ENOUGH;
    let is_shown = |line: u64| {
        shown.is_none_or(|ranges| ranges.iter().any(|(first, last)| (*first..=*last).contains(&line)))
    };
    // Lines that were not shown part those that were: no quote goes across.
    let (mut all, mut starts, mut whole) = (String::new(), Vec::new(), Vec::new());
    for (number, line) in (1_u64..).zip(text.lines()) {
        if !is_shown(number) {
            all.push('\n');
            continue;
        }
        let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
        if words == quote {
            whole.push((number, number));
        }
        if words.is_empty() {
            continue;
        }
        if !all.is_empty() && !all.ends_with('\n') {
            all.push(' ');
        }
        starts.push((all.len(), number));
        all.push_str(&words);
    }
    if !whole.is_empty() || !is_long {
        return whole;
    }
    let line_at = |at: usize| starts[..starts.partition_point(|(start, _)| *start <= at)].last();
    all.match_indices(quote.as_str())
        .filter_map(|(at, found)| Some((line_at(at)?.1, line_at(at + found.len() - 1)?.1)))
        .collect()
}

/// A quote with one blank between its words, and without the numbers of lines.
fn plain(quote: &str) -> String {
    let bare = |line: &'_ str| -> String {
        let trimmed = line.trim_start();
        let text = trimmed.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let is_numbered = text.len() < trimmed.len() && text.starts_with('\t');
        if is_numbered { text.to_owned() } else { line.to_owned() }
    };
    let lines: Vec<String> = quote.lines().map(bare).collect();
    lines.iter().flat_map(|line| line.split_whitespace()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "def drain(queue):\n    while len(queue) > 1:\n        queue.pop()\n\nx = 1\n}\n";

    #[test]
    fn a_quote_stands_where_it_was_shown_and_nowhere_else() {
        let at = |shown: Option<&[(u64, u64)]>, quote: &str| {
            lines_of(TEXT, shown, quote).first().map(|(line, _)| *line)
        };
        assert_eq!(at(None, "while len(queue) > 1:"), Some(2));
        assert_eq!(at(None, "2\t    while len(queue) > 1:\n3\t        queue.pop()"), Some(2));
        assert_eq!(at(None, "len(queue) > 1"), Some(2), "a part that says something");
        assert_eq!(at(Some(&[(3, 5)]), "while len(queue) > 1:"), None, "nobody was shown that");
        assert_eq!(
            at(Some(&[(1, 1), (3, 3)]), "def drain(queue): queue.pop()"),
            None,
            "nor what is not adjacent"
        );
        assert_eq!(at(None, "queue"), None, "a word stands everywhere");
        assert_eq!(at(None, "x = 1"), None, "two letters say nothing");
        assert_eq!(at(None, "}"), None);
        assert_eq!(at(None, "while len(queue) > 2:"), None);
        assert_eq!(lines_of(TEXT, None, "len(queue) > 1: queue.pop()"), [(2, 3)], "it ends further down");
        let twice = "a = first_call()\nb\na = first_call()\n";
        assert_eq!(lines_of(twice, None, "a = first_call()"), [(1, 1), (3, 3)]);
        assert_eq!(lines_of(twice, None, "first_call()"), [(1, 1), (3, 3)]);
    }
}
