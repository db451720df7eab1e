//! Engines: from a few nodes that a question names to those that go with them.
//!
//! Each looks at the graph from one side: how it is built, what its names mean, when it changed, what causes what.
//! All are pure, and none depends on what was asked before.

pub mod associate;
pub mod causal;
pub mod ghosts;
pub mod merge;
pub mod names;
pub mod paths;
pub mod plasticity;
pub mod resonance;
pub mod seeds;
pub mod semantic;
pub mod siblings;
pub mod spread;
pub mod temporal;
#[cfg(test)]
mod testing;
pub mod twins;
pub mod ways;
pub mod xlr;

use m1nd_graph::NodeIx;

/// How strongly nodes are activated: in the order of nodes, every value above 0.
pub type Active = Vec<(NodeIx, f32)>;

/// What a list of activated nodes says of one.
pub fn value(active: &[(NodeIx, f32)], node: NodeIx) -> f32 {
    active.binary_search_by_key(&node, |&(at, _)| at).map_or(0.0, |at| active[at].1)
}
