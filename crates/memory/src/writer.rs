//! One write: the head row, the numbers it gives out, and the answer it is remembered by.

use m1nd_stdx::clock::UnixMs;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, EventNo, Seq, WorkspaceId};
use crate::port::{
    self, AnchorRow, Body, BranchRow, EntryKind, EntryRow, FindKind, FindRow, GraphKey, Object, Origin, Rows,
    StreamKind, Tx, Verdict, VersionRow, WorkspaceRow, WsNo,
};
use crate::ports::Ports;
use crate::search::index_text;
use crate::secrets::{self, Sensitive};

/// An open write to one workspace.
pub(crate) struct Writer<'t> {
    pub(crate) tx: &'t mut dyn Tx,
    pub(crate) ws: WorkspaceRow,
    pub(crate) now: UnixMs,
    /// Somebody else's claim that this write passes by; its event says so.
    pub(crate) passed_by: Option<PassedBy>,
}

/// A claim whose token a change did not carry.
#[derive(Clone, Debug)]
pub(crate) struct PassedBy {
    pub(crate) agent: String,
    pub(crate) until: String,
}

/// Whether a write has anything to keep.
pub(crate) enum Outcome<T> {
    Keep(T),
    /// Nothing was written, or what was written was a rehearsal.
    Discard(T),
}

/// How a write is called, so that the same key gives the same answer.
pub(crate) struct Once<'a> {
    pub(crate) operation: &'static str,
    pub(crate) key: Option<&'a str>,
}

impl Once<'_> {
    /// A write without an idempotency key.
    pub(crate) fn plain(operation: &'static str) -> Self {
        Self { operation, key: None }
    }
}

/// Runs `work` in one transaction on a workspace, which comes into being with its first write.
pub(crate) fn write<T: Serialize + DeserializeOwned>(
    ports: &Ports<'_>,
    workspace: &WorkspaceId,
    once: &Once<'_>,
    mut work: impl FnMut(&mut Writer<'_>) -> Result<Outcome<T>, MemoryError>,
) -> Result<T, MemoryError> {
    check_key(once.key)?;
    let now = ports.clock.now();
    port::write(ports.store, |tx| {
        let ws = match tx.workspace(workspace)? {
            Some(ws) => ws,
            None => create(tx, workspace, now)?,
        };
        if let Some(key) = once.key
            && let Some(answer) = tx.replay(ws.no, once.operation, key)?
        {
            return Ok((Verdict::Discard, replayed(&answer)?));
        }
        let mut writer = Writer { tx, ws, now, passed_by: None };
        match work(&mut writer)? {
            Outcome::Discard(value) => Ok((Verdict::Discard, value)),
            Outcome::Keep(value) => {
                if let Some(key) = once.key {
                    writer.tx.put_replay(writer.ws.no, once.operation, key, &answer_text(&value)?)?;
                }
                writer.tx.put_workspace(&writer.ws)?;
                Ok((Verdict::Keep, value))
            }
        }
    })
}

/// The head row of a workspace; one that nothing was written to looks like a new one.
pub(crate) fn workspace(rows: &dyn Rows, name: &WorkspaceId) -> Result<WorkspaceRow, MemoryError> {
    Ok(rows.workspace(name)?.unwrap_or_else(|| WorkspaceRow::new(WsNo(0), name, UnixMs(0))))
}

/// What is said by a new entry, apart from where it goes.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) kind: EntryKind,
    pub(crate) title: Option<String>,
    pub(crate) format: Option<String>,
    pub(crate) meta: Option<Object>,
    pub(crate) content: String,
    pub(crate) anchors: Vec<AnchorRow>,
    pub(crate) origin: Option<Origin>,
    pub(crate) event: Option<EventNo>,
}

impl NewEntry {
    pub(crate) fn note(content: String) -> Self {
        Self {
            kind: EntryKind::Note,
            title: None,
            format: None,
            meta: None,
            content,
            anchors: Vec::new(),
            origin: None,
            event: None,
        }
    }
}

/// Whether full text search finds an entry by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Findable {
    Yes,
    /// Something else stands for it: the original of a copy, the node of a card, the task of an event.
    No,
}

