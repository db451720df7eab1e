//! Looking at merge conflicts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cause::Cause;
use super::diff::ChangeKind;
use super::place;
use super::query::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::branch::existing;
use crate::budget::{Budget, Item, json_size, shorten_text};
use crate::error::MemoryError;
use crate::ids::{BranchName, ConflictId, DocName, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, ConflictRow, ConflictScan, ConflictStatus, Object, Rows, WorkspaceRow};
use crate::ports::Ports;
use crate::writer;

/// Lists the conflicts of a merge destination, newest first.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConflictsRequest {
    /// The workspace.
    pub workspace: String,
    /// The destination of the merge.
    pub into: String,
    /// The graph document; the only one of the branch if none is given.
    #[serde(default)]
    pub doc: Option<String>,
    /// Only conflicts of this status, `open` or `resolved`.
    #[serde(default)]
    pub status: Option<ConflictStatus>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most conflicts (50, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictsOutput {
    pub into: BranchName,
    pub doc: DocName,
    /// Newest first.
    pub conflicts: Vec<ConflictLine>,
    pub pagination: Pagination,
    /// Whether the budget dropped something; it is on the next page.
    pub truncated: bool,
}

/// A conflict in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictLine {
    pub conflict_id: ConflictId,
    /// What both sides changed.
    pub kind: ChangeKind,
    /// The id of the node, or `from|rel|to` of the edge.
    pub key: String,
    pub status: ConflictStatus,
    /// When it was found, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// The branch that was merged.
    pub from: BranchName,
}

impl Item for ConflictLine {
    fn shorten(&mut self, _: usize) {}
}

pub fn conflicts(ports: &Ports<'_>, request: &ConflictsRequest) -> Result<ConflictsOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let into = existing(rows, &ws, &request.into)?.name;
        let doc = place::doc(rows, &ws, request.doc.as_deref(), &[&into])?;
        let cursor = page::cursor(request.cursor, ws.seq.0 + 1)?;
        let mut found = rows.conflicts(&ConflictScan {
            ws: ws.no,
            into: &into,
            doc: Some(&doc),
            status: request.status,
            before: Seq(cursor),
            limit: limit + 1,
        })?;
        let more = page::cut(&mut found, limit);
        let numbers: Vec<i64> = found.iter().map(|row| row.seq.0).collect();
        let mut lines: Vec<ConflictLine> = found.into_iter().map(line).collect();
        let mut out = ConflictsOutput {
            into,
            doc,
            conflicts: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut lines, &numbers, more, room);
        out.conflicts = lines;
        Ok(out)
    })
}

fn line(row: ConflictRow) -> ConflictLine {
    ConflictLine {
        conflict_id: row.id,
        kind: row.key.kind().into(),
        key: row.key.text(),
        status: row.status,
        created_at_ms: row.created.0,
        from: row.from,
    }
}

/// Shows one conflict with its three states.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConflictShowRequest {
    /// The workspace.
    pub workspace: String,
    /// The conflict.
    pub conflict_id: String,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictShowOutput {
    pub conflict: Conflict,
    /// Whether the budget shortened a side; `branchmind_graph_query` with `ids` reads it in full.
    pub truncated: bool,
}

/// A conflict with its three states; one that is null was never written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Conflict {
    pub conflict_id: ConflictId,
    /// What both sides changed.
    pub kind: ChangeKind,
    /// The id of the node, or `from|rel|to` of the edge.
    pub key: String,
    /// The branch that was merged.
    pub from: BranchName,
    /// The destination.
    pub into: BranchName,
    pub doc: DocName,
    pub status: ConflictStatus,
    /// What both last agreed on: at the cut, or at a later merge; null where there was nothing.
    #[serde(default)]
    #[schemars(with = "Object")]
    pub base: Option<Object>,
    /// The state on `from`.
    #[serde(default)]
    #[schemars(with = "Object")]
    pub theirs: Option<Object>,
    /// The state on `into`.
    #[serde(default)]
    #[schemars(with = "Object")]
    pub ours: Option<Object>,
    /// When it was found, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// When it was settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at_ms: Option<i64>,
    /// How it was settled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolution: Option<String>,
    /// What happened, while it is open: which side did what, and what each resolution would do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// Nodes that the edge needs and the destination does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_nodes: Vec<String>,
    /// Edges of the destination at the node that the merged branch deleted, `from|rel|to`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges_at_node: Vec<String>,
}

