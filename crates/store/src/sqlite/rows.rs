//! Rows of the tables as values, and back.

use m1nd_memory::ids::{
    BranchName, ConflictId, DocName, EntityId, EventNo, GraphNodeId, Relation, Seq, StepId, WorkspaceId,
};
use m1nd_memory::port::{
    Base, Body, BranchRow, ConflictRow, ConflictStatus, EntityRow, EntryKind, EntryRow, EventRow, GraphKey,
    KeyKind, MergeMarkRow, Origin, Status, StepRow, StreamId, StreamKind, StreamRow, VersionRow,
    WorkspaceRow, WsNo,
};
use m1nd_stdx::clock::UnixMs;
use rusqlite::types::Type;
use rusqlite::{Result, Row};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(super) const WORKSPACE: &str =
    "ws, name, created_ms, seq, event_no, plans, tasks, branches, checkout, focus";

pub(super) fn workspace(row: &Row<'_>) -> Result<WorkspaceRow> {
    let focus: Option<String> = row.get(9)?;
    Ok(WorkspaceRow {
        no: WsNo(row.get(0)?),
        name: WorkspaceId::stored(row.get::<_, String>(1)?),
        created: UnixMs(row.get(2)?),
        seq: Seq(row.get(3)?),
        event: EventNo(row.get(4)?),
        plans: row.get(5)?,
        tasks: row.get(6)?,
        branches: row.get(7)?,
        checkout: BranchName::stored(row.get::<_, String>(8)?),
        focus: focus.map(|id| entity_id(9, &id)).transpose()?,
    })
}

pub(super) const BRANCH: &str = "ws, name, no, base_branch, base_seq, depth, created_ms";

pub(super) fn branch(row: &Row<'_>) -> Result<BranchRow> {
    let base: (Option<String>, Option<i64>) = (row.get(3)?, row.get(4)?);
    Ok(BranchRow {
        ws: WsNo(row.get(0)?),
        name: BranchName::stored(row.get::<_, String>(1)?),
        no: row.get(2)?,
        base: match base {
            (Some(branch), Some(seq)) => Some(Base { branch: BranchName::stored(branch), seq: Seq(seq) }),
            _ => None,
        },
        depth: row.get(5)?,
        created: UnixMs(row.get(6)?),
    })
}

pub(super) const STREAM: &str = "stream, ws, branch, kind, doc, first_seq";

pub(super) fn stream(row: &Row<'_>) -> Result<StreamRow> {
    let kind: i64 = row.get(3)?;
    Ok(StreamRow {
        id: StreamId(row.get(0)?),
        ws: WsNo(row.get(1)?),
        branch: BranchName::stored(row.get::<_, String>(2)?),
        kind: if kind == 0 { StreamKind::Log } else { StreamKind::Graph },
        doc: DocName::stored(row.get::<_, String>(4)?),
        first: Seq(row.get(5)?),
    })
}

pub(super) fn stream_kind(kind: StreamKind) -> i64 {
    match kind {
        StreamKind::Log => 0,
        StreamKind::Graph => 1,
    }
}

/// Goes with `FROM entries e JOIN streams s ON s.stream = e.stream`.
pub(super) const ENTRY: &str = "e.ws, e.seq, e.ts_ms, e.stream, s.branch, s.doc, e.kind, e.title, e.format, \
     e.meta, e.content, e.anchors, e.origin_branch, e.origin_seq, e.event_no, e.pinned, e.handoff";

pub(super) fn entry(row: &Row<'_>) -> Result<EntryRow> {
    Ok(EntryRow {
        ws: WsNo(row.get(0)?),
        seq: Seq(row.get(1)?),
        ts: UnixMs(row.get(2)?),
        stream: StreamId(row.get(3)?),
        branch: BranchName::stored(row.get::<_, String>(4)?),
        doc: DocName::stored(row.get::<_, String>(5)?),
        kind: match row.get_ref(6)?.as_str()? {
            "note" => EntryKind::Note,
            "event" => EntryKind::Event,
            _ => EntryKind::Commit,
        },
        title: row.get(7)?,
        format: row.get(8)?,
        meta: json(row, 9)?,
        content: row.get(10)?,
        anchors: json(row, 11)?.unwrap_or_default(),
        origin: origin(row, 12)?,
        event: row.get::<_, Option<i64>>(14)?.map(EventNo),
        pinned: row.get(15)?,
        handoff: row.get(16)?,
    })
}

pub(super) fn entry_kind(kind: EntryKind) -> &'static str {
    match kind {
        EntryKind::Note => "note",
        EntryKind::Event => "event",
        EntryKind::Commit => "commit",
    }
}

