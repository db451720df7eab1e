//! Writing rows.

use m1nd_memory::ids::{BranchName, DocName, Seq, WorkspaceId};
use m1nd_memory::port::{
    Answer, BranchRow, ConflictRow, EntityRow, EntryRow, EventRow, FindKind, FindRow, KeyKind, MergeMarkRow,
    Rows, StepRow, StreamId, StreamKind, StreamRow, Tx, VersionRow, WorkspaceRow, WsNo,
};
use m1nd_stdx::clock::UnixMs;
use rusqlite::{Params, Result, params};

use super::rows::{
    conflict_status, edge_parts, entry_kind, key_kind, list, some_text, step_path, stream_kind, text,
};
use super::{Sql, find, node_text};

impl Sql<'_> {
    fn put(&self, sql: &str, params: impl Params) -> Result<()> {
        self.connection.prepare_cached(sql)?.execute(params).map(drop)
    }

    fn next(&self, sql: &str) -> Result<i64> {
        self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
    }
}

impl Tx for Sql<'_> {
    fn rows(&self) -> &dyn Rows {
        self
    }

    fn create_workspace(&mut self, name: &WorkspaceId, now_ms: i64) -> Answer<WorkspaceRow> {
        let no = self.fault(self.next("SELECT COALESCE(MAX(ws), 0) + 1 FROM workspaces"))?;
        let row = WorkspaceRow::new(WsNo(no), name, UnixMs(now_ms));
        self.put_workspace(&row)?;
        Ok(row)
    }

    fn put_workspace(&mut self, row: &WorkspaceRow) -> Answer<()> {
        let sql = "INSERT INTO workspaces \
             (ws, name, created_ms, seq, event_no, plans, tasks, branches, checkout, focus) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
             ON CONFLICT (ws) DO UPDATE SET created_ms = excluded.created_ms, seq = excluded.seq, \
             event_no = excluded.event_no, plans = excluded.plans, tasks = excluded.tasks, \
             branches = excluded.branches, checkout = excluded.checkout, focus = excluded.focus";
        let focus = row.focus.map(|id| id.to_string());
        self.fault(self.put(
            sql,
            params![
                row.no.0,
                row.name.as_str(),
                row.created.0,
                row.seq.0,
                row.event.0,
                row.plans,
                row.tasks,
                row.branches,
                row.checkout.as_str(),
                focus
            ],
        ))
    }

    fn put_branch(&mut self, row: &BranchRow) -> Answer<()> {
        let sql = "INSERT INTO branches (ws, name, no, base_branch, base_seq, depth, created_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let base = row.base.as_ref();
        let (branch, seq) = (base.map(|base| base.branch.as_str()), base.map(|base| base.seq.0));
        let params = params![row.ws.0, row.name.as_str(), row.no, branch, seq, row.depth, row.created.0];
        self.fault(self.put(sql, params))
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
        let id = self.fault(self.next("SELECT COALESCE(MAX(stream), 0) + 1 FROM streams"))?;
        let sql =
            "INSERT INTO streams (stream, ws, branch, kind, doc, first_seq) VALUES ($1, $2, $3, $4, $5, $6)";
        let params = params![id, ws.0, branch.as_str(), stream_kind(kind), doc.as_str(), first.0];
        self.fault(self.put(sql, params))?;
        Ok(StreamRow { id: StreamId(id), ws, branch: branch.clone(), doc: doc.clone(), kind, first })
    }

    fn put_entry(&mut self, row: &EntryRow) -> Answer<()> {
        let sql = "INSERT INTO entries (ws, seq, stream, ts_ms, kind, title, format, meta, content, anchors, \
             origin_branch, origin_seq, event_no, pinned, handoff) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
        let run = || {
            let origin = row.origin.as_ref();
            self.put(
                sql,
                params![
                    row.ws.0,
                    row.seq.0,
                    row.stream.0,
                    row.ts.0,
                    entry_kind(row.kind),
                    row.title,
                    row.format,
                    some_text(row.meta.as_ref())?,
                    row.content,
                    list(&row.anchors)?,
                    origin.map(|origin| origin.branch.as_str()),
                    origin.map(|origin| origin.seq.0),
                    row.event.map(|event| event.0),
                    row.pinned,
                    row.handoff
                ],
            )
        };
        self.fault(run())
    }

    fn put_version(&mut self, row: &VersionRow) -> Answer<()> {
        let close = "UPDATE versions SET next_seq = $1 \
             WHERE stream = $2 AND kind = $3 AND key = $4 AND next_seq = 9223372036854775807";
        let sql = "INSERT INTO versions (ws, seq, next_seq, stream, ts_ms, kind, key, from_id, rel, to_id, deleted, \
             type, title, body, status, tags, meta, valid_to_ms, anchors, origin_branch, origin_seq) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)";
        let run = || {
            let kind = key_kind(row.key.kind());
            let key = row.key.text();
            self.put(close, params![row.seq.0, row.stream.0, kind, key])?;
            let [from, rel, to] = edge_parts(&row.key);
            let origin = row.origin.as_ref();
            self.put(
                sql,
                params![
                    row.ws.0,
                    row.seq.0,
                    Seq::END.0,
                    row.stream.0,
                    row.ts.0,
                    kind,
                    key,
                    from,
                    rel,
                    to,
                    row.deleted,
                    row.body.type_,
                    row.body.title,
                    row.body.text,
                    row.body.status,
                    list(&row.body.tags)?,
                    some_text(row.body.meta.as_ref())?,
                    row.body.valid_to.map(|at| at.0),
                    list(&row.body.anchors)?,
                    origin.map(|origin| origin.branch.as_str()),
                    origin.map(|origin| origin.seq.0)
                ],
            )?;
            if row.key.kind() == KeyKind::Node {
                let texts = [Some(key.as_str()), row.body.title.as_deref(), row.body.text.as_deref()];
                node_text::put(self.connection, self.connection.last_insert_rowid(), row.stream, texts)?;
            }
            Ok(())
        };
        self.fault(run())
    }

    fn put_conflict(&mut self, row: &ConflictRow) -> Answer<()> {
        let sql = "INSERT INTO conflicts (ws, id, seq, doc, from_branch, into_branch, kind, key, from_id, rel, to_id, \
             base, theirs, ours, theirs_seq, ours_seq, status, resolution, created_ms, resolved_ms) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) \
             ON CONFLICT (ws, id) DO UPDATE SET status = excluded.status, resolution = excluded.resolution, \
             resolved_ms = excluded.resolved_ms";
        let run = || {
            let [from, rel, to] = edge_parts(&row.key);
            self.put(
                sql,
                params![
                    row.ws.0,
                    row.id.as_str(),
                    row.seq.0,
                    row.doc.as_str(),
                    row.from.as_str(),
                    row.into.as_str(),
                    key_kind(row.key.kind()),
                    row.key.text(),
                    from,
                    rel,
                    to,
                    some_text(row.base.as_ref())?,
                    some_text(row.theirs.as_ref())?,
                    some_text(row.ours.as_ref())?,
                    row.theirs_seq.0,
                    row.ours_seq.map(|seq| seq.0),
                    conflict_status(row.status),
                    row.resolution,
                    row.created.0,
                    row.resolved.map(|at| at.0)
                ],
            )
        };
        self.fault(run())
    }

    fn put_merge_mark(&mut self, row: &MergeMarkRow) -> Answer<()> {
        let sql = "INSERT INTO merge_marks (stream, into_branch, kind, key, from_id, rel, to_id, agreed_seq, refused_seq) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) \
             ON CONFLICT (stream, into_branch, kind, key) DO UPDATE SET agreed_seq = excluded.agreed_seq, \
             refused_seq = excluded.refused_seq";
        let [from, rel, to] = edge_parts(&row.key);
        self.fault(self.put(
            sql,
            params![
                row.stream.0,
                row.into.as_str(),
                key_kind(row.key.kind()),
                row.key.text(),
                from,
                rel,
                to,
                row.agreed.map(|seq| seq.0),
                row.refused.map(|seq| seq.0)
            ],
        ))
    }

    fn put_entity(&mut self, row: &EntityRow) -> Answer<()> {
        let sql = "INSERT INTO entities (ws, id, kind, parent, title, description, contract, contract_data, status, \
             priority, depends_on, anchors, revision, created_seq, created_ms, updated_ms, last_event, claim, fence) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) \
             ON CONFLICT (ws, id) DO UPDATE SET parent = excluded.parent, title = excluded.title, \
             description = excluded.description, contract = excluded.contract, \
             contract_data = excluded.contract_data, status = excluded.status, priority = excluded.priority, \
             depends_on = excluded.depends_on, anchors = excluded.anchors, revision = excluded.revision, \
             updated_ms = excluded.updated_ms, last_event = excluded.last_event, claim = excluded.claim, \
             fence = excluded.fence";
        let run = || {
            self.put(
                sql,
                params![
                    row.ws.0,
                    row.id.to_string(),
                    row.id.kind.as_str(),
                    row.parent.map(|id| id.to_string()),
                    row.title,
                    row.description,
                    row.contract,
                    some_text(row.contract_data.as_ref())?,
                    row.status.as_str(),
                    row.priority,
                    list(&row.depends_on)?,
                    list(&row.anchors)?,
                    row.revision,
                    row.created_seq.0,
                    row.created.0,
                    row.updated.0,
                    row.last_event.0,
                    some_text(row.claim.as_ref())?,
                    row.fence
                ],
            )
        };
        self.fault(run())
    }

    fn put_step(&mut self, row: &StepRow) -> Answer<()> {
        let sql = "INSERT INTO steps (ws, id, task, parent, path, title, success_criteria, tests, blockers, criteria, \
             tests_passed, completed_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
             ON CONFLICT (ws, id) DO UPDATE SET title = excluded.title, \
             success_criteria = excluded.success_criteria, tests = excluded.tests, blockers = excluded.blockers, \
             criteria = excluded.criteria, tests_passed = excluded.tests_passed, \
             completed_ms = excluded.completed_ms";
        let run = || {
            self.put(
                sql,
                params![
                    row.ws.0,
                    row.id.as_str(),
                    row.task.to_string(),
                    row.parent.as_ref().map(|id| id.as_str()),
                    step_path(&row.path),
                    row.title,
                    list(&row.success_criteria)?,
                    list(&row.tests)?,
                    list(&row.blockers)?,
                    text(&row.criteria)?,
                    text(&row.tests_passed)?,
                    row.completed.map(|at| at.0)
                ],
            )
        };
        self.fault(run())
    }

    fn put_event(&mut self, row: &EventRow) -> Answer<()> {
        let sql = "INSERT INTO events (ws, no, ts_ms, entity, path, type, payload) \
             VALUES ($1, $2, $3, $4, $5, $6, $7)";
        let run = || {
            let payload = text(&row.payload)?;
            let (ws, no, ts) = (row.ws.0, row.no.0, row.ts.0);
            self.put(sql, params![ws, no, ts, row.entity.to_string(), row.path, row.type_, payload])
        };
        self.fault(run())
    }

    fn put_replay(&mut self, ws: WsNo, operation: &str, key: &str, answer: &str) -> Answer<()> {
        let sql = "INSERT INTO replays (ws, operation, key, answer) VALUES ($1, $2, $3, $4)";
        self.fault(self.put(sql, params![ws.0, operation, key, answer]))
    }

    fn put_find(&mut self, row: &FindRow) -> Answer<()> {
        self.fault(find::put(self.connection, row))
    }

    fn drop_find(&mut self, ws: WsNo, kind: FindKind, reference: &str) -> Answer<()> {
        self.fault(find::forget(self.connection, ws, kind, reference))
    }
}
