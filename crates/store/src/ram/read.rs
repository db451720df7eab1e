//! Reading by looking through everything.

use m1nd_memory::ids::{
    BranchName, ConflictId, DocName, EntityId, EntityKind, EventNo, GraphNodeId, Seq, StepId, WorkspaceId,
};
use m1nd_memory::port::{
    Answer, BranchRow, ConflictRow, ConflictScan, ConflictStatus, Each, EachKey, End, EntityRow, EntryRow,
    EntryScan, EventRow, FindScan, Found, GraphKey, Mark, Match, MergeMarkRow, Order, ReplayRow, Rows,
    Status, StepRow, StreamId, StreamKind, StreamRow, VersionRow, VersionScan, Wanted, WorkspaceRow, WsNo,
};

use super::State;

impl Rows for State {
    fn workspace(&self, name: &WorkspaceId) -> Answer<Option<WorkspaceRow>> {
        Ok(self.workspaces.get(name).cloned())
    }

    fn workspaces(&self) -> Answer<Vec<WorkspaceRow>> {
        Ok(self.workspaces.values().cloned().collect())
    }

    fn branch(&self, ws: WsNo, name: &BranchName) -> Answer<Option<BranchRow>> {
        Ok(self.branches.get(&(ws, name.clone())).cloned())
    }

    fn branches(&self, ws: WsNo, before: i64, limit: usize) -> Answer<Vec<BranchRow>> {
        let mut out: Vec<BranchRow> =
            self.branches.values().filter(|row| row.ws == ws && row.no < before).cloned().collect();
        out.sort_by_key(|row| std::cmp::Reverse(row.no));
        out.truncate(limit);
        Ok(out)
    }

    fn stream(
        &self,
        ws: WsNo,
        branch: &BranchName,
        doc: &DocName,
        kind: StreamKind,
    ) -> Answer<Option<StreamRow>> {
        Ok(self.streams(ws, branch, kind)?.into_iter().find(|row| row.doc == *doc))
    }

    fn streams(&self, ws: WsNo, branch: &BranchName, kind: StreamKind) -> Answer<Vec<StreamRow>> {
        let is_it = |row: &&StreamRow| row.ws == ws && row.branch == *branch && row.kind == kind;
        let mut out: Vec<StreamRow> = self.streams.iter().filter(is_it).cloned().collect();
        out.sort_by(|a, b| a.doc.cmp(&b.doc));
        Ok(out)
    }

    fn entry(&self, ws: WsNo, seq: Seq) -> Answer<Option<EntryRow>> {
        Ok(self.entries.get(&(ws, seq)).cloned())
    }

    fn entries(&self, scan: &EntryScan) -> Answer<Vec<EntryRow>> {
        let is_it = |row: &&EntryRow| {
            row.stream == scan.stream
                && row.seq > scan.after
                && row.seq <= scan.upto
                && scan.kind.is_none_or(|kind| row.kind == kind)
        };
        let mut out: Vec<EntryRow> = self.entries.values().filter(is_it).cloned().collect();
        ordered(&mut out, scan.order, |row| row.seq);
        out.truncate(scan.limit);
        Ok(out)
    }

    fn copies(&self, ws: WsNo, origin: Seq) -> Answer<Vec<(StreamId, Seq)>> {
        let is_it = |row: &&EntryRow| row.ws == ws && row.origin.as_ref().is_some_and(|of| of.seq == origin);
        Ok(self.entries.values().filter(is_it).map(|row| (row.stream, row.seq)).collect())
    }

    fn marked(&self, ws: WsNo, mark: Mark, each: Each<'_, EntryRow>) -> Answer<()> {
        let is_it = |row: &&EntryRow| {
            row.ws == ws
                && match mark {
                    Mark::Pinned => row.pinned,
                    Mark::Handoff => row.handoff,
                    Mark::Plain => row.is_plain(),
                }
        };
        self.entries.values().rev().filter(is_it).cloned().try_for_each(each).is_break();
        Ok(())
    }

