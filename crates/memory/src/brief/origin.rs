//! When something was written first: a merge copies it later, and makes it no newer.

use m1nd_stdx::clock::UnixMs;

use super::Look;
use crate::error::{MemoryError, StoreError};
use crate::ids::Seq;
use crate::notes::first_written;
use crate::port::{EntryRow, StreamKind, VersionRow};

impl Look<'_> {
    /// The time of a note, or of the one that it is a copy of.
    pub(super) fn first_entry(&self, row: &EntryRow) -> Result<UnixMs, MemoryError> {
        first_written(self.rows, row)
    }

    /// The number and time of a card, or of what merges took it from: each names the branch before it.
    pub(super) fn first_version(&self, row: &VersionRow) -> Result<(Seq, UnixMs), StoreError> {
        let mut first = (row.seq, row.ts);
        let mut origin = row.origin.clone();
        while let Some(from) = origin {
            let stream = self.rows.stream(self.ws.no, &from.branch, &row.doc, StreamKind::Graph)?;
            let Some(stream) = stream else { break };
            let before = self.rows.version_at(stream.id, &row.key, from.seq)?;
            let Some(before) = before.filter(|before| before.seq == from.seq && before.seq < first.0) else {
                break;
            };
            first = (before.seq, before.ts);
            origin = before.origin;
        }
        Ok(first)
    }
}
