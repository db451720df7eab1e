//! Promised: methods of interfaces that a type keeps without naming the interface, as types of Go do.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::{EdgeKind, NodeKind};
use crate::near;

/// Who keeps what, of all types and interfaces of Go; made once a graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Promises {
    /// By method of a type: those of interfaces that it is one of.
    kept: FxHashMap<NodeIx, Vec<NodeIx>>,
    /// By method of an interface: those of types.
    keepers: FxHashMap<NodeIx, Vec<NodeIx>>,
}

impl Graph {
    /// Methods of Go interfaces that a method is meant by where its type has all that they ask for, and that are called;
    /// those of its own file first, then of its folder. Names are compared, not what the methods take: it is a guess.
    pub fn promised(&self, node: NodeIx) -> Vec<NodeIx> {
        let asked = self.node(node);
        if asked.language() != "go" || asked.kind() != NodeKind::Method {
            return Vec::new();
        }
        let is_called = |ix: &NodeIx| self.incoming(*ix).any(|edge| edge.kind == EdgeKind::Calls);
        let all = self.promises(|| all(self)).kept.get(&node).map_or(&[][..], Vec::as_slice);
        let mut found: Vec<NodeIx> = all.iter().copied().filter(is_called).collect();
        let far = |other: NodeIx| {
            let path = self.node(other).path();
            (path != asked.path(), near::folder(path) != near::folder(asked.path()))
        };
        found.sort_by_key(|&other| (far(other), other));
        found
    }

    /// Methods that a call of a Go interface's method may run: those of the types that have all that the interface asks for.
    pub fn keeping(&self, node: NodeIx) -> Vec<NodeIx> {
        match self.node(node).language() {
            "go" => self.promises(|| all(self)).keepers.get(&node).cloned().unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

/// Every interface against the types that have a method of the name of one of its own.
fn all(graph: &Graph) -> Promises {
    let mut promises = Promises::default();
    let mut known: FxHashMap<NodeIx, FxHashSet<&str>> = FxHashMap::default();
    let is_interface = |ix: NodeIx| graph.node(ix).kind() == NodeKind::Interface;
    let interfaces = graph.nodes().filter(|node| node.language() == "go" && is_interface(node.ix()));
    for interface in interfaces {
        let asked = offered(graph, interface.ix());
        for promise in graph.members(interface.ix()) {
            let label = graph.node(promise).label();
            // What an interface embeds stands in another one.
            if !asked.contains(label) || graph.parent(promise) != Some(interface.ix()) {
                continue;
            }
            for method in graph.nodes_by_label(label).iter().map(|&at| NodeIx(at)) {
                let node = graph.node(method);
                if node.kind() != NodeKind::Method || node.language() != "go" {
                    continue;
                }
                let Some(owner) = graph.owner(method).filter(|&ty| !is_interface(ty)) else { continue };
                let own = known.entry(owner).or_insert_with(|| offered(graph, owner));
                if asked.is_subset(own) {
                    promises.kept.entry(method).or_default().push(promise);
                    promises.keepers.entry(promise).or_default().push(method);
                }
            }
        }
    }
    promises
}

/// Names of the methods that a type has, its own and those of what it embeds.
fn offered(graph: &Graph, ty: NodeIx) -> FxHashSet<&str> {
    let members = graph.lineage(ty).into_iter().flat_map(|of| graph.members(of));
    members.filter(|&ix| graph.node(ix).kind().is_callable()).map(|ix| graph.node(ix).label()).collect()
}
