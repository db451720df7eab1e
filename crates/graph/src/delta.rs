//! The difference between two generations, by id.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::EdgeKind;

/// A relation named by the ids of its ends.
pub type Relation = (String, EdgeKind, String);

/// What one generation has that the other has not; every list is sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphDelta {
    pub nodes_added: Vec<String>,
    pub nodes_removed: Vec<String>,
    /// Same id, but something else about the node differs.
    pub nodes_changed: Vec<String>,
    pub edges_added: Vec<Relation>,
    pub edges_removed: Vec<Relation>,
}

impl GraphDelta {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What changed from `old` to `new`.
pub fn between(old: &Graph, new: &Graph) -> GraphDelta {
    let ids = |graph: &Graph| -> BTreeSet<String> { graph.nodes().map(|n| n.id().to_owned()).collect() };
    let (old_ids, new_ids) = (ids(old), ids(new));
    let (old_edges, new_edges) = (relations(old), relations(new));
    GraphDelta {
        nodes_added: new_ids.difference(&old_ids).cloned().collect(),
        nodes_removed: old_ids.difference(&new_ids).cloned().collect(),
        nodes_changed: old_ids
            .intersection(&new_ids)
            .filter(|id| match (old.node_by_id(id), new.node_by_id(id)) {
                (Some(a), Some(b)) => !same_node(old, a, new, b),
                _ => false,
            })
            .cloned()
            .collect(),
        edges_added: new_edges.difference(&old_edges).cloned().collect(),
        edges_removed: old_edges.difference(&new_edges).cloned().collect(),
    }
}

fn relations(graph: &Graph) -> BTreeSet<Relation> {
    let id = |ix| graph.node(ix).id().to_owned();
    graph.edges().map(|edge| (id(edge.source), edge.kind, id(edge.target))).collect()
}

fn same_node(old: &Graph, a: NodeIx, new: &Graph, b: NodeIx) -> bool {
    let (a, b) = (old.node(a), new.node(b));
    a.lines() == b.lines()
        && a.signature() == b.signature()
        && a.doc() == b.doc()
        && a.flags() == b.flags()
        && a.history() == b.history()
        && a.language() == b.language()
        && a.tags().eq(b.tags())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graph, parts};
    use proptest::prelude::*;

    #[test]
    fn added_and_removed_relations_are_named() {
        let delta = between(&graph("a calls b\nb calls c"), &graph("a calls b\na calls d"));
        let id = |name: &str| format!("function::src/{name}.rs::{name}");
        assert_eq!(delta.nodes_added, [id("d")]);
        assert_eq!(delta.nodes_removed, [id("c")]);
        assert_eq!(delta.edges_added, [(id("a"), EdgeKind::Calls, id("d"))]);
        assert_eq!(delta.edges_removed, [(id("b"), EdgeKind::Calls, id("c"))]);
    }

    proptest! {
        #[test]
        fn a_graph_does_not_differ_from_itself_and_differences_mirror(a in parts(), b in parts()) {
            let (a, b) = (a.build(), b.build());
            prop_assert!(between(&a, &a).is_empty());
            let (there, back) = (between(&a, &b), between(&b, &a));
            prop_assert_eq!(there.nodes_added, back.nodes_removed);
            prop_assert_eq!(there.edges_removed, back.edges_added);
            prop_assert_eq!(there.nodes_changed, back.nodes_changed);
        }
    }
}
