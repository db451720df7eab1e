//! An entry as tools show it.

use m1nd_stdx::clock::UnixMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::anchors::{self, Anchor, AnchorProbe};
use crate::branch::Part;
use crate::budget::{self, Item, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, Seq};
use crate::port::{EntryKind, EntryRow, EntryScan, Object, Order, Origin, Rows};
use crate::text::timestamp;

/// One row of a document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// Its number on the clock of the workspace.
    pub seq: Seq,
    /// When it was written.
    pub ts: String,
    /// The branch it was written to.
    pub branch: BranchName,
    /// The document it was written to.
    pub doc: DocName,
    /// What it is.
    pub kind: EntryKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<Object>,
    /// The text.
    pub content: String,
    /// Places in the code that it speaks of, and whether they changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// The event it records, or `merge:<branch>:<seq>` of the entry it is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_event_id: Option<String>,
    /// The entry that a merged note is a copy of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<EntryOrigin>,
    /// Whether the budget shortened this entry.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened `content`, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_length: Option<usize>,
    /// What the budget left out besides text: `meta`, `anchors`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// Where and when a merged note was first written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryOrigin {
    #[serde(flatten)]
    pub at: Origin,
    /// When it was written there.
    pub ts: String,
}

/// When a note was written, or the one that it is a copy of.
pub(crate) fn first_written(rows: &dyn Rows, row: &EntryRow) -> Result<UnixMs, MemoryError> {
    let first = match &row.origin {
        Some(origin) => rows.entry(row.ws, origin.seq)?,
        None => None,
    };
    Ok(first.map_or(row.ts, |first| first.ts))
}

impl Entry {
    pub(crate) fn of(rows: &dyn Rows, row: EntryRow, code: &dyn AnchorProbe) -> Result<Self, MemoryError> {
        let first = first_written(rows, &row)?;
        let merged = row.origin.as_ref().map(|origin| format!("merge:{}:{}", origin.branch, origin.seq));
        Ok(Self {
            seq: row.seq,
            ts: timestamp(row.ts),
            branch: row.branch,
            doc: row.doc,
            kind: row.kind,
            title: row.title,
            format: row.format,
            meta: row.meta,
            content: row.content,
            anchors: anchors::show(code, &row.anchors),
            source_event_id: row.event.map(|event| event.to_string()).or(merged),
            origin: row.origin.map(|at| EntryOrigin { at, ts: timestamp(first) }),
            truncated: false,
            content_length: None,
            left_out: Vec::new(),
        })
    }
}

impl Item for Entry {
    fn shorten(&mut self, bytes: usize) {
        self.truncated = true;
        if json_size(self) > bytes && self.meta.take().is_some() {
            self.left_out.push("meta".to_owned());
        }
        let full = self.content.len();
        if json_size(self) > bytes {
            self.content_length = Some(full);
            // The beginning of a text stays while there are anchors that could go.
            let least = if self.anchors.is_empty() { 0 } else { budget::BEGINNING };
            let excess = json_size(self).saturating_sub(bytes);
            budget::shorten_text(&mut self.content, excess.min(full.saturating_sub(least)));
        }
        budget::drop_anchors(self, bytes, |entry| (&mut entry.anchors, &mut entry.left_out));
        let excess = json_size(self).saturating_sub(bytes);
        budget::shorten_text(&mut self.content, excess);
        if self.content.len() == full {
            self.content_length = None;
        }
        let excess = json_size(self).saturating_sub(bytes);
        if let Some(title) = &mut self.title {
            budget::shorten_text(title, excess);
        }
        // Its number finds it again, so that where the first page has room, the next ones have.
        if json_size(self) > bytes {
            (self.title, self.format, self.origin, self.source_event_id) = (None, None, None, None);
        }
        if json_size(self) > bytes {
            self.left_out.clear();
        }
    }
}

/// Up to `limit` entries (of one kind) of a view's parts with `seq < cursor`, newest first; and whether there are more.
pub(crate) fn page_of(
    rows: &dyn Rows,
    parts: &[Part],
    cursor: i64,
    limit: usize,
    kind: Option<EntryKind>,
) -> Result<(Vec<EntryRow>, bool), MemoryError> {
    let mut out: Vec<EntryRow> = Vec::new();
    for part in parts {
        let upto = part.upto.min(Seq(cursor.saturating_sub(1)));
        if upto <= part.after {
            continue;
        }
        out.extend(rows.entries(&EntryScan {
            stream: part.stream.id,
            after: part.after,
            upto,
            order: Order::NewestFirst,
            kind,
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
