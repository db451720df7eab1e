//! Antibodies: small patterns of nodes and relations that were seen around a bug, to find the like of it elsewhere.
//!
//! Node 0 is the centre: what had the bug. A pattern fits a node that can stand for the centre so that every relation of the
//! pattern is there, every word stands in its source, and nothing that must be missing is named.

mod extract;
mod search;

use std::collections::BTreeSet;
use std::fmt;

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use serde::{Deserialize, Serialize};

pub use extract::{ExtractError, Wanted, extract};
pub use search::{Found, MAX_STEPS, Sources, search};

pub const MAX_NODES: usize = 12;
pub const MAX_EDGES: usize = 20;
/// A pattern that fits more of its kind than this leaves says nothing.
pub const MIN_SPECIFICITY: f64 = 0.15;
/// Of two patterns that are more alike than this, one is enough.
pub const MAX_SIMILARITY: f64 = 0.9;

/// One node of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternNode {
    /// Functions and methods count as one kind, as do all types.
    pub kind: NodeKind,
    /// What it is called; `*` stands for anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// A relation between two nodes of a pattern, by their places in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternEdge {
    pub source: u8,
    pub relation: EdgeKind,
    pub target: u8,
}

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    /// The first is the centre. Each later one has a relation to an earlier one.
    pub nodes: Vec<PatternNode>,
    #[serde(default)]
    pub edges: Vec<PatternEdge>,
    /// Words that stand in the centre's source.
    #[serde(default)]
    pub words: Vec<String>,
    /// Names that the centre has no relation to and that do not stand in its source.
    #[serde(default)]
    pub absent: Vec<String>,
    /// Whether the centre is test code.
    #[serde(default)]
    pub in_tests: bool,
}

impl Pattern {
    /// How alike two patterns are: what they have in common, over all that either has.
    pub fn similarity(&self, other: &Pattern) -> f64 {
        let (mine, theirs) = (self.features(), other.features());
        let common = mine.intersection(&theirs).count();
        common as f64 / (mine.len() + theirs.len() - common).max(1) as f64
    }

    /// Whether a node can be the centre by what it is itself.
    pub fn may_be_centre(&self, graph: &Graph, node: NodeIx) -> bool {
        self.nodes.first().is_some_and(|centre| centre.fits(graph, node))
            && graph.node(node).flags().has(NodeFlags::TEST_CODE) == self.in_tests
    }

    /// Nodes of the centre's kind, of which a specific pattern fits few.
    pub fn population(&self, graph: &Graph) -> usize {
        let Some(centre) = self.nodes.first() else { return 0 };
        let is_test = |node: &m1nd_graph::Node<'_>| node.flags().has(NodeFlags::TEST_CODE);
        let is_like = |node: &m1nd_graph::Node<'_>| alike(node.kind(), centre.kind);
        graph.nodes().filter(|node| is_like(node) && is_test(node) == self.in_tests).count()
    }

    /// One piece for each thing that is asked of a node: its kind, a relation, a word, a name that is missing.
    fn features(&self) -> BTreeSet<String> {
        let name = |at: u8| {
            let node = self.nodes.get(usize::from(at));
            node.map_or_else(String::new, |node| {
                format!("{} {}", class(node.kind), node.label.as_deref().unwrap_or("*"))
            })
        };
        let mut all: BTreeSet<String> = BTreeSet::from([format!("centre {}", name(0))]);
        all.extend(
            self.edges
                .iter()
                .map(|edge| format!("{} {} {}", name(edge.source), edge.relation.name(), name(edge.target))),
        );
        all.extend(self.words.iter().map(|word| format!("word {word}")));
        all.extend(self.absent.iter().map(|word| format!("absent {word}")));
        all
    }
}

/// Such as `callable: type#1 contains callable, type#1 inherits Base; words eval; without check`.
impl fmt::Display for Pattern {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |at: u8| match self.nodes.get(usize::from(at)).map(|node| (class(node.kind), &node.label))
        {
            Some((_, Some(label))) => label.clone(),
            Some((class, None)) if at == 0 => class.to_owned(),
            Some((class, None)) => format!("{class}#{at}"),
            None => String::new(),
        };
        write!(out, "{}", name(0))?;
        for (edge, at) in self.edges.iter().zip(0..) {
            let before = if at == 0 { ": " } else { ", " };
            let source = if edge.source == 0 { String::new() } else { name(edge.source) + " " };
            write!(out, "{before}{source}{} {}", edge.relation.name(), name(edge.target))?;
        }
        for (says, list) in [("words", &self.words), ("without", &self.absent)] {
            if !list.is_empty() {
                write!(out, "; {says} {}", list.join(", "))?;
            }
        }
        Ok(())
    }
}

impl PatternNode {
    fn fits(&self, graph: &Graph, node: NodeIx) -> bool {
        let node = graph.node(node);
        alike(node.kind(), self.kind)
            && self.label.as_deref().is_none_or(|label| is_called(node.label(), label))
    }

    /// A name without `*`.
    fn exact(&self) -> Option<&str> {
        self.label.as_deref().filter(|label| !label.contains('*'))
    }
}

/// One minus the share of the nodes of that kind that a pattern fits; nothing where there are none.
pub fn specificity(matches: usize, population: usize) -> Option<f64> {
    (population > 0).then(|| 1.0 - matches as f64 / population as f64)
}

fn class(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Test => kind.name(),
        kind if kind.is_callable() => "callable",
        kind if kind.is_type() => "type",
        kind => kind.name(),
    }
}

fn alike(a: NodeKind, b: NodeKind) -> bool {
    a == b || class(a) == class(b)
}

/// Whether a name has the form that `*` leaves open.
fn is_called(name: &str, form: &str) -> bool {
    let Some((head, rest)) = form.split_once('*') else { return name == form };
    let Some(mut left) = name.strip_prefix(head) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(last)
}

#[cfg(test)]
mod tests;
