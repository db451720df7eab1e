//! Causal: what a node's behaviour rests on, and what rests on it.

use m1nd_graph::NodeIx;

use super::Active;
use super::spread::{Along, Direction, Rule, heap};
use super::ways::Ways;

/// Nodes whose relations are followed, each way.
const BUDGET: usize = 2_000;

const RULE: Rule = Rule {
    along: Along::Causes,
    direction: Direction::Forward,
    decay: 0.7,
    threshold: 0.04,
    depth: 6,
    fan_out: 200,
    budget: BUDGET,
};

/// The stronger of the way forward and the way back. A way that turns round is no chain of causes and is not followed.
pub fn causal(ways: &Ways, seeds: &[(NodeIx, f32)]) -> Active {
    let forward = heap(ways, seeds, &RULE);
    let backward = heap(ways, seeds, &Rule { direction: Direction::Backward, ..RULE });
    stronger(&forward, &backward)
}

/// For each node the larger of two values.
pub(super) fn stronger(one: &[(NodeIx, f32)], other: &[(NodeIx, f32)]) -> Active {
    let mut all: Active = one.iter().chain(other).copied().collect();
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    all.dedup_by_key(|&mut (node, _)| node);
    all
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph, shown};
    use super::*;

    #[test]
    fn causes_are_followed_each_way_and_never_round_a_corner() {
        let graph = graph("a calls b\nb inherits c\nd calls a\nd calls e\na contains f");
        let active = causal(&Ways::of(&graph), &[(at(&graph, "a"), 1.0)]);
        // 0.9 x 0.7 = 0.63 for a call; then 0.8 x 0.7 of that for the base. e is a sibling by way of d: no chain.
        assert_eq!(shown(&graph, &active), "a 1.00, b 0.63, c 0.35, d 0.63");
    }
}
