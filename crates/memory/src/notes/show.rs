//! Reading a document page by page, newest first.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, page_of};
use crate::branch::View;
use crate::budget::{Budget, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, Rows, StreamKind, WorkspaceRow};
use crate::ports::Ports;
use crate::target::{self, DocOf, Place};
use crate::writer;

pub(crate) const DEFAULT_LIMIT: usize = 20;
pub(crate) const MAX_LIMIT: usize = 200;

/// Which document of a target to read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DocKind {
    #[default]
    Notes,
    Trace,
}

/// Reads a page of a document: of a `target`, or of a `branch` and `doc`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001; or give branch and doc
    #[serde(default)]
    pub target: Option<String>,
    /// Which document of the target, `notes` (the default) or `trace`.
    #[serde(default)]
    pub doc_kind: Option<DocKind>,
    /// An existing branch; goes with `doc`.
    #[serde(default)]
    pub branch: Option<String>,
    /// A document of that branch.
    #[serde(default)]
    pub doc: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most entries (20, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShowOutput {
    /// The branch that was read.
    pub branch: BranchName,
    /// The document that was read.
    pub doc: DocName,
    /// Newest first: what the branch shows, inherited entries too.
    pub entries: Vec<Entry>,
    pub pagination: Pagination,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

pub fn show(ports: &Ports<'_>, request: &ShowRequest) -> Result<ShowOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    if request.doc_kind.is_some() && request.target.is_none() {
        return Err(MemoryError::invalid("doc_kind", "goes with target; name the document with doc"));
    }
    let which = match request.doc_kind.unwrap_or_default() {
        DocKind::Notes => DocOf::Notes,
        DocKind::Trace => DocOf::Trace,
    };
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let place = target::place(
            rows,
            &ws,
            request.target.as_deref(),
            request.branch.as_deref(),
            request.doc.as_deref(),
            which,
        )?;
        let cursor = page::cursor(request.cursor, ws.seq.0 + 1)?;
        let (found, more) = entries(ports, rows, &ws, &place, cursor, limit)?;
        Ok(shape(place, found, more, cursor, limit, budget))
    })
}

pub(crate) fn entries(
    ports: &Ports<'_>,
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    place: &Place,
    cursor: i64,
    limit: usize,
) -> Result<(Vec<Entry>, bool), MemoryError> {
    let view = View::of(rows, ws, &place.branch)?;
    let parts = view.parts(rows, ws, &place.doc, StreamKind::Log)?;
    let (found, more) = page_of(rows, &parts, cursor, limit, None)?;
    let entries = found.into_iter().map(|row| Entry::of(rows, row, ports.code));
    Ok((entries.collect::<Result<_, _>>()?, more))
}

/// The page within its budget; what is dropped lies behind `next_cursor`.
pub(crate) fn shape(
    place: Place,
    mut entries: Vec<Entry>,
    more: bool,
    cursor: i64,
    limit: usize,
    budget: Budget,
) -> ShowOutput {
    let numbers: Vec<i64> = entries.iter().map(|entry| entry.seq.0).collect();
    let mut out = ShowOutput {
        branch: place.branch,
        doc: place.doc,
        entries: Vec::new(),
        pagination: Pagination::widest(cursor, limit),
        truncated: false,
    };
    let room = budget.0.saturating_sub(json_size(&out));
    (out.pagination, out.truncated) = out.pagination.fitted(&mut entries, &numbers, more, room);
    out.entries = entries;
    out
}
