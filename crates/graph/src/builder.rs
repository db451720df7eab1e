//! Builds a generation from nodes and edges given in any order.

use std::cmp::Ordering;
use std::collections::hash_map::Entry;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use m1nd_stdx::float::FiniteF32;
use m1nd_stdx::names::Names;

use crate::column::Column;
use crate::columns::Columns;
use crate::evidence::Evidence;
use crate::graph::Graph;
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
#[derive(Clone, Copy, Debug, PartialEq)]
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

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        (self.source, self.kind, self.target) == (other.source, other.kind, other.target)
    }

    fn strengthen(&mut self, other: &Self) {
        self.evidence = self.evidence.strongest(other.evidence);
        self.base_weight = self.base_weight.max(other.base_weight);
        self.causal_strength = self.causal_strength.max(other.causal_strength);
        self.inhibitory |= other.inhibitory;
    }

    #[must_use]
    pub fn at_line(mut self, line: u32) -> Self {
        self.line = line;
        self
    }
}

/// Collects nodes and edges; a node id or an edge given twice is one node or one edge.
#[derive(Debug)]
pub struct GraphBuilder {
    /// Every text of the nodes once; the empty one is the first.
    texts: Names,
    nodes: Vec<Row>,
    known: FxHashMap<u32, Handle>,
    /// Tags are rare, and so is history.
    tags: FxHashMap<Handle, Vec<u32>>,
    history: FxHashMap<Handle, History>,
    edges: Vec<EdgeSpec>,
}

/// A node with its texts by number.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: NodeKind,
    id: u32,
    label: u32,
    qualified: u32,
    path: u32,
    signature: u32,
    doc: u32,
    language: u32,
    line_start: u32,
    line_end: u32,
    flags: NodeFlags,
}

impl Default for GraphBuilder {
    fn default() -> Self {
        let mut texts = Names::default();
        texts.intern("");
        Self {
            texts,
            nodes: Vec::new(),
            known: FxHashMap::default(),
            tags: FxHashMap::default(),
            history: FxHashMap::default(),
            edges: Vec::new(),
        }
    }
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
            builder.edge(spec);
            for (line, evidence) in edge.sites() {
                builder.edge(EdgeSpec { evidence, ..spec.at_line(line) });
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
        let id = self.texts.intern(&spec.id);
        let handle = Handle(self.nodes.len() as u32);
        match self.known.entry(id) {
            Entry::Occupied(known) => return *known.get(),
            Entry::Vacant(free) => free.insert(handle),
        };
        let mut text = |text: &str| self.texts.intern(text);
        self.nodes.push(Row {
            kind: spec.kind,
            id,
            label: text(&spec.label),
            qualified: text(&spec.qualified),
            path: text(&spec.path),
            signature: text(&spec.signature),
            doc: text(&spec.doc),
            language: text(&spec.language),
            line_start: spec.line_start,
            line_end: spec.line_end,
            flags: spec.flags,
        });
        if !spec.tags.is_empty() {
            self.tags.insert(handle, spec.tags.iter().map(|tag| text(tag)).collect());
        }
        if let Some(history) = spec.history {
            self.history.insert(handle, history);
        }
        handle
    }

    pub fn find(&self, id: &str) -> Option<Handle> {
        self.known.get(&self.texts.find(id)?).copied()
    }

    pub fn set_history(&mut self, node: Handle, history: History) {
        self.history.insert(node, history);
    }

    /// Adds an edge. The same relation found again adds its line and keeps the stronger evidence.
    pub fn edge(&mut self, spec: EdgeSpec) {
        self.edges.push(spec);
    }

