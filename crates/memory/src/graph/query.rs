//! A page of the nodes that a branch shows, and the edges among them.

use std::collections::HashSet;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edges::{Edges, edges_that_fit, nodes_that_fit};
use super::place::place;
use super::state::{Edge, Node};
use super::view::{GraphView, Narrow};
use crate::budget::{Budget, Item as _, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, GraphNodeId, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, GraphKey, KeyKind, Rows, VersionRow};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::text;
use crate::writer;

pub(crate) const DEFAULT_LIMIT: usize = 50;
pub(crate) const MAX_LIMIT: usize = 200;
const DEFAULT_EDGES: usize = 200;
const MAX_EDGES: usize = 1_000;
/// The most ids one call may ask for.
const MAX_IDS: usize = 1_000;

/// Queries the graph of a `target`, or of a `branch` and `doc`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphQueryRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001; or give branch and doc
    #[serde(default)]
    pub target: Option<String>,
    /// An existing branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// Graph document (the branch's only one)
    #[serde(default)]
    pub doc: Option<String>,
    /// Only these nodes.
    #[serde(default)]
    pub ids: Option<Vec<String>>,
    /// Only nodes of these types.
    #[serde(default)]
    pub types: Option<Vec<String>>,
    /// Only nodes of this status.
    #[serde(default)]
    pub status: Option<String>,
    /// Only nodes with at least one of these tags.
    #[serde(default)]
    pub tags_any: Option<Vec<String>>,
    /// Only nodes with all of these tags.
    #[serde(default)]
    pub tags_all: Option<Vec<String>>,
    /// Only nodes whose id, title or text holds this, in any case.
    #[serde(default)]
    pub text: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most nodes (50, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Whether to list the edges among the nodes (true).
    #[serde(default)]
    pub include_edges: Option<bool>,
    /// The most edges (200, at most 1,000).
    #[serde(default)]
    pub edges_limit: Option<i64>,
    /// next_edges_cursor of the call before: its other edges, without its nodes
    #[serde(default)]
    pub edges_cursor: Option<i64>,
    /// Whether to list tombstones too (false).
    #[serde(default)]
    pub include_deleted: Option<bool>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphQueryOutput {
    pub branch: BranchName,
    pub doc: DocName,
    /// Newest first.
    pub nodes: Vec<Node>,
    /// Edges among these nodes, and between them and those of earlier pages, newest first: on following the cursors, each
    /// edge is shown once.
    pub edges: Vec<Edge>,
    pub pagination: Pagination,
    /// The limit of edges that was used, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_limit: Option<usize>,
    /// How many edges of this page are not listed yet: go on with next_edges_cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_dropped: Option<usize>,
    /// Pass it as edges_cursor, with the same cursor and limits, for the edges of this page that were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_edges_cursor: Option<i64>,
    /// Whether the budget or `edges_limit` dropped or shortened something.
    pub truncated: bool,
    /// Those of `ids` that the graph does not have, on the first page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_ids: Vec<GraphNodeId>,
}

/// How many unknown ids are named.
const UNKNOWN: usize = 20;

pub fn query(ports: &Ports<'_>, request: &GraphQueryRequest) -> Result<GraphQueryOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let edges_limit = page::limit("edges_limit", request.edges_limit, DEFAULT_EDGES, MAX_EDGES)?;
    let budget = Budget::of(request.max_chars)?;
    let filter = Filter::of(request)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let (target, branch, doc) =
            (request.target.as_deref(), request.branch.as_deref(), request.doc.as_deref());
        let place = place(rows, &ws, target, branch, doc)?;
        let view = GraphView::of(rows, &ws, &place.branch, &place.doc)?;
        let cursor = page::cursor(request.cursor, ws.seq.0 + 1)?;
        let (found, more) = filter.page(rows, &view, Seq(cursor), limit)?;
        let mut edges = Vec::new();
        if request.include_edges != Some(false) {
            let before = request.cursor.map(Seq);
            edges = Edges { rows, view: &view, filter: &filter, before }.of_page(&found)?;
        }
        let total = found.len();
        let mut nodes: Vec<Node> = Vec::with_capacity(total);
        for row in found {
            if let GraphKey::Node(id) = row.key.clone() {
                nodes.push(Node::of(id, row, ports.code));
            }
        }
        let some = !edges.is_empty();
        let mut out = GraphQueryOutput {
            branch: place.branch,
            doc: place.doc,
            nodes: Vec::new(),
            edges: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            edges_limit: request.edges_limit.map(|_| edges_limit),
            edges_dropped: some.then_some(edges.len()),
            next_edges_cursor: some.then_some(ws.seq.0),
            truncated: false,
            unknown_ids: if cursor > ws.seq.0 { filter.unknown(rows, &view)? } else { Vec::new() },
        };
        let room = budget.0.saturating_sub(json_size(&out));
        // Neither depends on how far the edges were read, so that every call about this page means the same nodes.
        let kept = nodes_that_fit(&nodes, &mut edges, edges_limit, room);
        let next = (more || kept < total).then(|| nodes.get(kept.wrapping_sub(1))).flatten();
        let next = next.map(|node| node.last_seq.0);
        out.truncated = kept < total;
        nodes.truncate(kept);
        if let Some(before) = request.edges_cursor {
            // The nodes were told by the call that this one goes on from.
            nodes.clear();
            edges.retain(|edge| edge.last_seq.0 < before);
        }
        if let [only] = nodes.as_mut_slice()
            && json_size(only) > room
        {
            only.shorten(room);
            out.truncated = true;
        }
        let used: usize = nodes.iter().map(|node| json_size(node) + 1).sum();
        // A call for edges that shows none could never be gone on from.
        let least = usize::from(nodes.is_empty());
        let shown =
            edges_that_fit(&edges, edges_limit, room.saturating_sub(used)).max(least).min(edges.len());
        out.edges_dropped = Some(edges.len() - shown).filter(|dropped| *dropped > 0);
        let last_shown = edges.get(shown.wrapping_sub(1)).map(|edge| edge.last_seq.0);
        let none_shown = edges.first().map(|edge| edge.last_seq.0 + 1);
        out.next_edges_cursor = last_shown.or(none_shown).filter(|_| shown < edges.len());
        out.truncated |= shown < edges.len();
        edges.truncate(shown);
        out.pagination = Pagination::new(cursor, limit, nodes.len(), next);
        (out.nodes, out.edges) = (nodes, edges);
        Ok(out)
    })
}

