//! Reading rows.

use std::ops::ControlFlow;

use m1nd_memory::ids::{
    BranchName, ConflictId, DocName, EntityId, EventNo, GraphNodeId, Seq, StepId, WorkspaceId,
};
use m1nd_memory::port::{
    Answer, BranchRow, ConflictRow, ConflictScan, Each, EachKey, End, EntityRow, EntryRow, EntryScan,
    EventRow, FindScan, Found, GraphKey, KeyKind, Mark, MergeMarkRow, Order, ReplayRow, Rows, StepRow,
    StreamId, StreamKind, StreamRow, VersionRow, VersionScan, WorkspaceRow, WsNo, holds,
};
use rusqlite::{OptionalExtension as _, Params, Result, Row, ToSql, params};

use super::errors::fault;
use super::rows::{
    self, BRANCH, CONFLICT, ENTITY, ENTRY, EVENT, MERGE_MARK, STEP, STREAM, VERSION, WORKSPACE,
    conflict_status, entry_kind, key_kind, stream_kind,
};
use super::{Sql, find, migrate, node_text};

const ENTRIES: &str = "FROM entries e JOIN streams s ON s.stream = e.stream";
const MERGE_MARKS: &str = "FROM merge_marks m JOIN streams s ON s.stream = m.stream";
const VERSIONS: &str = "FROM versions v JOIN streams s ON s.stream = v.stream";

impl Sql<'_> {
    pub(super) fn fault<T>(&self, result: Result<T>) -> Answer<T> {
        result.map_err(|err| fault(self.path, &err))
    }

    fn one<T>(&self, sql: &str, params: impl Params, read: fn(&Row<'_>) -> Result<T>) -> Answer<Option<T>> {
        let run = || self.connection.prepare_cached(sql)?.query_row(params, read).optional();
        self.fault(run())
    }

    fn all<T>(&self, sql: &str, params: impl Params, read: fn(&Row<'_>) -> Result<T>) -> Answer<Vec<T>> {
        let run = || self.connection.prepare_cached(sql)?.query_map(params, read)?.collect();
        self.fault(run())
    }

    fn each<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: fn(&Row<'_>) -> Result<T>,
        each: Each<'_, T>,
    ) -> Answer<()> {
        let run = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let mut found = statement.query(params)?;
            while let Some(row) = found.next()? {
                if let ControlFlow::Break(()) = each(read(row)?) {
                    break;
                }
            }
            Ok(())
        };
        self.fault(run())
    }
}

/// A limit as SQL takes it.
fn limit(given: usize) -> i64 {
    i64::try_from(given).unwrap_or(i64::MAX)
}

fn direction(order: Order) -> &'static str {
    match order {
        Order::NewestFirst => "DESC",
        Order::OldestFirst => "ASC",
    }
}

/// Live nodes whose list of tags holds a text.
pub(super) fn tagged_sql() -> String {
    format!(
        "SELECT {VERSION} {VERSIONS} WHERE v.ws = $1 AND v.tags IS NOT NULL AND v.next_seq = 9223372036854775807 \
         AND v.deleted = 0 AND v.kind = 0 AND instr(v.tags, $2) > 0 ORDER BY v.seq DESC"
    )
}

pub(super) fn anchored_entries_sql() -> String {
    format!(
        "SELECT {ENTRY} {ENTRIES} WHERE e.stream = $1 AND e.seq > $2 AND e.seq <= $3 AND e.anchors IS NOT NULL \
         ORDER BY e.seq DESC LIMIT $4"
    )
}

pub(super) fn anchored_nodes_sql() -> String {
    format!(
        "SELECT {VERSION} {VERSIONS} WHERE v.stream = $1 AND v.seq <= $2 AND v.next_seq > $2 AND v.kind = 0 \
         AND v.deleted = 0 AND v.anchors IS NOT NULL ORDER BY v.seq DESC LIMIT $3"
    )
}

/// The versions of a scan; one that asks for columns of the index alone reads nothing else. Parameters are numbered, for
/// they do not appear in their order.
fn scan_sql(scan: &VersionScan<'_>, columns: &str) -> String {
    let order = direction(scan.order);
    let from = if columns == VERSION { VERSIONS } else { "FROM versions v" };
    let type_filter = if scan.type_.is_some() { "v.type = ?5" } else { "?5 IS NULL" };
    let range = format!("v.stream = ?1 AND v.seq > ?2 AND v.seq <= ?3 AND {type_filter}");
    let latest = match scan.kind {
        // The heads of one kind have an index of their own.
        Some(_) if scan.as_of >= Seq::TIP => "?4 > 0 AND v.kind = ?6 AND v.next_seq = 9223372036854775807",
        Some(_) => "v.next_seq > ?4 AND v.kind = ?6",
        None => "v.next_seq > ?4 AND ?6 IS NULL",
    };
    format!("SELECT {columns} {from} WHERE {range} AND {latest} ORDER BY v.seq {order}")
}

