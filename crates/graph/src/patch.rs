//! A generation that differs from the one before only in what one file says: most of it is shared or copied
//! whole, nothing is looked up or sorted again.

use std::ops::Range;

use crate::builder::{EdgeSpec, Handle, MergedEdge, NodeSpec, canonical_cmp, merge_edges, starts};
use crate::column::Column;
use crate::columns::Columns;
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::EdgeKind;
use crate::weights::Weights;

/// A relation that starts in the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchEdge {
    pub source: NodeIx,
    pub kind: EdgeKind,
    pub target: NodeIx,
    pub evidence: Evidence,
    pub line: u32,
}

/// What one file says now.
#[derive(Debug)]
pub struct FilePatch<'p> {
    pub path: &'p str,
    /// Every node with that path.
    pub nodes: Vec<NodeSpec>,
    /// Every relation written in the file that starts at one of these nodes.
    pub edges: Vec<PatchEdge>,
}

impl Graph {
    /// The next generation, or nothing when the file has other nodes than before or has them in another order:
    /// then a graph has to be built.
    ///
    /// Of the relations that start in the file, those that are written on no line (containment, what history or
    /// other files say) stay as they are. Learned weights stay with their relations.
    pub fn patched(&self, generation: u64, mut patch: FilePatch<'_>) -> Option<Graph> {
        let range = self.range_of(patch.path)?;
        patch.nodes.sort_by(canonical_cmp);
        if !self.has_the_nodes(&range, &patch.nodes) {
            return None;
        }
        let mut columns = self.columns().clone();
        describe(&mut columns, range.start as usize, &patch.nodes);
        let fresh = self.edges_of(&range, patch.edges);
        let weights = self.splice_edges(&mut columns, &range, &fresh);
        columns.pagerank = Column::owned(Vec::new());
        Some(Graph::from_columns(generation, columns, weights))
    }

    fn range_of(&self, path: &str) -> Option<Range<u32>> {
        let mut nodes = self.nodes_in(path);
        let first = nodes.next()?.0;
        let last = nodes.next_back().map_or(first, |last| last.0);
        Some(first..last + 1)
    }

    fn has_the_nodes(&self, range: &Range<u32>, specs: &[NodeSpec]) -> bool {
        range.len() == specs.len()
            && range.clone().zip(specs).all(|(at, spec)| {
                let node = self.node(NodeIx(at));
                node.id() == spec.id
                    && node.kind() == spec.kind
                    && node.label() == spec.label
                    && node.qualified() == spec.qualified
                    && node.language() == spec.language
                    && node.tags().eq(spec.tags.iter().map(String::as_str))
            })
    }

    fn edges_of(&self, range: &Range<u32>, found: Vec<PatchEdge>) -> Vec<MergedEdge> {
        let mut specs: Vec<EdgeSpec> = found
            .into_iter()
            .map(|edge| {
                let (source, target) = (Handle(edge.source.0), Handle(edge.target.0));
                EdgeSpec::new(source, edge.kind, target, edge.evidence).at_line(edge.line)
            })
            .collect();
        for source in range.clone() {
            for edge in self.outgoing(NodeIx(source)).filter(|edge| edge.lines.is_empty()) {
                specs.push(EdgeSpec {
                    source: Handle(source),
                    target: Handle(edge.target.0),
                    kind: edge.kind,
                    evidence: edge.evidence,
                    line: 0,
                    base_weight: edge.base_weight,
                    causal_strength: edge.causal_strength,
                    inhibitory: edge.inhibitory,
                });
            }
        }
        merge_edges(specs, |handle| handle.0)
    }

