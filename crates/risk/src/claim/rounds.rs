//! Rounds: whether a thing is on a way back to itself, counted with all that belongs to it.

use std::collections::BTreeSet;

use m1nd_graph::{EdgeKind, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

use super::judge::{
    DISPATCHED, Evidence, GUESSED, NOT_SEEN, NOT_SEEN_IN_PART, SEEN, Search, Trust, way_back,
};
use crate::blast::{self, DEPENDS};

/// What counts as one thing on the way: what is asked of and what is met are of one size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Function,
    Type,
    File,
}

impl Search<'_> {
    /// Whether a way leads out of it and back. A type counts with its members, and so do the types on the way; of a file, files do.
    pub(super) fn cycle(&mut self, one: NodeIx) -> Evidence {
        let size = match self.graph.node(one).kind() {
            NodeKind::File => Size::File,
            kind if kind.is_type() => Size::Type,
            _ => Size::Function,
        };
        let calls_itself = self
            .graph
            .outgoing(one)
            .any(|edge| edge.kind == EdgeKind::Calls && edge.target == one && !edge.evidence.is_inferred());
        if calls_itself && size == Size::Function {
            let says = format!("{} calls itself", self.name(one));
            return Evidence { says, factor: SEEN, path: vec![one, one] };
        }
        for trust in Trust::ALL {
            let Some(path) = self.round(one, size, trust) else { continue };
            let (factor, how) = match trust {
                Trust::Certain => (SEEN, ""),
                Trust::Dispatch => (DISPATCHED, ", where a call of a base method runs the override"),
                Trust::Promise | Trust::Types | Trust::Guess => {
                    (GUESSED, ", some of it only guessed or only for types")
                }
            };
            let with = match size {
                Size::Function => "",
                Size::Type => ", with the members of each type",
                Size::File => ", with all that is in each file",
            };
            let says = format!("a way of {} steps leads from it back to it{with}{how}", path.len() - 1);
            return Evidence { says, factor, path };
        }
        let factor = if self.is_cut { NOT_SEEN_IN_PART } else { NOT_SEEN };
        let says = format!("{} is in no cycle of known relations", self.name(one));
        Evidence { says, factor: 1.0 / factor, path: Vec::new() }
    }

    fn round(&mut self, one: NodeIx, size: Size, trust: Trust) -> Option<Vec<NodeIx>> {
        let own: BTreeSet<NodeIx> = blast::insides(self.graph, &[one]).into_iter().collect();
        let mut from: FxHashMap<NodeIx, NodeIx> = own.iter().map(|&node| (node, node)).collect();
        let mut front: Vec<NodeIx> = own.iter().copied().collect();
        while !front.is_empty() {
            let mut next = Vec::new();
            for node in front {
                self.looked_at += 1;
                for end in self.ends(node, &DEPENDS, trust) {
                    if own.contains(&end) && !own.contains(&node) {
                        let mut way = way_back(&from, node);
                        way.push(end);
                        return Some(way);
                    }
                    if from.contains_key(&end) {
                        continue;
                    }
                    from.insert(end, node);
                    next.push(end);
                    for inner in self.unit(end, size, &own) {
                        if let std::collections::hash_map::Entry::Vacant(place) = from.entry(inner) {
                            place.insert(end);
                            next.push(inner);
                        }
                    }
                }
            }
            front = next;
        }
        None
    }

    /// What belongs to what was met; nothing where what is asked of belongs to it, too.
    fn unit(&self, met: NodeIx, size: Size, own: &BTreeSet<NodeIx>) -> Vec<NodeIx> {
        let graph = self.graph;
        let all = match size {
            Size::Function => return Vec::new(),
            Size::File => graph.nodes_in(graph.node(met).path()).collect(),
            Size::Type => {
                let is_type = |ix: &NodeIx| graph.node(*ix).kind().is_type();
                let Some(mut outer) = Some(met).filter(is_type).or_else(|| graph.owner(met)) else {
                    return Vec::new();
                };
                while let Some(around) = graph.parent(outer).filter(is_type) {
                    outer = around;
                }
                blast::insides(graph, &[outer])
            }
        };
        if all.iter().any(|node| own.contains(node)) { Vec::new() } else { all }
    }
}
