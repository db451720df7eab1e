//! Comparing: two walks with each other, and a walk with a node.

use std::collections::BTreeSet;

use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::engines::paths::between;
use rustc_hash::FxHashSet;

use crate::distance::{Distances, neighbours};
use crate::walk::Walk;

/// Longer chains say little about how near two nodes are.
const MAX_HOPS: usize = 4;
/// Walks whose ends are farther apart than this have nothing to do with each other.
const FAR: u32 = 8;

/// What two walks have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// Nodes that both came to.
    pub shared: Vec<String>,
    pub only_first: Vec<String>,
    pub only_second: Vec<String>,
    /// Steps that both took from the start.
    pub common_steps: usize,
    /// Relations between where they stand now, if they are near.
    pub apart: Option<u32>,
    /// Neighbours of both places that neither walk has seen.
    pub meeting: Vec<String>,
}

pub fn compare(graph: &Graph, first: &Walk, second: &Walk) -> Comparison {
    let sets = [first, second].map(|walk| walk.seen().into_iter().collect::<BTreeSet<&str>>());
    let owned = |walk: &Walk, keep: &dyn Fn(&str) -> bool| {
        walk.seen().into_iter().filter(|node| keep(node)).map(str::to_owned).collect::<Vec<_>>()
    };
    let common_steps = first.steps.iter().zip(&second.steps).take_while(|(a, b)| a == b).count();
    let ends = [first, second].map(|walk| graph.node_by_id(walk.focus()));
    let (mut apart, mut meeting) = (None, Vec::new());
    if let [Some(one), Some(other)] = ends {
        apart = Distances::from(graph, one, FAR).to(other);
        let near = |node: NodeIx| neighbours(graph, node).collect::<FxHashSet<_>>();
        let (ours, theirs) = (near(one), near(other));
        let both = ours.intersection(&theirs).map(|&node| graph.node(node).id());
        let mut unseen: Vec<&str> = both.filter(|id| sets.iter().all(|set| !set.contains(id))).collect();
        unseen.sort_unstable();
        meeting = unseen.into_iter().map(str::to_owned).collect();
    }
    Comparison {
        shared: owned(first, &|node| sets[1].contains(node)),
        only_first: owned(first, &|node| !sets[1].contains(node)),
        only_second: owned(second, &|node| !sets[0].contains(node)),
        common_steps,
        apart,
        meeting,
    }
}

/// How near a node is to where a walk stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Affinity {
    /// 0 to 1: a strong chain or many neighbours in common, or both.
    pub affinity: f64,
    /// The strongest chain of at most four relations; 0 without one.
    pub chain: f64,
    /// Neighbours of either that both have, as a share.
    pub common_share: f64,
    pub common: Vec<NodeIx>,
    /// Relations to the anchor, if it is near.
    pub anchor_hops: Option<u32>,
}

pub fn affinity(graph: &Graph, walk: &Walk, node: NodeIx) -> Option<Affinity> {
    let focus = graph.node_by_id(walk.focus())?;
    let chains = between(graph, focus, node, MAX_HOPS, 1).chains;
    let chain =
        if focus == node { 1.0 } else { chains.first().map_or(0.0, |chain| f64::from(chain.strength)) };
    let near = |node: NodeIx| neighbours(graph, node).collect::<FxHashSet<_>>();
    let (ours, theirs) = (near(focus), near(node));
    let mut common: Vec<NodeIx> = ours.intersection(&theirs).copied().collect();
    common.sort_unstable();
    let all = ours.union(&theirs).count();
    let common_share = if all == 0 { 0.0 } else { common.len() as f64 / all as f64 };
    let anchor = graph.node_by_id(&walk.anchor);
    let anchor_hops = anchor.and_then(|anchor| Distances::from(graph, anchor, FAR).to(node));
    let affinity = 1.0 - (1.0 - chain) * (1.0 - common_share);
    Some(Affinity { affinity, chain, common_share, common, anchor_hops })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Family;
    use crate::testing::graph;
    use crate::walk::Mode;

    #[test]
    fn two_walks_share_their_start_and_may_meet() {
        let graph = graph("a calls b\na calls c\nb calls d\nc calls d\n");
        let first = Walk::begin("w".into(), None, Mode::Local, "a".into(), 1);
        let mut second = first.branch("v".into(), None, 2);
        let mut first = first;
        first.follow("b".into(), Family::Calls);
        second.follow("c".into(), Family::Calls);
        let found = compare(&graph, &first, &second);
        assert_eq!((found.shared, found.common_steps, found.apart), (vec!["a".to_owned()], 1, Some(2)));
        assert_eq!((found.only_first, found.only_second), (vec!["b".to_owned()], vec!["c".to_owned()]));
        assert_eq!(found.meeting, ["d"]);
    }

    #[test]
    fn affinity_grows_with_chains_and_common_neighbours() {
        let graph = graph("a calls b\na calls c\nd calls b\nd calls c\ne calls f\n");
        let walk = Walk::begin("w".into(), None, Mode::Anchored, "a".into(), 1);
        let to = |name: &str| affinity(&graph, &walk, graph.node_by_id(name).unwrap()).unwrap();
        // Both call b and c, and nothing else.
        let d = to("d");
        assert_eq!((d.common_share, d.common.len(), d.anchor_hops), (1.0, 2, Some(2)));
        assert_eq!(d.affinity, 1.0);
        let b = to("b");
        assert_eq!(b.common_share, 0.0);
        assert!(b.chain > 0.5 && (b.affinity - b.chain).abs() < 1e-9, "{b:?}");
        assert_eq!((to("f").affinity, to("f").anchor_hops), (0.0, None));
    }
}
