//! Pointed: whether the line that somebody points at is where the claim says, or in what it names.

use crate::covered;
use crate::denial::{self, words};
use crate::event::Event;
use crate::extent::Span;
use crate::grounds::{has_word, is_line_shown, only_file, span_of, strong_names};
use crate::mode::Mode;
use crate::named::{groups_in, lines_in};
use crate::needs::is_document;
use crate::quote::{self, Place};
use crate::situation::Situation;
use crate::subject::{Subject, subject_of};
use crate::uses::{Use, use_of};

/// The place at which an event points, as it is now.
pub(crate) fn place_of(event: &Event, situation: &Situation<'_>) -> Option<Place> {
    let quote = event.draft.quote()?;
    quote::all_in(&event.draft, quote, situation).into_iter().next()
}

/// Why a place is none that the claim speaks of: it is in another file, in other lines, or in code that has none of its names
/// and belongs to none of them.
pub(crate) fn astray(
    said: &str,
    place: &Place,
    cited: &[&Event],
    situation: &Situation<'_>,
    mode: Mode,
) -> Option<String> {
    let Place { path, line, .. } = place;
    let files = groups_in(said, situation.names);
    if let Some(first) = files.first().and_then(|group| group.first())
        && !files.iter().any(|group| group.contains(path))
    {
        return Some(format!(
            "The quote stands in {path}:{line}, and the claim is about {first}: quote a line of that which shows it."
        ));
    }
    let lines = lines_in(said, situation.names, &only_file(cited));
    let mut own = lines.iter().filter(|(of, ..)| of == path).peekable();
    if let Some((_, first, last)) = own.peek() {
        let (from, to) = (*first, *last);
        if !own.any(|(_, first, last)| place.line <= *last && *first <= place.last) {
            return Some(format!(
                "The quote stands in line {line} of {path}, and the claim is about {}: quote what stands there.",
                if from == to { format!("line {from}") } else { format!("lines {from}-{to}") }
            ));
        }
        return None;
    }
    let is_code = !is_document(path) || files.is_empty() && mode != Mode::DocsDrift;
    outside_its_subject(said, place, cited, situation)
        .filter(|_| is_code)
        .or_else(|| if files.is_empty() { beside_its_names(said, place, situation, mode) } else { None })
}

/// Why a place is none of the definition that the claim says something of, whatever words its line has.
fn outside_its_subject(
    said: &str,
    place: &Place,
    cited: &[&Event],
    situation: &Situation<'_>,
) -> Option<String> {
    let Subject { name, spans } = subject_of(said, cited, situation)?;
    let text = (situation.text_of)(&place.path)?;
    let is_own = |line: u64, (path, first, last): &Span| {
        *path == place.path && (first_said(&text, *first)..=*last).contains(&line)
    };
    let line = text.lines().nth(usize::try_from(place.line).ok()?.checked_sub(1)?)?;
    if spans.iter().any(|span| is_own(place.line, span))
        || (place.line..=place.last)
            .any(|line| line_of(&text, line).is_some_and(|line| has_word(line, &name)))
        || below(&text, place.line).any(|line| is_own_header(&place.path, line, &name))
    {
        return None;
    }
    let (path, first, _) = spans.iter().find(|(path, ..)| *path == place.path).or_else(|| spans.first())?;
    let lines = (1_u64..).zip(text.lines()).filter(|(_, other)| other.trim() == line.trim());
    let own = lines.map(|(at, _)| at).find(|at| spans.iter().any(|span| is_own(*at, span)));
    let way_out = match own {
        Some(at) if is_line_shown(&place.path, at, cited) => {
            format!("quote the line at {}:{at}.", place.path)
        }
        Some(at) => format!(
            "the line at {}:{at} is: call view with file_path \"{}:{at}\" and this mission_id, and cite that.",
            place.path, place.path
        ),
        None => "quote a line that does.".to_owned(),
    };
    Some(format!(
        "The quote stands in {}:{}, which neither has {name} nor is a part of it ({path}:{first}): {way_out}",
        place.path, place.line
    ))
}

fn line_of(text: &str, line: u64) -> Option<&str> {
    text.lines().nth(usize::try_from(line).ok()?.checked_sub(1)?)
}

/// The same of a claim that names no file but definitions of the code.
fn beside_its_names(said: &str, place: &Place, situation: &Situation<'_>, mode: Mode) -> Option<String> {
    let names = strong_names(said);
    if names.is_empty() {
        return unrelated(said, place, situation);
    }
    let spans: Vec<(String, u64, u64)> =
        names.iter().flat_map(|name| (situation.defined)(name)).filter_map(|at| span_of(&at)).collect();
    // Nobody knows how far something goes of which the graph knows no end.
    if spans.is_empty() {
        return None;
    }
    if mode != Mode::DocsDrift && is_document(&place.path) {
        let (name, (path, first, _)) = (names.first()?, spans.first()?);
        return Some(format!(
            "The quote stands in {}, which speaks of {name} and is none of it: quote a line of the code ({path}:{first}), or \
             name the document in the claim.",
            place.path
        ));
    }
    let text = (situation.text_of)(&place.path)?;
    let is_within = |(path, first, last): &(String, u64, u64)| {
        *path == place.path && (first_said(&text, *first)..=*last).contains(&place.line)
    };
    let is_named = (1_u64..)
        .zip(text.lines())
        .filter(|(number, _)| (place.line..=place.last).contains(number))
        .any(|(_, line)| names.iter().any(|name| has_word(line, name)));
    if is_named || spans.iter().any(is_within) || is_below(&text, place.line, &names) {
        return None;
    }
    let (first, (path, from, _)) = (names.first()?, spans.first()?);
    Some(format!(
        "The quote stands in {}:{}, which neither has {first} nor is a part of it ({path}:{from}): quote a line that does.",
        place.path, place.line
    ))
}

