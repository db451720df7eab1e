//! Paths: how two nodes hang together, by the strongest chains of relations between them.

use m1nd_graph::{Edge, EdgeIx, Graph, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

use super::ways::certainty;

/// Nodes of one ring whose relations are followed, strongest first. Beyond it lie hubs that connect anything.
const MAX_RING: usize = 1_500;

/// What a step keeps: of two chains of equal relations the shorter one says more.
const STEP: f32 = 0.9;
/// What is left of a chain at each turn from along relations to against them, or back.
const TURN: f32 = 0.5;
/// Places where rings met that are looked at.
const MAX_MEETINGS: usize = 30;

/// A chain of relations, each seen from the source's side.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The product of what each relation and each turn leaves.
    pub strength: f32,
    pub hops: Vec<Hop>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    pub edge: EdgeIx,
    /// Whether the relation is walked from its source to its target.
    pub along: bool,
}

/// What was found between two nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Between {
    /// Strongest first.
    pub chains: Vec<Chain>,
    /// Whether some relations were not followed, because there were too many.
    pub cut: bool,
}

/// How strongly each ring reaches a node, and from where.
type Ring = FxHashMap<NodeIx, (f32, NodeIx, EdgeIx)>;

/// The strongest chains of at most `max_hops` relations, at most `most` of them. What a common user or a common base
/// of both explains is worth less than what leads from one to the other: a chain that turns round is weaker for it.
pub fn between(graph: &Graph, source: NodeIx, target: NodeIx, max_hops: usize, most: usize) -> Between {
    let mut cut = false;
    let mut chains: Vec<Chain> = Vec::new();
    for ways in [Ways::Along, Ways::Against, Ways::Both] {
        for chain in directed(graph, source, target, max_hops, ways, &mut cut) {
            if !chains.iter().any(|known| known.hops == chain.hops) {
                chains.push(chain);
            }
        }
    }
    chains.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.hops.len().cmp(&b.hops.len())));
    chains.truncate(most);
    Between { chains, cut }
}

/// Which relations may be walked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    Along,
    Against,
    Both,
}

impl Ways {
    fn reversed(self) -> Self {
        match self {
            Self::Along => Self::Against,
            Self::Against => Self::Along,
            Self::Both => Self::Both,
        }
    }
}

/// The strongest chains that walk relations in these ways.
///
/// Rings grow from both ends and meet in the middle, so that a node with thousands of relations is met, not walked through.
fn directed(
    graph: &Graph,
    source: NodeIx,
    target: NodeIx,
    max_hops: usize,
    ways: Ways,
    cut: &mut bool,
) -> Vec<Chain> {
    let from_source = max_hops.div_ceil(2);
    let near = rings(graph, source, from_source, ways, cut);
    let far = rings(graph, target, max_hops - from_source, ways.reversed(), cut);
    let mut meetings: Vec<(f32, usize, usize, NodeIx)> = Vec::new();
    for (steps, ring) in near.iter().enumerate() {
        for (&node, &(strength, ..)) in ring {
            for (back, other) in far.iter().enumerate() {
                if let Some(&(rest, ..)) = other.get(&node) {
                    meetings.push((strength * rest, steps, back, node));
                }
            }
        }
    }
    meetings
        .sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1 + a.2, a.1, a.3).cmp(&(b.1 + b.2, b.1, b.3))));
    let mut chains: Vec<Chain> = Vec::new();
    for (strength, steps, back, node) in meetings.into_iter().take(MAX_MEETINGS) {
        let mut hops = walk(&near, steps, node, graph);
        hops.reverse();
        hops.extend(walk(&far, back, node, graph).into_iter().map(|hop| Hop { along: !hop.along, ..hop }));
        if !visits_twice(graph, source, &hops) {
            let turns = hops.windows(2).filter(|pair| pair[0].along != pair[1].along).count();
            let strength = strength * TURN.powi(i32::try_from(turns).unwrap_or(i32::MAX));
            chains.push(Chain { strength, hops });
        }
    }
    chains
}

