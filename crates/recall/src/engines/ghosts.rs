//! Ghosts: files that change together although nothing in the code connects them.

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use rustc_hash::FxHashSet;

use super::temporal::partners;

/// Pairs of files, the first one first, that have one of `files`, changed together, and have no static relation within
/// `depth` steps from file to file.
pub fn ghosts(graph: &Graph, files: &[NodeIx], depth: usize) -> Vec<(NodeIx, NodeIx)> {
    let mut found: Vec<(NodeIx, NodeIx)> = Vec::new();
    for &file in files {
        let partners = partners(graph, file);
        if partners.is_empty() {
            continue;
        }
        let related = within(graph, file, depth);
        let secret = partners.into_iter().filter(|(other, _)| !related.contains(graph.node(*other).path()));
        found.extend(secret.map(|(other, _)| (file.min(other), file.max(other))));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Every file of the graph that has a past in common with another.
pub fn files_with_partners(graph: &Graph) -> Vec<NodeIx> {
    let is_file = |kind| matches!(kind, NodeKind::File | NodeKind::Document);
    let changes = |ix: NodeIx| graph.outgoing(ix).any(|edge| edge.kind == EdgeKind::CoChanges);
    graph
        .nodes()
        .filter(|node| is_file(node.kind()))
        .map(|node| node.ix())
        .filter(|&ix| changes(ix))
        .collect()
}

/// Paths of the files that are at most `depth` static relations away.
fn within(graph: &Graph, file: NodeIx, depth: usize) -> FxHashSet<&str> {
    let mut seen: FxHashSet<&str> = FxHashSet::from_iter([graph.node(file).path()]);
    let mut ring: Vec<&str> = vec![graph.node(file).path()];
    for _ in 0..depth {
        let mut next = Vec::new();
        for path in ring {
            for node in graph.nodes_in(path) {
                for edge in graph.outgoing(node).chain(graph.incoming(node)) {
                    if matches!(edge.kind, EdgeKind::Contains | EdgeKind::CoChanges) {
                        continue;
                    }
                    let other = if edge.source == node { edge.target } else { edge.source };
                    let path = graph.node(other).path();
                    if seen.insert(path) {
                        next.push(path);
                    }
                }
            }
        }
        ring = next;
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::super::testing::graph;
    use super::*;

    fn found(depth: usize) -> Vec<String> {
        // Functions stand in the file of their name; b is used by a, c only by way of b, d by nobody.
        let graph = graph(
            "a.rs co_changes b.rs\na.rs co_changes c.rs\na.rs co_changes d.rs\na calls b\nb calls c\nd contains d.rs",
        );
        let name = |ix: NodeIx| graph.node(ix).id().to_owned();
        let files = files_with_partners(&graph);
        let mut found: Vec<String> =
            ghosts(&graph, &files, depth).iter().map(|&(_, other)| name(other)).collect();
        found.sort();
        found
    }

    #[test]
    fn only_pairs_without_a_static_relation_are_ghosts() {
        assert_eq!(found(1), ["c.rs", "d.rs"]);
        assert_eq!(found(2), ["d.rs"]);
    }
}