/// Whether a line stands below one that has a name and is less indented: `impl Write for Counter`, `func (w *Writer) …`.
fn is_below(text: &str, line: u64, names: &[String]) -> bool {
    below(text, line).any(|line| names.iter().any(|name| has_word(line, name)))
}

/// The lines that one stands below and that are less indented, each less than the one before.
fn below(text: &str, line: u64) -> impl Iterator<Item = &str> {
    let lines: Vec<&str> = text.lines().take(usize::try_from(line).unwrap_or(0)).collect();
    let at = lines.len().saturating_sub(1);
    let headers = covered::headers(&lines, at);
    headers.into_iter().map(move |at| lines[at])
}

/// Whether a line begins what belongs to a name: it defines it, or a method of it. `class Other(Name)` begins another.
fn is_own_header(path: &str, line: &str, name: &str) -> bool {
    let code = line.trim_start();
    let receiver = code.strip_prefix("func (").and_then(|rest| rest.split(')').next());
    has_word(line, name)
        && (code.starts_with("impl")
            || receiver.is_some_and(|receiver| has_word(receiver, name))
            || use_of(path, line, name) == Some(Use::Defines)
            || ["::", ".", "#"].iter().any(|joint| line.contains(&format!("{name}{joint}")))
            || code.starts_with("extension "))
}

/// The first line of what is said right above a definition: comments, attributes, decorators.
fn first_said(text: &str, first: u64) -> u64 {
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    let above = lines.get(..usize::try_from(first).unwrap_or(0).saturating_sub(1)).unwrap_or_default();
    let is_said = |line: &&&str| ["//", "#", "@", "*", "/*", "--"].iter().any(|mark| line.starts_with(mark));
    first - above.iter().rev().take_while(is_said).count() as u64
}

/// Words of a claim that say of what it speaks; one with fewer is too short to be held against a text.
const TELLING: usize = 3;
/// Lines around a quote that show what it is about.
const AROUND: u64 = 15;
/// Longer words that stand in every sentence.
const EVERYWHERE: [&str; 44] = [
    "when", "with", "that", "this", "from", "into", "after", "before", "than", "then", "does", "only",
    "have", "will", "been", "were", "they", "them", "there", "which", "while", "where", "what", "whole",
    "more", "less", "also", "because", "says", "said", "gives", "given", "takes", "makes", "gets", "uses",
    "used", "code", "file", "line", "lines", "under", "over", "always",
];

/// Why a line has nothing to do with a claim that names no code: neither it, nor what stands around it, nor the path of its
/// file has any word of the claim.
fn unrelated(said: &str, place: &Place, situation: &Situation<'_>) -> Option<String> {
    let mut telling: Vec<String> = words(said);
    telling.retain(|word| word.chars().count() > 3 && !EVERYWHERE.contains(&word.as_str()));
    telling.dedup();
    if telling.len() < TELLING {
        return None;
    }
    let text = (situation.text_of)(&place.path)?;
    let (from, to) = (place.line.saturating_sub(AROUND), place.last + AROUND);
    let around = (1_u64..).zip(text.lines()).filter(|(line, _)| (from..=to).contains(line));
    let near = around.map(|(_, line)| line).chain([place.path.as_str()]).collect::<Vec<_>>().join(" ");
    let near = near.to_lowercase();
    let is_near = |word: &String| near.contains(denial::stem(word).as_str());
    (!telling.iter().any(is_near)).then(|| {
        format!(
            "Nothing around {}:{} has a word of the claim: name the file or the code that it speaks of, and quote a line of that.",
            place.path, place.line
        )
    })
}

/// Words that make a sentence of a part.
const SENTENCE: usize = 3;

/// Why a claim that says several things is not borne out by so many lines: one line shows one of them.
pub(crate) fn several(said: &str, lines: usize) -> Option<String> {
    let mut sentences = 0;
    let mut words = 0;
    let mut pieces = said.split_whitespace().peekable();
    while let Some(piece) = pieces.next() {
        words += 1;
        let begins = |next: &&str| next.trim_start_matches(['`', '"', '(']).starts_with(char::is_uppercase);
        let is_end = piece.ends_with(';')
            || piece.ends_with(['.', '!', '?']) && pieces.peek().is_none_or(begins)
            || pieces.peek().is_none();
        if is_end {
            sentences += usize::from(words >= SENTENCE);
            words = 0;
        }
    }
    (sentences > 1 && lines > 0 && lines < sentences).then(|| {
        format!(
            "It says {sentences} things at once, and {lines} was quoted: claim each for itself, or call mission_verify again with \
             a line that shows the other."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_above_a_definition_belongs_to_it() {
        let text = "x = 1\n\n/// Drains.\n#[inline]\nfn drain() {}\n";
        assert_eq!((first_said(text, 5), first_said(text, 1), first_said(text, 99)), (3, 1, 99));
    }

    #[test]
    fn each_sentence_of_a_claim_needs_a_line() {
        let two = "drain stops at one job. The lock is held for ever.";
        assert!(several(two, 1).is_some() && several(two, 2).is_none());
        assert!(several("drain stops at one; the lock is never given back", 1).is_some());
        for one in [
            "drain stops at one job.",
            "drain (e.g. the first) stops at one job",
            "In src/a.rs, v1.2. is named",
            "It stops. Yes.",
        ] {
            assert_eq!(several(one, 1), None, "{one}");
        }
    }
}
