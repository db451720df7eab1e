//! One immutable generation of the graph; only its weights move.

use std::sync::OnceLock;

use m1nd_stdx::float::FiniteF32;

use crate::column::Column;
use crate::columns::Columns;
use crate::evidence::Evidence;
use crate::fixtures::Fixtures;
use crate::ids::{EdgeIx, NodeIx};
use crate::kind::EdgeKind;
use crate::node::Node;
use crate::pagerank;
use crate::promised::Promises;
use crate::weights::Weights;

/// Nodes in the order of (path, first line, id), edges in the order of (source, kind, target).
///
/// Equal content has equal columns whatever order it was built in.
#[derive(Clone, Debug)]
pub struct Graph {
    generation: u64,
    columns: Columns,
    weights: Weights,
    /// Made on first use where the columns have none.
    ranks: OnceLock<Vec<f32>>,
    /// Made on first use.
    fixtures: OnceLock<Fixtures>,
    promises: OnceLock<Promises>,
}

/// One relation, seen from either end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge<'g> {
    pub ix: EdgeIx,
    pub source: NodeIx,
    pub target: NodeIx,
    pub kind: EdgeKind,
    pub evidence: Evidence,
    /// As learned.
    pub weight: FiniteF32,
    /// As it was before anything was learned.
    pub base_weight: FiniteF32,
    pub causal_strength: FiniteF32,
    pub inhibitory: bool,
    /// Lines in the source's file where the relation is written, ascending.
    pub lines: &'g [u32],
    known: &'g [u8],
}

impl Edge<'_> {
    /// The lines on which the relation is written, and how it is known there: the edge as a whole is known as its
    /// best known line is.
    pub fn sites(&self) -> impl Iterator<Item = (u32, Evidence)> {
        let known = self.known.iter().map(|&raw| Evidence::unpack(u16::from(raw)));
        self.lines.iter().copied().zip(known)
    }

    /// The first of the lines on which the relation is known best.
    pub fn best_line(&self) -> Option<u32> {
        self.sites().min_by_key(|(line, evidence)| (evidence.pack(), *line)).map(|(line, _)| line)
    }
}

impl Graph {
    pub(crate) fn from_columns(generation: u64, columns: Columns, weights: Weights) -> Self {
        debug_assert_eq!(columns.target.len(), weights.len());
        debug_assert_eq!(columns.check(), Ok(()));
        let (ranks, fixtures, promises) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { generation, columns, weights, ranks, fixtures, promises }
    }

    /// A graph with nothing in it.
    pub fn empty() -> Self {
        crate::builder::GraphBuilder::new().finish(0)
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }

    #[must_use]
    pub fn with_generation(mut self, generation: u64) -> Self {
        self.generation = generation;
        self
    }

    pub fn node_count(&self) -> usize {
        self.columns.kind.len()
    }

    pub fn edge_count(&self) -> usize {
        self.columns.target.len()
    }

