//! Locks: whether one is held where a function changes something, or calls what does.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Edge, Graph, NodeIx};
use m1nd_ingest::course::{Course, Event, Lasting, Outcome, Part, Seen, Shape};
use m1nd_risk::flow::shared::{self, Lock, Patterns};

use super::immunity::Words;

/// Whether a lock is held in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Held {
    No,
    /// On some ways to it, and not on others.
    Sometimes,
    Unknown(&'static str),
    Yes,
}

/// The locks of a function are told from the source by what they are asked of; more are looked at together.
const MOST_LOCKS: usize = 8;

/// Looks for locks in sources; each file is parsed once.
#[derive(Default)]
pub struct Locks {
    known: BTreeMap<String, Option<Course>>,
}

impl Locks {
    /// Whether a lock is held at each of these changes of a function: names, and lines.
    pub fn at_changes(
        &mut self,
        words: &mut Words<'_>,
        graph: &Graph,
        node: NodeIx,
        changes: &[(String, u32)],
    ) -> Vec<Held> {
        let Some(patterns) = shared::patterns(graph.node(node).language()) else {
            return vec![Held::No; changes.len()];
        };
        self.held(words, graph, node, changes.len(), &|seen| {
            let is_it =
                |(name, line): &(String, u32)| seen.first == *line && patterns.is_change_of(name, seen.text);
            changes.iter().position(is_it).filter(|_| seen.shape == Shape::Statement)
        })
    }

    /// Whether the caller holds one at every call that an edge stands for.
    pub fn at_calls(&mut self, words: &mut Words<'_>, graph: &Graph, edge: &Edge<'_>) -> Held {
        let label = graph.node(edge.target).label();
        let lines: Vec<u32> = edge.lines.to_vec();
        let found = self.held(words, graph, edge.source, lines.len(), &|seen| {
            let is_it = |line: &u32| (seen.line == *line || seen.first == *line) && seen.name == label;
            lines.iter().position(is_it).filter(|_| seen.shape == Shape::Call)
        });
        found.into_iter().min().unwrap_or(Held::No)
    }

    fn held(
        &mut self,
        words: &mut Words<'_>,
        graph: &Graph,
        node: NodeIx,
        places: usize,
        place: &dyn Fn(&Seen<'_>) -> Option<usize>,
    ) -> Vec<Held> {
        let none = vec![Held::No; places];
        let code = graph.node(node);
        let Some(patterns) = shared::patterns(code.language()) else { return none };
        let Some(source) = words.body(graph, node) else { return none };
        if patterns.is_locked(&source) {
            return vec![Held::Yes; places];
        }
        if !patterns.names_lock(&source) {
            return none;
        }
        let course = self.known.entry(code.path().to_owned()).or_insert_with(|| {
            let text = words.text(code.path())?;
            Course::of(code.path(), text)
        });
        const UNREAD: Held = Held::Unknown("its function could not be read whole");
        let Some(course) = course else { return vec![UNREAD; places] };
        let part = Part::Lines(code.lines().0, code.lines().1);
        let owners: RefCell<BTreeSet<String>> = RefCell::default();
        let note = |seen: &Seen<'_>| {
            if let Some((_, of)) = lock(patterns, seen) {
                owners.borrow_mut().insert(of.to_owned());
            }
            None
        };
        if course.outcomes(&part, Lasting::Held, note).is_none() {
            return vec![UNREAD; places];
        }
        let owners = owners.into_inner();
        // Its words stand in a comment, or for something else.
        if owners.is_empty() {
            return none;
        }
        let mut best: Vec<Option<Held>> = vec![None; places];
        for owner in owners.into_iter().take(MOST_LOCKS) {
            let found = course.outcomes(&part, Lasting::Held, |seen| {
                if let Some((lock, of)) = lock(patterns, seen)
                    && of == owner
                {
                    return Some(match lock {
                        Lock::Takes => Event::Begins,
                        Lock::Gives => Event::Ends,
                        Lock::Around => Event::Around,
                    });
                }
                place(seen).map(Event::Asked)
            });
            for (number, outcome) in found.unwrap_or_default() {
                let held = match outcome {
                    Outcome::Always => Held::Yes,
                    Outcome::Sometimes => Held::Sometimes,
                    Outcome::Unknown(why) => Held::Unknown(why),
                    Outcome::Never => Held::No,
                };
                if let Some(known) = best.get_mut(number) {
                    *known = Some(known.map_or(held, |known| known.max(held)));
                }
            }
        }
        // A place that is not found may stand anywhere.
        const LOST: Held = Held::Unknown("the place is not found in the syntax tree");
        best.into_iter().map(|held| held.unwrap_or(LOST)).collect()
    }
}

/// What a place does with a lock, and with which one.
fn lock<'s>(patterns: &Patterns, seen: &Seen<'s>) -> Option<(Lock, &'s str)> {
    match seen.shape {
        Shape::Call => patterns.call(seen.name).map(|lock| (lock, seen.of)),
        Shape::Scope => {
            let head = seen.text.split(" as ").next().unwrap_or(seen.text).trim();
            patterns.block(head).map(|lock| (lock, head))
        }
        Shape::Statement => None,
    }
}
