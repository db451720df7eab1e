//! Places: which nodes of the graph a line of a file belongs to.

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};

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

/// The innermost definition around a line.
pub fn definition_at(graph: &Graph, path: &str, line: u64) -> Option<NodeIx> {
    let found = u32::try_from(line).ok().and_then(|line| graph.node_at(path, line));
    found.filter(|&at| is_definition(graph, at))
}

/// Whether a line is in a definition of the program, and not of its tests.
pub fn is_program(graph: &Graph, path: &str, line: u64) -> bool {
    let found = definition_at(graph, path, line).map(|at| graph.node(at));
    found.is_some_and(|node| !node.flags().has(NodeFlags::TEST_CODE))
}

/// The lines to show to whoever names one: the definition around it, of a long one the part that the line is in.
/// The first, and how many.
pub fn lines_around(graph: Option<&Graph>, path: &str, line: u64) -> (u64, u64) {
    let around = graph.and_then(|graph| {
        let (first, last) = graph.node(definition_at(graph, path, line)?).lines();
        Some((u64::from(first), u64::from(last)))
    });
    let (first, last) = around.unwrap_or((1, u64::MAX));
    // Whatever is shown, the line is in it.
    let first = first.max(line.saturating_sub(LINES_BEFORE)).clamp(1, line);
    (first, (last.max(line) - first + 1).min(LINES_BEFORE + LINES_AFTER))
}

/// Lines that are shown before and from the one that was named.
const LINES_BEFORE: u64 = 40;
const LINES_AFTER: u64 = 80;

fn is_definition(graph: &Graph, node: NodeIx) -> bool {
    !matches!(graph.node(node).kind(), NodeKind::File | NodeKind::Directory | NodeKind::Repository)
}

/// Deeper nesting is a machine's, and not worth its bytes.
const MAX_DEPTH: usize = 8;
