//! Flow: where ways that may run at the same time meet state that they change without a lock.
//!
//! Particles start at entry points and follow calls. An entry that may run beside itself sends two, one that runs once sends
//! one. Where a function changes state that outlives it, holds no lock, and at least two particles come by ways that hold none
//! either, it is turbulent: 1 - 1/particles.

pub mod shared;

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Edge, EdgeKind, Evidence, Graph, NodeIx};

/// So many functions are looked at on the ways to one writer.
pub const MAX_STEPS: usize = 50_000;

/// How ways come to one function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ways {
    /// Entry points that reach it without a lock.
    pub entries: Vec<NodeIx>,
    /// Their particles.
    pub particles: u32,
    /// Whether some ways hold a lock.
    pub has_guarded: bool,
    /// Whether there were more functions than are looked at.
    pub is_cut: bool,
}

impl Ways {
    /// 0 to 1.
    pub fn turbulence(&self) -> f64 {
        if self.particles < 2 { 0.0 } else { 1.0 - 1.0 / f64::from(self.particles) }
    }
}

/// The ways to a function, over calls that are certain. `holds_lock` says of a call whether it is made under a lock.
pub fn ways(
    graph: &Graph,
    writer: NodeIx,
    entries: &BTreeMap<NodeIx, u32>,
    mut holds_lock: impl FnMut(&Edge<'_>) -> bool,
) -> Ways {
    let mut found = Ways::default();
    let mut seen = BTreeSet::from([writer]);
    let mut open = vec![writer];
    while let Some(node) = open.pop() {
        if let Some(&particles) = entries.get(&node) {
            found.entries.push(node);
            found.particles += particles;
        }
        for edge in graph.incoming(node) {
            let is_guess = matches!(edge.evidence, Evidence::Inferred { candidates } if candidates > 1);
            if edge.kind != EdgeKind::Calls || is_guess || seen.contains(&edge.source) {
                continue;
            }
            if seen.len() >= MAX_STEPS {
                found.is_cut = true;
                break;
            }
            seen.insert(edge.source);
            if holds_lock(&edge) {
                found.has_guarded = true;
            } else {
                open.push(edge.source);
            }
        }
    }
    found.entries.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, graph};

    #[test]
    fn particles_meet_where_no_lock_is_held() {
        let graph = graph(
            "get calls load\nput calls load\nmain calls load\nsafe calls guard\nguard calls load\nfar calls load ?3\n",
        );
        let entries: BTreeMap<NodeIx, u32> = [("get", 2), ("put", 2), ("main", 1), ("safe", 2), ("far", 2)]
            .map(|(name, count)| (at(&graph, name), count))
            .into();
        let guard = at(&graph, "guard");
        let found = ways(&graph, at(&graph, "load"), &entries, |edge| edge.source == guard);
        let names: Vec<&str> = found.entries.iter().map(|&node| graph.node(node).id()).collect();
        assert_eq!(names, ["get", "main", "put"]);
        assert_eq!((found.particles, found.has_guarded, found.turbulence()), (5, true, 0.8));
        // What runs once meets nobody.
        let once = BTreeMap::from([(at(&graph, "main"), 1)]);
        assert_eq!(ways(&graph, at(&graph, "load"), &once, |_| false).turbulence(), 0.0);
    }
}
