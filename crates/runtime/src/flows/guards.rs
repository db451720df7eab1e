//! Guards: calls that look at input, and whether one is made on every way before a place of a function.

use std::cell::RefCell;
use std::collections::BTreeMap;

use m1nd_ingest::course::{Course, Event, Lasting, Outcome, Part, Shape};
use m1nd_risk::taint;

use super::immunity::Words;

/// The place before which they are looked for.
pub(super) enum Place<'a> {
    /// Calls of a name on these lines.
    Calls(&'a str, &'a [u32]),
    /// A call of that name on a line; where nothing there is called so, all that the line calls.
    Line(u32, &'a str),
}

/// Names of calls that look at input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Before {
    /// One of them is made on every way.
    pub always: Vec<String>,
    /// They are made on some ways, or the order is not known.
    pub perhaps: Vec<String>,
}

impl Before {
    /// What another step of a way adds.
    pub fn add(&mut self, other: Self) {
        self.always.extend(other.always);
        self.perhaps.extend(other.perhaps);
    }
}

/// Looks for them; each file is parsed once.
#[derive(Default)]
pub(super) struct Guards {
    known: BTreeMap<String, Option<Course>>,
}

impl Guards {
    /// `own` is the name of the function that is looked at: it is called what it is, which is no look at its input.
    pub fn before(
        &mut self,
        words: &mut Words<'_>,
        path: &str,
        part: &Part,
        own: &str,
        place: &Place<'_>,
    ) -> Before {
        let course = self.known.entry(path.to_owned()).or_insert_with(|| Course::of(path, words.text(path)?));
        let names: RefCell<Vec<(u32, String)>> = RefCell::default();
        let found = course.as_ref().and_then(|course| {
            course.outcomes(part, Lasting::Happened, |seen| {
                let is_call = seen.shape == Shape::Call;
                if is_call && seen.name != own && taint::looks(seen.name) {
                    let mut names = names.borrow_mut();
                    if !names.iter().any(|(_, known)| known == seen.name) {
                        names.push((seen.line, seen.name.to_owned()));
                    }
                    return Some(Event::Begins);
                }
                let is_on = |line: u32| seen.line == line || seen.first == line;
                match place {
                    Place::Calls(name, lines) => {
                        let at = lines.iter().position(|&line| is_on(line));
                        at.filter(|_| is_call && seen.name == *name).map(Event::Asked)
                    }
                    Place::Line(line, name) if is_on(*line) => {
                        Some(Event::Asked(usize::from(!(is_call && seen.name == *name))))
                    }
                    Place::Line(..) => None,
                }
            })
        });
        let found = found.unwrap_or_default();
        let worst = match place {
            Place::Calls(_, lines) if found.len() == lines.len() => found.values().min().copied(),
            Place::Calls(..) => None,
            Place::Line(..) => found.get(&0).or_else(|| found.get(&1)).copied(),
        };
        let mut names = names.into_inner();
        names.sort();
        let last = match place {
            Place::Calls(_, lines) => lines.iter().max().copied().unwrap_or(u32::MAX),
            Place::Line(line, _) => *line,
        };
        let before: Vec<String> =
            names.iter().filter(|(line, _)| *line <= last).map(|(_, name)| name.clone()).collect();
        match worst {
            Some(Outcome::Always) => Before { always: before, perhaps: Vec::new() },
            Some(Outcome::Never) => Before::default(),
            _ => Before { always: Vec::new(), perhaps: before },
        }
    }
}
