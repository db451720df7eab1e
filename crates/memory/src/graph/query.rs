//! A page of the nodes that a branch shows, and the edges among them.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::place::place;
use super::state::{Edge, Node};
use super::view::{GraphView, Narrow};
use crate::budget::{Budget, Item as _, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, GraphNodeId, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, End, GraphKey, KeyKind, Rows, VersionRow};
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
    /// Only edges older than this: next_edges_cursor of the call before
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
    /// Edges among these nodes, newest first.
    pub edges: Vec<Edge>,
    pub pagination: Pagination,
    /// The limit of edges that was used, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_limit: Option<usize>,
    /// How many edges among the nodes of this page are not listed: ask for fewer nodes, more `max_chars`, or go on with
    /// next_edges_cursor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edges_dropped: Option<usize>,
    /// Pass it as edges_cursor for the edges that edges_limit left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_edges_cursor: Option<i64>,
    /// Whether the budget or `edges_limit` dropped or shortened something.
    pub truncated: bool,
}

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
            edges = edges_among(rows, &view, &found, &filter)?;
            edges.retain(|edge| request.edges_cursor.is_none_or(|cursor| edge.last_seq.0 < cursor));
        }
        let all_edges = edges.len();
        let limited = edges.get(edges_limit.saturating_sub(1)).filter(|_| all_edges > edges_limit);
        let next_edges_cursor = limited.map(|edge| edge.last_seq.0);
        let total = found.len();
        let mut nodes: Vec<Node> = Vec::with_capacity(total);
        for row in found {
            if let GraphKey::Node(id) = row.key.clone() {
                nodes.push(Node::of(id, row, ports.code));
            }
        }
        let mut out = GraphQueryOutput {
            branch: place.branch,
            doc: place.doc,
            nodes: Vec::new(),
            edges: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            edges_limit: request.edges_limit.map(|_| edges_limit),
            edges_dropped: Some(all_edges).filter(|all| *all > 0),
            next_edges_cursor,
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        out.truncated = fit_both(&mut nodes, &mut edges, edges_limit, room);
        let next = (more || nodes.len() < total).then(|| nodes.last().map(|node| node.last_seq.0)).flatten();
        out.pagination = Pagination::new(cursor, limit, nodes.len(), next);
        out.nodes = nodes;
        out.edges_dropped = Some(all_edges - edges.len()).filter(|dropped| *dropped > 0);
        out.edges = edges;
        Ok(out)
    })
}

struct Filter {
    ids: Option<Vec<GraphNodeId>>,
    types: Option<HashSet<String>>,
    status: Option<String>,
    tags_any: Vec<String>,
    tags_all: Vec<String>,
    text: Option<String>,
    deleted: bool,
}

impl Filter {
    fn of(request: &GraphQueryRequest) -> Result<Self, MemoryError> {
        let ids = match &request.ids {
            Some(ids) if ids.len() > MAX_IDS => {
                return Err(MemoryError::invalid("ids", format!("more than {MAX_IDS}")));
            }
            Some(ids) => Some(ids.iter().map(|id| GraphNodeId::parse(id)).collect::<Result<Vec<_>, _>>()?),
            None => None,
        };
        // Asking writes nothing down.
        let tags = |given: Option<&[String]>| text::tags(given.unwrap_or_default(), Sensitive::Allowed);
        Ok(Self {
            ids,
            types: request.types.clone().map(HashSet::from_iter),
            status: request.status.clone(),
            tags_any: tags(request.tags_any.as_deref())?,
            tags_all: tags(request.tags_all.as_deref())?,
            text: request.text.as_deref().map(str::to_lowercase).filter(|text| !text.is_empty()),
            deleted: request.include_deleted == Some(true),
        })
    }

    fn accepts(&self, row: &VersionRow) -> bool {
        let body = &row.body;
        (self.deleted || !row.deleted)
            && self.types.as_ref().is_none_or(|types| types.contains(&body.type_))
            && self.status.as_ref().is_none_or(|status| body.status.as_ref() == Some(status))
            && (self.tags_any.is_empty() || self.tags_any.iter().any(|tag| body.tags.contains(tag)))
            && self.tags_all.iter().all(|tag| body.tags.contains(tag))
            && self.text.as_ref().is_none_or(|wanted| row.holds(wanted))
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

/// The edges whose both ends are among these nodes, newest first.
fn edges_among(
    rows: &dyn Rows,
    view: &GraphView,
    nodes: &[VersionRow],
    filter: &Filter,
) -> Result<Vec<Edge>, MemoryError> {
    let ids: HashSet<String> = nodes.iter().map(|row| row.key.text()).collect();
    let mut out = Vec::new();
    for node in nodes {
        let GraphKey::Node(id) = &node.key else { continue };
        for row in view.edge_states(rows, id, End::From)? {
            let (seq, ts, meta, deleted) = (row.seq, row.ts, row.body.meta, row.deleted);
            if let GraphKey::Edge { from, rel, to } = row.key
                && ids.contains(to.as_str())
                && (filter.deleted || !deleted)
            {
                out.push(Edge { from, rel, to, meta, deleted, last_seq: seq, last_ts_ms: ts.0 });
            }
        }
    }
    out.sort_by_key(|edge| std::cmp::Reverse(edge.last_seq));
    Ok(out)
}

/// Keeps as many of the newest nodes as fit together with the edges among them; at least one node.
fn fit_both(nodes: &mut Vec<Node>, edges: &mut Vec<Edge>, edges_limit: usize, room: usize) -> bool {
    let mut truncated = edges.len() > edges_limit;
    edges.truncate(edges_limit);
    let rank: HashMap<&GraphNodeId, usize> =
        nodes.iter().enumerate().map(|(at, node)| (&node.id, at)).collect();
    // The bytes that each further node brings: its own and those of its edges to the nodes before it.
    let mut bytes: Vec<usize> = nodes.iter().map(|node| json_size(node) + 1).collect();
    let mut needs: Vec<usize> = Vec::with_capacity(edges.len());
    for edge in edges.iter() {
        let later = rank.get(&edge.from).copied().unwrap_or(0).max(rank.get(&edge.to).copied().unwrap_or(0));
        if let Some(sum) = bytes.get_mut(later) {
            *sum += json_size(edge) + 1;
        }
        needs.push(later);
    }
    let mut used = 0;
    let fits = bytes.iter().take_while(|more| {
        used += **more;
        used <= room
    });
    let kept = fits.count().max(1);
    if kept >= nodes.len() && bytes.iter().sum::<usize>() <= room {
        return truncated;
    }
    truncated = truncated || kept < nodes.len();
    nodes.truncate(kept);
    let mut needs = needs.into_iter();
    edges.retain(|_| needs.next().is_some_and(|later| later < kept));
    if let [only] = nodes.as_mut_slice() {
        let own: usize = edges.iter().map(|edge| json_size(edge) + 1).sum();
        if json_size(only) + own > room {
            edges.clear();
            if json_size(only) > room {
                only.shorten(room);
            }
            truncated = true;
        }
    }
    truncated
}
