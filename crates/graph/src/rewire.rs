//! A graph with some of its edges changed; nodes and their positions stay as they are.

use std::collections::BTreeSet;

use m1nd_stdx::float::FiniteF32;

use crate::builder::{self, EdgeSpec, Handle, Merged, Site};
use crate::column::Column;
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::ids::{EdgeIx, NodeIx};
use crate::kind::EdgeKind;
use crate::weights::Weights;

/// An edge that shall be there, with at least this evidence and these lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgePut {
    pub source: NodeIx,
    pub kind: EdgeKind,
    pub target: NodeIx,
    pub evidence: Evidence,
    /// Ascending.
    pub lines: Vec<u32>,
}

impl EdgePut {
    fn key(&self) -> (u32, u8, u32) {
        (self.source.0, self.kind as u8, self.target.0)
    }

    fn sites(&self) -> Vec<Site> {
        self.lines.iter().map(|&line| (line, self.evidence.pack_small())).collect()
    }
}

/// Drops edges, then puts others in: one that is there already keeps its weights and takes the stronger
/// evidence and all lines. Costs a pass over the edges, and nothing for the nodes' texts.
#[must_use]
pub fn rewire(graph: &Graph, mut put: Vec<EdgePut>, drop: &BTreeSet<EdgeIx>) -> Graph {
    put.sort_by_key(EdgePut::key);
    let mut put = put.into_iter().peekable();
    let mut merged = Merged::default();
    let mut weights: Vec<u32> = Vec::with_capacity(graph.edge_count() + put.len());
    let mut push = |edge: EdgeSpec, sites: Vec<Site>, weight: Option<FiniteF32>| match merged.edges.last_mut()
    {
        Some(last) if last.is_same(&edge) => {
            last.evidence = last.evidence.strongest(edge.evidence);
            merged.add_sites(sites.into_iter());
        }
        _ => {
            weights.push(weight.unwrap_or(edge.base_weight).get().to_bits());
            merged.push(edge, sites.into_iter());
        }
    };
    for edge in graph.edges() {
        let key = (edge.source.0, edge.kind as u8, edge.target.0);
        while let Some(new) = put.next_if(|new| new.key() < key) {
            push(spec(new.source, new.kind, new.target, new.evidence), new.sites(), None);
        }
        if drop.contains(&edge.ix) {
            continue;
        }
        let spec = EdgeSpec {
            base_weight: edge.base_weight,
            causal_strength: edge.causal_strength,
            inhibitory: edge.inhibitory,
            ..spec(edge.source, edge.kind, edge.target, edge.evidence)
        };
        let sites = edge.sites().map(|(line, evidence)| (line, evidence.pack_small()));
        push(spec, sites.collect(), Some(edge.weight));
    }
    for new in put {
        push(spec(new.source, new.kind, new.target, new.evidence), new.sites(), None);
    }
    let mut columns = graph.columns().clone();
    builder::edge_columns(&mut columns, &merged, graph.node_count());
    columns.pagerank = Column::owned(Vec::new());
    Graph::from_columns(graph.generation(), columns, Weights::from_bits(weights))
}

fn spec(source: NodeIx, kind: EdgeKind, target: NodeIx, evidence: Evidence) -> EdgeSpec {
    EdgeSpec::new(Handle::at(source), kind, Handle::at(target), evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graph;
    use crate::{EdgeSpec as Spec, GraphBuilder};

    #[test]
    fn rewired_edges_are_those_that_a_builder_would_have_made() {
        let old = graph("a calls b\na calls c\nb calls c");
        old.weights().set(1, FiniteF32::new(2.5));
        let ix = |label: &str| NodeIx(old.nodes_by_label(label)[0]);
        let put = |source: &str, target: &str, lines: &[u32]| EdgePut {
            source: ix(source),
            kind: EdgeKind::Calls,
            target: ix(target),
            evidence: Evidence::Precise,
            lines: lines.to_vec(),
        };
        let drop = BTreeSet::from([old.edge_between(ix("a"), EdgeKind::Calls, ix("b")).unwrap()]);
        let new = rewire(&old, vec![put("c", "a", &[7]), put("a", "c", &[3, 9])], &drop);
        let mut builder = GraphBuilder::from_graph(&old);
        let handle = |builder: &GraphBuilder, label: &str| builder.find(old.node(ix(label)).id()).unwrap();
        let (a, b, c) = (handle(&builder, "a"), handle(&builder, "b"), handle(&builder, "c"));
        builder.retain_edges(|edge| (edge.source, edge.target) != (a, b));
        for (source, target, line) in [(c, a, 7), (a, c, 3), (a, c, 9)] {
            builder.edge(Spec::new(source, EdgeKind::Calls, target, Evidence::Precise).at_line(line));
        }
        let built = builder.finish(old.generation());
        crate::carry::learned_weights(&old, &built);
        assert_eq!(new, built);
        let kept = new.edge_between(ix("a"), EdgeKind::Calls, ix("c")).unwrap();
        assert_eq!(new.edge(kept).weight.get(), 2.5);
    }
}