    fn anchored_entries(
        &self,
        stream: StreamId,
        after: Seq,
        upto: Seq,
        limit: usize,
    ) -> Answer<Vec<EntryRow>> {
        let kind = None;
        let scan = EntryScan { stream, after, upto, order: Order::NewestFirst, kind, limit: usize::MAX };
        let mut out = self.entries(&scan)?;
        out.retain(|row| !row.anchors.is_empty());
        out.truncate(limit);
        Ok(out)
    }

    fn all_entries(&self, ws: WsNo, after: Seq, limit: usize) -> Answer<Vec<EntryRow>> {
        let is_it = |row: &&EntryRow| row.ws == ws && row.seq > after;
        Ok(self.entries.values().filter(is_it).take(limit).cloned().collect())
    }

    fn version_at(&self, stream: StreamId, key: &GraphKey, upto: Seq) -> Answer<Option<VersionRow>> {
        let is_it = |row: &&VersionRow| row.stream == stream && row.key == *key && row.seq <= upto;
        Ok(self.versions.values().filter(is_it).max_by_key(|row| row.seq).cloned())
    }

    fn versions(&self, scan: &VersionScan<'_>, each: Each<'_, VersionRow>) -> Answer<()> {
        let is_it = |row: &&VersionRow| {
            row.stream == scan.stream
                && row.seq > scan.after
                && row.seq <= scan.upto
                && row.next > scan.as_of
                && scan.kind.is_none_or(|kind| row.key.kind() == kind)
                && scan.type_.is_none_or(|type_| row.body.type_ == type_)
                && scan.text.is_none_or(|text| row.holds(text))
        };
        let mut found: Vec<VersionRow> = self.versions.values().filter(is_it).cloned().collect();
        ordered(&mut found, scan.order, |row| row.seq);
        found.into_iter().try_for_each(each).is_break();
        Ok(())
    }

    fn keys(&self, scan: &VersionScan<'_>, each: EachKey<'_>) -> Answer<()> {
        self.versions(scan, &mut |row| each(&row.key.text(), row.deleted))
    }

    fn edges_at(
        &self,
        stream: StreamId,
        node: &GraphNodeId,
        end: End,
        as_of: Seq,
    ) -> Answer<Vec<VersionRow>> {
        let is_it = |row: &&VersionRow| {
            let at = match (&row.key, end) {
                (GraphKey::Edge { from, .. }, End::From) => from == node,
                (GraphKey::Edge { to, .. }, End::To) => to == node,
                (GraphKey::Node(_), _) => false,
            };
            at && row.stream == stream && row.seq <= as_of && row.next > as_of
        };
        let mut out: Vec<VersionRow> = self.versions.values().filter(is_it).cloned().collect();
        ordered(&mut out, Order::OldestFirst, |row| row.seq);
        Ok(out)
    }

    fn all_versions(&self, ws: WsNo, after: Seq, limit: usize) -> Answer<Vec<VersionRow>> {
        let is_it = |row: &&VersionRow| row.ws == ws && row.seq > after;
        Ok(self.versions.values().filter(is_it).take(limit).cloned().collect())
    }

    fn anchored_nodes(&self, stream: StreamId, as_of: Seq, limit: usize) -> Answer<Vec<VersionRow>> {
        let is_it = |row: &&VersionRow| {
            let then = row.seq <= as_of && row.next > as_of && !row.deleted;
            let node = matches!(row.key, GraphKey::Node(_)) && !row.body.anchors.is_empty();
            row.stream == stream && then && node
        };
        Ok(self.versions.values().rev().filter(is_it).take(limit).cloned().collect())
    }

    fn newest_of_type(&self, ws: WsNo, type_: &str, each: Each<'_, VersionRow>) -> Answer<()> {
        let is_it = |row: &&VersionRow| {
            let live = row.next == Seq::END && !row.deleted;
            row.ws == ws && live && row.body.type_ == type_ && matches!(row.key, GraphKey::Node(_))
        };
        self.versions.values().rev().filter(is_it).cloned().try_for_each(each).is_break();
        Ok(())
    }

