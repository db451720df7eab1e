//! Ghosts: files that change together without a relation in the code, shown with how often.

use m1nd_graph::{Graph, Node, NodeIx, NodeKind};
use m1nd_recall::engines::ghosts::{files_with_partners, ghosts};
use m1nd_stdx::round::round2;
use schemars::JsonSchema;
use serde::Serialize;

use super::survey::is_within;

/// Fewer common changes are chance.
const MIN_TIMES: u32 = 3;

/// A relation that only the history knows.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct GhostEdge {
    pub source: String,
    pub target: String,
    /// Commits that changed both.
    pub co_changes: u32,
    /// How often one changes when the other does: 0 to 1.
    pub strength: f64,
}

/// Ghost edges with at least one end in a scope.
pub fn within(graph: &Graph, scope: &str, depth: usize) -> Vec<GhostEdge> {
    let files: Vec<NodeIx> = files_with_partners(graph)
        .into_iter()
        .filter(|&file| is_within(graph.node(file).path(), scope))
        .collect();
    of_files(graph, &files, depth)
}

/// Whether any file of a scope is parsed.
pub fn has_parsed(graph: &Graph, scope: &str) -> bool {
    let is_parsed = |node: &Node<'_>| node.kind() == NodeKind::File && !node.language().is_empty();
    graph.nodes().any(|node| is_parsed(&node) && is_within(node.path(), scope))
}

/// Ghost edges of some files, in the order of the engine.
pub(super) fn of_files(graph: &Graph, files: &[NodeIx], depth: usize) -> Vec<GhostEdge> {
    let path = |node: NodeIx| graph.node(node).path().to_owned();
    // Of files that are not parsed no relation is known, and that a lock file changes with its manifest is no news.
    let parsed = |node: NodeIx| !graph.node(node).language().is_empty();
    let secret = ghosts(graph, files, depth)
        .into_iter()
        .filter(|ghost| ghost.times >= MIN_TIMES && parsed(ghost.one) && parsed(ghost.other));
    let shown = secret.map(|ghost| GhostEdge {
        source: path(ghost.one),
        target: path(ghost.other),
        co_changes: ghost.times,
        strength: round2(ghost.strength),
    });
    shown.collect()
}
