//! Doer: whether what a claim says to call, import or use something is what does it. The caller that is named must have the
//! call; of one that nobody knows, the line that is quoted must be it.

use crate::event::{Event, Speaks};
use crate::grounds::{defined_as, is_line_shown, span_of, words_in};
use crate::named::{lines_in, named_in};
use crate::quantity::{Quantity, quantities};
use crate::quote;
use crate::relates::{Code, Deed, Relation, Written, relations_in};
use crate::situation::Situation;

/// Path, first and last line.
type Span = (String, u64, u64);

/// Why one thing does not call, import or use another as a claim says, by what it cites.
pub(crate) fn does_not(said: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<String> {
    let is_known = |word: &str| !(situation.defined)(word).is_empty();
    let relations = relations_in(said, &is_known, situation.names);
    relations.iter().find_map(|relation| lacks(relation, said, cited, situation))
}

fn lacks(relation: &Relation, said: &str, cited: &[&Event], situation: &Situation<'_>) -> Option<String> {
    let Relation { deed, object, subject } = relation;
    let (who, spans) = doers(relation, said, cited, situation);
    let object = match (object, &who) {
        (Some(object), _) => object.clone(),
        (None, Some(who)) => Written { word: who.clone(), of: None, is_sure: true },
        (None, None) => return None,
    };
    // How many there are, a search has to say: `drain is called in 2 places`.
    let is_number = |quantity: &Quantity| matches!(quantity, Quantity::Number { .. });
    if spans.is_empty() && quantities(said).iter().any(is_number) {
        return None;
    }
    let is_known = |word: &str| !(situation.defined)(word).is_empty();
    let within = |path: &str, line: u64| {
        spans.iter().any(|(of, first, last)| of == path && (*first..=*last).contains(&line))
    };
    let quotes = cited.iter().filter(|event| event.draft.speaks() == Speaks::For);
    let mut places = quotes.flat_map(|event| {
        event.draft.quote().map(|quote| quote::all_in(&event.draft, quote, situation)).unwrap_or_default()
    });
    let is_quoted = places.any(|place| {
        let Some(text) = (situation.text_of)(&place.path) else { return true };
        let code = Code::of(&place.path, &text);
        (place.line..=place.last).any(|line| {
            (spans.is_empty() || within(&place.path, line)) && code.does(line, *deed, &object, &is_known)
        })
    });
    if is_quoted {
        return None;
    }
    // What only ran shows no line: then the text is held to what it has.
    let is_read = cited.iter().any(|event| event.draft.shows_text());
    let is_shown = spans.iter().any(|(path, first, last)| {
        let Some(text) = (situation.text_of)(path) else { return true };
        let code = Code::of(path, &text);
        let end = (*last).min(code.lines.len() as u64);
        (*first..=end).any(|line| {
            code.does(line, *deed, &object, &is_known) && (!is_read || is_line_shown(path, line, cited))
        })
    });
    if is_shown || spans.is_empty() && !is_read {
        return None;
    }
    let does = match deed {
        Deed::Calls => "calls",
        Deed::Imports => "imports",
        Deed::Uses => "uses",
    };
    let name = &object.word;
    let who = who.unwrap_or_else(|| subject.clone());
    Some(match spans.first() {
        Some((path, first, _)) => format!(
            "It says that {who} {does} {name}, and no line of {path}:{first} that was shown does it: quote the line that does."
        ),
        None => format!("It says that {who} {does} {name}: quote the line that does it."),
    })
}

/// Who does it, and where that is: the lines that the claim names, else the definitions, else the files; nothing of one that
/// the graph does not know.
fn doers(
    relation: &Relation,
    said: &str,
    cited: &[&Event],
    situation: &Situation<'_>,
) -> (Option<String>, Vec<Span>) {
    let Relation { deed, subject, .. } = relation;
    let lines = lines_in(said, situation.names, &crate::grounds::only_file(cited));
    let files = named_in(said, situation.names);
    let (names, plain) = words_in(subject);
    let of = |name: &String| -> Vec<Span> {
        let mut spans: Vec<Span> =
            defined_as(subject, name, situation).iter().filter_map(|at| whole(at)).collect();
        spans.retain(|(path, ..)| files.is_empty() || files.contains(path));
        owned(&mut spans, subject, name, situation);
        spans
    };
    let who = names.iter().chain(&plain).find(|name| !of(name).is_empty());
    let name = who.cloned().or_else(|| names.first().cloned());
    if !lines.is_empty() {
        return (name, lines);
    }
    let mut spans: Vec<Span> = names.iter().flat_map(of).collect();
    if spans.is_empty() && names.is_empty() {
        let mut own: Vec<Span> = plain.iter().flat_map(of).collect();
        // A plain word may be no name: it is one where somebody has looked at it.
        let is_seen = |(path, first, last): &Span| {
            files.contains(path)
                || (*first..=*last).any(|line| is_line_shown(path, line, cited))
                || plain.first().is_some_and(|first| subject.trim() == first)
        };
        own.retain(is_seen);
        spans = own;
    }
    if spans.is_empty() {
        let file = files.first().filter(|_| name.is_none()).cloned();
        return (name.or(file), files.into_iter().map(|path| (path, 1, u64::MAX)).collect());
    }
    if *deed == Deed::Imports {
        // What a file imports, everything in it may use.
        spans = spans.into_iter().map(|(path, ..)| (path, 1, u64::MAX)).collect();
        spans.dedup();
    }
    (name, spans)
}

/// Of several definitions of a name, those in the one that a sentence names before it: `Session.send`.
fn owned(spans: &mut Vec<Span>, subject: &str, name: &str, situation: &Situation<'_>) {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let owners = subject.match_indices(name).filter_map(|(at, _)| {
        let before = subject[..at].trim_end_matches(['.', ':', '#']);
        let start = before.rfind(|letter| !is_part(letter)).map_or(0, |start| start + 1);
        (before.len() < at && start < before.len()).then(|| &before[start..])
    });
    let around: Vec<Span> =
        owners.flat_map(|owner| (situation.defined)(owner)).filter_map(|at| whole(&at)).collect();
    let is_within = |(path, first, last): &Span| {
        around.iter().any(|(of, from, to)| of == path && from <= first && last <= to)
    };
    if spans.iter().any(is_within) {
        spans.retain(is_within);
    }
}

/// The lines of a definition; one whose end nobody knows is its line.
fn whole(place: &str) -> Option<Span> {
    span_of(place).or_else(|| {
        let (path, line) = place.rsplit_once(':')?;
        let line = line.parse().ok()?;
        Some((path.to_owned(), line, line))
    })
}
