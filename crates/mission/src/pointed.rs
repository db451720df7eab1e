//! Pointed: whether the line that somebody points at is where the claim says, or in what it names.

use crate::event::Event;
use crate::grounds::{only_file, span_of, strong_names};
use crate::named::{groups_in, lines_in};
use crate::quote::{self, Place};
use crate::situation::Situation;

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
    if files.is_empty() { beside_its_names(said, place, situation) } else { None }
}

/// The same of a claim that names no file but definitions of the code.
fn beside_its_names(said: &str, place: &Place, situation: &Situation<'_>) -> Option<String> {
    let names = strong_names(said);
    let spans: Vec<(String, u64, u64)> =
        names.iter().flat_map(|name| (situation.defined)(name)).filter_map(|at| span_of(&at)).collect();
    // Nobody knows how far something goes of which the graph knows no end.
    if spans.is_empty() {
        return None;
    }
    let is_within = |(path, first, last): &(String, u64, u64)| {
        *path == place.path && (*first..=*last).contains(&place.line)
    };
    let text = (situation.text_of)(&place.path)?;
    let is_named = (1_u64..)
        .zip(text.lines())
        .filter(|(number, _)| (place.line..=place.last).contains(number))
        .any(|(_, line)| names.iter().any(|name| crate::grounds::has_word(line, name)));
    if is_named || spans.iter().any(is_within) {
        return None;
    }
    let (first, (path, from, _)) = (names.first()?, spans.first()?);
    Some(format!(
        "The quote stands in {}:{}, which neither has {first} nor is a part of it ({path}:{from}): quote a line that does.",
        place.path, place.line
    ))
}
