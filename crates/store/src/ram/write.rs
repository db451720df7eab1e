//! Writing into the draft of a transaction.

use m1nd_memory::StoreError;
use m1nd_memory::ids::{BranchName, DocName, Seq, WorkspaceId};
use m1nd_memory::port::{
    Answer, BranchRow, ConflictRow, EntityRow, EntryRow, EventRow, FindKind, FindRow, MergeMarkRow, Rows,
    StepRow, StreamId, StreamKind, StreamRow, Tx, VersionRow, WorkspaceRow, WsNo,
};
use m1nd_stdx::clock::UnixMs;

use super::State;

impl Tx for State {
    fn rows(&self) -> &dyn Rows {
        self
    }

    fn create_workspace(&mut self, name: &WorkspaceId, now_ms: i64) -> Answer<WorkspaceRow> {
        let no = self.workspaces.values().map(|row| row.no.0).max().unwrap_or(0) + 1;
        let row = WorkspaceRow::new(WsNo(no), name, UnixMs(now_ms));
        self.put_workspace(&row)?;
        Ok(row)
    }

    fn put_workspace(&mut self, row: &WorkspaceRow) -> Answer<()> {
        self.workspaces.insert(row.name.clone(), row.clone());
        Ok(())
    }

    fn put_branch(&mut self, row: &BranchRow) -> Answer<()> {
        once(self.branches.insert((row.ws, row.name.clone()), row.clone()))
    }

    fn open_stream(
        &mut self,
        ws: WsNo,
        branch: &BranchName,
        doc: &DocName,
        kind: StreamKind,
        first: Seq,
    ) -> Answer<StreamRow> {
        if let Some(row) = self.stream(ws, branch, doc, kind)? {
            return Ok(row);
        }
        let id = StreamId(i64::try_from(self.streams.len()).unwrap_or(i64::MAX));
        let row = StreamRow { id, ws, branch: branch.clone(), doc: doc.clone(), kind, first };
        self.streams.push(row.clone());
        Ok(row)
    }

    fn put_entry(&mut self, row: &EntryRow) -> Answer<()> {
        once(self.entries.insert((row.ws, row.seq), row.clone()))
    }

    fn put_version(&mut self, row: &VersionRow) -> Answer<()> {
        for older in self.versions.values_mut() {
            if older.stream == row.stream && older.key == row.key && older.next == Seq::END {
                older.next = row.seq;
            }
        }
        once(self.versions.insert((row.ws, row.seq), VersionRow { next: Seq::END, ..row.clone() }))
    }

    fn put_conflict(&mut self, row: &ConflictRow) -> Answer<()> {
        self.conflicts.insert((row.ws, row.id.clone()), row.clone());
        Ok(())
    }

    fn put_merge_mark(&mut self, row: &MergeMarkRow) -> Answer<()> {
        let key = (row.stream, row.into.clone(), row.key.kind(), row.key.text());
        self.merge_marks.insert(key, row.clone());
        Ok(())
    }

    fn put_entity(&mut self, row: &EntityRow) -> Answer<()> {
        self.entities.insert((row.ws, row.id), row.clone());
        Ok(())
    }

    fn put_step(&mut self, row: &StepRow) -> Answer<()> {
        self.steps.insert((row.ws, row.id.clone()), row.clone());
        Ok(())
    }

    fn put_event(&mut self, row: &EventRow) -> Answer<()> {
        once(self.events.insert((row.ws, row.no), row.clone()))
    }

    fn put_replay(&mut self, ws: WsNo, operation: &str, key: &str, answer: &str) -> Answer<()> {
        once(self.replays.insert((ws, operation.to_owned(), key.to_owned()), answer.to_owned()))
    }

    fn put_find(&mut self, row: &FindRow) -> Answer<()> {
        self.finds.insert((row.ws, row.kind, row.reference.clone()), row.clone());
        Ok(())
    }

    fn drop_find(&mut self, ws: WsNo, kind: FindKind, reference: &str) -> Answer<()> {
        self.finds.remove(&(ws, kind, reference.to_owned()));
        Ok(())
    }
}

/// What is only ever added must not have been there.
fn once<T>(before: Option<T>) -> Answer<()> {
    match before {
        None => Ok(()),
        Some(_) => Err(StoreError::Engine { detail: "a row of this number is there already".to_owned() }),
    }
}