impl Writer<'_> {
    /// The next number of the workspace's clock.
    pub(crate) fn tick(&mut self) -> Seq {
        self.ws.seq = Seq(self.ws.seq.0 + 1);
        self.ws.seq
    }

    pub(crate) fn append(
        &mut self,
        branch: &BranchName,
        doc: &DocName,
        new: NewEntry,
        findable: Findable,
    ) -> Result<EntryRow, MemoryError> {
        let seq = self.tick();
        let stream = self.tx.open_stream(self.ws.no, branch, doc, StreamKind::Log, seq)?;
        let flag = |name: &str| {
            let value = new.meta.as_ref().and_then(|meta| meta.get(name));
            value.and_then(serde_json::Value::as_bool).unwrap_or(false)
        };
        let row = EntryRow {
            ws: self.ws.no,
            seq,
            ts: self.now,
            stream: stream.id,
            branch: branch.clone(),
            doc: doc.clone(),
            kind: new.kind,
            pinned: flag("pinned"),
            handoff: flag("handoff"),
            title: new.title,
            format: new.format,
            meta: new.meta,
            content: new.content,
            anchors: new.anchors,
            origin: new.origin,
            event: new.event,
        };
        self.tx.put_entry(&row)?;
        if findable == Findable::Yes {
            index_note(self.tx, &row)?;
        }
        Ok(row)
    }

    pub(crate) fn put_version(
        &mut self,
        branch: &BranchName,
        doc: &DocName,
        key: &GraphKey,
        state: NewVersion,
    ) -> Result<VersionRow, MemoryError> {
        let seq = self.tick();
        let stream = self.tx.open_stream(self.ws.no, branch, doc, StreamKind::Graph, seq)?;
        let row = VersionRow {
            ws: self.ws.no,
            seq,
            next: Seq::END,
            ts: self.now,
            stream: stream.id,
            branch: branch.clone(),
            doc: doc.clone(),
            key: key.clone(),
            deleted: state.deleted,
            body: state.body,
            origin: state.origin,
        };
        self.tx.put_version(&row)?;
        self.index_card(&row)?;
        Ok(row)
    }
}

impl Writer<'_> {
    fn index_card(&mut self, row: &VersionRow) -> Result<(), MemoryError> {
        index_card(self.tx, row)
    }
}

/// A card is found by its id, its tags and its newest text, on every branch that has its own copy of it.
pub(crate) fn index_card(tx: &mut dyn Tx, row: &VersionRow) -> Result<(), MemoryError> {
    let GraphKey::Node(id) = &row.key else {
        return Ok(());
    };
    if !crate::think::is_card_type(&row.body.type_) {
        return Ok(());
    }
    let reference = format!("{}:{id}", row.stream.0);
    if row.deleted {
        tx.drop_find(row.ws, FindKind::Card, &reference)?;
        return Ok(());
    }
    tx.put_find(&FindRow {
        ws: row.ws,
        kind: FindKind::Card,
        reference,
        seq: row.seq,
        ts: row.ts,
        title: index_text(&format!("{} {id}", row.body.title.as_deref().unwrap_or_default())),
        body: index_text(&format!(
            "{}\n{}",
            row.body.text.as_deref().unwrap_or_default(),
            row.body.tags.join(" ")
        )),
    })?;
    Ok(())
}

/// A note is found by its own text.
pub(crate) fn index_note(tx: &mut dyn Tx, row: &EntryRow) -> Result<(), MemoryError> {
    tx.put_find(&FindRow {
        ws: row.ws,
        kind: FindKind::Note,
        reference: row.seq.to_string(),
        seq: row.seq,
        ts: row.ts,
        title: index_text(row.title.as_deref().unwrap_or_default()),
        body: index_text(&row.content),
    })?;
    Ok(())
}

/// Whether nothing else stands for an entry: no task for an event, no original for a copy, no node for a card.
pub(crate) fn is_found_by_itself(row: &EntryRow) -> bool {
    row.kind != EntryKind::Event && row.origin.is_none() && row.format.as_deref() != Some("card")
}

/// What a new version says.
#[derive(Clone, Debug)]
pub(crate) struct NewVersion {
    pub(crate) deleted: bool,
    pub(crate) body: Body,
    pub(crate) origin: Option<Origin>,
}

fn create(tx: &mut dyn Tx, name: &WorkspaceId, now: UnixMs) -> Result<WorkspaceRow, MemoryError> {
    // Other answers name it.
    secrets::refuse("workspace", name.as_str())?;
    let mut ws = tx.create_workspace(name, now.0)?;
    ws.branches = 1;
    tx.put_branch(&BranchRow {
        ws: ws.no,
        name: BranchName::main(),
        no: 1,
        base: None,
        depth: 0,
        created: now,
    })?;
    Ok(ws)
}

/// The longest idempotency key, in bytes.
const MAX_KEY: usize = 256;

fn check_key(key: Option<&str>) -> Result<(), MemoryError> {
    match key {
        Some(key) if key.trim().is_empty() || key.len() > MAX_KEY => {
            Err(MemoryError::invalid("idempotency_key", format!("is empty or longer than {MAX_KEY} bytes")))
        }
        Some(key) => Sensitive::Refused.check("idempotency_key", key),
        None => Ok(()),
    }
}

fn answer_text<T: Serialize>(value: &T) -> Result<String, MemoryError> {
    serde_json::to_string(value).map_err(|err| engine(&err))
}

/// The first answer again, marked as such.
fn replayed<T: DeserializeOwned>(answer: &str) -> Result<T, MemoryError> {
    let mut object: Object = serde_json::from_str(answer).map_err(|err| engine(&err))?;
    object.insert("replayed".to_owned(), serde_json::Value::Bool(true));
    serde_json::from_value(serde_json::Value::Object(object)).map_err(|err| engine(&err))
}

fn engine(err: &serde_json::Error) -> MemoryError {
    MemoryError::Store(crate::error::StoreError::Engine { detail: err.to_string() })
}