pub fn conflict_show(
    ports: &Ports<'_>,
    request: &ConflictShowRequest,
) -> Result<ConflictShowOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let id = ConflictId::parse(&request.conflict_id)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let row = known(rows, &ws, &id)?;
        let cause = Cause::of(rows, &ws, &row)?;
        let mut out = ConflictShowOutput {
            conflict: Conflict {
                conflict_id: row.id,
                kind: row.key.kind().into(),
                key: row.key.text(),
                from: row.from,
                into: row.into,
                doc: row.doc,
                status: row.status,
                base: row.base,
                theirs: row.theirs,
                ours: row.ours,
                created_at_ms: row.created.0,
                resolved_at_ms: row.resolved.map(|at| at.0),
                resolution: row.resolution,
                what: cause.what,
                missing_nodes: cause.missing_nodes,
                edges_at_node: cause.edges_at_node,
            },
            truncated: false,
        };
        out.truncated = out.conflict.shorten(&budget);
        Ok(out)
    })
}

impl Conflict {
    /// Details go before texts, and of the texts each side keeps its share. Says whether something went.
    fn shorten(&mut self, budget: &Budget) -> bool {
        // What follows the conflict in the answer.
        let most = budget.0.saturating_sub(r#"{"conflict":,"truncated":false}"#.len());
        if json_size(self) <= most {
            return false;
        }
        self.edges_at_node.truncate(1);
        for field in ["meta", "anchors", "tags"] {
            for side in 0..3 {
                let is_over = json_size(self) > most;
                let Some(state) = [&mut self.base, &mut self.theirs, &mut self.ours][side] else { continue };
                if is_over && state.shift_remove(field).is_some() {
                    state.insert("truncated".to_owned(), Value::Bool(true));
                }
            }
        }
        for field in ["text", "title"] {
            let excess = json_size(self).saturating_sub(most);
            if excess > 0 {
                share(&mut [&mut self.base, &mut self.theirs, &mut self.ours], field, excess);
            }
        }
        if json_size(self) > most {
            self.what = None;
        }
        true
    }
}

/// Shortens one text of all states until they lose so many bytes: what one side does not need is the others'.
fn share(sides: &mut [&mut Option<Object>; 3], field: &str, excess: usize) {
    // The marks themselves take room.
    const MARKS: usize = r#","truncated":true,"title_length":1000000"#.len();
    let size = |side: &Option<Object>| match side.as_ref().and_then(|state| state.get(field)) {
        Some(Value::String(text)) => json_size(text) - 2,
        _ => 0,
    };
    let mut sizes = [0; 3];
    for (size_of, side) in sizes.iter_mut().zip(&*sides) {
        *size_of = size(side);
    }
    sizes.sort_unstable();
    let marks = MARKS * sizes.iter().filter(|size| **size > 0).count();
    let mut left = sizes.iter().sum::<usize>().saturating_sub(excess + marks);
    let mut most = 0;
    for (nth, &size) in sizes.iter().enumerate() {
        most = left / (sizes.len() - nth);
        left -= size.min(most);
    }
    for side in sides {
        let over = size(side).saturating_sub(most);
        if let Some(state) = side
            && let Some(Value::String(text)) = state.get_mut(field)
            && let Some(full) = shorten_text(text, over)
        {
            state.insert(format!("{field}_length"), full.into());
            state.insert("truncated".to_owned(), Value::Bool(true));
        }
    }
}

pub(super) fn known(rows: &dyn Rows, ws: &WorkspaceRow, id: &ConflictId) -> Result<ConflictRow, MemoryError> {
    rows.conflict(ws.no, id)?.ok_or_else(|| MemoryError::ConflictUnknown { id: id.to_string() })
}
