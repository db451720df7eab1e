//! What a compiler's index adds to a graph: `precise` edges, and doubt removed.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::rewire::{EdgePut, rewire};
use m1nd_graph::{Edge, EdgeKind, Evidence, Graph, NodeIx};
use serde::{Deserialize, Serialize};

use super::Index;
use super::calls::Calls;

/// The calls an index shows, named by node ids: it can be laid over later generations without the index.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overlay {
    /// Ids of the functions that `calls` speak of.
    nodes: Vec<String>,
    /// Caller and target as positions in `nodes`, and the lines of the calls.
    calls: Vec<(u32, u32, Vec<u32>)>,
}

/// A graph with an overlay laid over it.
#[derive(Debug)]
pub struct Overlaid {
    pub graph: Graph,
    /// Call edges that were known and are now certain.
    pub upgraded: usize,
    /// Call edges that only the index knows.
    pub added: usize,
    /// Guesses that the index shows to be wrong.
    pub dropped: usize,
    /// Calls of the index that no longer hold: a file at one of their ends changed.
    pub lost: usize,
}

impl Overlay {
    /// What `index` says about the functions of `graph`. `source` gives a file's bytes; files for which it
    /// gives none are left out.
    pub fn of(graph: &Graph, index: &Index, source: impl Fn(&str) -> Option<Vec<u8>>) -> Self {
        let seen = Calls::of(graph, index, source).seen;
        let ends: BTreeSet<NodeIx> = seen.keys().flat_map(|&(caller, target)| [caller, target]).collect();
        let position: BTreeMap<NodeIx, u32> = ends.iter().copied().zip(0..).collect();
        let calls = seen.into_iter().map(|((caller, target), mut lines)| {
            lines.sort_unstable();
            lines.dedup();
            (position[&caller], position[&target], lines)
        });
        let calls = calls.collect();
        Self { nodes: ends.iter().map(|&ix| graph.node(ix).id().to_owned()).collect(), calls }
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Makes the calls `precise`, adds those that were missing, and drops edges that they contradict: another
    /// function of the same name is what the same line calls. Edges the index does not mention stay: it may
    /// have been built without the code around them.
    ///
    /// `holds` says whether a file is still the one that the index was made from; a call counts only while
    /// both its ends do. `base` is the graph as the files alone make it: other indexes may lie over `graph` already, and what
    /// this one does is counted as if they did not.
    pub fn lay_over(&self, graph: &Graph, base: &Graph, holds: impl Fn(&str) -> bool) -> Overlaid {
        let nodes: Vec<Option<NodeIx>> = self
            .nodes
            .iter()
            .map(|id| graph.node_by_id(id).filter(|&ix| holds(graph.node(ix).path())))
            .collect();
        let mut put = Vec::new();
        let mut said: BTreeMap<(NodeIx, u32), BTreeSet<&str>> = BTreeMap::new();
        let mut known = BTreeSet::new();
        let mut laid = Overlaid { graph: Graph::empty(), upgraded: 0, added: 0, dropped: 0, lost: 0 };
        for (caller, target, lines) in &self.calls {
            let end = |at: u32| nodes.get(at as usize).copied().flatten();
            let (Some(source), Some(target)) = (end(*caller), end(*target)) else {
                laid.lost += 1;
                continue;
            };
            match base.edge_between(source, EdgeKind::Calls, target) {
                None => laid.added += 1,
                Some(_) => laid.upgraded += 1,
            }
            known.insert((source, target));
            for &line in lines {
                said.entry((source, line)).or_default().insert(graph.node(target).label());
            }
            let (kind, evidence) = (EdgeKind::Calls, Evidence::Precise);
            put.push(EdgePut { source, kind, target, evidence, lines: lines.clone() });
        }
        let is_contradicted = |edge: &Edge<'_>| {
            let label = graph.node(edge.target).label();
            let elsewhere =
                |line: &u32| said.get(&(edge.source, *line)).is_some_and(|names| names.contains(label));
            edge.kind == EdgeKind::Calls
                && !known.contains(&(edge.source, edge.target))
                && !edge.lines.is_empty()
                && edge.lines.iter().all(elsewhere)
        };
        laid.dropped = base.edges().filter(is_contradicted).count();
        // What another index is sure of stays.
        let guessed = graph.edges().filter(|edge| edge.evidence != Evidence::Precise);
        let contradicted: BTreeSet<_> = guessed.filter(is_contradicted).map(|edge| edge.ix).collect();
        laid.graph = rewire(graph, put, &contradicted);
        laid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scip::{Place, Reference};
    use crate::testing;

    const FIXTURE: &str = "
//- a.py
class Queue:
    def drain(self): ...
class Pool:
    def drain(self): ...
def run(x):
    x.drain()
    getattr(x, name)()
def hidden(): ...
";

    fn overlay(graph: &Graph) -> Overlay {
        let files = testing::files(FIXTURE);
        let place = |line, from, to| Place { path: "a.py".to_owned(), line, columns: (from, to) };
        let mut index = Index { files: vec!["a.py".to_owned()], ..Index::default() };
        index.definitions.insert("Queue#drain().".to_owned(), vec![place(2, 8, 13)]);
        index.definitions.insert("hidden().".to_owned(), vec![place(8, 4, 10)]);
        index.references.push(Reference { symbol: "Queue#drain().".to_owned(), at: place(6, 6, 11) });
        index.references.push(Reference { symbol: "hidden().".to_owned(), at: place(7, 4, 20) });
        Overlay::of(graph, &index, |_: &str| Some(files[0].1.clone().into_bytes()))
    }

    #[test]
    fn an_index_settles_a_doubt_and_finds_what_was_missed() {
        let graph = testing::graph(FIXTURE);
        assert_eq!(
            testing::calls(FIXTURE),
            "a.py run -> a.py Pool.drain @[6] ?2\na.py run -> a.py Queue.drain @[6] ?2\n"
        );
        let laid = overlay(&graph).lay_over(&graph, &graph, |_| true);
        assert_eq!((laid.upgraded, laid.added, laid.dropped, laid.lost), (1, 1, 1, 0));
        assert_eq!(
            testing::edges(&laid.graph, &[EdgeKind::Calls]),
            "a.py run -> a.py Queue.drain @[6]\na.py run -> a.py hidden @[7]\n"
        );
        let kept = serde_json::to_string(&overlay(&graph)).unwrap();
        let again: Overlay = serde_json::from_str(&kept).unwrap();
        assert_eq!(again.lay_over(&graph, &graph, |_| true).graph, laid.graph, "nothing is lost on disk");
    }

    #[test]
    fn a_reference_that_says_another_name_or_defines_something_is_no_call() {
        let fixture = "
//- a.py
from b import fetch as got
def get(): ...
def post(): ...
def timeout(self): ...
def run():
    get()
    post()
    got()
";
        let files = testing::files(fixture);
        let graph = testing::graph(fixture);
        let place = |line, from, to| Place { path: "a.py".to_owned(), line, columns: (from, to) };
        let mut index = Index { files: vec!["a.py".to_owned()], ..Index::default() };
        index.definitions.insert("get().".to_owned(), vec![place(2, 4, 7)]);
        index.definitions.insert("timeout().".to_owned(), vec![place(4, 4, 11)]);
        for at in [place(6, 4, 7), place(7, 4, 8)] {
            index.references.push(Reference { symbol: "get().".to_owned(), at });
        }
        index.references.push(Reference { symbol: "get().".to_owned(), at: place(4, 4, 11) });
        let overlay = Overlay::of(&graph, &index, |_: &str| Some(files[0].1.clone().into_bytes()));
        let laid = overlay.lay_over(&graph, &graph, |_| true);
        assert_eq!(
            testing::edges(&laid.graph, &[EdgeKind::Calls]),
            "a.py run -> a.py get @[6]\na.py run -> a.py post @[7]\n"
        );
        assert_eq!((laid.upgraded, laid.added), (1, 0));
    }

    #[test]
    fn a_file_that_changed_takes_its_precise_edges_with_it() {
        let graph = testing::graph(FIXTURE);
        let laid = overlay(&graph).lay_over(&graph, &graph, |_| false);
        assert_eq!((laid.upgraded, laid.added, laid.dropped, laid.lost), (0, 0, 0, 2));
        assert_eq!(laid.graph, graph);
    }

    #[test]
    fn bytes_that_are_no_index_are_an_error() {
        assert!(crate::scip::read(b"\xff\xff\xff not protobuf").is_err());
    }
}
