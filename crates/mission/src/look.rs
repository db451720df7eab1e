//! Look: how much of a file a step asks for. A long one is read where it matters: a whole file costs many times as much.

use crate::family::Family;
use crate::grounds::{has_word, span_of, strong_names};
use crate::needs::is_document;
use crate::planner::Planner;
use crate::state::path_of;

/// A file of so many bytes is read whole.
const WHOLE: usize = 8_000;
/// The first part of a longer one, in lines.
const FIRST: usize = 150;
/// Lines that show where a place stands, and those of most functions that begin there.
const BEFORE: u64 = 10;
const AFTER: u64 = 70;
/// Claims whose names are looked for.
const MOST_CLAIMS: usize = 8;

/// What to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// A file, or lines of it, as `view` takes them.
    At(String),
    /// What is in it, before anybody reads a part.
    Outline(String),
}

impl Planner<'_> {
    /// What to look at of a place: the lines around one that it names, all of a short file, and of a long one the definition or
    /// the line that `said` or an open claim names; else what is in it, else its first part.
    pub(crate) fn look(&self, place: &str, said: &str) -> Look {
        let path = path_of(place);
        if path.len() < place.len() {
            return Look::At(around(place));
        }
        let Some(text) = (self.situation.text_of)(path).filter(|text| text.len() > WHOLE) else {
            return Look::At(path.to_owned());
        };
        let claims = self.state.unsettled().map(|claim| claim.text.as_str()).take(MOST_CLAIMS);
        let all: Vec<&str> = std::iter::once(said).chain(claims).chain([self.state.goal.as_str()]).collect();
        // `app.py` names the file, and nothing in it.
        let is_file = |name: &String| path.rsplit('/').next().is_some_and(|file| has_word(file, name));
        let named = all.iter().flat_map(|said| strong_names(said)).filter(|name| !is_file(name));
        let is_new = |at: &String| !self.was_shown(path, at);
        let mut places = named.filter_map(|name| {
            let spans = (self.situation.defined)(&name).into_iter().filter_map(|at| span_of(&at));
            let line = spans.filter(|(of, ..)| of == path).map(|(_, first, _)| first).next();
            let said = || (1_u64..).zip(text.lines()).find(|(_, line)| has_word(line, &name));
            let line = line.or_else(|| said().map(|(line, _)| line))?;
            Some(around(&format!("{path}:{line}")))
        });
        if let Some(at) = places.find(is_new) {
            return Look::At(at);
        }
        let is_outlined = || {
            let mut turns = self.state.turns.keys();
            let end = format!(" {path}");
            turns.any(|turn| turn.starts_with(Family::Orient.name()) && turn.ends_with(&end))
        };
        let is_helpful =
            !is_document(path) && !self.situation.graph_is_empty && self.first(&["outline"]).is_some();
        if is_helpful && self.families(Family::Orient).contains(&Family::Orient) && !is_outlined() {
            return Look::Outline(path.to_owned());
        }
        let mut bytes = 0;
        let lines = text.lines().take(FIRST).take_while(|line| {
            bytes += line.len() + 1;
            bytes <= WHOLE
        });
        Look::At(format!("{path}:1-{}", lines.count().max(1)))
    }

    /// Whether these lines of a file, as it is now, were shown.
    fn was_shown(&self, path: &str, at: &str) -> bool {
        self.state.files.get(path).is_some_and(|seen| {
            let is_current = |hash: &String| self.situation.is_current(path, hash);
            let lines = &at[path_of(at).len()..];
            seen.content_hash.as_ref().is_some_and(is_current) && seen.parts.iter().any(|part| part == lines)
        })
    }
}

/// The lines around a place that names one, as `view` takes them.
fn around(place: &str) -> String {
    let path = path_of(place);
    let line = place[path.len()..]
        .trim_start_matches(':')
        .split('-')
        .next()
        .and_then(|line| line.parse::<u64>().ok());
    line.map_or_else(
        || path.to_owned(),
        |line| format!("{path}:{}-{}", line.saturating_sub(BEFORE).max(1), line.saturating_add(AFTER)),
    )
}