    fn newest_with_tag(&self, ws: WsNo, tag: &str, each: Each<'_, VersionRow>) -> Answer<()> {
        let is_it = |row: &&VersionRow| {
            let live = row.next == Seq::END && !row.deleted;
            let tagged = row.body.tags.iter().any(|own| own == tag);
            row.ws == ws && live && tagged && matches!(row.key, GraphKey::Node(_))
        };
        self.versions.values().rev().filter(is_it).cloned().try_for_each(each).is_break();
        Ok(())
    }

    fn conflict(&self, ws: WsNo, id: &ConflictId) -> Answer<Option<ConflictRow>> {
        Ok(self.conflicts.get(&(ws, id.clone())).cloned())
    }

    fn conflicts(&self, scan: &ConflictScan<'_>) -> Answer<Vec<ConflictRow>> {
        let is_it = |row: &&ConflictRow| {
            row.ws == scan.ws
                && row.into == *scan.into
                && row.seq < scan.before
                && scan.doc.is_none_or(|doc| row.doc == *doc)
                && scan.status.is_none_or(|status| row.status == status)
        };
        let mut out: Vec<ConflictRow> = self.conflicts.values().filter(is_it).cloned().collect();
        ordered(&mut out, Order::NewestFirst, |row| row.seq);
        out.truncate(scan.limit);
        Ok(out)
    }

    fn open_conflicts(&self, ws: WsNo, limit: usize) -> Answer<Vec<ConflictRow>> {
        let mut out = self.all_conflicts(ws)?;
        out.retain(|row| row.status == ConflictStatus::Open);
        out.reverse();
        out.truncate(limit);
        Ok(out)
    }

    fn all_conflicts(&self, ws: WsNo) -> Answer<Vec<ConflictRow>> {
        let mut out: Vec<ConflictRow> = self.conflicts.values().filter(|row| row.ws == ws).cloned().collect();
        ordered(&mut out, Order::OldestFirst, |row| row.seq);
        Ok(out)
    }

    fn merge_mark(
        &self,
        stream: StreamId,
        into: &BranchName,
        key: &GraphKey,
    ) -> Answer<Option<MergeMarkRow>> {
        Ok(self.merge_marks.get(&(stream, into.clone(), key.kind(), key.text())).cloned())
    }

    fn all_merge_marks(&self, ws: WsNo) -> Answer<Vec<MergeMarkRow>> {
        let mut out: Vec<MergeMarkRow> =
            self.merge_marks.values().filter(|row| row.ws == ws).cloned().collect();
        let order = |row: &MergeMarkRow| {
            (row.from.clone(), row.doc.clone(), row.into.clone(), row.key.kind(), row.key.text())
        };
        out.sort_by_key(order);
        Ok(out)
    }

    fn entity(&self, ws: WsNo, id: EntityId) -> Answer<Option<EntityRow>> {
        Ok(self.entities.get(&(ws, id)).cloned())
    }

    fn entities(&self, ws: WsNo, before: Seq, since: EventNo, limit: usize) -> Answer<Vec<EntityRow>> {
        let is_it = |row: &&EntityRow| row.ws == ws && row.created_seq < before && row.last_event > since;
        let mut out: Vec<EntityRow> = self.entities.values().filter(is_it).cloned().collect();
        ordered(&mut out, Order::NewestFirst, |row| row.created_seq);
        out.truncate(limit);
        Ok(out)
    }

    fn children(&self, ws: WsNo, plan: EntityId) -> Answer<Vec<EntityRow>> {
        let is_it = |row: &&EntityRow| row.ws == ws && row.parent == Some(plan);
        let mut out: Vec<EntityRow> = self.entities.values().filter(is_it).cloned().collect();
        ordered(&mut out, Order::OldestFirst, |row| row.created_seq);
        Ok(out)
    }