/// Goes with `FROM versions v JOIN streams s ON s.stream = v.stream`.
pub(super) const VERSION: &str = "v.ws, v.seq, v.next_seq, v.ts_ms, v.stream, s.branch, s.doc, v.kind, v.key, \
     v.from_id, v.rel, v.to_id, v.deleted, v.type, v.title, v.body, v.status, v.tags, v.meta, v.valid_to_ms, \
     v.anchors, v.origin_branch, v.origin_seq";

/// Where of these columns the texts of a node are: its id, title and text.
pub(super) const VERSION_TEXTS: [usize; 3] = [8, 14, 15];

pub(super) fn version(row: &Row<'_>) -> Result<VersionRow> {
    Ok(VersionRow {
        ws: WsNo(row.get(0)?),
        seq: Seq(row.get(1)?),
        next: Seq(row.get(2)?),
        ts: UnixMs(row.get(3)?),
        stream: StreamId(row.get(4)?),
        branch: BranchName::stored(row.get::<_, String>(5)?),
        doc: DocName::stored(row.get::<_, String>(6)?),
        key: key(row, 7)?,
        deleted: row.get(12)?,
        body: Body {
            type_: row.get(13)?,
            title: row.get(14)?,
            text: row.get(15)?,
            status: row.get(16)?,
            tags: json(row, 17)?.unwrap_or_default(),
            meta: json(row, 18)?,
            valid_to: row.get::<_, Option<i64>>(19)?.map(UnixMs),
            anchors: json(row, 20)?.unwrap_or_default(),
        },
        origin: origin(row, 21)?,
    })
}

/// Five columns: kind, key, from_id, rel, to_id.
fn key(row: &Row<'_>, at: usize) -> Result<GraphKey> {
    let kind: i64 = row.get(at)?;
    if kind == 0 {
        return Ok(GraphKey::Node(GraphNodeId::stored(row.get::<_, String>(at + 1)?)));
    }
    Ok(GraphKey::Edge {
        from: GraphNodeId::stored(row.get::<_, String>(at + 2)?),
        rel: Relation::stored(row.get::<_, String>(at + 3)?),
        to: GraphNodeId::stored(row.get::<_, String>(at + 4)?),
    })
}

pub(super) fn key_kind(kind: KeyKind) -> i64 {
    match kind {
        KeyKind::Node => 0,
        KeyKind::Edge => 1,
    }
}

/// The ends and the relation of an edge.
pub(super) fn edge_parts(key: &GraphKey) -> [Option<&str>; 3] {
    match key {
        GraphKey::Node(_) => [None; 3],
        GraphKey::Edge { from, rel, to } => [Some(from.as_str()), Some(rel.as_str()), Some(to.as_str())],
    }
}

pub(super) const CONFLICT: &str = "ws, id, seq, doc, from_branch, into_branch, kind, key, from_id, rel, to_id, \
     base, theirs, ours, theirs_seq, ours_seq, status, resolution, created_ms, resolved_ms";

pub(super) fn conflict(row: &Row<'_>) -> Result<ConflictRow> {
    Ok(ConflictRow {
        ws: WsNo(row.get(0)?),
        id: ConflictId::stored(row.get::<_, String>(1)?),
        seq: Seq(row.get(2)?),
        doc: DocName::stored(row.get::<_, String>(3)?),
        from: BranchName::stored(row.get::<_, String>(4)?),
        into: BranchName::stored(row.get::<_, String>(5)?),
        key: key(row, 6)?,
        base: json(row, 11)?,
        theirs: json(row, 12)?,
        ours: json(row, 13)?,
        theirs_seq: Seq(row.get(14)?),
        ours_seq: row.get::<_, Option<i64>>(15)?.map(Seq),
        status: match row.get_ref(16)?.as_str()? {
            "open" => ConflictStatus::Open,
            _ => ConflictStatus::Resolved,
        },
        resolution: row.get(17)?,
        created: UnixMs(row.get(18)?),
        resolved: row.get::<_, Option<i64>>(19)?.map(UnixMs),
    })
}

pub(super) fn conflict_status(status: ConflictStatus) -> &'static str {
    match status {
        ConflictStatus::Open => "open",
        ConflictStatus::Resolved => "resolved",
    }
}

/// Goes with `FROM merge_marks m JOIN streams s ON s.stream = m.stream`.
pub(super) const MERGE_MARK: &str = "s.ws, m.stream, s.branch, s.doc, m.into_branch, m.kind, m.key, m.from_id, m.rel, \
     m.to_id, m.agreed_seq, m.refused_seq";

pub(super) fn merge_mark(row: &Row<'_>) -> Result<MergeMarkRow> {
    Ok(MergeMarkRow {
        ws: WsNo(row.get(0)?),
        stream: StreamId(row.get(1)?),
        from: BranchName::stored(row.get::<_, String>(2)?),
        doc: DocName::stored(row.get::<_, String>(3)?),
        into: BranchName::stored(row.get::<_, String>(4)?),
        key: key(row, 5)?,
        agreed: row.get::<_, Option<i64>>(10)?.map(Seq),
        refused: row.get::<_, Option<i64>>(11)?.map(Seq),
    })
}

