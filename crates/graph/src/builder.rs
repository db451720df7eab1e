//! Builds a generation from nodes and edges given in any order.

use std::cmp::Ordering;

use rustc_hash::FxHashMap;

use m1nd_stdx::float::FiniteF32;

use crate::column::Column;
use crate::columns::Columns;
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::intern::Interner;
use crate::kind::{EdgeKind, NodeKind};
use crate::node::{History, NodeFlags};
use crate::weights::Weights;

/// A node as its finder describes it.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NodeSpec {
    pub id: String,
    pub kind: NodeKind,
    pub label: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub qualified: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    #[serde(default)]
    pub line_start: u32,
    #[serde(default)]
    pub line_end: u32,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub doc: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub language: String,
    #[serde(default)]
    pub flags: NodeFlags,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<History>,
}

impl NodeSpec {
    pub fn new(kind: NodeKind, id: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            kind,
            label: label.into(),
            qualified: String::new(),
            path: String::new(),
            line_start: 0,
            line_end: 0,
            signature: String::new(),
            doc: String::new(),
            language: String::new(),
            flags: NodeFlags::default(),
            tags: Vec::new(),
            history: None,
        }
    }
}

/// A node of a builder, before positions are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(pub(crate) u32);

impl Handle {
    /// The handle of a builder whose nodes stand in the order of a graph.
    pub(crate) fn at(node: crate::ids::NodeIx) -> Self {
        Self(node.0)
    }
}

/// An edge as its finder describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeSpec {
    pub source: Handle,
    pub target: Handle,
    pub kind: EdgeKind,
    pub evidence: Evidence,
    /// Where it is written; 0 for nowhere in particular.
    pub line: u32,
    pub base_weight: FiniteF32,
    pub causal_strength: FiniteF32,
    pub inhibitory: bool,
}

impl EdgeSpec {
    /// An edge with the weights its kind starts with.
    pub fn new(source: Handle, kind: EdgeKind, target: Handle, evidence: Evidence) -> Self {
        Self {
            source,
            target,
            kind,
            evidence,
            line: 0,
            base_weight: FiniteF32::new(kind.base_weight()),
            causal_strength: FiniteF32::new(kind.causal_strength()),
            inhibitory: false,
        }
    }

    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = line;
        self
    }
}

/// Collects nodes and edges; a node id or an edge given twice is one node or one edge.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    nodes: Vec<NodeSpec>,
    known: FxHashMap<String, Handle>,
    edges: Vec<EdgeSpec>,
}

impl GraphBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Everything a graph holds, to be built upon; learned weights are carried over by `carry`.
    pub fn from_graph(graph: &Graph) -> Self {
        let mut builder = Self::new();
        let handles: Vec<Handle> = graph.nodes().map(|node| builder.node(node.to_spec())).collect();
        for edge in graph.edges() {
            let spec = EdgeSpec {
                source: handles[edge.source.index()],
                target: handles[edge.target.index()],
                kind: edge.kind,
                evidence: edge.evidence,
                line: 0,
                base_weight: edge.base_weight,
                causal_strength: edge.causal_strength,
                inhibitory: edge.inhibitory,
            };
            if edge.lines.is_empty() {
                builder.edge(spec.clone());
            }
            for &line in edge.lines {
                builder.edge(spec.clone().at_line(line));
            }
        }
        builder
    }

    /// Keeps only the edges that satisfy a condition.
    pub fn retain_edges(&mut self, keep: impl FnMut(&EdgeSpec) -> bool) {
        self.edges.retain(keep);
    }

    /// Adds a node, or finds the one that has its id already; the first description stays.
    pub fn node(&mut self, spec: NodeSpec) -> Handle {
        if let Some(&known) = self.known.get(&spec.id) {
            return known;
        }
        let handle = Handle(self.nodes.len() as u32);
        self.known.insert(spec.id.clone(), handle);
        self.nodes.push(spec);
        handle
    }

    pub fn find(&self, id: &str) -> Option<Handle> {
        self.known.get(id).copied()
    }

    pub fn node_mut(&mut self, handle: Handle) -> &mut NodeSpec {
        &mut self.nodes[handle.0 as usize]
    }

    /// Adds an edge. The same relation found again adds its line and keeps the stronger evidence.
    pub fn edge(&mut self, spec: EdgeSpec) {
        self.edges.push(spec);
    }

    /// Freezes what was collected; weights start at the base weights.
    pub fn finish(self, generation: u64) -> Graph {
        let order = canonical_order(&self.nodes);
        let mut position = vec![0_u32; self.nodes.len()];
        for (at, &old) in order.iter().enumerate() {
            position[old as usize] = at as u32;
        }
        let edges = merge_edges(self.edges, |handle| position[handle.0 as usize]);
        let nodes: Vec<&NodeSpec> = order.iter().map(|&old| &self.nodes[old as usize]).collect();
        let mut columns = node_columns(&nodes);
        edge_columns(&mut columns, &edges, nodes.len());
        let weights = Weights::from_bits(columns.base_weight.iter().map(|w| w.to_bits()));
        Graph::from_columns(generation, columns, weights)
    }
}