/// How much a relation binds, as learned, certain and written; never more than fully.
pub fn strength(edge: &Edge<'_>) -> f32 {
    (edge.weight.get() * certainty(edge)).clamp(0.0, 1.0)
}

fn rings(graph: &Graph, start: NodeIx, steps: usize, ways: Ways, cut: &mut bool) -> Vec<Ring> {
    // No edge leads to the start, so its own has no number that exists.
    let mut rings = vec![Ring::from_iter([(start, (1.0, start, EdgeIx(u32::MAX)))])];
    for step in 0..steps {
        let mut from: Vec<(NodeIx, f32)> =
            rings[step].iter().map(|(&node, &(seen, ..))| (node, seen)).collect();
        from.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        *cut |= from.len() > MAX_RING;
        from.truncate(MAX_RING);
        let mut ring = Ring::default();
        for (node, seen) in from {
            // That two things lie in one folder explains nothing.
            let kind = graph.node(node).kind();
            if node != start && matches!(kind, NodeKind::Directory | NodeKind::Repository) {
                continue;
            }
            let along = graph.outgoing(node).filter(|_| ways != Ways::Against);
            let against = graph.incoming(node).filter(|_| ways != Ways::Along);
            for edge in along.chain(against) {
                let other = if edge.source == node { edge.target } else { edge.source };
                let arrives = seen * strength(&edge) * STEP;
                let known = ring.get(&other);
                if other != start && arrives > 0.0 && known.is_none_or(|&(strongest, ..)| arrives > strongest)
                {
                    ring.insert(other, (arrives, node, edge.ix));
                }
            }
        }
        rings.push(ring);
    }
    rings
}

/// The relations from a node of a ring back to where the rings began, seen from there.
fn walk(rings: &[Ring], steps: usize, node: NodeIx, graph: &Graph) -> Vec<Hop> {
    let mut hops = Vec::new();
    let mut here = node;
    for step in (1..=steps).rev() {
        let Some(&(_, before, edge)) = rings[step].get(&here) else { break };
        hops.push(Hop { edge, along: graph.edge(edge).source == before });
        here = before;
    }
    hops
}

fn visits_twice(graph: &Graph, source: NodeIx, hops: &[Hop]) -> bool {
    let mut seen = vec![source];
    for hop in hops {
        let edge = graph.edge(hop.edge);
        let next = if hop.along { edge.target } else { edge.source };
        if seen.contains(&next) {
            return true;
        }
        seen.push(next);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::*;

    fn found(text: &str, source: &str, target: &str, max_hops: usize) -> Vec<String> {
        let graph = graph(text);
        let between = between(&graph, at(&graph, source), at(&graph, target), max_hops, 3);
        let name = |ix: NodeIx| graph.node(ix).id();
        let each = between.chains.iter().map(|chain| {
            let mut text = source.to_owned();
            for hop in &chain.hops {
                let edge = graph.edge(hop.edge);
                let (arrow, next) = if hop.along { (">", edge.target) } else { ("<", edge.source) };
                text.push_str(&format!(" {arrow} {}", name(next)));
            }
            format!("{text} {:.2}", chain.strength)
        });
        each.collect()
    }

    #[test]
    fn chains_come_by_the_product_of_their_strengths() {
        let text = "a calls b\nb calls d\na references c\nc calls d\na contains d";
        assert_eq!(found(text, "a", "d", 6), ["a > b > d 0.81", "a > c > d 0.49", "a > d 0.36"]);
        assert_eq!(found(text, "a", "d", 1), ["a > d 0.36"]);
        assert_eq!(found(text, "d", "a", 2)[0], "d < b < a 0.81");
    }

    #[test]
    fn a_chain_has_no_more_hops_than_allowed_and_no_node_twice() {
        let text = "a calls b\nb calls c\nc calls d\nd calls e";
        assert_eq!(found(text, "a", "e", 4), ["a > b > c > d > e 0.66"]);
        assert_eq!(found(text, "a", "e", 3), [] as [&str; 0]);
        assert_eq!(found("a calls b\nc calls b", "a", "c", 5), ["a > b < c 0.40"]);
    }
}
