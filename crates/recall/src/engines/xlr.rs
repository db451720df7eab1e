//! Xlr: what activation of the question and of everything else have in common is noise, and is taken out.
//!
//! As with a balanced cable: a hot pulse starts from the seeds, a cold one of another frequency from nodes that
//! have nothing to do with them. Where mostly the cold one arrives, the node is a hub that any question reaches.

use m1nd_graph::NodeIx;
use rustc_hash::FxHashSet;

use super::names::Names;
use super::spread::{STRUCTURAL, spread};
use super::ways::Ways;
use super::{Active, value};

/// Anti-seeds share less than this of their neighbours with the seeds.
const MAX_JACCARD: f32 = 0.2;
const HOT: f32 = 1.0;
const COLD: f32 = 3.7;
const BANDWIDTH: f32 = 0.8;
/// Nodes this near to a seed are meant, whatever else reaches them.
const IMMUNE_HOPS: usize = 2;
/// How much more, or less, noise weighs where a node has more edges than others.
const DENSITY: (f32, f32) = (0.3, 2.0);
const STEEPNESS: f32 = 6.0;
/// Of the edges of one node, so many are looked at for immunity.
const MAX_NEIGHBOURS: usize = 400;

/// What is left of nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gates {
    /// Nodes whose activation is lowered, with what is left of it: from 0 to 1, in the order of nodes.
    pub lowered: Active,
    pub anti_seeds: Vec<NodeIx>,
}

impl Gates {
    /// What is left of a node's activation.
    pub fn of(&self, node: NodeIx) -> f32 {
        match value(&self.lowered, node) {
            left if left > 0.0 => left,
            _ => 1.0,
        }
    }
}

/// The gates of every node that `hot` activates, which is what the seeds activate.
pub fn gates(names: &Names, seeds: &[(NodeIx, f32)], hot: &[(NodeIx, f32)]) -> Gates {
    let near = near(names.ways(), seeds);
    let anti_seeds = anti_seeds(names, seeds, &near);
    if anti_seeds.is_empty() {
        return Gates::default();
    }
    let starts: Active = anti_seeds.iter().map(|&node| (node, 1.0)).collect();
    let cold = spread(names.ways(), &starts, &STRUCTURAL);
    let mean = names.mean_degree().max(1.0);
    let lowered: Active = hot
        .iter()
        .filter(|(node, _)| !near[node.index()])
        .filter_map(|&(node, warmth)| {
            let density = (names.degree(node) as f32 / mean).clamp(DENSITY.0, DENSITY.1);
            let noise = value(&cold, node) * density;
            (noise > 0.0).then(|| (node, gate(warmth, noise)))
        })
        .collect();
    // Where nothing would be left the question itself is in the noise, and the hot pulse alone has to do.
    let all = lowered.len() == hot.len() && lowered.iter().all(|&(_, left)| left < 0.5);
    if all { Gates { anti_seeds, ..Gates::default() } } else { Gates { lowered, anti_seeds } }
}

/// How near the mean frequency of what arrives is to the hot one, made into a yes or a no.
fn gate(hot: f32, cold: f32) -> f32 {
    let mean = (HOT * hot + COLD * cold) / (hot + cold);
    let purity = (-(mean - HOT).powi(2) / (2.0 * BANDWIDTH * BANDWIDTH)).exp();
    1.0 / (1.0 + (-STEEPNESS * (purity - 0.5)).exp())
}

/// The most used nodes that are neither near the seeds nor like them; as many as there are seeds.
fn anti_seeds(names: &Names, seeds: &[(NodeIx, f32)], near: &[bool]) -> Vec<NodeIx> {
    let ways = names.ways();
    let own: FxHashSet<NodeIx> = seeds.iter().flat_map(|&(seed, _)| neighbours(ways, seed)).collect();
    let unlike = |node: &NodeIx| {
        let others: FxHashSet<NodeIx> = neighbours(ways, *node).collect();
        let common = others.intersection(&own).count() as f32;
        common / (others.len() as f32 + own.len() as f32 - common).max(1.0) < MAX_JACCARD
    };
    let hubs = names.hubs().iter().copied();
    hubs.filter(|node| !near[node.index()]).filter(unlike).take(seeds.len()).collect()
}

/// Which nodes are so near to a seed that they are meant.
fn near(ways: &Ways, seeds: &[(NodeIx, f32)]) -> Vec<bool> {
    let mut is_near = vec![false; ways.node_count()];
    let mut ring: Vec<NodeIx> = seeds.iter().map(|&(seed, _)| seed).collect();
    ring.iter().for_each(|seed| is_near[seed.index()] = true);
    for _ in 0..IMMUNE_HOPS {
        let mut next = Vec::new();
        for other in ring.into_iter().flat_map(|node| neighbours(ways, node)) {
            if !std::mem::replace(&mut is_near[other.index()], true) {
                next.push(other);
            }
        }
        ring = next;
    }
    is_near
}

/// Neighbours by relations of code; that two things lie in one file makes them no kin.
fn neighbours(ways: &Ways, node: NodeIx) -> impl Iterator<Item = NodeIx> {
    let of_code = ways.around(node).filter(|(_, way)| way.is_code);
    of_code.take(MAX_NEIGHBOURS).map(|(other, _)| other)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::*;

    #[test]
    fn a_gate_is_open_for_the_hot_pulse_and_shut_for_the_cold_one() {
        assert!(gate(1.0, 0.0) > 0.95);
        // Both alike: the mean is 2.35, the purity exp(-1.8225 / 1.28) = 0.241, the gate 1 / (1 + exp(1.56)).
        assert!((gate(0.5, 0.5) - 0.174).abs() < 0.002, "{}", gate(0.5, 0.5));
        assert!(gate(0.01, 1.0) < 0.06);
    }

    #[test]
    fn a_hub_that_everything_reaches_is_lowered_and_what_is_near_is_immune() {
        let mut text = String::from("seed calls one\none calls two\ntwo calls log\n");
        for n in 0..12 {
            text.push_str(&format!("u{n} calls log\nu{n} calls hub\n"));
        }
        let graph = graph(&text);
        let names = Names::of(&graph);
        let seeds = [(at(&graph, "seed"), 1.0)];
        let hot = spread(names.ways(), &seeds, &STRUCTURAL);
        let gates = gates(&names, &seeds, &hot);
        assert_eq!(gates.anti_seeds.len(), 1);
        assert!(gates.of(at(&graph, "log")) < 0.2, "{gates:?}");
        assert_eq!(gates.of(at(&graph, "two")), 1.0);
    }

    #[test]
    fn without_anything_else_there_is_no_noise() {
        let graph = graph("a calls b");
        let names = Names::of(&graph);
        let seeds = [(at(&graph, "a"), 1.0)];
        let hot = spread(names.ways(), &seeds, &STRUCTURAL);
        assert_eq!(gates(&names, &seeds, &hot), Gates::default());
    }
}