/// Neighbours in a file are neighbours in memory, and equal content has equal positions.
fn canonical_order(nodes: &[NodeSpec]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
    order.sort_by(|&a, &b| canonical_cmp(&nodes[a as usize], &nodes[b as usize]));
    order
}

pub(crate) fn canonical_cmp(a: &NodeSpec, b: &NodeSpec) -> Ordering {
    (a.path.as_str(), a.line_start, b.line_end, a.id.as_str()).cmp(&(
        b.path.as_str(),
        b.line_start,
        a.line_end,
        b.id.as_str(),
    ))
}

pub(crate) struct MergedEdge {
    pub spec: EdgeSpec,
    pub source: u32,
    pub target: u32,
    pub lines: Vec<u32>,
}

pub(crate) fn merge_edges(edges: Vec<EdgeSpec>, position: impl Fn(Handle) -> u32) -> Vec<MergedEdge> {
    let mut keyed: Vec<(u32, u8, u32, EdgeSpec)> = edges
        .into_iter()
        .map(|spec| {
            let source = position(spec.source);
            let target = position(spec.target);
            (source, spec.kind as u8, target, spec)
        })
        .collect();
    keyed.sort_by_key(|(source, kind, target, spec)| {
        (*source, *kind, *target, spec.line, spec.evidence.pack(), spec.base_weight, spec.causal_strength)
    });
    let mut merged: Vec<MergedEdge> = Vec::with_capacity(keyed.len());
    for (source, _, target, spec) in keyed {
        let line = spec.line;
        match merged.last_mut() {
            Some(last) if last.source == source && last.target == target && last.spec.kind == spec.kind => {
                last.spec.evidence = last.spec.evidence.strongest(spec.evidence);
                last.spec.base_weight = last.spec.base_weight.max(spec.base_weight);
                last.spec.causal_strength = last.spec.causal_strength.max(spec.causal_strength);
                last.spec.inhibitory |= spec.inhibitory;
                if line != 0 && last.lines.last() != Some(&line) {
                    last.lines.push(line);
                }
            }
            _ => merged.push(MergedEdge {
                spec,
                source,
                target,
                lines: if line == 0 { Vec::new() } else { vec![line] },
            }),
        }
    }
    merged
}