    /// Freezes what was collected; weights start at the base weights.
    pub fn finish(mut self, generation: u64) -> Graph {
        let order = self.canonical_order();
        let mut position = vec![0_u32; self.nodes.len()];
        for (at, old) in order.iter().enumerate() {
            position[old.0 as usize] = at as u32;
        }
        let mut edges = std::mem::take(&mut self.edges);
        for edge in &mut edges {
            edge.source.0 = position[edge.source.0 as usize];
            edge.target.0 = position[edge.target.0 as usize];
        }
        drop(position);
        let nodes = order.len();
        let (edges, mut columns) = rayon::join(|| Merged::of(edges), || self.node_columns(&order));
        drop(order);
        edge_columns(&mut columns, &edges, nodes);
        let weights = Weights::from_bits(columns.base_weight.iter().map(|w| w.to_bits()));
        Graph::from_columns(generation, columns, weights)
    }

    /// Neighbours in a file are neighbours in memory, and equal content has equal positions.
    fn canonical_order(&self) -> Vec<Handle> {
        let mut order: Vec<Handle> = (0..self.nodes.len() as u32).map(Handle).collect();
        let key = |handle: &Handle| {
            let row = &self.nodes[handle.0 as usize];
            let (path, id) = (self.texts.get(row.path), self.texts.get(row.id));
            (path, row.line_start, std::cmp::Reverse(row.line_end), id)
        };
        order.par_sort_by(|a, b| key(a).cmp(&key(b)));
        order
    }

    fn node_columns(self, order: &[Handle]) -> Columns {
        let rows = || order.iter().map(|handle| &self.nodes[handle.0 as usize]);
        let column = |pick: fn(&Row) -> u32| -> Column<u32> { Column::owned(rows().map(pick).collect()) };
        let (mut tag_starts, mut tags) = (Vec::with_capacity(order.len() + 1), Vec::new());
        tag_starts.push(0);
        for handle in order {
            tags.extend(self.tags.get(handle).into_iter().flatten());
            tag_starts.push(tags.len() as u32);
        }
        let text =
            |at: u32, pick: fn(&Row) -> u32| self.texts.get(pick(&self.nodes[order[at as usize].0 as usize]));
        let mut by_id: Vec<u32> = (0..order.len() as u32).collect();
        by_id.par_sort_unstable_by_key(|&at| text(at, |row| row.id));
        let mut by_label: Vec<u32> = (0..order.len() as u32).collect();
        by_label.par_sort_unstable_by_key(|&at| (text(at, |row| row.label), at));
        let past = || order.iter().map(|handle| self.history.get(handle));
        let history = |pick: fn(&History) -> u32| -> Column<u32> {
            Column::owned(past().map(|history| history.map_or(0, pick)).collect())
        };
        let mut columns = Columns {
            kind: Column::owned(rows().map(|row| row.kind as u8).collect()),
            changed_at: Column::owned(
                past().map(|history| history.map_or(i64::MIN, |h| h.changed_at.0)).collect(),
            ),
            commits: history(|h| h.commits),
            fixes: history(|h| h.fixes),
            authors: history(|h| h.authors),
            id: column(|row| row.id),
            label: column(|row| row.label),
            qualified: column(|row| row.qualified),
            path: column(|row| row.path),
            line_start: column(|row| row.line_start),
            line_end: column(|row| row.line_end),
            signature: column(|row| row.signature),
            doc: column(|row| row.doc),
            language: column(|row| row.language),
            flags: column(|row| row.flags.0),
            tag_starts: Column::owned(tag_starts),
            tags: Column::owned(tags),
            by_id: Column::owned(by_id),
            by_label: Column::owned(by_label),
            ..Columns::none()
        };
        let (arena, text_starts) = self.texts.freeze();
        columns.text = Column::owned(arena);
        columns.text_starts = Column::owned(text_starts);
        columns
    }
}

pub(crate) fn canonical_cmp(a: &NodeSpec, b: &NodeSpec) -> Ordering {
    (a.path.as_str(), a.line_start, b.line_end, a.id.as_str()).cmp(&(
        b.path.as_str(),
        b.line_start,
        a.line_end,
        b.id.as_str(),
    ))
}

/// A line on which a relation is written, and how it is known there.
pub(crate) type Site = (u32, u8);