    fn open_tasks(&self, ws: WsNo, each: Each<'_, EntityRow>) -> Answer<()> {
        let is_it =
            |row: &&EntityRow| row.ws == ws && row.id.kind == EntityKind::Task && row.status.is_open();
        let mut found: Vec<EntityRow> = self.entities.values().filter(is_it).cloned().collect();
        found.sort_by_key(|row| (std::cmp::Reverse(row.priority), row.created_seq));
        found.into_iter().try_for_each(each).is_break();
        Ok(())
    }

    fn tasks_at_work(&self, ws: WsNo, limit: usize) -> Answer<Vec<EntityRow>> {
        let at_work = |row: &EntityRow| {
            matches!(row.status, Status::Active | Status::Blocked)
                || (row.status.is_open() && row.claim.is_some())
        };
        let is_it = |row: &&EntityRow| row.ws == ws && row.id.kind == EntityKind::Task && at_work(row);
        let mut out: Vec<EntityRow> = self.entities.values().filter(is_it).cloned().collect();
        out.sort_by_key(|row| (std::cmp::Reverse(row.priority), row.created_seq));
        out.truncate(limit);
        Ok(out)
    }

    fn steps(&self, ws: WsNo, task: EntityId) -> Answer<Vec<StepRow>> {
        let is_it = |row: &&StepRow| row.ws == ws && row.task == task;
        let mut out: Vec<StepRow> = self.steps.values().filter(is_it).cloned().collect();
        out.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(out)
    }

    fn task_of_step(&self, ws: WsNo, step: &StepId) -> Answer<Option<EntityId>> {
        Ok(self.steps.get(&(ws, step.clone())).map(|row| row.task))
    }

    fn events(&self, ws: WsNo, after: EventNo, limit: usize) -> Answer<Vec<EventRow>> {
        let is_it = |row: &&EventRow| row.ws == ws && row.no > after;
        Ok(self.events.values().filter(is_it).take(limit).cloned().collect())
    }

    fn replay(&self, ws: WsNo, operation: &str, key: &str) -> Answer<Option<String>> {
        Ok(self.replays.get(&(ws, operation.to_owned(), key.to_owned())).cloned())
    }

    fn all_replays(&self, ws: WsNo) -> Answer<Vec<ReplayRow>> {
        let own = self.replays.iter().filter(|((of, ..), _)| *of == ws);
        let row = |((_, operation, key), answer): (&(WsNo, String, String), &String)| ReplayRow {
            operation: operation.clone(),
            key: key.clone(),
            answer: answer.clone(),
        };
        Ok(own.map(row).collect())
    }

    fn find(&self, scan: &FindScan<'_>) -> Answer<Vec<Found>> {
        let mut out = Vec::new();
        for row in self.finds.values() {
            let fits = |wanted: &&Wanted| {
                row.title.split(' ').chain(row.body.split(' ')).any(|term| wanted.fits(term))
            };
            let hits = scan.words.iter().filter(fits).count();
            let enough = match scan.matching {
                Match::All => hits == scan.words.len(),
                Match::Any => hits > 0,
            };
            let wanted = row.ws == scan.ws && scan.kinds.contains(&row.kind);
            if enough && wanted && scan.since.is_none_or(|since| row.ts.0 >= since) {
                let score = f64::from(u32::try_from(hits).unwrap_or(u32::MAX));
                out.push(Found { kind: row.kind, reference: row.reference.clone(), seq: row.seq, score });
            }
        }
        out.sort_by(|a, b| b.score.total_cmp(&a.score).then(b.seq.cmp(&a.seq)));
        Ok(out.into_iter().skip(scan.skip).take(scan.limit).collect())
    }
}

fn ordered<T>(rows: &mut [T], order: Order, seq: impl Fn(&T) -> Seq) {
    rows.sort_by_key(|row| seq(row));
    if order == Order::NewestFirst {
        rows.reverse();
    }
}