    fn splice_edges(&self, columns: &mut Columns, range: &Range<u32>, fresh: &[MergedEdge]) -> Weights {
        let old = self.columns();
        let (first, last) = (range.start as usize, range.end as usize);
        let gone = old.out_starts[first] as usize..old.out_starts[last] as usize;
        columns.source = splice(&old.source, &gone, fresh.iter().map(|edge| edge.source));
        columns.target = splice(&old.target, &gone, fresh.iter().map(|edge| edge.target));
        columns.edge_kind = splice(&old.edge_kind, &gone, fresh.iter().map(|edge| edge.spec.kind as u8));
        columns.evidence = splice(&old.evidence, &gone, fresh.iter().map(|edge| edge.spec.evidence.pack()));
        columns.base_weight =
            splice(&old.base_weight, &gone, fresh.iter().map(|edge| edge.spec.base_weight.get()));
        columns.causal_strength =
            splice(&old.causal_strength, &gone, fresh.iter().map(|edge| edge.spec.causal_strength.get()));
        columns.inhibitory =
            splice(&old.inhibitory, &gone, fresh.iter().map(|edge| u8::from(edge.spec.inhibitory)));
        let gone_sites = old.site_starts[gone.start] as usize..old.site_starts[gone.end] as usize;
        columns.sites =
            splice(&old.sites, &gone_sites, fresh.iter().flat_map(|edge| edge.lines.iter().copied()));
        let mut site_starts = old.site_starts[..=gone.start].to_vec();
        let mut at = old.site_starts[gone.start];
        for edge in fresh {
            at += edge.lines.len() as u32;
            site_starts.push(at);
        }
        let moved = |starts: &[u32], from: u32, to: u32| -> Vec<u32> {
            starts.iter().map(|&start| start - from + to).collect()
        };
        site_starts.extend(moved(&old.site_starts[gone.end + 1..], old.site_starts[gone.end], at));
        columns.site_starts = Column::owned(site_starts);
        let mut out_starts = old.out_starts[..=first].to_vec();
        let mut end = old.out_starts[first];
        let mut rest = fresh.iter().peekable();
        for node in range.clone() {
            while rest.next_if(|edge| edge.source == node).is_some() {
                end += 1;
            }
            out_starts.push(end);
        }
        out_starts.extend(moved(&old.out_starts[last + 1..], old.out_starts[last], end));
        columns.out_starts = Column::owned(out_starts);
        let nodes = columns.kind.len();
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
        let weights = self.weights().to_bits();
        let learned = fresh.iter().map(|edge| {
            let before = self.edge_between(NodeIx(edge.source), edge.spec.kind, NodeIx(edge.target));
            let before = before.map(|ix| self.edge(ix)).filter(|edge| edge.weight != edge.base_weight);
            before.map_or(edge.spec.base_weight, |edge| edge.weight).get().to_bits()
        });
        let kept = weights[..gone.start].iter().copied();
        Weights::from_bits(kept.chain(learned).chain(weights[gone.end..].iter().copied()))
    }
}

fn splice<T: Copy + zerocopy::FromBytes + zerocopy::IntoBytes + zerocopy::Immutable>(
    old: &Column<T>,
    gone: &Range<usize>,
    fresh: impl Iterator<Item = T>,
) -> Column<T> {
    let mut values = Vec::with_capacity(old.len());
    values.extend_from_slice(&old[..gone.start]);
    values.extend(fresh);
    values.extend_from_slice(&old[gone.end..]);
    Column::owned(values)
}

/// Writes what may differ about the nodes: lines, flags, signatures and comments.
fn describe(columns: &mut Columns, first: usize, specs: &[NodeSpec]) {
    let changed = |column: &Column<u32>, pick: &dyn Fn(&NodeSpec) -> u32| -> Column<u32> {
        let range = first..first + specs.len();
        splice(column, &range, specs.iter().map(pick))
    };
    columns.line_start = changed(&columns.line_start, &|spec| spec.line_start);
    columns.line_end = changed(&columns.line_end, &|spec| spec.line_end);
    columns.flags = changed(&columns.flags, &|spec| spec.flags.0);
    let mut text = None;
    for which in [Text::Signature, Text::Doc] {
        let column = which.of(columns);
        let fresh: Vec<(usize, &str)> = specs
            .iter()
            .enumerate()
            .map(|(at, spec)| (first + at, which.said(spec)))
            .filter(|&(at, said)| columns.str(column[at]) != said)
            .collect();
        if fresh.is_empty() {
            continue;
        }
        let mut handles = column.to_vec();
        let (arena, arena_starts) =
            text.get_or_insert_with(|| (columns.text.to_vec(), columns.text_starts.to_vec()));
        for (at, said) in fresh {
            handles[at] = (arena_starts.len() - 1) as u32;
            arena.extend_from_slice(said.as_bytes());
            arena_starts.push(arena.len() as u32);
        }
        match which {
            Text::Signature => columns.signature = Column::owned(handles),
            Text::Doc => columns.doc = Column::owned(handles),
        }
    }
    if let Some((arena, arena_starts)) = text {
        columns.text = Column::owned(arena);
        columns.text_starts = Column::owned(arena_starts);
    }
}

#[derive(Clone, Copy)]
enum Text {
    Signature,
    Doc,
}

impl Text {
    fn of(self, columns: &Columns) -> &Column<u32> {
        match self {
            Self::Signature => &columns.signature,
            Self::Doc => &columns.doc,
        }
    }

    fn said(self, spec: &NodeSpec) -> &str {
        match self {
            Self::Signature => &spec.signature,
            Self::Doc => &spec.doc,
        }
    }
}
