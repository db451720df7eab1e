//! The port to a store: rows and a transaction, nothing that decides.

mod rows;

use std::ops::ControlFlow;

pub use rows::*;

use crate::error::{MemoryError, StoreError};
use crate::ids::{BranchName, ConflictId, DocName, EntityId, EventNo, GraphNodeId, Seq, StepId, WorkspaceId};

/// What a row method answers.
pub type Answer<T> = Result<T, StoreError>;

/// Where memory is kept. Several processes may hold the same one open.
pub trait Store: Send + Sync {
    /// Runs `work` once, on one consistent state.
    fn read(&self, work: &mut dyn FnMut(&dyn Rows) -> Result<(), MemoryError>) -> Result<(), MemoryError>;

    /// Runs `work` alone among writers; all of it is kept or none. A store may run it again, so it must not
    /// add to what it captured.
    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Tx) -> Result<Verdict, MemoryError>,
    ) -> Result<(), MemoryError>;

    /// Where the data lies, for people.
    fn place(&self) -> String;

    fn schema_version(&self) -> u32;
}

/// Whether a transaction is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Keep,
    Discard,
}

/// [`Store::read`] with a result.
pub fn read<T>(
    store: &dyn Store,
    mut work: impl FnMut(&dyn Rows) -> Result<T, MemoryError>,
) -> Result<T, MemoryError> {
    let mut out = None;
    store.read(&mut |rows| {
        out = Some(work(rows)?);
        Ok(())
    })?;
    out.ok_or_else(|| not_run().into())
}

/// [`Store::write`] with a result.
pub fn write<T>(
    store: &dyn Store,
    mut work: impl FnMut(&mut dyn Tx) -> Result<(Verdict, T), MemoryError>,
) -> Result<T, MemoryError> {
    let mut out = None;
    store.write(&mut |tx| {
        let (verdict, value) = work(tx)?;
        out = Some(value);
        Ok(verdict)
    })?;
    out.ok_or_else(|| not_run().into())
}

fn not_run() -> StoreError {
    StoreError::Engine { detail: "the store did not run the transaction".to_owned() }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    NewestFirst,
    OldestFirst,
}

/// Entries of one stream with `after < seq <= upto`.
#[derive(Clone, Copy, Debug)]
pub struct EntryScan {
    pub stream: StreamId,
    pub after: Seq,
    pub upto: Seq,
    pub order: Order,
    /// Only this kind.
    pub kind: Option<EntryKind>,
    pub limit: usize,
}

/// The versions of one stream that were the latest of their key at `as_of`, with `after < seq <= upto`.
#[derive(Clone, Copy, Debug)]
pub struct VersionScan<'a> {
    pub stream: StreamId,
    pub as_of: Seq,
    pub after: Seq,
    pub upto: Seq,
    pub kind: Option<KeyKind>,
    /// Only nodes of this type.
    pub type_: Option<&'a str>,
    /// Only nodes whose id, title or text holds this; lower case.
    pub text: Option<&'a str>,
    pub order: Order,
}

/// Which end of an edge a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    From,
    To,
}

/// Conflicts of one destination, newest first, with `seq < before`.
#[derive(Clone, Copy, Debug)]
pub struct ConflictScan<'a> {
    pub ws: WsNo,
    pub into: &'a BranchName,
    pub doc: Option<&'a DocName>,
    pub status: Option<ConflictStatus>,
    pub before: Seq,
    pub limit: usize,
}

/// Whether a text must hold all words or any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    All,
    Any,
}

/// A term that a full text question asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub word: String,
    /// Terms that begin with this fit too; the word itself counts for more.
    pub beginning: Option<String>,
}

impl Wanted {
    /// Whether a term of a text is what is asked for.
    pub fn fits(&self, term: &str) -> bool {
        term == self.word || self.beginning.as_ref().is_some_and(|beginning| term.starts_with(beginning))
    }
}

/// A full text question; terms hold letters and digits only.
#[derive(Clone, Copy, Debug)]
pub struct FindScan<'a> {
    pub ws: WsNo,
    pub words: &'a [Wanted],
    pub matching: Match,
    pub kinds: &'a [FindKind],
    pub since: Option<i64>,
    pub skip: usize,
    pub limit: usize,
}

