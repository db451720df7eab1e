//! How true the call edges of a graph are, measured against a compiler's index.

use std::collections::BTreeSet;

use m1nd_graph::{EdgeKind, Evidence, Graph};

use super::Index;
use super::calls::{Calls, is_constructor};

/// Call edges between functions, compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// Call edges the compiler sees.
    pub true_edges: usize,
    /// Of those, edges whose target is no node of the graph.
    pub unknown_targets: usize,
    /// `resolved` edges of the graph within the files the index covers.
    pub resolved: usize,
    /// Of those, edges the compiler sees too.
    pub resolved_true: usize,
    pub inferred: usize,
    pub inferred_true: usize,
    /// Callers that the compiler sees of functions that some `resolved` call leads to.
    pub callers: usize,
    /// Of those, callers that the graph has on any evidence, as `impact` tells them.
    pub callers_found: usize,
    /// Resolved edges the compiler does not see: caller, target, line.
    pub wrong: Vec<(String, String, u32)>,
    /// Edges only the compiler sees: caller, target, line.
    pub missed: Vec<(String, String, u32)>,
}

impl Truth {
    /// Share of `resolved` edges that are right.
    pub fn precision(&self) -> f64 {
        ratio(self.resolved_true, self.resolved)
    }

    /// Share of the compiler's edges found as `resolved`.
    pub fn recall(&self) -> f64 {
        ratio(self.resolved_true, self.true_edges)
    }

    /// Share of the compiler's edges found on any evidence.
    pub fn recall_with_inferred(&self) -> f64 {
        ratio(self.resolved_true + self.inferred_true, self.true_edges)
    }

    /// Share of the true direct callers that `impact` tells, of functions that some `resolved` call leads to.
    pub fn callers_recall(&self) -> f64 {
        ratio(self.callers_found, self.callers)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

/// Compares function-level call edges.
///
/// A true edge is a reference to a function, written as a call, inside a function. Constructors are left
/// out: indexes refer to the class there, not to the function that runs. So are functions that the index
/// gives the same name as others, because a reference to them does not say which is meant. `source` gives
/// a file's bytes.
pub fn measure(graph: &Graph, index: &Index, source: impl Fn(&str) -> Option<Vec<u8>>) -> Truth {
    let calls = Calls::of(graph, index, source);
    let mut truth = Truth {
        true_edges: calls.seen.len() + calls.unknown.len(),
        unknown_targets: calls.unknown.len(),
        ..Truth::default()
    };
    let covered: BTreeSet<&str> = index.files.iter().map(String::as_str).collect();
    let mut found = BTreeSet::new();
    let mut known = BTreeSet::new();
    for edge in graph.edges().filter(|edge| edge.kind == EdgeKind::Calls) {
        let (source, target) = (graph.node(edge.source), graph.node(edge.target));
        let inside = covered.contains(source.path()) && covered.contains(target.path());
        let functions = source.kind().is_callable() && target.kind().is_callable();
        let told = !is_constructor(target.label()) && !calls.homonyms.contains(&edge.target);
        if !inside || !functions || !told {
            continue;
        }
        let right = calls.seen.contains_key(&(edge.source, edge.target));
        if !edge.evidence.is_inferred() {
            known.insert(edge.target);
        }
        if right {
            found.insert((edge.source, edge.target));
        }
        if let Evidence::Inferred { .. } = edge.evidence {
            truth.inferred += 1;
            truth.inferred_true += usize::from(right);
            continue;
        }
        // What a macro stands for is no more than text to an index.
        if !right && source.signature().starts_with("macro_rules! ") {
            continue;
        }
        // The compiler sees the reference, only not in the form of a call (a decorator, a component).
        if !right && calls.referred.contains(&(edge.source, edge.target)) {
            continue;
        }
        truth.resolved += 1;
        truth.resolved_true += usize::from(right);
        if !right {
            let line = edge.best_line().unwrap_or(0);
            truth.wrong.push((source.id().to_owned(), target.id().to_owned(), line));
        }
    }
    for ((caller, target), lines) in calls.seen {
        let line = lines.first().copied().unwrap_or(0);
        let is_found = found.contains(&(caller, target));
        truth.callers += usize::from(known.contains(&target));
        truth.callers_found += usize::from(known.contains(&target) && is_found);
        if !is_found {
            truth.missed.push((graph.node(caller).id().to_owned(), graph.node(target).id().to_owned(), line));
        }
    }
    for (caller, symbol) in calls.unknown {
        truth.missed.push((graph.node(caller).id().to_owned(), symbol.to_owned(), 0));
    }
    truth
}