pub(super) struct Filter {
    pub(super) ids: Option<Vec<GraphNodeId>>,
    types: Option<HashSet<String>>,
    status: Option<String>,
    tags_any: Vec<String>,
    tags_all: Vec<String>,
    text: Option<String>,
    pub(super) deleted: bool,
}

impl Filter {
    fn of(request: &GraphQueryRequest) -> Result<Self, MemoryError> {
        let ids = match &request.ids {
            Some(ids) if ids.len() > MAX_IDS => {
                return Err(MemoryError::invalid("ids", format!("more than {MAX_IDS}")));
            }
            // As with the other lists, an empty one narrows nothing.
            Some(ids) if ids.is_empty() => None,
            Some(ids) => Some(ids.iter().map(|id| GraphNodeId::parse(id)).collect::<Result<Vec<_>, _>>()?),
            None => None,
        };
        // Asking writes nothing down.
        let tags = |given: Option<&[String]>| text::tags(given.unwrap_or_default(), Sensitive::Allowed);
        Ok(Self {
            ids,
            types: request.types.clone().filter(|types| !types.is_empty()).map(HashSet::from_iter),
            status: request.status.clone(),
            tags_any: tags(request.tags_any.as_deref())?,
            tags_all: tags(request.tags_all.as_deref())?,
            text: request.text.as_deref().map(str::to_lowercase).filter(|text| !text.is_empty()),
            deleted: request.include_deleted == Some(true),
        })
    }

    pub(super) fn accepts(&self, row: &VersionRow) -> bool {
        let body = &row.body;
        (self.deleted || !row.deleted)
            && self.types.as_ref().is_none_or(|types| types.contains(&body.type_))
            && self.status.as_ref().is_none_or(|status| body.status.as_ref() == Some(status))
            && (self.tags_any.is_empty() || self.tags_any.iter().any(|tag| body.tags.contains(tag)))
            && self.tags_all.iter().all(|tag| body.tags.contains(tag))
            && self.text.as_ref().is_none_or(|wanted| row.holds(wanted))
    }

    /// The ids that were asked for and that nothing has.
    fn unknown(&self, rows: &dyn Rows, view: &GraphView) -> Result<Vec<GraphNodeId>, MemoryError> {
        let mut out = Vec::new();
        for id in self.ids.iter().flatten() {
            let state = view.state(rows, &GraphKey::Node(id.clone()))?;
            if state.is_none_or(|row| row.deleted && !self.deleted) && !out.contains(id) {
                out.push(id.clone());
            }
            if out.len() == UNKNOWN {
                break;
            }
        }
        Ok(out)
    }

    /// Up to `limit` nodes with `seq < cursor`, newest first; and whether there are more.
    fn page(
        &self,
        rows: &dyn Rows,
        view: &GraphView,
        cursor: Seq,
        limit: usize,
    ) -> Result<(Vec<VersionRow>, bool), MemoryError> {
        let mut out: Vec<VersionRow> = Vec::new();
        if let Some(ids) = &self.ids {
            let mut seen = HashSet::new();
            for id in ids.iter().filter(|id| seen.insert(*id)) {
                if let Some(row) = view.state(rows, &GraphKey::Node(id.clone()))?
                    && row.seq < cursor
                    && self.accepts(&row)
                {
                    out.push(row);
                }
            }
            out.sort_by_key(|row| std::cmp::Reverse(row.seq));
        } else {
            // One type and the text are left to the store; several types are sorted out here.
            let mut types = self.types.iter().flatten();
            let type_ = types.next().filter(|_| types.next().is_none()).map(String::as_str);
            let narrow = Narrow { type_, text: self.text.as_deref() };
            view.scan_narrow(rows, Some(KeyKind::Node), narrow, cursor, &mut |row| {
                if self.accepts(&row) {
                    out.push(row);
                }
                if out.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
        }
        let more = out.len() > limit;
        out.truncate(limit);
        Ok((out, more))
    }
}