fn scan_params<'a>(scan: &'a VersionScan<'a>) -> [&'a dyn ToSql; 6] {
    [&scan.stream.0, &scan.after.0, &scan.upto.0, &scan.as_of.0, &scan.type_, kind_param(scan.kind)]
}

fn kind_param(kind: Option<KeyKind>) -> &'static dyn ToSql {
    match kind {
        None => &None::<i64>,
        Some(KeyKind::Node) => &0_i64,
        Some(KeyKind::Edge) => &1_i64,
    }
}

impl Sql<'_> {
    /// Versions whose texts hold `wanted`. Of the others only the texts are read, or nothing.
    fn versions_that_hold(
        &self,
        scan: &VersionScan<'_>,
        wanted: &str,
        each: Each<'_, VersionRow>,
    ) -> Result<()> {
        // An older store that may only be read has no index of texts.
        let indexed = migrate::version(self.connection)? >= migrate::NODE_TEXT;
        let question = node_text::question(scan.stream, wanted).filter(|_| indexed);
        let sql = match &question {
            None => scan_sql(scan, VERSION),
            // Rows are numbered in the order they are written, so within a stream their order is that of `seq`.
            Some(_) => format!(
                "SELECT {VERSION} FROM node_text t CROSS JOIN versions v ON v.id = t.rowid \
                 JOIN streams s ON s.stream = v.stream \
                 WHERE node_text MATCH ?7 AND v.stream = ?1 AND v.seq > ?2 AND v.seq <= ?3 AND v.next_seq > ?4 \
                 AND (?5 IS NULL OR v.type = ?5) AND (?6 IS NULL OR v.kind = ?6) ORDER BY t.rowid {}",
                direction(scan.order)
            ),
        };
        let mut params = scan_params(scan).to_vec();
        if let Some(question) = &question {
            params.push(question);
        }
        let mut statement = self.connection.prepare_cached(&sql)?;
        let mut found = statement.query(params.as_slice())?;
        while let Some(row) = found.next()? {
            let [key, title, body] = rows::VERSION_TEXTS;
            let texts = [row.get_ref(key)?, row.get_ref(title)?, row.get_ref(body)?];
            let mut held = false;
            for text in texts {
                held = held || text.as_str_or_null()?.is_some_and(|text| holds(text, wanted));
            }
            if held && each(rows::version(row)?).is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Rows for Sql<'_> {
    fn workspace(&self, name: &WorkspaceId) -> Answer<Option<WorkspaceRow>> {
        let sql = format!("SELECT {WORKSPACE} FROM workspaces WHERE name = $1");
        self.one(&sql, [name.as_str()], rows::workspace)
    }

    fn workspaces(&self) -> Answer<Vec<WorkspaceRow>> {
        self.all(&format!("SELECT {WORKSPACE} FROM workspaces ORDER BY name"), [], rows::workspace)
    }

    fn branch(&self, ws: WsNo, name: &BranchName) -> Answer<Option<BranchRow>> {
        let sql = format!("SELECT {BRANCH} FROM branches WHERE ws = $1 AND name = $2");
        self.one(&sql, params![ws.0, name.as_str()], rows::branch)
    }

    fn branches(&self, ws: WsNo, before: i64, most: usize) -> Answer<Vec<BranchRow>> {
        let sql =
            format!("SELECT {BRANCH} FROM branches WHERE ws = $1 AND no < $2 ORDER BY no DESC LIMIT $3");
        self.all(&sql, params![ws.0, before, limit(most)], rows::branch)
    }

    fn stream(
        &self,
        ws: WsNo,
        branch: &BranchName,
        doc: &DocName,
        kind: StreamKind,
    ) -> Answer<Option<StreamRow>> {
        let sql =
            format!("SELECT {STREAM} FROM streams WHERE ws = $1 AND branch = $2 AND kind = $3 AND doc = $4");
        self.one(&sql, params![ws.0, branch.as_str(), stream_kind(kind), doc.as_str()], rows::stream)
    }

    fn streams(&self, ws: WsNo, branch: &BranchName, kind: StreamKind) -> Answer<Vec<StreamRow>> {
        let sql =
            format!("SELECT {STREAM} FROM streams WHERE ws = $1 AND branch = $2 AND kind = $3 ORDER BY doc");
        self.all(&sql, params![ws.0, branch.as_str(), stream_kind(kind)], rows::stream)
    }

    fn entry(&self, ws: WsNo, seq: Seq) -> Answer<Option<EntryRow>> {
        let sql = format!("SELECT {ENTRY} {ENTRIES} WHERE e.ws = $1 AND e.seq = $2");
        self.one(&sql, params![ws.0, seq.0], rows::entry)
    }

    fn entries(&self, scan: &EntryScan) -> Answer<Vec<EntryRow>> {
        let order = direction(scan.order);
        let kind = scan.kind.map(entry_kind);
        let filter = if kind.is_some() { "AND e.kind = $4" } else { "AND $4 IS NULL" };
        let sql = format!(
            "SELECT {ENTRY} {ENTRIES} WHERE e.stream = $1 AND e.seq > $2 AND e.seq <= $3 {filter} \
             ORDER BY e.seq {order} LIMIT $5"
        );
        let params = params![scan.stream.0, scan.after.0, scan.upto.0, kind, limit(scan.limit)];
        self.all(&sql, params, rows::entry)
    }

    fn copies(&self, ws: WsNo, origin: Seq) -> Answer<Vec<(StreamId, Seq)>> {
        // Naming the order by both columns keeps the planner from walking the whole workspace by number.
        let sql =
            "SELECT stream, seq FROM entries WHERE ws = $1 AND origin_seq = $2 ORDER BY origin_seq, seq";
        self.all(sql, params![ws.0, origin.0], |row| Ok((StreamId(row.get(0)?), Seq(row.get(1)?))))
    }

    fn marked(&self, ws: WsNo, mark: Mark, each: Each<'_, EntryRow>) -> Answer<()> {
        let filter = match mark {
            Mark::Pinned => "e.pinned = 1",
            Mark::Handoff => "e.handoff = 1",
            Mark::Plain => {
                "e.kind = 'note' AND e.pinned = 0 AND e.handoff = 0 AND (e.format IS NULL OR e.format <> 'card')"
            }
        };
        let sql = format!("SELECT {ENTRY} {ENTRIES} WHERE e.ws = $1 AND {filter} ORDER BY e.seq DESC");
        self.each(&sql, params![ws.0], rows::entry, each)
    }

    fn anchored_entries(
        &self,
        stream: StreamId,
        after: Seq,
        upto: Seq,
        most: usize,
    ) -> Answer<Vec<EntryRow>> {
        self.all(&anchored_entries_sql(), params![stream.0, after.0, upto.0, limit(most)], rows::entry)
    }

    fn all_entries(&self, ws: WsNo, after: Seq, most: usize) -> Answer<Vec<EntryRow>> {
        let sql = format!("SELECT {ENTRY} {ENTRIES} WHERE e.ws = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3");
        self.all(&sql, params![ws.0, after.0, limit(most)], rows::entry)
    }

    fn version_at(&self, stream: StreamId, key: &GraphKey, upto: Seq) -> Answer<Option<VersionRow>> {
        let sql = format!(
            "SELECT {VERSION} {VERSIONS} WHERE v.stream = $1 AND v.kind = $2 AND v.key = $3 AND v.seq <= $4 \
             ORDER BY v.seq DESC LIMIT 1"
        );
        self.one(&sql, params![stream.0, key_kind(key.kind()), key.text(), upto.0], rows::version)
    }

    fn versions(&self, scan: &VersionScan<'_>, each: Each<'_, VersionRow>) -> Answer<()> {
        match scan.text {
            None => self.each(&scan_sql(scan, VERSION), scan_params(scan).as_slice(), rows::version, each),
            Some(wanted) => self.fault(self.versions_that_hold(scan, wanted, each)),
        }
    }

    fn keys(&self, scan: &VersionScan<'_>, each: EachKey<'_>) -> Answer<()> {
        let mut run = || {
            let mut statement = self.connection.prepare_cached(&scan_sql(scan, "v.key, v.deleted"))?;
            let mut found = statement.query(scan_params(scan).as_slice())?;
            while let Some(row) = found.next()? {
                if each(row.get_ref(0)?.as_str()?, row.get(1)?).is_break() {
                    break;
                }
            }
            Ok(())
        };
        self.fault(run())
    }

    fn edges_at(
        &self,
        stream: StreamId,
        node: &GraphNodeId,
        end: End,
        as_of: Seq,
    ) -> Answer<Vec<VersionRow>> {
        let column = match end {
            End::From => "v.from_id",
            End::To => "v.to_id",
        };
        let sql = format!(
            "SELECT {VERSION} {VERSIONS} WHERE v.stream = $1 AND {column} = $2 AND v.seq <= $3 AND v.next_seq > $3 \
             ORDER BY v.seq"
        );
        self.all(&sql, params![stream.0, node.as_str(), as_of.0], rows::version)
    }

    fn all_versions(&self, ws: WsNo, after: Seq, most: usize) -> Answer<Vec<VersionRow>> {
        let sql =
            format!("SELECT {VERSION} {VERSIONS} WHERE v.ws = $1 AND v.seq > $2 ORDER BY v.seq LIMIT $3");
        self.all(&sql, params![ws.0, after.0, limit(most)], rows::version)
    }

    fn anchored_nodes(&self, stream: StreamId, as_of: Seq, most: usize) -> Answer<Vec<VersionRow>> {
        self.all(&anchored_nodes_sql(), params![stream.0, as_of.0, limit(most)], rows::version)
    }

    fn newest_of_type(&self, ws: WsNo, type_: &str, each: Each<'_, VersionRow>) -> Answer<()> {
        let sql = format!(
            "SELECT {VERSION} {VERSIONS} WHERE v.ws = $1 AND v.type = $2 AND v.next_seq = 9223372036854775807 \
             AND v.deleted = 0 AND v.kind = 0 ORDER BY v.seq DESC"
        );
        self.each(&sql, params![ws.0, type_], rows::version, each)
    }

    fn newest_with_tag(&self, ws: WsNo, tag: &str, each: Each<'_, VersionRow>) -> Answer<()> {
        let quoted = serde_json::Value::from(tag).to_string();
        let each = &mut |row: VersionRow| {
            if row.body.tags.iter().any(|own| own == tag) { each(row) } else { ControlFlow::Continue(()) }
        };
        self.each(&tagged_sql(), params![ws.0, quoted], rows::version, each)
    }

    fn conflict(&self, ws: WsNo, id: &ConflictId) -> Answer<Option<ConflictRow>> {
        let sql = format!("SELECT {CONFLICT} FROM conflicts WHERE ws = $1 AND id = $2");
        self.one(&sql, params![ws.0, id.as_str()], rows::conflict)
    }

    fn conflicts(&self, scan: &ConflictScan<'_>) -> Answer<Vec<ConflictRow>> {
        let sql = format!(
            "SELECT {CONFLICT} FROM conflicts WHERE ws = $1 AND into_branch = $2 AND seq < $3 \
             AND ($4 IS NULL OR doc = $4) AND ($5 IS NULL OR status = $5) ORDER BY seq DESC LIMIT $6"
        );
        let doc = scan.doc.map(DocName::as_str);
        let status = scan.status.map(conflict_status);
        let params = params![scan.ws.0, scan.into.as_str(), scan.before.0, doc, status, limit(scan.limit)];
        self.all(&sql, params, rows::conflict)
    }

    fn open_conflicts(&self, ws: WsNo, most: usize) -> Answer<Vec<ConflictRow>> {
        let sql = format!(
            "SELECT {CONFLICT} FROM conflicts WHERE ws = $1 AND status = 'open' ORDER BY seq DESC LIMIT $2"
        );
        self.all(&sql, params![ws.0, limit(most)], rows::conflict)
    }

    fn all_conflicts(&self, ws: WsNo) -> Answer<Vec<ConflictRow>> {
        let sql = format!("SELECT {CONFLICT} FROM conflicts WHERE ws = $1 ORDER BY seq");
        self.all(&sql, [ws.0], rows::conflict)
    }

    fn merge_mark(
        &self,
        stream: StreamId,
        into: &BranchName,
        key: &GraphKey,
    ) -> Answer<Option<MergeMarkRow>> {
        let sql = format!(
            "SELECT {MERGE_MARK} {MERGE_MARKS} WHERE m.stream = $1 AND m.into_branch = $2 AND m.kind = $3 AND m.key = $4"
        );
        let params = params![stream.0, into.as_str(), key_kind(key.kind()), key.text()];
        self.one(&sql, params, rows::merge_mark)
    }

    fn all_merge_marks(&self, ws: WsNo) -> Answer<Vec<MergeMarkRow>> {
        // An older store that may only be read has none.
        if self.fault(migrate::version(self.connection))? < migrate::MERGE_MARKS {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT {MERGE_MARK} {MERGE_MARKS} WHERE s.ws = $1 ORDER BY s.branch, s.doc, m.into_branch, m.kind, m.key"
        );
        self.all(&sql, [ws.0], rows::merge_mark)
    }

    fn entity(&self, ws: WsNo, id: EntityId) -> Answer<Option<EntityRow>> {
        let sql = format!("SELECT {ENTITY} FROM entities WHERE ws = $1 AND id = $2");
        self.one(&sql, params![ws.0, id.to_string()], rows::entity)
    }

    fn entities(&self, ws: WsNo, before: Seq, since: EventNo, most: usize) -> Answer<Vec<EntityRow>> {
        let sql = format!(
            "SELECT {ENTITY} FROM entities WHERE ws = $1 AND created_seq < $2 AND last_event > $3 \
             ORDER BY created_seq DESC LIMIT $4"
        );
        self.all(&sql, params![ws.0, before.0, since.0, limit(most)], rows::entity)
    }

    fn children(&self, ws: WsNo, plan: EntityId) -> Answer<Vec<EntityRow>> {
        let sql = format!("SELECT {ENTITY} FROM entities WHERE ws = $1 AND parent = $2 ORDER BY created_seq");
        self.all(&sql, params![ws.0, plan.to_string()], rows::entity)
    }

    fn open_tasks(&self, ws: WsNo, each: Each<'_, EntityRow>) -> Answer<()> {
        let sql = format!(
            "SELECT {ENTITY} FROM entities WHERE ws = $1 AND kind = 'task' AND status IN ('todo', 'active') \
             ORDER BY priority DESC, created_seq"
        );
        self.each(&sql, [ws.0], rows::entity, each)
    }

    fn tasks_at_work(&self, ws: WsNo, most: usize) -> Answer<Vec<EntityRow>> {
        let sql = format!(
            "SELECT {ENTITY} FROM entities WHERE ws = $1 AND kind = 'task' \
             AND (status IN ('active', 'blocked') OR claim IS NOT NULL) AND status NOT IN ('done', 'cancelled') \
             ORDER BY priority DESC, created_seq LIMIT $2"
        );
        self.all(&sql, params![ws.0, limit(most)], rows::entity)
    }

    fn steps(&self, ws: WsNo, task: EntityId) -> Answer<Vec<StepRow>> {
        let sql = format!("SELECT {STEP} FROM steps WHERE ws = $1 AND task = $2");
        let mut found = self.all(&sql, params![ws.0, task.to_string()], rows::step)?;
        found.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    fn task_of_step(&self, ws: WsNo, step: &StepId) -> Answer<Option<EntityId>> {
        let sql = format!("SELECT {STEP} FROM steps WHERE ws = $1 AND id = $2");
        Ok(self.one(&sql, params![ws.0, step.as_str()], rows::step)?.map(|row| row.task))
    }

    fn events(&self, ws: WsNo, after: EventNo, most: usize) -> Answer<Vec<EventRow>> {
        let sql = format!("SELECT {EVENT} FROM events WHERE ws = $1 AND no > $2 ORDER BY no LIMIT $3");
        self.all(&sql, params![ws.0, after.0, limit(most)], rows::event)
    }

    fn replay(&self, ws: WsNo, operation: &str, key: &str) -> Answer<Option<String>> {
        let sql = "SELECT answer FROM replays WHERE ws = $1 AND operation = $2 AND key = $3";
        self.one(sql, params![ws.0, operation, key], |row| row.get(0))
    }

    fn all_replays(&self, ws: WsNo) -> Answer<Vec<ReplayRow>> {
        let sql = "SELECT operation, key, answer FROM replays WHERE ws = $1 ORDER BY operation, key";
        self.all(sql, [ws.0], |row| {
            Ok(ReplayRow { operation: row.get(0)?, key: row.get(1)?, answer: row.get(2)? })
        })
    }

    fn find(&self, scan: &FindScan<'_>) -> Answer<Vec<Found>> {
        self.fault(find::find(self.connection, scan))
    }
}