    pub fn is_empty(&self) -> bool {
        self.node_count() == 0
    }

    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node<'_>> {
        (0..self.node_count() as u32).map(|at| Node::new(self, NodeIx(at)))
    }

    /// The node at a position of this generation.
    ///
    /// # Panics
    /// When the position is of another, larger generation.
    pub fn node(&self, ix: NodeIx) -> Node<'_> {
        assert!(ix.index() < self.node_count(), "node {} of {}", ix.0, self.node_count());
        Node::new(self, ix)
    }

    #[inline]
    pub fn edge(&self, ix: EdgeIx) -> Edge<'_> {
        let columns = &self.columns;
        let at = ix.index();
        let sites = columns.site_starts[at] as usize..columns.site_starts[at + 1] as usize;
        Edge {
            ix,
            source: NodeIx(columns.source[at]),
            target: NodeIx(columns.target[at]),
            kind: columns.edge_kind(at),
            evidence: columns.evidence(at),
            weight: self.weights.get(at),
            base_weight: FiniteF32::new(columns.base_weight[at]),
            causal_strength: FiniteF32::new(columns.causal_strength[at]),
            inhibitory: columns.inhibitory[at] != 0,
            lines: &columns.sites[sites.clone()],
            known: &columns.site_evidence[sites],
        }
    }

    pub fn edges(&self) -> impl ExactSizeIterator<Item = Edge<'_>> {
        (0..self.edge_count() as u32).map(|at| self.edge(EdgeIx(at)))
    }

    /// Edges that leave `node`, by kind and then by target.
    pub fn outgoing(&self, node: NodeIx) -> impl ExactSizeIterator<Item = Edge<'_>> {
        let at = node.index();
        let range = self.columns.out_starts[at]..self.columns.out_starts[at + 1];
        range.map(|edge| self.edge(EdgeIx(edge)))
    }

    /// Edges that reach `node`, by source and then by kind.
    pub fn incoming(&self, node: NodeIx) -> impl ExactSizeIterator<Item = Edge<'_>> {
        let at = node.index();
        let range = self.columns.in_starts[at] as usize..self.columns.in_starts[at + 1] as usize;
        self.columns.in_edges[range].iter().map(|&edge| self.edge(EdgeIx(edge)))
    }

    /// One of the edges of `node` by its number: those that leave it come first.
    pub fn nth_edge(&self, node: NodeIx, nth: usize) -> Option<Edge<'_>> {
        let out = self.columns.out_starts[node.index()]..self.columns.out_starts[node.index() + 1];
        if nth < out.len() {
            return Some(self.edge(EdgeIx(out.start + nth as u32)));
        }
        let (start, end) = (self.columns.in_starts[node.index()], self.columns.in_starts[node.index() + 1]);
        let into = &self.columns.in_edges[start as usize..end as usize];
        into.get(nth - out.len()).map(|&edge| self.edge(EdgeIx(edge)))
    }

    /// Targets of one kind of outgoing edge.
    pub fn targets(&self, node: NodeIx, kind: EdgeKind) -> impl Iterator<Item = NodeIx> {
        let (at, columns) = (node.index(), &self.columns);
        let first = columns.out_starts[at] as usize;
        // They are in the order of their kinds.
        let kinds = &columns.edge_kind[first..columns.out_starts[at + 1] as usize];
        let start = kinds.partition_point(|&other| other < kind as u8);
        let len = kinds[start..].partition_point(|&other| other == kind as u8);
        columns.target[first + start..first + start + len].iter().map(|&target| NodeIx(target))
    }

    /// Sources of one kind of incoming edge.
    pub fn sources(&self, node: NodeIx, kind: EdgeKind) -> impl Iterator<Item = NodeIx> {
        self.incoming(node).filter(move |edge| edge.kind == kind).map(|edge| edge.source)
    }

    /// The node that contains `node`.
    pub fn parent(&self, node: NodeIx) -> Option<NodeIx> {
        self.sources(node, EdgeKind::Contains).next()
    }

    /// The edge of one kind between two nodes.
    pub fn edge_between(&self, source: NodeIx, kind: EdgeKind, target: NodeIx) -> Option<EdgeIx> {
        let at = source.index();
        let range = self.columns.out_starts[at] as usize..self.columns.out_starts[at + 1] as usize;
        let first = range.start;
        let wanted = (kind as u8, target.0);
        let (mut low, mut high) = (first, range.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if (self.columns.edge_kind[middle], self.columns.target[middle]) < wanted {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let found = low < range.end && (self.columns.edge_kind[low], self.columns.target[low]) == wanted;
        found.then_some(EdgeIx(low as u32))
    }

    /// The learned weights, which may be changed through a shared reference.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    pub(crate) fn columns(&self) -> &Columns {
        &self.columns
    }

    /// The PageRank of every node.
    pub(crate) fn ranks(&self) -> &[f32] {
        if self.columns.pagerank.len() == self.node_count() {
            return &self.columns.pagerank;
        }
        self.ranks.get_or_init(|| pagerank::of_columns(&self.columns))
    }

    pub(crate) fn promises(&self, make: impl FnOnce() -> Promises) -> &Promises {
        self.promises.get_or_init(make)
    }

    pub(crate) fn fixtures(&self, make: impl FnOnce() -> Fixtures) -> &Fixtures {
        self.fixtures.get_or_init(make)
    }

    /// The columns with nothing left to be made later.
    pub(crate) fn whole_columns(&self) -> Columns {
        let mut columns = self.columns.clone();
        if columns.pagerank.len() != self.node_count() {
            columns.pagerank = Column::owned(self.ranks().to_vec());
        }
        columns
    }
}

impl PartialEq for Graph {
    /// Same nodes, edges and weights; the generation's number is not part of the content.
    fn eq(&self, other: &Self) -> bool {
        let same_edges = |(one, other): (Edge<'_>, Edge<'_>)| one == other;
        self.node_count() == other.node_count()
            && self.edge_count() == other.edge_count()
            && self.nodes().zip(other.nodes()).all(|(one, other)| one.to_spec() == other.to_spec())
            && self.edges().zip(other.edges()).all(same_edges)
    }
}
