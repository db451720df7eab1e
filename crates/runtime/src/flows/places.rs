//! Places: which nodes of the graph a line of a file belongs to.

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};

/// Id of the innermost node around a line.
pub fn innermost(graph: &Graph, path: &str, line: u64) -> Option<String> {
    let line = u32::try_from(line).ok()?;
    graph.node_at(path, line).map(|node| graph.node(node).id().to_owned())
}

/// Ids of the definitions around a line, outermost first; the file itself is not one.
pub fn enclosing(graph: &Graph, path: &str, line: u64) -> Vec<String> {
    let Some(mut at) = u32::try_from(line).ok().and_then(|line| graph.node_at(path, line)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    while is_definition(graph, at) {
        found.push(graph.node(at).id().to_owned());
        match graph.sources(at, EdgeKind::Contains).next() {
            Some(parent) if found.len() < MAX_DEPTH => at = parent,
            _ => break,
        }
    }
    found.reverse();
    found
}

fn is_definition(graph: &Graph, node: NodeIx) -> bool {
    !matches!(graph.node(node).kind(), NodeKind::File | NodeKind::Directory | NodeKind::Repository)
}

/// Deeper nesting is a machine's, and not worth its bytes.
const MAX_DEPTH: usize = 8;