/// Edges in their order, each once, with their lines end to end.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// Their handles are positions.
    pub edges: Vec<EdgeSpec>,
    site_ends: Vec<u32>,
    sites: Vec<Site>,
}

impl Merged {
    /// Sorts edges whose handles are positions; of those that are the same the strongest of everything stays.
    pub fn of(mut edges: Vec<EdgeSpec>) -> Self {
        edges.sort_unstable_by_key(|edge| {
            let strength = (edge.evidence.pack(), edge.base_weight, edge.causal_strength, edge.inhibitory);
            (edge.source, edge.kind as u8, edge.target, edge.line, strength)
        });
        let mut merged = Self { sites: Vec::with_capacity(edges.len()), ..Self::default() };
        let mut kept: usize = 0;
        for at in 0..edges.len() {
            let edge = edges[at];
            match kept.checked_sub(1).map(|last| &mut edges[last]).filter(|last| last.is_same(&edge)) {
                Some(last) => last.strengthen(&edge),
                None => {
                    edges[kept] = edge;
                    kept += 1;
                    merged.site_ends.push(merged.sites.len() as u32);
                }
            }
            let start = merged.site_ends.len().checked_sub(2).map_or(0, |before| merged.site_ends[before]);
            // The strongest evidence for a line comes first.
            let last = merged.sites.get(start as usize..).and_then(<[Site]>::last);
            if edge.line != 0 && last.is_none_or(|(line, _)| *line != edge.line) {
                merged.sites.push((edge.line, edge.evidence.pack_small()));
            }
            if let Some(end) = merged.site_ends.last_mut() {
                *end = merged.sites.len() as u32;
            }
        }
        edges.truncate(kept);
        merged.edges = edges;
        merged
    }

    pub fn push(&mut self, edge: EdgeSpec, sites: impl Iterator<Item = Site>) {
        self.edges.push(edge);
        self.sites.extend(sites);
        self.site_ends.push(self.sites.len() as u32);
    }

    /// Adds lines to the last edge.
    pub fn add_sites(&mut self, more: impl Iterator<Item = Site>) {
        let Some(last) = self.edges.len().checked_sub(1) else { return };
        let mut own = self.sites(last).to_vec();
        own.extend(more);
        own.sort_unstable();
        own.dedup_by_key(|(line, _)| *line);
        self.sites.truncate(self.sites.len() - self.sites(last).len());
        self.sites.extend(own);
        self.site_ends[last] = self.sites.len() as u32;
    }

    pub fn sites(&self, edge: usize) -> &[Site] {
        let start = edge.checked_sub(1).map_or(0, |before| self.site_ends[before]);
        &self.sites[start as usize..self.site_ends[edge] as usize]
    }
}

pub(crate) fn edge_columns(columns: &mut Columns, merged: &Merged, nodes: usize) {
    let edges = &merged.edges;
    let site_starts = std::iter::once(0).chain(merged.site_ends.iter().copied()).collect();
    columns.out_starts = Column::owned(starts(edges.iter().map(|edge| edge.source.0), nodes));
    columns.source = Column::owned(edges.iter().map(|edge| edge.source.0).collect());
    columns.target = Column::owned(edges.iter().map(|edge| edge.target.0).collect());
    columns.edge_kind = Column::owned(edges.iter().map(|edge| edge.kind as u8).collect());
    columns.evidence = Column::owned(edges.iter().map(|edge| edge.evidence.pack()).collect());
    columns.base_weight = Column::owned(edges.iter().map(|edge| edge.base_weight.get()).collect());
    columns.causal_strength = Column::owned(edges.iter().map(|edge| edge.causal_strength.get()).collect());
    columns.inhibitory = Column::owned(edges.iter().map(|edge| u8::from(edge.inhibitory)).collect());
    columns.site_starts = Column::owned(site_starts);
    columns.sites = Column::owned(merged.sites.iter().map(|(line, _)| *line).collect());
    columns.site_evidence = Column::owned(merged.sites.iter().map(|(_, how)| *how).collect());
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
