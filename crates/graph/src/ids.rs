//! Typed positions in a graph, and the stable text ids that outlive it.

use crate::kind::NodeKind;

/// A node's position in one generation of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeIx(pub u32);

/// An edge's position in one generation of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EdgeIx(pub u32);

/// An interned string of one generation; equal strings have equal handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Str(pub(crate) u32);

impl NodeIx {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl EdgeIx {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// `file::<path>`.
pub fn file_id(path: &str) -> String {
    format!("file::{path}")
}

/// `<kind>::<path>::<qualified name>`; nodes that are places (files, directories) have no qualified name.
pub fn node_id(kind: NodeKind, path: &str, qualified: &str) -> String {
    if qualified.is_empty() {
        format!("{}::{path}", kind.name())
    } else {
        format!("{}::{path}::{qualified}", kind.name())
    }
}

/// The id of the `ordinal`-th node (1-based, in source order) that would have the same id.
pub fn overload_id(base: &str, ordinal: u32) -> String {
    if ordinal <= 1 { base.to_owned() } else { format!("{base}#{ordinal}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_as_the_contract_writes_them() {
        assert_eq!(file_id("src/a.rs"), "file::src/a.rs");
        assert_eq!(node_id(NodeKind::File, "src/a.rs", ""), "file::src/a.rs");
        let base = node_id(NodeKind::Method, "src/a.rs", "Cart.add");
        assert_eq!(overload_id(&base, 1), "method::src/a.rs::Cart.add");
        assert_eq!(overload_id(&base, 3), "method::src/a.rs::Cart.add#3");
    }
}
