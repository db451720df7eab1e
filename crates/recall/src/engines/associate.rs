//! Associate: a question's seeds, seen from every side, with the noise taken out.

use m1nd_graph::{Graph, NodeIx, NodeKind};

use super::merge::{Dimension, Merged, merge};
use super::names::Names;
use super::seeds::{Seed, seeds_among};
use super::semantic::{resemblance, semantic, strongest};
use super::spread::{STRUCTURAL, spread};
use super::temporal::temporal;
use super::{Active, causal, xlr};

/// Nodes of each view whose past is looked up.
const MAX_DATED: usize = 600;

/// Whether noise is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noise {
    Cancelled,
    Kept,
}

/// What goes with a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Associated {
    pub seeds: Vec<Seed>,
    /// Strongest first; places that only hold others are left out.
    pub activated: Vec<Merged>,
    /// Nodes that were lowered as noise.
    pub lowered: usize,
}

/// Asks all the views that are wanted.
pub fn associate(graph: &Graph, names: &Names, query: &str, views: &[Dimension], noise: Noise) -> Associated {
    let alike = resemblance(names, query);
    let seeds = seeds_among(graph, names, query, &alike);
    let mut starts: Active = seeds.iter().map(|seed| (seed.node, seed.score)).collect();
    starts.sort_unstable_by_key(|&(node, _)| node);
    let wanted = |dimension| views.contains(&dimension);
    let hot = spread(names.ways(), &starts, &STRUCTURAL);
    let meaning = if wanted(Dimension::Semantic) { semantic(graph, &starts, alike) } else { Active::new() };
    let causes =
        if wanted(Dimension::Causal) { causal::causal(names.ways(), &starts) } else { Active::new() };
    let past = if wanted(Dimension::Temporal) {
        let dated = [&hot, &meaning, &causes].map(|view| strongest(view.clone(), MAX_DATED));
        let mut others: Vec<NodeIx> = dated.iter().flatten().map(|&(node, _)| node).collect();
        others.sort_unstable();
        others.dedup();
        temporal(graph, names, &starts, &others)
    } else {
        Active::new()
    };
    let gates = match noise {
        Noise::Cancelled => xlr::gates(names, &starts, &hot),
        Noise::Kept => xlr::Gates::default(),
    };
    let built = if wanted(Dimension::Structural) { hot } else { Active::new() };
    let mut activated = merge(&[built, meaning, past, causes]);
    activated
        .retain(|one| !matches!(graph.node(one.node).kind(), NodeKind::Directory | NodeKind::Repository));
    activated.iter_mut().for_each(|one| one.activation *= gates.of(one.node));
    activated.sort_unstable_by(|a, b| b.activation.total_cmp(&a.activation).then(a.node.cmp(&b.node)));
    Associated { seeds, activated, lowered: gates.lowered.len() }
}

/// Nodes that mean what was asked and that nothing connects with the seeds: where a relation may be missing.
pub fn holes(associated: &Associated, most: usize) -> Vec<NodeIx> {
    let unconnected = |one: &&Merged| {
        one.dimensions[Dimension::Structural as usize] == 0.0
            && one.dimensions[Dimension::Causal as usize] == 0.0
            && one.dimensions[Dimension::Semantic as usize] > 0.0
    };
    associated.activated.iter().filter(unconnected).take(most).map(|one| one.node).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::graph;
    use super::*;

    #[test]
    fn what_is_named_comes_first_then_what_goes_with_it() {
        let graph = graph("parse_header calls read_line\nread_line calls refill\nother calls away");
        let names = Names::of(&graph);
        let found = associate(&graph, &names, "parse header", &Dimension::ALL, Noise::Cancelled);
        let order: Vec<&str> = found.activated.iter().map(|one| graph.node(one.node).id()).collect();
        assert_eq!(order, ["parse_header", "read_line", "refill"]);
        assert_eq!(found, associate(&graph, &names, "parse header", &Dimension::ALL, Noise::Cancelled));
    }

    #[test]
    fn learned_weights_do_not_move_a_ranking() {
        let graph = graph("parse calls read\nparse calls write\nread calls refill\nwrite calls flush");
        let names = Names::of(&graph);
        let ask = || associate(&graph, &names, "parse", &Dimension::ALL, Noise::Cancelled);
        let before = ask();
        let mut plasticity = super::super::plasticity::Plasticity::default();
        for _ in 0..20 {
            let active: Active = before.activated.iter().map(|one| (one.node, one.activation)).collect();
            plasticity.learn(&graph, &active);
        }
        assert_eq!(ask(), before);
    }

    #[test]
    fn a_view_that_is_not_wanted_is_silent() {
        let graph = graph("parse calls read");
        let found = associate(&graph, &Names::of(&graph), "parse", &[Dimension::Causal], Noise::Kept);
        assert!(found.activated.iter().all(|one| one.dimensions[..3] == [0.0; 3]));
        assert_eq!(found.activated.len(), 2);
    }
}
