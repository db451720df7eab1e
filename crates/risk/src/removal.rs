//! Removal: what would be without some nodes. They are masked, not taken out.

use std::collections::BTreeSet;

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};

use crate::blast::{self, DEPENDS, Handed, Toward};

/// Activation fades after so many steps.
const SPREAD_HOPS: u32 = 12;

/// What the removal does.
#[derive(Clone, Debug, PartialEq)]
pub struct Removal {
    /// The given nodes and all that is in them.
    pub removed: Vec<NodeIx>,
    /// What depends on them, nearest first, with the number of steps.
    pub affected: Vec<(NodeIx, u32)>,
    /// What nothing but removed code leads to any more.
    pub orphaned: Vec<NodeIx>,
    /// How much less is reached from where programs begin, in percent.
    pub activation_lost: f32,
    /// From how many such beginnings that was measured.
    pub roots: usize,
}

pub fn remove(graph: &Graph, handed: &Handed, nodes: &[NodeIx], max_hops: u32) -> Removal {
    let removed = blast::insides(graph, nodes);
    let is_removed: BTreeSet<NodeIx> = removed.iter().copied().collect();
    let mut affected: Vec<(NodeIx, u32)> =
        blast::blast_handed(graph, handed, &removed, Toward::Affected, max_hops)
            .reached
            .iter()
            .map(|one| (one.node, one.hops))
            .collect();
    affected.sort_by_key(|&(node, hops)| (hops, node));
    let roots = roots(graph);
    let before = spread(graph, &roots, |_| true);
    let after = spread(graph, &roots, |node| !is_removed.contains(&node));
    let activation_lost = if before > 0.0 { (100.0 * (1.0 - after / before)).max(0.0) } else { 0.0 };
    let orphaned = orphaned(graph, &is_removed);
    Removal { removed, affected, orphaned, activation_lost, roots: roots.len() }
}

/// Where programs begin: what the language or a framework calls, and code that nothing leads to. Tests run code, but nobody
/// needs them.
fn roots(graph: &Graph) -> Vec<NodeIx> {
    let is_root = |ix: &NodeIx| {
        let node = graph.node(*ix);
        if node.flags().has(NodeFlags::TEST_CODE)
            || !(node.kind().is_callable() || node.kind() == NodeKind::Route)
        {
            return false;
        }
        node.flags().has(NodeFlags::ENTRY_POINT)
            || !graph.incoming(*ix).any(|edge| DEPENDS.contains(&edge.kind))
    };
    graph.nodes().map(|node| node.ix()).filter(is_root).collect()
}

/// The sum of what is activated from the roots, each with 1.
fn spread(graph: &Graph, roots: &[NodeIx], stays: impl Fn(NodeIx) -> bool) -> f32 {
    let roots: Vec<NodeIx> = roots.iter().copied().filter(|&root| stays(root)).collect();
    let found = blast::blast_where(graph, &roots, Toward::Needed, SPREAD_HOPS, &stays);
    roots.len() as f32 + found.energy
}

/// Code that had users, and whose every user is removed or an orphan itself.
fn orphaned(graph: &Graph, removed: &BTreeSet<NodeIx>) -> Vec<NodeIx> {
    let mut gone = removed.clone();
    let mut open: Vec<NodeIx> = removed.iter().copied().collect();
    let mut found = BTreeSet::new();
    while let Some(node) = open.pop() {
        for edge in graph.outgoing(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
            let target = edge.target;
            if gone.contains(&target) || !can_be_orphan(graph, target) {
                continue;
            }
            let mut users = graph.incoming(target).filter(|edge| {
                DEPENDS.contains(&edge.kind) && edge.kind != EdgeKind::Tests && edge.source != target
            });
            // A test does not need what it tests.
            let is_needed = users.any(|edge| {
                !gone.contains(&edge.source) && !graph.node(edge.source).flags().has(NodeFlags::TEST_CODE)
            });
            if !is_needed {
                gone.insert(target);
                found.insert(target);
                open.push(target);
            }
        }
    }
    found.into_iter().collect()
}

fn can_be_orphan(graph: &Graph, ix: NodeIx) -> bool {
    let node = graph.node(ix);
    let code = node.kind().is_callable() || node.kind().is_type() || node.kind() == NodeKind::Constant;
    code && !node.flags().has(NodeFlags::ENTRY_POINT) && !node.flags().has(NodeFlags::TEST_CODE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, graph};

    #[test]
    fn dependents_orphans_and_lost_activation_are_told() {
        // main -> parse -> lex -> table; main -> show -> table; test_lex -> lex.
        let graph = graph(
            "main calls parse\nparse calls lex\nlex calls table\nmain calls show\nshow calls table\ntest_lex calls lex\n",
        );
        let found = remove(&graph, &Handed::default(), &[at(&graph, "parse")], 5);
        let names =
            |list: &[NodeIx]| list.iter().map(|&ix| graph.node(ix).id()).collect::<Vec<_>>().join(" ");
        assert_eq!(names(&found.affected.iter().map(|one| one.0).collect::<Vec<_>>()), "main");
        assert_eq!(names(&found.orphaned), "lex");
        // Before: main 1, parse 0.9, show 0.9, lex 0.81, table 0.81 = 4.42; after: main 1, show 0.9, table 0.81 = 2.71.
        assert!(
            (found.activation_lost - 100.0 * (1.0 - 2.71 / 4.42)).abs() < 0.01,
            "{}",
            found.activation_lost
        );
        assert_eq!(found.roots, 1);
        assert_eq!(names(&remove(&graph, &Handed::default(), &[at(&graph, "table")], 5).orphaned), "");
    }
}
