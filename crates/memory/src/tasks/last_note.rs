//! The newest note on a plan or task: how far the work got.

use m1nd_stdx::clock::UnixMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::MemoryError;
use crate::ids::{DocName, Seq};
use crate::notes::first_written;
use crate::port::{EntityRow, EntryKind, EntryRow, EntryScan, Order, Rows, StreamKind, WorkspaceRow};
use crate::text::{cut, timestamp};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LastNote {
    pub seq: Seq,
    pub ts: String,
    /// The step that it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub text: String,
    /// Whether the text was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened text, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_length: Option<usize>,
}

/// The longest text that is shown, in bytes; `branchmind_show` has all of it.
const LONGEST: usize = 400;
/// How many notes are looked through for one that is not shown elsewhere.
const LOOKED_THROUGH: usize = 20;

impl LastNote {
    /// The newest note on the canonical branch. Pinned notes and hand-offs have a place of their own.
    pub(super) fn of(
        rows: &dyn Rows,
        ws: &WorkspaceRow,
        row: &EntityRow,
    ) -> Result<Option<Self>, MemoryError> {
        let Some(stream) = rows.stream(ws.no, &row.id.branch(), &DocName::notes(), StreamKind::Log)? else {
            return Ok(None);
        };
        let found = rows.entries(&EntryScan {
            stream: stream.id,
            after: Seq::ZERO,
            upto: Seq::TIP,
            order: Order::NewestFirst,
            kind: Some(EntryKind::Note),
            limit: LOOKED_THROUGH,
        })?;
        let told = found.into_iter().filter(|note| !note.pinned && !note.handoff);
        // What a merge brought later is no newer for that.
        let Some(newest) = told.max_by_key(EntryRow::original) else { return Ok(None) };
        let ts = first_written(rows, &newest)?;
        Ok(Some(Self::shown(newest, ts)))
    }

    fn shown(row: EntryRow, ts: UnixMs) -> Self {
        let path = row.meta.as_ref().and_then(|meta| meta.get("path")).and_then(|path| path.as_str());
        let mut out = Self {
            seq: row.seq,
            ts: timestamp(ts),
            path: path.map(str::to_owned),
            text: row.content,
            truncated: false,
            text_length: None,
        };
        out.shorten(LONGEST);
        out
    }

    pub(crate) fn shorten(&mut self, max: usize) {
        if self.text.len() > max {
            self.truncated = true;
            self.text_length.get_or_insert(self.text.len());
            self.text.truncate(cut(&self.text, max).len());
        }
    }
}
