//! The columns of a graph: one list from which memory, snapshot and checks are all made.

use crate::arena;
use crate::column::Column;
use crate::evidence::Evidence;
use crate::kind::{EdgeKind, NodeKind};
use bytes::Bytes;
use std::ops::Range;
use zerocopy::IntoBytes;

macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $ty:ty,)*) => {
        /// Every array of one generation, struct of arrays.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct Columns { $($(#[$doc])* pub(crate) $name: Column<$ty>,)* }

        impl Columns {
            /// Columns without values.
            pub(crate) fn none() -> Self {
                Self { $($name: Column::owned(Vec::new()),)* }
            }

            /// Name and bytes of every column, in the order they are written.
            pub(crate) fn sections(&self) -> Vec<(&'static str, &[u8])> {
                vec![$((stringify!($name), self.$name.as_bytes()),)*]
            }

            /// Columns over parts of `file`; the error is the name of the column that does not fit.
            pub(crate) fn map(
                file: &Bytes,
                part: impl Fn(&'static str) -> Option<Range<usize>>,
            ) -> Result<Self, &'static str> {
                Ok(Self {
                    $($name: part(stringify!($name))
                        .and_then(|range| Column::mapped(file, range))
                        .ok_or(stringify!($name))?,)*
                })
            }
        }
    };
}

columns! {
    // Hot: touched by every query.
    kind: u8,
    pagerank: f32,
    // Warm: touched by temporal scoring.
    /// Milliseconds since 1970 of the last change in the history; `i64::MIN` when unknown.
    changed_at: i64,
    commits: u32,
    fixes: u32,
    authors: u32,
    // Cold: touched when a node is shown or looked up.
    id: u32,
    label: u32,
    qualified: u32,
    path: u32,
    line_start: u32,
    line_end: u32,
    signature: u32,
    doc: u32,
    language: u32,
    flags: u32,
    tag_starts: u32,
    tags: u32,
    /// Node positions in the order of their ids.
    by_id: u32,
    /// Node positions in the order of (label, position).
    by_label: u32,
    // Edges, in the order of (source, kind, target).
    out_starts: u32,
    source: u32,
    target: u32,
    edge_kind: u8,
    evidence: u16,
    base_weight: f32,
    causal_strength: f32,
    inhibitory: u8,
    site_starts: u32,
    /// Lines in the source's file where the relation is written.
    sites: u32,
    /// How the relation is known on each of these lines.
    site_evidence: u8,
    in_starts: u32,
    /// Edge positions grouped by target, in edge order.
    in_edges: u32,
    // Text.
    text: u8,
    text_starts: u32,
}

impl Columns {
    pub(crate) fn str(&self, handle: u32) -> &str {
        let at = handle as usize;
        let bytes = &self.text[self.text_starts[at] as usize..self.text_starts[at + 1] as usize];
        // Checked when the arena was built or loaded, and never written again.
        std::str::from_utf8(bytes).unwrap_or("")
    }

    /// Checks every invariant that reading relies on, so that no position read later can be out of bounds.
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        let nodes = self.kind.len();
        let edges = self.target.len();
        ensure(arena::is_sound(&self.text, &self.text_starts), "text")?;
        let strings = (self.text_starts.len() - 1) as u32;
        for (name, column) in [
            ("id", &self.id),
            ("label", &self.label),
            ("qualified", &self.qualified),
            ("path", &self.path),
            ("signature", &self.signature),
            ("doc", &self.doc),
            ("language", &self.language),
        ] {
            ensure(column.len() == nodes && column.iter().all(|&s| s < strings), name)?;
        }
        for (name, len) in [
            ("changed_at", self.changed_at.len()),
            ("commits", self.commits.len()),
            ("fixes", self.fixes.len()),
            ("authors", self.authors.len()),
            ("line_start", self.line_start.len()),
            ("line_end", self.line_end.len()),
            ("flags", self.flags.len()),
            ("by_id", self.by_id.len()),
            ("by_label", self.by_label.len()),
        ] {
            ensure(len == nodes, name)?;
        }
        // Ranks are made when somebody asks for them.
        ensure([0, nodes].contains(&self.pagerank.len()), "pagerank")?;
        for (name, len) in [
            ("source", self.source.len()),
            ("edge_kind", self.edge_kind.len()),
            ("evidence", self.evidence.len()),
            ("base_weight", self.base_weight.len()),
            ("causal_strength", self.causal_strength.len()),
            ("inhibitory", self.inhibitory.len()),
            ("in_edges", self.in_edges.len()),
        ] {
            ensure(len == edges, name)?;
        }
        let below = |column: &[u32], limit: usize| column.iter().all(|&at| (at as usize) < limit);
        ensure(self.kind.iter().all(|&raw| NodeKind::from_u8(raw).is_some()), "kind")?;
        ensure(self.edge_kind.iter().all(|&raw| EdgeKind::from_u8(raw).is_some()), "edge_kind")?;
        ensure(below(&self.by_id, nodes) && below(&self.by_label, nodes), "by_id")?;
        ensure(below(&self.target, nodes) && below(&self.source, nodes), "target")?;
        ensure(below(&self.in_edges, edges), "in_edges")?;
        ensure(below(&self.tags, strings as usize), "tags")?;
        ensure(is_partition(&self.out_starts, nodes, edges), "out_starts")?;
        ensure(is_partition(&self.in_starts, nodes, edges), "in_starts")?;
        ensure(is_partition(&self.tag_starts, nodes, self.tags.len()), "tag_starts")?;
        ensure(self.site_evidence.len() == self.sites.len(), "site_evidence")?;
        ensure(is_partition(&self.site_starts, edges, self.sites.len()), "site_starts")
    }

    /// The same nodes with the edges of others.
    pub(crate) fn with_edges_of(self, other: Self) -> Self {
        Self {
            out_starts: other.out_starts,
            source: other.source,
            target: other.target,
            edge_kind: other.edge_kind,
            evidence: other.evidence,
            base_weight: other.base_weight,
            causal_strength: other.causal_strength,
            inhibitory: other.inhibitory,
            site_starts: other.site_starts,
            sites: other.sites,
            site_evidence: other.site_evidence,
            in_starts: other.in_starts,
            in_edges: other.in_edges,
            ..self
        }
    }

    /// The tags of a node.
    pub(crate) fn tags_of(&self, at: usize) -> &[u32] {
        &self.tags[self.tag_starts[at] as usize..self.tag_starts[at + 1] as usize]
    }

    pub(crate) fn node_kind(&self, at: usize) -> NodeKind {
        NodeKind::from_u8(self.kind[at]).unwrap_or(NodeKind::File)
    }

    pub(crate) fn edge_kind(&self, at: usize) -> EdgeKind {
        EdgeKind::from_u8(self.edge_kind[at]).unwrap_or(EdgeKind::References)
    }

    pub(crate) fn evidence(&self, at: usize) -> Evidence {
        Evidence::unpack(self.evidence[at])
    }
}

fn ensure(holds: bool, name: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(name) }
}

/// Whether `starts` cuts `0..total` into `parts` consecutive ranges.
fn is_partition(starts: &[u32], parts: usize, total: usize) -> bool {
    starts.len() == parts + 1
        && starts[0] == 0
        && starts[parts] as usize == total
        && starts.windows(2).all(|pair| pair[0] <= pair[1])
}
