//! Ways: the relations of one generation as engines walk them, each node's side by side.
//!
//! An edge of the graph is kept in many columns. Whoever follows a hundred thousand of them for one question needs two
//! of those, and needs them next to each other.

use m1nd_graph::{Edge, EdgeKind, Evidence, Graph, NodeIx};
use rustc_hash::FxHashMap;

/// What a way is like. Ways of one kind and one certainty are alike, so that there are few of these.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// How much of a signal passes, by how the code is built.
    pub structural: f32,
    /// How much of an effect passes.
    pub causal: f32,
    /// Passes nothing, and takes away at its end.
    pub inhibitory: bool,
    /// A relation of code; that one thing lies in another is none.
    pub is_code: bool,
}

/// All ways but those of common changes, which are no static relation.
#[derive(Debug, Default)]
pub struct Ways {
    /// Where the ways of each node begin, and where those that come in do.
    starts: Vec<(u32, u32)>,
    /// Where each way leads, and what it is like.
    steps: Vec<(NodeIx, u32)>,
    kinds: Vec<Way>,
    /// Edges of each node, those of common changes too.
    fans: Vec<u32>,
    edge_count: usize,
    /// Whether any way is inhibitory.
    inhibits: bool,
}

impl Ways {
    pub fn of(graph: &Graph) -> Self {
        let mut ways = Self { edge_count: graph.edge_count(), ..Self::default() };
        let mut known: FxHashMap<[u32; 3], u32> = FxHashMap::default();
        // Each edge is seen from both its ends and described once.
        let of_edge: Vec<u32> = graph.edges().map(|edge| ways.kind_of(&edge, &mut known)).collect();
        let is_way = |edge: &Edge<'_>| of_edge[edge.ix.index()] != NO_WAY;
        for node in graph.nodes() {
            let ix = node.ix();
            let (out, into) = (graph.outgoing(ix), graph.incoming(ix));
            ways.fans.push((out.len() + into.len()) as u32);
            let start = ways.steps.len() as u32;
            ways.steps.extend(out.filter(is_way).map(|edge| (edge.target, of_edge[edge.ix.index()])));
            ways.starts.push((start, ways.steps.len() as u32));
            ways.steps.extend(into.filter(is_way).map(|edge| (edge.source, of_edge[edge.ix.index()])));
        }
        ways.starts.push((ways.steps.len() as u32, 0));
        ways
    }

    fn kind_of(&mut self, edge: &Edge<'_>, known: &mut FxHashMap<[u32; 3], u32>) -> u32 {
        if edge.kind == EdgeKind::CoChanges {
            return NO_WAY;
        }
        let way = way(edge);
        self.inhibits |= way.inhibitory;
        let flags = u32::from(way.inhibitory) * 2 + u32::from(way.is_code);
        *known.entry([way.structural.to_bits(), way.causal.to_bits(), flags]).or_insert_with(|| {
            self.kinds.push(way);
            self.kinds.len() as u32 - 1
        })
    }

    pub fn node_count(&self) -> usize {
        self.fans.len()
    }

    /// Edges of a node, those of common changes too.
    pub fn fan(&self, node: NodeIx) -> usize {
        self.fans[node.index()] as usize
    }

    /// Edges of the graph, those of common changes too.
    pub fn edge_count(&self) -> usize {
        self.edge_count
    }

    /// All that ways can be like.
    pub fn kinds(&self) -> &[Way] {
        &self.kinds
    }

    /// Whether any way is inhibitory.
    pub fn inhibits(&self) -> bool {
        self.inhibits
    }

    /// Ways that leave a node, as the graph orders them.
    pub fn outgoing(&self, node: NodeIx) -> impl Iterator<Item = (NodeIx, &Way)> {
        let (start, middle) = self.starts[node.index()];
        self.steps[start as usize..middle as usize]
            .iter()
            .map(|&(other, kind)| (other, &self.kinds[kind as usize]))
    }

    /// Ways that reach a node, as the graph orders them.
    pub fn incoming(&self, node: NodeIx) -> impl Iterator<Item = (NodeIx, &Way)> {
        let (middle, end) = (self.starts[node.index()].1, self.starts[node.index() + 1].0);
        self.steps[middle as usize..end as usize]
            .iter()
            .map(|&(other, kind)| (other, &self.kinds[kind as usize]))
    }

    /// Both.
    pub fn around(&self, node: NodeIx) -> impl Iterator<Item = (NodeIx, &Way)> {
        self.outgoing(node).chain(self.incoming(node))
    }
}

/// Stands for an edge that is no way.
const NO_WAY: u32 = u32::MAX;

fn way(edge: &Edge<'_>) -> Way {
    let is_code = edge.kind != EdgeKind::Contains;
    // That one thing contains or documents another causes nothing.
    let causes = is_code && edge.kind != EdgeKind::Documents;
    let certainty = certainty(edge);
    Way {
        structural: edge.base_weight.get() * certainty,
        causal: if causes { edge.causal_strength.get() * certainty } else { 0.0 },
        inhibitory: edge.inhibitory,
        is_code,
    }
}

/// How sure an edge is: 1, or a share among its candidates.
pub fn certainty(edge: &Edge<'_>) -> f32 {
    match edge.evidence {
        Evidence::Inferred { candidates } => 1.0 / f32::from(candidates.max(1)),
        Evidence::Precise | Evidence::Resolved => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::*;

    #[test]
    fn a_node_has_its_ways_out_and_in_and_none_of_common_changes() {
        let graph = graph("a calls b\na contains c\nd calls a\na co_changes d\na -blocks b");
        let ways = Ways::of(&graph);
        let a = at(&graph, "a");
        let shown = |(other, way): (NodeIx, &Way)| {
            let sign = if way.inhibitory { "-" } else { "" };
            format!("{sign}{} {:.2} {:.2}", graph.node(other).id(), way.structural, way.causal)
        };
        let out: Vec<String> = ways.outgoing(a).map(shown).collect();
        assert_eq!(out, ["c 0.40 0.00", "b 1.00 0.90", "-b 0.60 0.80"]);
        assert_eq!(ways.incoming(a).map(shown).collect::<Vec<_>>(), ["d 1.00 0.90"]);
        assert_eq!(ways.around(a).count(), 4);
        assert_eq!(ways.fan(a), 5);
        assert!(ways.inhibits() && !ways.outgoing(at(&graph, "c")).any(|_| true));
    }
}
