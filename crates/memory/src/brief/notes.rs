//! The newest plain notes: what was written down without a mark that makes it stay.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::items::{BriefNote, SHORT, note};
use super::{BriefFocus, EACH, Look, NOTES};
use crate::branch::View;
use crate::error::MemoryError;
use crate::ids::{BranchName, Seq};
use crate::port::{EntryKind, EntryRow, EntryScan, Mark, Order, StreamKind};
use crate::stale::Stale;

/// How many branches below the checked out one are looked at.
const DEPTH: usize = 64;

impl Look<'_> {
    /// The newest notes of the workspace; of the target alone if one was named. What a brief tells elsewhere is left
    /// out, and so is what was only tried out on a fork. And how many more there are.
    pub(super) fn plain_notes(
        &self,
        focus: Option<&BriefFocus>,
        stale: &mut Stale<'_>,
    ) -> Result<(Vec<BriefNote>, usize), MemoryError> {
        let told: Option<Seq> = focus.and_then(|focus| focus.last_note.as_ref()).map(|note| note.seq);
        let mut found = match self.target {
            Some(id) => self.newest_on(&id.branch())?,
            None => {
                let mut found = Vec::new();
                self.marked("notes", Mark::Plain, &mut |row| {
                    if self.holds(&row.branch, row.seq) {
                        found.push(row);
                    }
                    self.seen("notes", found.len())
                })?;
                found
            }
        };
        found.sort_by_key(|row| (Reverse(row.original()), row.seq));
        let mut ids = HashSet::new();
        // An original stands for its copies.
        found.retain(|row| Some(row.seq) != told && ids.insert(row.original()));
        let more = found.len().saturating_sub(NOTES);
        found.truncate(NOTES);
        let mut out = Vec::with_capacity(found.len());
        for row in &found {
            stale.look_at_note(row);
            out.push(note(row, self.first_entry(row)?, SHORT));
        }
        Ok((out, more))
    }

    fn newest_on(&self, branch: &BranchName) -> Result<Vec<EntryRow>, MemoryError> {
        let mut out = Vec::new();
        if self.rows.branch(self.ws.no, branch)?.is_none() {
            return Ok(out);
        }
        let segments = View::of(self.rows, self.ws, branch)?.segments;
        let deepest = segments.len();
        for (at, part) in segments.into_iter().take(DEPTH).enumerate() {
            for stream in self.rows.streams(self.ws.no, &part.branch, StreamKind::Log)? {
                // A trace may hold many events and no note; looking for one would read them all.
                if stream.doc.as_str().ends_with("-trace") {
                    continue;
                }
                let scan = EntryScan {
                    stream: stream.id,
                    after: part.after,
                    upto: part.upto,
                    order: Order::NewestFirst,
                    kind: Some(EntryKind::Note),
                    limit: NOTES + EACH,
                };
                let read = self.rows.entries(&scan)?;
                if read.len() == scan.limit {
                    self.partly.borrow_mut().insert("notes");
                }
                out.extend(read.into_iter().filter(EntryRow::is_plain));
            }
            // Deeper parts are older.
            if out.len() >= NOTES && at + 1 < deepest {
                self.partly.borrow_mut().insert("notes");
                break;
            }
        }
        Ok(out)
    }
}