/// A row that full text search found, best first.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub kind: FindKind,
    pub reference: String,
    pub seq: Seq,
    /// Higher is better; comparable inside one answer only.
    pub score: f64,
}

/// Called for each row until it breaks off.
pub type Each<'a, T> = &'a mut dyn FnMut(T) -> ControlFlow<()>;

/// Called with the text of a key and whether it is deleted, until it breaks off.
pub type EachKey<'a> = &'a mut dyn FnMut(&str, bool) -> ControlFlow<()>;

/// Reading. Every list comes in the order that its name or scan says.
pub trait Rows {
    fn workspace(&self, name: &WorkspaceId) -> Answer<Option<WorkspaceRow>>;
    fn workspaces(&self) -> Answer<Vec<WorkspaceRow>>;

    fn branch(&self, ws: WsNo, name: &BranchName) -> Answer<Option<BranchRow>>;
    /// Newest first, with `no < before`.
    fn branches(&self, ws: WsNo, before: i64, limit: usize) -> Answer<Vec<BranchRow>>;

    fn stream(
        &self,
        ws: WsNo,
        branch: &BranchName,
        doc: &DocName,
        kind: StreamKind,
    ) -> Answer<Option<StreamRow>>;
    /// By document name.
    fn streams(&self, ws: WsNo, branch: &BranchName, kind: StreamKind) -> Answer<Vec<StreamRow>>;

