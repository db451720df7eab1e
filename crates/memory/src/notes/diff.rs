//! What one branch shows of a document and another does not.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::{Entry, page_of};
use super::merge::{is_there, origin_of};
use super::show::{DEFAULT_LIMIT, MAX_LIMIT};
use crate::branch::{View, existing};
use crate::budget::{Budget, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, StreamKind};
use crate::ports::Ports;
use crate::writer;

/// Lists the entries that `to` shows and `from` does not.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffRequest {
    /// The workspace.
    pub workspace: String,
    /// The branch to compare with.
    pub from: String,
    /// The branch whose entries are listed.
    pub to: String,
    /// The document (`notes`).
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
pub struct DiffOutput {
    pub from: BranchName,
    pub to: BranchName,
    pub doc: DocName,
    /// Newest first: entries that `to` shows and `from` does not.
    pub entries: Vec<Entry>,
    pub pagination: Pagination,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

pub fn diff(ports: &Ports<'_>, request: &DiffRequest) -> Result<DiffOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    let doc = DocName::parse(request.doc.as_deref().unwrap_or("notes"))?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let from = existing(rows, &ws, &request.from)?.name;
        let to = existing(rows, &ws, &request.to)?.name;
        let known = View::of(rows, &ws, &from)?;
        let shown = known.parts(rows, &ws, &doc, StreamKind::Log)?;
        let only = View::of(rows, &ws, &to)?.minus(&known);
        let parts = only.parts(rows, &ws, &doc, StreamKind::Log)?;
        let cursor = page::cursor(request.cursor, ws.seq.0 + 1)?;
        // A note that was merged is the same note: what `from` shows a copy of is no difference.
        let mut found = Vec::new();
        let mut at = cursor;
        loop {
            let (batch, more) = page_of(rows, &parts, at, limit.max(DEFAULT_LIMIT), None)?;
            let last = batch.last().map(|row| row.seq.0);
            for row in batch {
                if !is_there(rows, ws.no, &origin_of(&row), &known, &shown)? {
                    found.push(row);
                }
            }
            match last {
                Some(last) if more && found.len() <= limit => at = last,
                _ => break,
            }
        }
        let more = page::cut(&mut found, limit);
        let numbers: Vec<i64> = found.iter().map(|row| row.seq.0).collect();
        let entries = found.into_iter().map(|row| Entry::of(rows, row, ports.code));
        let mut entries = entries.collect::<Result<Vec<_>, _>>()?;
        let mut out = DiffOutput {
            from,
            to,
            doc: doc.clone(),
            entries: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut entries, &numbers, more, room);
        out.entries = entries;
        Ok(out)
    })
}
