//! Distance: how many relations lie between nodes, whichever way they point.

use std::collections::VecDeque;

use m1nd_graph::{Graph, NodeIx};
use rustc_hash::FxHashMap;

/// Nodes that are looked at before a place counts as far away.
const MAX_SEEN: usize = 20_000;

/// The distances from one node, nearest first, up to `most` steps.
pub(crate) struct Distances(FxHashMap<NodeIx, u32>);

impl Distances {
    pub(crate) fn from(graph: &Graph, start: NodeIx, most: u32) -> Self {
        let mut known = FxHashMap::from_iter([(start, 0)]);
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            let hops = known[&node] + 1;
            if hops > most {
                break;
            }
            for next in neighbours(graph, node) {
                if known.len() >= MAX_SEEN {
                    return Self(known);
                }
                known.entry(next).or_insert_with(|| {
                    queue.push_back(next);
                    hops
                });
            }
        }
        Self(known)
    }

    /// Nothing where it is farther than was looked.
    pub(crate) fn to(&self, node: NodeIx) -> Option<u32> {
        self.0.get(&node).copied()
    }
}

/// Every node that has a relation with this one; a node may come more than once.
pub(crate) fn neighbours(graph: &Graph, node: NodeIx) -> impl Iterator<Item = NodeIx> {
    let out = graph.outgoing(node).map(|edge| edge.target);
    out.chain(graph.incoming(node).map(|edge| edge.source)).filter(move |other| *other != node)
}
