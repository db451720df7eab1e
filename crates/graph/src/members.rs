//! Members of a type, wherever they are written.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::EdgeKind;
use crate::near;

impl Graph {
    /// What belongs to a type: what stands in it, in its other parts, and what other files add to it, as methods of
    /// Go, `impl` blocks, extensions, and bodies of what a header declares.
    pub fn members(&self, of: NodeIx) -> Vec<NodeIx> {
        if !self.node(of).kind().is_type() {
            return self.targets(of, EdgeKind::Contains).collect();
        }
        let mut found = Vec::new();
        for part in self.parts(of) {
            found.extend(self.targets(part, EdgeKind::Contains));
            found.extend(self.added(part));
        }
        found.sort();
        found.dedup();
        found
    }

    /// The type that a node belongs to, wherever it is written.
    pub fn owner(&self, of: NodeIx) -> Option<NodeIx> {
        if let Some(around) = self.parent(of).filter(|&ix| self.node(ix).kind().is_type()) {
            return Some(around);
        }
        let node = self.node(of);
        let label = node.qualified().rsplit('.').nth(1).filter(|_| node.kind().is_callable())?;
        let types = self.nodes_by_label(label).iter().map(|&at| NodeIx(at));
        let mut owners = types.filter(|&ix| self.node(ix).kind().is_type() && self.added(ix).contains(&of));
        owners.next()
    }

    /// The places where a type is written that may be written in several: partial classes, classes opened again.
    fn parts(&self, of: NodeIx) -> Vec<NodeIx> {
        let node = self.node(of);
        let is_open = |ix: NodeIx| match self.node(ix).language() {
            "ruby" => true,
            "csharp" => self.node(ix).signature().split(' ').any(|word| word == "partial"),
            _ => false,
        };
        if !is_open(of) {
            return vec![of];
        }
        // Where a name does not say its namespace, parts of one class stand in one folder.
        let is_near = |path: &str| {
            node.language() == "ruby"
                || node.qualified() != node.label()
                || near::folder(path) == near::folder(node.path())
        };
        let is_part = |&ix: &NodeIx| {
            let other = self.node(ix);
            ix == of
                || (other.kind() == node.kind()
                    && other.language() == node.language()
                    && other.qualified() == node.qualified()
                    && near::root(other.path()) == near::root(node.path())
                    && is_near(other.path())
                    && is_open(ix))
        };
        let named = self.nodes_by_label(node.label()).iter().map(|&at| NodeIx(at)).filter(is_part);
        near::without_copies(node.path(), named.collect(), |ix| self.node(ix).path(), |_, _| true)
    }

    /// Functions that other files write for a type: they have its name in front of theirs, and their files say that
    /// they mean it.
    fn added(&self, to: NodeIx) -> Vec<NodeIx> {
        let node = self.node(to);
        if has_whole_types(node.language()) {
            return Vec::new();
        }
        let files: BTreeSet<&str> = self
            .sources(to, EdgeKind::References)
            .map(|source| self.node(source).path())
            .filter(|path| *path != node.path())
            .collect();
        let is_added = |&ix: &NodeIx| {
            let other = self.node(ix);
            let mut names = other.qualified().rsplit('.');
            let is_below = names.next() == Some(other.label()) && names.next() == Some(node.label());
            is_below
                && other.kind().is_callable()
                && other.language() == node.language()
                && !self.parent(ix).is_some_and(|outer| self.node(outer).kind().is_type())
        };
        files.into_iter().flat_map(|path| self.nodes_in(path).filter(is_added).collect::<Vec<_>>()).collect()
    }
}

/// Whether all members of a type are written where the type is: nobody can add one elsewhere.
fn has_whole_types(language: &str) -> bool {
    matches!(language, "python" | "java")
}
