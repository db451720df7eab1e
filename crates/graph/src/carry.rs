//! Carrying learned weights from one generation to the next.

use m1nd_stdx::float::FiniteF32;

use crate::graph::{Edge, Graph};
use crate::ids::EdgeIx;

/// Gives every edge of `new` the weight that the same relation (source id, kind, target id) had in `old`.
///
/// Returns how many learned weights found their edge again. Weights nobody changed stay at the new base.
pub fn learned_weights(old: &Graph, new: &Graph) -> usize {
    let mut carried = 0;
    for edge in changed(old) {
        let same = |ix| new.node_by_id(old.node(ix).id());
        let (Some(source), Some(target)) = (same(edge.source), same(edge.target)) else {
            continue;
        };
        if let Some(found) = new.edge_between(source, edge.kind, target) {
            new.weights().set(found.index(), edge.weight);
            carried += 1;
        }
    }
    carried
}

/// The edges whose weights differ from their bases. Hardly any do, so that nothing else of the others is looked at.
fn changed(graph: &Graph) -> impl Iterator<Item = Edge<'_>> {
    let bases = graph.columns().base_weight.iter().enumerate();
    let moved = bases.filter(|&(at, &base)| graph.weights().get(at) != FiniteF32::new(base));
    moved.map(|(at, _)| graph.edge(EdgeIx(at as u32)))
}

/// The learned part of a graph: what must outlive it even when it is rebuilt from source.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct LearnedWeight {
    pub source: String,
    pub kind: crate::EdgeKind,
    pub target: String,
    pub weight: FiniteF32,
}

/// Every weight that differs from its base, in edge order.
pub fn learned(graph: &Graph) -> Vec<LearnedWeight> {
    changed(graph)
        .map(|edge| LearnedWeight {
            source: graph.node(edge.source).id().to_owned(),
            kind: edge.kind,
            target: graph.node(edge.target).id().to_owned(),
            weight: edge.weight,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EdgeKind;
    use crate::testing::graph;

    #[test]
    fn a_weight_follows_its_relation_though_positions_change() {
        let old = graph("b calls c\nb calls d");
        old.weights().set(1, FiniteF32::new(2.5));
        let new = graph("a calls b\nb calls d");
        assert_eq!(learned_weights(&old, &new), 1);
        let weights: Vec<f32> = (0..2).map(|at| new.edge(EdgeIx(at)).weight.get()).collect();
        assert_eq!(weights, [EdgeKind::Calls.base_weight(), 2.5]);
        assert_eq!(learned(&new).len(), 1);
    }
}
