//! Course: what has happened for certain when a place of a function runs, as the syntax tree shows it.
//!
//! Known are branches, loops, early exits, errors that are caught, what is put off to the end and what is handed on as a
//! function. Whether two conditions go together is not known, nor what runs in other functions.

mod ways;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Duration;

use tree_sitter::{Node, Tree};

use crate::languages;
use ways::Walk;

/// Longer parses are given up.
const PARSE_LIMIT: Duration = Duration::from_secs(2);
/// Families of languages whose ways are known.
const FAMILIES: [&str; 6] = ["python", "go", "java", "script", "rust", "c"];

/// How what begins goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// What has happened stays so, also for what is started beside.
    Happened,
    /// What is held is not held by what is started beside.
    Held,
}

/// What is seen of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Call,
    /// What a block takes while it runs: of a `with`, of a `synchronized`.
    Scope,
    Statement,
}

/// A place of a function, when it has run.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'s> {
    pub shape: Shape,
    /// Where it begins.
    pub first: u32,
    /// Where the name of what is called stands.
    pub line: u32,
    /// What is called, without what it is asked of.
    pub name: &'s str,
    /// What it is asked of.
    pub of: &'s str,
    pub text: &'s str,
}

/// What a place is for the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    Begins,
    Ends,
    /// It is so while what is given to the call, or the block, runs.
    Around,
    /// A place that is asked about, by its number.
    Asked(usize),
}

/// What can be said of a place that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// On no way.
    Never,
    /// On some ways to it, and not on others.
    Sometimes,
    Unknown(&'static str),
    /// On every way.
    Always,
}

/// What of a text is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A function that stands on these lines.
    Lines(u32, u32),
    /// What is given to a call, and runs in its order.
    Given(Range<usize>),
    /// All statements outside of functions.
    Whole,
}

/// A text that was parsed, and may be asked about several of its functions.
pub struct Course {
    text: String,
    tree: Tree,
    family: &'static str,
}

impl Course {
    /// Nothing for a text whose language's ways are not known.
    pub fn of(path: &str, text: &str) -> Option<Self> {
        let language = languages::of_path(path).filter(|one| FAMILIES.contains(&one.family))?;
        let tree = languages::tree(language, text.as_bytes(), PARSE_LIMIT).ok()?;
        Some(Self { text: text.to_owned(), tree, family: language.family })
    }

    /// What can be said of each place that `event` asks about; a place that no way leads to is not among them. Nothing where
    /// the part is not found.
    pub fn outcomes<'c>(
        &'c self,
        part: &Part,
        lasting: Lasting,
        event: impl Fn(&Seen<'c>) -> Option<Event>,
    ) -> Option<BTreeMap<usize, Outcome>> {
        let node = self.find(part)?;
        let mut walk = Walk::of(&self.text, self.family, lasting, &event);
        Some(walk.run(node, matches!(part, Part::Given(_)), *part == Part::Whole))
    }

    /// The same for calls by their names and lines: whether one of the first has been made for certain when any of the others is made.
    pub fn calls(&self, part: &Part, first: (&[&str], &[u32]), then: (&[&str], &[u32])) -> Outcome {
        const UNSEEN: Outcome = Outcome::Unknown("the call is not found where it can run in the syntax tree");
        let is_on = |seen: &Seen<'_>, line: &u32| seen.line == *line || seen.first == *line;
        let stands = |seen: &Seen<'_>, (names, lines): (&[&str], &[u32])| {
            names.contains(&seen.name) && lines.iter().any(|line| is_on(seen, line))
        };
        if first.0.iter().any(|name| then.0.contains(name))
            && first.1.iter().any(|line| then.1.contains(line))
        {
            return UNSEEN;
        }
        let begun: RefCell<BTreeSet<u32>> = RefCell::default();
        let found = self.outcomes(part, Lasting::Happened, |seen| {
            if seen.shape != Shape::Call {
                return None;
            }
            if stands(seen, first) {
                begun.borrow_mut().extend(first.1.iter().filter(|line| is_on(seen, line)));
                return Some(Event::Begins);
            }
            let at = then.1.iter().position(|line| is_on(seen, line));
            at.filter(|_| stands(seen, then)).map(Event::Asked)
        });
        let found = found.unwrap_or_default();
        match found.values().min() {
            Some(Outcome::Always) if found.len() == then.1.len() => Outcome::Always,
            Some(worst) if found.len() == then.1.len() && begun.into_inner().len() == first.1.len() => *worst,
            _ => UNSEEN,
        }
    }

    fn find(&self, part: &Part) -> Option<Node<'_>> {
        let root = self.tree.root_node();
        let (first, last) = match part {
            Part::Whole => return Some(root),
            Part::Given(range) => {
                let node = root.descendant_for_byte_range(range.start, range.end)?;
                return (node.byte_range() == *range).then_some(node);
            }
            Part::Lines(first, last) => (*first as usize, *last as usize),
        };
        let mut open = vec![root];
        let mut best: Option<Node<'_>> = None;
        while let Some(node) = open.pop() {
            let (from, to) = (node.start_position().row + 1, node.end_position().row + 1);
            if to < first || from > last {
                continue;
            }
            if ways::is_function(node.kind()) && from >= first && to <= last {
                // The outermost, and of several beside each other the longest.
                let size = |node: Node<'_>| node.byte_range().len();
                if best.is_none_or(|known| size(known) < size(node)) {
                    best = Some(node);
                }
                continue;
            }
            let mut cursor = node.walk();
            open.extend(node.named_children(&mut cursor));
        }
        best
    }
}

#[cfg(all(test, feature = "lang-python", feature = "lang-go"))]
mod tests;
