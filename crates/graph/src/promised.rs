//! Promised: methods of interfaces that a type keeps without naming the interface, as types of Go do.

use std::collections::BTreeSet;

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::{EdgeKind, NodeKind};
use crate::near;

impl Graph {
    /// Methods of Go interfaces that a method is meant by where its type has all that they ask for, and that are called;
    /// those of its own file first, then of its folder. Names are compared, not what the methods take: it is a guess.
    pub fn promised(&self, node: NodeIx) -> Vec<NodeIx> {
        let asked = self.node(node);
        if asked.language() != "go" || asked.kind() != NodeKind::Method {
            return Vec::new();
        }
        let is_called = |ix: NodeIx| self.incoming(ix).any(|edge| edge.kind == EdgeKind::Calls);
        let named = self.nodes_by_label(asked.label()).iter().map(|&at| NodeIx(at));
        let promises = named.filter(|&other| other != node && is_called(other));
        let mut found: Vec<(NodeIx, NodeIx)> =
            promises.filter_map(|other| Some((other, self.interface_of(other)?))).collect();
        // Whose methods it has is asked last: it costs most.
        let Some(owner) = (!found.is_empty()).then(|| self.owner(node)).flatten() else { return Vec::new() };
        if self.node(owner).kind() == NodeKind::Interface {
            return Vec::new();
        }
        let own = self.offered(owner);
        found.retain(|&(_, interface)| self.offered(interface).is_subset(&own));
        let mut found: Vec<NodeIx> = found.into_iter().map(|(other, _)| other).collect();
        let far = |other: NodeIx| {
            let path = self.node(other).path();
            (path != asked.path(), near::folder(path) != near::folder(asked.path()))
        };
        found.sort_by_key(|&other| (far(other), other));
        found
    }

    /// Methods that a call of a Go interface's method may run: those of the types that have all that the interface asks for.
    pub fn keeping(&self, node: NodeIx) -> Vec<NodeIx> {
        let Some(interface) = self.interface_of(node) else { return Vec::new() };
        let asked = self.offered(interface);
        let named = self.nodes_by_label(self.node(node).label()).iter().map(|&at| NodeIx(at));
        let is_method = |&other: &NodeIx| {
            let other = self.node(other);
            other.kind() == NodeKind::Method && other.language() == "go"
        };
        let keeps = |&other: &NodeIx| {
            let owner = self.owner(other).filter(|&ty| self.node(ty).kind() != NodeKind::Interface);
            owner.is_some_and(|ty| asked.is_subset(&self.offered(ty)))
        };
        named.filter(is_method).filter(keeps).collect()
    }

    /// The Go interface that a method stands in.
    fn interface_of(&self, method: NodeIx) -> Option<NodeIx> {
        let around = self.parent(method).filter(|_| self.node(method).language() == "go")?;
        (self.node(around).kind() == NodeKind::Interface).then_some(around)
    }

    /// Names of the methods that a type has, its own and those of what it embeds.
    fn offered(&self, ty: NodeIx) -> BTreeSet<&str> {
        let members = self.lineage(ty).into_iter().flat_map(|of| self.members(of));
        let callable = members.filter(|&ix| self.node(ix).kind().is_callable());
        callable.map(|ix| self.node(ix).label()).collect()
    }
}
