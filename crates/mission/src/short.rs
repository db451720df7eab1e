//! Short: texts that are cut where there is no room for all of them. What was cut ends with `…`.

use crate::claim::Claim;
use crate::state::{DeadPath, TestRun};

const END: &str = "…";

/// Cuts a text to at most so many bytes; whether it was longer.
pub fn text(text: &mut String, most: usize) -> bool {
    let is_long = text.len() > most;
    if is_long {
        text.truncate(text.floor_char_boundary(most.saturating_sub(END.len())));
        text.push_str(END);
    }
    is_long
}

/// The same, down to nothing.
pub fn to_nothing(given: &mut String, most: usize) -> bool {
    if most > 0 {
        return text(given, most);
    }
    !std::mem::take(given).is_empty()
}

/// The same of a text that is not to be changed.
pub fn of(given: &str, most: usize) -> String {
    let mut short = given.to_owned();
    text(&mut short, most);
    short
}

/// The whole words at the beginning of a text, as a question: a search for half a word finds little. Where the words
/// are so long that they would leave nearly nothing, half a word is more than none.
pub(crate) fn question(given: &str, most: usize) -> &str {
    if given.len() <= most {
        return given;
    }
    let cut = &given[..given.floor_char_boundary(most)];
    let end = cut.rfind(char::is_whitespace).filter(|end| *end >= most / 2);
    end.map_or(cut, |end| cut[..end].trim_end())
}

/// Events and files that a claim names where there is little room; mission_show names all.
const NAMED: usize = 6;

/// Cuts what a claim says.
pub fn claim(claim: &mut Claim, most: usize) -> bool {
    let is_long = text(&mut claim.text, most) | text(&mut claim.reason, most);
    let lists = [
        &claim.event_ids.len(),
        &claim.stale.len(),
        &claim.gone.len(),
        &claim.rests_on.len(),
        &claim.runs.len(),
    ];
    let is_many = lists.iter().any(|len| **len > NAMED);
    claim.rests_on.truncate(NAMED);
    claim.runs.truncate(NAMED);
    claim.event_ids.drain(..claim.event_ids.len().saturating_sub(NAMED));
    claim.stale.truncate(NAMED);
    claim.gone.truncate(NAMED);
    is_long || is_many
}

/// Cuts what a dead path says.
pub fn dead_path(dead: &mut DeadPath, most: usize) -> bool {
    let note = dead.note.as_mut().is_some_and(|note| text(note, most));
    text(&mut dead.target, most) || note
}

/// Cuts what a run says.
pub fn test_run(run: &mut TestRun, most: usize) -> bool {
    text(&mut run.target, most)
}