fn node_columns(nodes: &[&NodeSpec]) -> Columns {
    let mut interner = Interner::new();
    let mut text = |pick: fn(&NodeSpec) -> &str| -> Column<u32> {
        Column::owned(nodes.iter().map(|node| interner.intern(pick(node)).0).collect())
    };
    let id = text(|node| &node.id);
    let label = text(|node| &node.label);
    let qualified = text(|node| &node.qualified);
    let path = text(|node| &node.path);
    let signature = text(|node| &node.signature);
    let doc = text(|node| &node.doc);
    let language = text(|node| &node.language);
    let mut tag_starts = vec![0];
    let mut tags = Vec::new();
    for node in nodes {
        tags.extend(node.tags.iter().map(|tag| interner.intern(tag).0));
        tag_starts.push(tags.len() as u32);
    }
    let (arena, text_starts) = interner.freeze();
    let mut by_id: Vec<u32> = (0..nodes.len() as u32).collect();
    by_id.sort_by_key(|&at| nodes[at as usize].id.as_str());
    let mut by_label: Vec<u32> = (0..nodes.len() as u32).collect();
    by_label.sort_by_key(|&at| (nodes[at as usize].label.as_str(), at));
    let history = |pick: fn(&History) -> u32| -> Column<u32> {
        Column::owned(nodes.iter().map(|node| node.history.as_ref().map_or(0, pick)).collect())
    };
    Columns {
        kind: Column::owned(nodes.iter().map(|node| node.kind as u8).collect()),
        pagerank: Column::owned(Vec::new()),
        changed_at: Column::owned(
            nodes.iter().map(|node| node.history.as_ref().map_or(i64::MIN, |h| h.changed_at.0)).collect(),
        ),
        commits: history(|h| h.commits),
        fixes: history(|h| h.fixes),
        authors: history(|h| h.authors),
        id,
        label,
        qualified,
        path,
        line_start: Column::owned(nodes.iter().map(|node| node.line_start).collect()),
        line_end: Column::owned(nodes.iter().map(|node| node.line_end).collect()),
        signature,
        doc,
        language,
        flags: Column::owned(nodes.iter().map(|node| node.flags.0).collect()),
        tag_starts: Column::owned(tag_starts),
        tags: Column::owned(tags),
        by_id: Column::owned(by_id),
        by_label: Column::owned(by_label),
        out_starts: Column::owned(Vec::new()),
        source: Column::owned(Vec::new()),
        target: Column::owned(Vec::new()),
        edge_kind: Column::owned(Vec::new()),
        evidence: Column::owned(Vec::new()),
        base_weight: Column::owned(Vec::new()),
        causal_strength: Column::owned(Vec::new()),
        inhibitory: Column::owned(Vec::new()),
        site_starts: Column::owned(Vec::new()),
        sites: Column::owned(Vec::new()),
        in_starts: Column::owned(Vec::new()),
        in_edges: Column::owned(Vec::new()),
        text: Column::owned(arena),
        text_starts: Column::owned(text_starts),
    }
}

pub(crate) fn edge_columns(columns: &mut Columns, edges: &[MergedEdge], nodes: usize) {
    let mut site_starts = vec![0];
    let mut sites = Vec::new();
    for edge in edges {
        sites.extend_from_slice(&edge.lines);
        site_starts.push(sites.len() as u32);
    }
    columns.out_starts = Column::owned(starts(edges.iter().map(|edge| edge.source), nodes));
    columns.source = Column::owned(edges.iter().map(|edge| edge.source).collect());
    columns.target = Column::owned(edges.iter().map(|edge| edge.target).collect());
    columns.edge_kind = Column::owned(edges.iter().map(|edge| edge.spec.kind as u8).collect());
    columns.evidence = Column::owned(edges.iter().map(|edge| edge.spec.evidence.pack()).collect());
    columns.base_weight = Column::owned(edges.iter().map(|edge| edge.spec.base_weight.get()).collect());
    columns.causal_strength =
        Column::owned(edges.iter().map(|edge| edge.spec.causal_strength.get()).collect());
    columns.inhibitory = Column::owned(edges.iter().map(|edge| u8::from(edge.spec.inhibitory)).collect());
    columns.site_starts = Column::owned(site_starts);
    columns.sites = Column::owned(sites);
    set_incoming(columns, nodes);
}

/// Makes the reverse direction of the targets that are set.
pub(crate) fn set_incoming(columns: &mut Columns, nodes: usize) {
    let in_starts = starts(columns.target.iter().copied(), nodes);
    let mut next = in_starts.clone();
    let mut in_edges = vec![0; columns.target.len()];
    for (at, &target) in columns.target.iter().enumerate() {
        let slot = &mut next[target as usize];
        in_edges[*slot as usize] = at as u32;
        *slot += 1;
    }
    columns.in_starts = Column::owned(in_starts);
    columns.in_edges = Column::owned(in_edges);
}

/// Where each node's edges start, given the owner of each edge.
pub(crate) fn starts(owners: impl Iterator<Item = u32>, nodes: usize) -> Vec<u32> {
    let mut starts = vec![0_u32; nodes + 1];
    for owner in owners {
        starts[owner as usize + 1] += 1;
    }
    for at in 0..nodes {
        starts[at + 1] += starts[at];
    }
    starts
}
