//! Copying the notes of one branch into another, each once, whatever the route.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::branch::{Part, View, existing};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{EntryKind, EntryRow, EntryScan, Order, Origin, Rows, StreamKind, WsNo};
use crate::ports::Ports;
use crate::writer::{Findable, NewEntry, Once, Outcome, write};

const LIMIT: usize = 200;

/// Copies notes that `from` shows and `into` does not. Merging again changes nothing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeRequest {
    /// The workspace.
    pub workspace: String,
    /// The branch to copy from; its history is not changed.
    pub from: String,
    /// The branch to copy into.
    pub into: String,
    /// The document (`notes`).
    #[serde(default)]
    pub doc: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most notes to look at (200, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Only tell what would happen.
    #[serde(default)]
    pub dry_run: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MergeOutput {
    pub from: BranchName,
    pub into: BranchName,
    pub doc: DocName,
    /// Notes copied, or that would be.
    pub merged: usize,
    /// Notes that the destination shows already.
    pub skipped: usize,
    /// Whether this was a rehearsal: nothing was written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    pub pagination: Pagination,
}

/// Notes that are read at a time.
const BATCH: usize = 500;
/// Notes that one call looks at, those that are there already among them.
const MAX_LOOKED_AT: usize = 20_000;

pub fn merge(ports: &Ports<'_>, request: &MergeRequest) -> Result<MergeOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, LIMIT, LIMIT)?;
    let doc = DocName::parse(request.doc.as_deref().unwrap_or("notes"))?;
    // Oldest first, so that pages keep the order of the source.
    let cursor = page::cursor(request.cursor, 0)?;
    let dry_run = request.dry_run == Some(true);
    write(ports, &workspace, &Once::plain("merge"), |w| {
        let from = existing(w.tx.rows(), &w.ws, &request.from)?.name;
        let into = existing(w.tx.rows(), &w.ws, &request.into)?.name;
        let target = View::of(w.tx.rows(), &w.ws, &into)?;
        let source = View::of(w.tx.rows(), &w.ws, &from)?.minus(&target);
        let parts = source.parts(w.tx.rows(), &w.ws, &doc, StreamKind::Log)?;
        let shown = target.parts(w.tx.rows(), &w.ws, &doc, StreamKind::Log)?;
        let (mut merged, mut count, mut next, mut at) = (0, 0, None, cursor);
        // What is there already takes no room: new notes come with the next call, wherever they stand.
        let batch = limit.max(BATCH);
        'all: loop {
            let (found, more) = oldest_notes(w.tx.rows(), &parts, Seq(at), batch)?;
            for row in found {
                let origin = origin_of(&row);
                let known = is_there(w.tx.rows(), w.ws.no, &origin, &target, &shown)?;
                if count >= MAX_LOOKED_AT || (!known && merged == limit) {
                    next = Some(at);
                    break 'all;
                }
                count += 1;
                at = row.seq.0;
                if known {
                    continue;
                }
                merged += 1;
                if !dry_run {
                    let copy = NewEntry {
                        kind: EntryKind::Note,
                        title: row.title,
                        format: row.format,
                        meta: row.meta,
                        content: row.content,
                        anchors: row.anchors,
                        origin: Some(origin),
                        event: None,
                    };
                    w.append(&into, &doc, copy, Findable::No)?;
                }
            }
            if !more {
                break;
            }
        }
        let out = MergeOutput {
            from,
            into,
            doc: doc.clone(),
            merged,
            skipped: count - merged,
            dry_run,
            // What was there already took no room on this page.
            pagination: Pagination::new(cursor, limit, merged, next),
        };
        let rehearsed = dry_run || merged == 0;
        Ok(if rehearsed { Outcome::Discard(out) } else { Outcome::Keep(out) })
    })
}

/// Where an entry was first written.
pub(super) fn origin_of(row: &EntryRow) -> Origin {
    row.origin.clone().unwrap_or(Origin { branch: row.branch.clone(), seq: row.seq })
}

/// Whether a view shows the entry or a copy of it; `shown` are the parts of the view's document.
pub(super) fn is_there(
    rows: &dyn Rows,
    ws: WsNo,
    origin: &Origin,
    view: &View,
    shown: &[Part],
) -> Result<bool, MemoryError> {
    if view.shows(&origin.branch, origin.seq) {
        return Ok(true);
    }
    let copies = rows.copies(ws, origin.seq)?;
    let visible =
        |(stream, seq): &(_, Seq)| shown.iter().any(|part| part.stream.id == *stream && *seq <= part.upto);
    Ok(copies.iter().any(visible))
}

/// Notes with `seq > cursor`, oldest first; and whether there are more.
fn oldest_notes(
    rows: &dyn Rows,
    parts: &[Part],
    cursor: Seq,
    limit: usize,
) -> Result<(Vec<EntryRow>, bool), MemoryError> {
    let mut out: Vec<EntryRow> = Vec::new();
    for part in parts.iter().rev() {
        let after = part.after.max(cursor);
        if part.upto <= after {
            continue;
        }
        out.extend(rows.entries(&EntryScan {
            stream: part.stream.id,
            after,
            upto: part.upto,
            order: Order::OldestFirst,
            kind: Some(EntryKind::Note),
            limit: limit + 1 - out.len(),
        })?);
        if out.len() > limit {
            break;
        }
    }
    let more = out.len() > limit;
    out.truncate(limit);
    Ok((out, more))
}
