//! What a compiler's index adds to a graph: `precise` edges, and doubt removed.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{EdgeKind, EdgeSpec, Evidence, Graph, GraphBuilder, NodeIx, carry};

use super::Index;
use super::calls::Calls;

/// A graph with an index laid over it.
#[derive(Debug)]
pub struct Overlaid {
    pub graph: Graph,
    /// Files of the graph that the index covers, in order.
    pub covered: Vec<String>,
    /// Call edges that were known and are now certain.
    pub upgraded: usize,
    /// Call edges that only the index knows.
    pub added: usize,
    /// Guesses that the index shows to be wrong.
    pub dropped: usize,
}

/// Makes the call edges that an index shows `precise`, adds those that were missing, and drops edges of
/// covered files that it contradicts: another function of the same name is what the same line calls.
///
/// Edges the index does not mention stay: it may have been built without the code around them.
pub fn overlay(
    graph: &Graph,
    index: &Index,
    source: impl Fn(&str) -> Option<Vec<u8>>,
    generation: u64,
) -> Overlaid {
    let calls = Calls::of(graph, index, source);
    let mut said: BTreeMap<(NodeIx, u32), BTreeSet<&str>> = BTreeMap::new();
    for (&(caller, target), lines) in &calls.seen {
        for &line in lines {
            said.entry((caller, line)).or_default().insert(graph.node(target).label());
        }
    }
    let mut contradicted = BTreeSet::new();
    let mut upgraded = 0;
    for edge in graph.edges().filter(|edge| edge.kind == EdgeKind::Calls) {
        if calls.seen.contains_key(&(edge.source, edge.target)) {
            upgraded += usize::from(edge.evidence != Evidence::Precise);
            continue;
        }
        let label = graph.node(edge.target).label();
        let elsewhere =
            |line: &u32| said.get(&(edge.source, *line)).is_some_and(|names| names.contains(label));
        if !edge.lines.is_empty() && edge.lines.iter().all(elsewhere) {
            contradicted.insert((graph.node(edge.source).id(), graph.node(edge.target).id()));
        }
    }
    let mut builder = GraphBuilder::from_graph(graph);
    let mut added = 0;
    for (&(caller, target), lines) in &calls.seen {
        added += usize::from(graph.edge_between(caller, EdgeKind::Calls, target).is_none());
        let find = |ix: NodeIx| builder.find(graph.node(ix).id());
        let (Some(source), Some(target)) = (find(caller), find(target)) else { continue };
        for &line in lines {
            builder.edge(EdgeSpec::new(source, EdgeKind::Calls, target, Evidence::Precise).at_line(line));
        }
    }
    let dropped: BTreeSet<_> =
        contradicted.iter().filter_map(|(a, b)| Some((builder.find(a)?, builder.find(b)?))).collect();
    builder
        .retain_edges(|edge| edge.kind != EdgeKind::Calls || !dropped.contains(&(edge.source, edge.target)));
    let laid = builder.finish(generation);
    carry::learned_weights(graph, &laid);
    let covered = index.files.iter().filter(|path| graph.node_by_path(path).is_some()).cloned().collect();
    Overlaid { graph: laid, covered, upgraded, added, dropped: dropped.len() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scip::{Place, Reference};
    use crate::testing;

    #[test]
    fn an_index_settles_a_doubt_and_finds_what_was_missed() {
        let fixture = "
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
        let graph = testing::graph(fixture);
        let files = testing::files(fixture);
        let place = |line, from, to| Place { path: "a.py".to_owned(), line, columns: (from, to) };
        let mut index = Index { files: vec!["a.py".to_owned()], ..Index::default() };
        index.definitions.insert("Queue#drain().".to_owned(), vec![place(2, 8, 13)]);
        index.definitions.insert("hidden().".to_owned(), vec![place(8, 4, 10)]);
        index.references.push(Reference { symbol: "Queue#drain().".to_owned(), at: place(6, 6, 11) });
        index.references.push(Reference { symbol: "hidden().".to_owned(), at: place(7, 4, 20) });
        assert_eq!(
            testing::calls(fixture),
            "a.py run -> a.py Pool.drain @[6] ?2\na.py run -> a.py Queue.drain @[6] ?2\n"
        );
        let source = |_: &str| Some(files[0].1.clone().into_bytes());
        let laid = overlay(&graph, &index, source, 2);
        assert_eq!((laid.upgraded, laid.added, laid.dropped), (1, 1, 1));
        assert_eq!(
            testing::edges(&laid.graph, &[EdgeKind::Calls]),
            "a.py run -> a.py Queue.drain @[6]\na.py run -> a.py hidden @[7]\n"
        );
        assert_eq!(laid.covered, ["a.py"]);
    }

    #[test]
    fn bytes_that_are_no_index_are_an_error() {
        assert!(crate::scip::read(b"\xff\xff\xff not protobuf").is_err());
    }
}