pub(super) const ENTITY: &str = "ws, id, parent, title, description, contract, contract_data, status, priority, \
     depends_on, anchors, revision, created_seq, created_ms, updated_ms, last_event, claim, fence";

pub(super) fn entity(row: &Row<'_>) -> Result<EntityRow> {
    let parent: Option<String> = row.get(2)?;
    let status = row.get_ref(7)?.as_str()?;
    Ok(EntityRow {
        ws: WsNo(row.get(0)?),
        id: entity_id(1, row.get_ref(1)?.as_str()?)?,
        parent: parent.map(|id| entity_id(2, &id)).transpose()?,
        title: row.get(3)?,
        description: row.get(4)?,
        contract: row.get(5)?,
        contract_data: json(row, 6)?,
        status: Status::parse(status).ok_or_else(|| unreadable(7, format!("status {status}")))?,
        priority: row.get(8)?,
        depends_on: json(row, 9)?.unwrap_or_default(),
        anchors: json(row, 10)?.unwrap_or_default(),
        revision: row.get(11)?,
        created_seq: Seq(row.get(12)?),
        created: UnixMs(row.get(13)?),
        updated: UnixMs(row.get(14)?),
        last_event: EventNo(row.get(15)?),
        claim: json(row, 16)?,
        fence: row.get(17)?,
    })
}

pub(super) const STEP: &str = "ws, id, task, parent, path, title, success_criteria, tests, blockers, criteria, \
     tests_passed, completed_ms";

pub(super) fn step(row: &Row<'_>) -> Result<StepRow> {
    let path = row.get_ref(4)?.as_str()?;
    let numbers = path.split('.').map(|at| at.parse().map_err(|_| unreadable(4, format!("path {path}"))));
    Ok(StepRow {
        ws: WsNo(row.get(0)?),
        id: StepId::stored(row.get::<_, String>(1)?),
        task: entity_id(2, row.get_ref(2)?.as_str()?)?,
        parent: row.get::<_, Option<String>>(3)?.map(StepId::stored),
        path: numbers.collect::<Result<Vec<u32>>>()?,
        title: row.get(5)?,
        success_criteria: json(row, 6)?.unwrap_or_default(),
        tests: json(row, 7)?.unwrap_or_default(),
        blockers: json(row, 8)?.unwrap_or_default(),
        criteria: json(row, 9)?.unwrap_or_default(),
        tests_passed: json(row, 10)?.unwrap_or_default(),
        completed: row.get::<_, Option<i64>>(11)?.map(UnixMs),
    })
}

pub(super) fn step_path(path: &[u32]) -> String {
    path.iter().map(u32::to_string).collect::<Vec<_>>().join(".")
}

pub(super) const EVENT: &str = "ws, no, ts_ms, entity, path, type, payload";

pub(super) fn event(row: &Row<'_>) -> Result<EventRow> {
    Ok(EventRow {
        ws: WsNo(row.get(0)?),
        no: EventNo(row.get(1)?),
        ts: UnixMs(row.get(2)?),
        entity: entity_id(3, row.get_ref(3)?.as_str()?)?,
        path: row.get(4)?,
        type_: row.get(5)?,
        payload: json(row, 6)?.unwrap_or_default(),
    })
}

/// Two columns: origin_branch, origin_seq.
fn origin(row: &Row<'_>, at: usize) -> Result<Option<Origin>> {
    let seq: Option<i64> = row.get(at + 1)?;
    let branch: Option<String> = row.get(at)?;
    Ok(branch.zip(seq).map(|(branch, seq)| Origin { branch: BranchName::stored(branch), seq: Seq(seq) }))
}

fn entity_id(column: usize, text: &str) -> Result<EntityId> {
    EntityId::parse("id", text).map_err(|err| unreadable(column, err.to_string()))
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<Option<T>> {
    match row.get_ref(column)?.as_str_or_null()? {
        None => Ok(None),
        Some(text) => serde_json::from_str(text).map(Some).map_err(|err| unreadable(column, err.to_string())),
    }
}

fn unreadable(column: usize, detail: String) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, detail.into())
}

/// A value as JSON text.
pub(super) fn text<T: Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|err| rusqlite::Error::ToSqlConversionFailure(Box::new(err)))
}

/// A value as JSON text, if there is one.
pub(super) fn some_text<T: Serialize>(value: Option<&T>) -> Result<Option<String>> {
    value.map(text).transpose()
}

/// A list as JSON text; an empty one is nothing.
pub(super) fn list<T: Serialize>(items: &[T]) -> Result<Option<String>> {
    if items.is_empty() { Ok(None) } else { text(&items).map(Some) }
}
