//! Outline: the signatures of a file, folder or node, one line each: the cheapest way to see it.

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};

/// The lines, and whether anything below `depth` was left out.
#[derive(Debug, PartialEq, Eq)]
pub struct Outline {
    pub lines: Vec<String>,
    pub deeper: bool,
}

/// Children in source order, `depth` levels of them. Each line is `first-last signature`, indented.
pub fn of(graph: &Graph, node: NodeIx, depth: usize) -> Outline {
    let mut outline = Outline { lines: Vec::new(), deeper: false };
    let mut stack: Vec<(NodeIx, usize)> =
        children(graph, node).into_iter().rev().map(|child| (child, 1)).collect();
    while let Some((at, level)) = stack.pop() {
        outline.lines.push(line(graph, at, level));
        let below = children(graph, at);
        if level < depth {
            stack.extend(below.into_iter().rev().map(|child| (child, level + 1)));
        } else {
            outline.deeper |= !below.is_empty();
        }
    }
    outline
}

fn children(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let mut children: Vec<NodeIx> = graph.targets(node, EdgeKind::Contains).collect();
    children.sort_by_key(|&child| {
        let child = graph.node(child);
        (child.path(), child.lines(), child.ix())
    });
    children
}

fn line(graph: &Graph, node: NodeIx, level: usize) -> String {
    let pad = "  ".repeat(level - 1);
    let node = graph.node(node);
    match node.kind() {
        NodeKind::Directory => format!("{pad}{}/", node.path()),
        NodeKind::File => format!("{pad}{}", node.path()),
        _ => {
            let (first, last) = node.lines();
            let signature = node.signature().split_whitespace().collect::<Vec<_>>().join(" ");
            let text = if signature.is_empty() { node.label() } else { &signature };
            let text = &text[..text.floor_char_boundary(MAX_SIGNATURE_BYTES)];
            format!("{pad}{first}-{last} {text}")
        }
    }
}

/// Longer signatures are cut: `view` shows the rest.
const MAX_SIGNATURE_BYTES: usize = 200;
