//! Change: which lines of which files somebody changed, and the nodes that stand there.

use std::collections::BTreeSet;
use std::ops::Bound;

use crate::graph::Graph;
use crate::ids::NodeIx;

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    Added,
    Modified,
    Deleted,
    Renamed,
}

impl How {
    pub fn name(self) -> &'static str {
        match self {
            How::Added => "added",
            How::Modified => "modified",
            How::Deleted => "deleted",
            How::Renamed => "renamed",
        }
    }
}

/// A file that a change touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where it is now, or was if it is deleted.
    pub path: String,
    /// Where it was, if it was renamed.
    pub was: Option<String>,
    pub how: How,
    /// First and last changed lines of the new version, 1-based, in order. Where lines were only taken away, the lines
    /// around the gap.
    pub lines: Vec<(u32, u32)>,
    pub added: u32,
    pub removed: u32,
}

impl ChangedFile {
    /// The innermost nodes of today's graph that hold a changed line; the file itself where a line is in none.
    pub fn nodes(&self, graph: &Graph) -> Vec<NodeIx> {
        let mut found = BTreeSet::new();
        // Between the lines where a node begins or ends every line is in the same one.
        let mut edges: BTreeSet<u32> = BTreeSet::new();
        for node in graph.nodes_in(&self.path) {
            let (first, last) = graph.node(node).lines();
            edges.extend([first, last.saturating_add(1)]);
        }
        for &(first, last) in &self.lines {
            let first = first.max(1);
            let inside = edges.range((Bound::Excluded(first), Bound::Included(last.max(first))));
            for &line in [first].iter().chain(inside).filter(|&&line| line <= last) {
                found.extend(graph.node_at(&self.path, line));
            }
        }
        found.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GraphBuilder, NodeKind, NodeSpec};

    #[test]
    fn changed_lines_belong_to_the_innermost_node() {
        let mut builder = GraphBuilder::new();
        for (kind, name, first, last) in
            [(NodeKind::File, "", 1, 30), (NodeKind::Class, "C", 3, 20), (NodeKind::Method, "C.m", 5, 8)]
        {
            let id = format!("{}::a.py{}{name}", kind.name(), if name.is_empty() { "" } else { "::" });
            let mut spec = NodeSpec::new(kind, id, name);
            (spec.path, spec.qualified) = ("a.py".into(), name.into());
            (spec.line_start, spec.line_end) = (first, last);
            builder.node(spec);
        }
        let graph = builder.finish(1);
        let shown = |lines: &[(u32, u32)]| {
            let how = How::Modified;
            let file = ChangedFile {
                path: "a.py".into(),
                was: None,
                how,
                lines: lines.to_vec(),
                added: 0,
                removed: 0,
            };
            file.nodes(&graph).iter().map(|&ix| graph.node(ix).id()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(&[(6, 7)]), "method::a.py::C.m");
        assert_eq!(shown(&[(4, 5)]), "class::a.py::C method::a.py::C.m");
        assert_eq!(shown(&[(25, 25)]), "file::a.py");
        assert_eq!(shown(&[]), "");
    }
}
