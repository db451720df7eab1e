//! Subject: the definition of which a sentence says what it does. A line that shows it must be one of its own.

use crate::code_words::is_name;
use crate::event::Event;
use crate::extent::{Span, spans_of};
use crate::named::file_in;
use crate::situation::Situation;

/// The definition that a sentence begins with, and says what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// Its last name.
    pub name: String,
    pub spans: Vec<Span>,
}

/// Words that say of what kind it is, and what stands before it.
const BEFORE: [&str; 10] =
    ["the", "a", "an", "function", "method", "class", "type", "struct", "helper", "constructor"];
/// Words between it and its verb.
const BETWEEN: [&str; 16] = [
    "function",
    "method",
    "class",
    "type",
    "struct",
    "decoder",
    "always",
    "never",
    "only",
    "also",
    "still",
    "just",
    "first",
    "then",
    "simply",
    "constructor",
];
/// Words that are no verb by which something does anything.
const STATES: [&str; 10] = ["is", "was", "this", "its", "gets", "goes", "as", "plus", "versus", "exists"];
/// Verbs without the ending.
const BARE: [&str; 6] = ["does", "has", "can", "will", "cannot", "doesn't"];

/// What a sentence says that it does something, where it is defined by lines that are known.
pub(crate) fn subject_of(said: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<Subject> {
    let written = written(said)?;
    let name = written.rsplit(['.', ':', '#']).next()?.to_owned();
    let spans = spans_of(&written, &name, cited, situation);
    (!spans.is_empty()).then_some(Subject { name, spans })
}

/// The name that a sentence begins with, before a verb by which it does something.
fn written(said: &str) -> Option<String> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let lower = |at: usize| words.get(at).map_or_else(String::new, |word| bare(word).to_lowercase());
    let mut at = 0;
    // `In src/a.py, run stops`, `src/a.py: run stops`, `httpx/_decoders.py's run stops`.
    loop {
        let is_file = words.get(at).is_some_and(|word| file_in(bare(word)).is_some());
        let leads = words.get(at).is_some_and(|word| word.ends_with([':', ',']) || word.ends_with("'s"));
        match () {
            () if ["in", "of"].contains(&lower(at).as_str()) => at += 1,
            () if is_file && (leads || at > 0) => at += 1,
            () if BEFORE.contains(&lower(at).as_str()) => at += 1,
            () => break,
        }
    }
    let name = bare(words.get(at)?);
    let name = name.split('(').next().unwrap_or(name);
    if !is_name(name) || words[at].ends_with([',', ';', ':']) {
        return None;
    }
    let mut verb = at + 1;
    // `run in src/a.py stops`
    if ["in", "of", "from"].contains(&lower(verb).as_str())
        && words.get(verb + 1).is_some_and(|word| file_in(bare(word)).is_some())
    {
        verb += 2;
    }
    while BETWEEN.contains(&lower(verb).as_str()) {
        verb += 1;
    }
    let does = lower(verb);
    let is_verb = does.len() > 3
        && does.ends_with('s')
        && !does.ends_with("ss")
        && does.chars().all(char::is_alphabetic)
        || BARE.contains(&does.as_str());
    // `get requests are retried` begins with no verb.
    let is_thing =
        ["is", "are", "was", "were", "do", "have", "may", "can"].contains(&lower(verb + 1).as_str());
    (is_verb && !is_thing && !STATES.contains(&does.as_str())).then(|| name.to_owned())
}

fn bare(word: &str) -> &str {
    let word = word.trim_matches(|letter: char| !letter.is_alphanumeric() && !"_$()".contains(letter));
    let word = word.trim_end_matches(|letter| "()".contains(letter) && !word.contains('('));
    word.strip_suffix("'s").unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_something_stands_before_the_verb() {
        for (said, wanted) in [
            ("GZipDecoder falls back to zlib", Some("GZipDecoder")),
            ("`Session.send` always calls it", Some("Session.send")),
            ("In src/a.py, run stops", Some("run")),
            ("The run() function stops", Some("run")),
            ("run in src/a.py stops", Some("run")),
            ("run does not stop", Some("run")),
            ("run is called by drain", None),
            ("run and drain stop", None),
            ("src/a.py stops", None),
            ("get requests are retried", None),
            ("run, the last one, stops", None),
        ] {
            assert_eq!(written(said).as_deref(), wanted, "{said}");
        }
    }
}