    fn entry(&self, ws: WsNo, seq: Seq) -> Answer<Option<EntryRow>>;
    fn entries(&self, scan: &EntryScan) -> Answer<Vec<EntryRow>>;
    /// The streams that hold a copy of the entry `origin`, each with the number of the copy.
    fn copies(&self, ws: WsNo, origin: Seq) -> Answer<Vec<(StreamId, Seq)>>;
    /// Notes that are marked so, over all branches, newest first.
    fn marked(&self, ws: WsNo, mark: Mark, each: Each<'_, EntryRow>) -> Answer<()>;
    /// Entries with anchors of one stream with `after < seq <= upto`, newest first.
    fn anchored_entries(
        &self,
        stream: StreamId,
        after: Seq,
        upto: Seq,
        limit: usize,
    ) -> Answer<Vec<EntryRow>>;
    /// All entries, oldest first.
    fn all_entries(&self, ws: WsNo, after: Seq, limit: usize) -> Answer<Vec<EntryRow>>;

    /// The latest version of a key in one stream with `seq <= upto`.
    fn version_at(&self, stream: StreamId, key: &GraphKey, upto: Seq) -> Answer<Option<VersionRow>>;
    fn versions(&self, scan: &VersionScan<'_>, each: Each<'_, VersionRow>) -> Answer<()>;
    /// The texts of the keys of the same versions, and whether each is a tombstone.
    fn keys(&self, scan: &VersionScan<'_>, each: EachKey<'_>) -> Answer<()>;
    /// Edges at a node that were the latest of their key at `as_of`, by number.
    fn edges_at(&self, stream: StreamId, node: &GraphNodeId, end: End, as_of: Seq)
    -> Answer<Vec<VersionRow>>;
    /// All versions, oldest first.
    fn all_versions(&self, ws: WsNo, after: Seq, limit: usize) -> Answer<Vec<VersionRow>>;
    /// Live nodes with anchors of one stream as they stood at `as_of`, newest first.
    fn anchored_nodes(&self, stream: StreamId, as_of: Seq, limit: usize) -> Answer<Vec<VersionRow>>;
    /// Live nodes of a type at the tip of every branch, newest first.
    fn newest_of_type(&self, ws: WsNo, type_: &str, each: Each<'_, VersionRow>) -> Answer<()>;
    /// Live nodes with a tag at the tip of every branch, newest first.
    fn newest_with_tag(&self, ws: WsNo, tag: &str, each: Each<'_, VersionRow>) -> Answer<()>;

    fn conflict(&self, ws: WsNo, id: &ConflictId) -> Answer<Option<ConflictRow>>;
    fn conflicts(&self, scan: &ConflictScan<'_>) -> Answer<Vec<ConflictRow>>;
    /// Open conflicts of every destination, newest first.
    fn open_conflicts(&self, ws: WsNo, limit: usize) -> Answer<Vec<ConflictRow>>;
    /// All conflicts, oldest first.
    fn all_conflicts(&self, ws: WsNo) -> Answer<Vec<ConflictRow>>;

    /// How merges of a branch into `into` left a key; `stream` is what the merged branch wrote itself.
    fn merge_mark(&self, stream: StreamId, into: &BranchName, key: &GraphKey)
    -> Answer<Option<MergeMarkRow>>;
    /// All of them, by branch, document, destination and key.
    fn all_merge_marks(&self, ws: WsNo) -> Answer<Vec<MergeMarkRow>>;

    fn entity(&self, ws: WsNo, id: EntityId) -> Answer<Option<EntityRow>>;
    /// Newest first, with `created_seq < before`, and changed after the event `since`.
    fn entities(&self, ws: WsNo, before: Seq, since: EventNo, limit: usize) -> Answer<Vec<EntityRow>>;
    /// The tasks of a plan, oldest first.
    fn children(&self, ws: WsNo, plan: EntityId) -> Answer<Vec<EntityRow>>;
    /// Open tasks, most urgent first, then oldest.
    fn open_tasks(&self, ws: WsNo, each: Each<'_, EntityRow>) -> Answer<()>;
    /// Unfinished tasks that are active, blocked or were claimed, most urgent first, then oldest.
    fn tasks_at_work(&self, ws: WsNo, limit: usize) -> Answer<Vec<EntityRow>>;
    /// The steps of a task, by path.
    fn steps(&self, ws: WsNo, task: EntityId) -> Answer<Vec<StepRow>>;
    /// The task that a step belongs to.
    fn task_of_step(&self, ws: WsNo, step: &StepId) -> Answer<Option<EntityId>>;
    /// Oldest first, with `no > after`.
    fn events(&self, ws: WsNo, after: EventNo, limit: usize) -> Answer<Vec<EventRow>>;

    /// The answer that was given under an idempotency key.
    fn replay(&self, ws: WsNo, operation: &str, key: &str) -> Answer<Option<String>>;
    /// All answers that were given under a key, by operation and key.
    fn all_replays(&self, ws: WsNo) -> Answer<Vec<ReplayRow>>;

    /// Best first. A store may rank the newest texts before older ones where very many fit, and leave out those that
    /// hold any of the words but only such as very many texts hold.
    fn find(&self, scan: &FindScan<'_>) -> Answer<Vec<Found>>;
}

/// What a note can be marked as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Pinned,
    Handoff,
    /// Neither: what a person or an agent wrote down that is no card.
    Plain,
}

/// Writing, inside one transaction.
pub trait Tx: Rows {
    /// The rows as they stand inside the transaction.
    fn rows(&self) -> &dyn Rows;

    /// A new workspace with its number; counters start at zero.
    fn create_workspace(&mut self, name: &WorkspaceId, now_ms: i64) -> Answer<WorkspaceRow>;
    fn put_workspace(&mut self, row: &WorkspaceRow) -> Answer<()>;
    fn put_branch(&mut self, row: &BranchRow) -> Answer<()>;
    /// The stream, made if it is not there; `first` is the number about to be written.
    fn open_stream(
        &mut self,
        ws: WsNo,
        branch: &BranchName,
        doc: &DocName,
        kind: StreamKind,
        first: Seq,
    ) -> Answer<StreamRow>;
    fn put_entry(&mut self, row: &EntryRow) -> Answer<()>;
    /// Adds a version and closes the one before it on the same branch.
    fn put_version(&mut self, row: &VersionRow) -> Answer<()>;
    /// Adds a conflict, or replaces the one of the same id.
    fn put_conflict(&mut self, row: &ConflictRow) -> Answer<()>;
    /// Adds a merge mark, or replaces the one over the same key.
    fn put_merge_mark(&mut self, row: &MergeMarkRow) -> Answer<()>;
    fn put_entity(&mut self, row: &EntityRow) -> Answer<()>;
    fn put_step(&mut self, row: &StepRow) -> Answer<()>;
    fn put_event(&mut self, row: &EventRow) -> Answer<()>;
    fn put_replay(&mut self, ws: WsNo, operation: &str, key: &str, answer: &str) -> Answer<()>;
    fn put_find(&mut self, row: &FindRow) -> Answer<()>;
    /// Makes a text unfindable.
    fn drop_find(&mut self, ws: WsNo, kind: FindKind, reference: &str) -> Answer<()>;
}
