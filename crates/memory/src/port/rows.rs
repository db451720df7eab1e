//! The rows that a store keeps, as plain values; written out, they leave away the numbers of one store.

use m1nd_stdx::clock::UnixMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ids::{
    BranchName, ConflictId, DocName, EntityId, EventNo, GraphNodeId, Relation, Seq, StepId, WorkspaceId,
};

/// A JSON object as it was given.
pub type Object = serde_json::Map<String, serde_json::Value>;

/// A workspace's number inside one store; 0 is a workspace that nothing was written to yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WsNo(pub i64);

/// The head row of a workspace: every order in it comes from here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkspaceRow {
    #[serde(skip)]
    pub no: WsNo,
    pub name: WorkspaceId,
    pub created: UnixMs,
    /// The newest number given out.
    pub seq: Seq,
    pub event: EventNo,
    pub plans: i64,
    pub tasks: i64,
    pub branches: i64,
    pub checkout: BranchName,
    pub focus: Option<EntityId>,
}

impl WorkspaceRow {
    /// A workspace that nothing was written to yet.
    pub fn new(no: WsNo, name: &WorkspaceId, created: UnixMs) -> Self {
        Self {
            no,
            name: name.clone(),
            created,
            seq: Seq::ZERO,
            event: EventNo(0),
            plans: 0,
            tasks: 0,
            branches: 0,
            checkout: BranchName::main(),
            focus: None,
        }
    }
}

/// A branch and where it was cut off its base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BranchRow {
    #[serde(skip)]
    pub ws: WsNo,
    pub name: BranchName,
    /// Order of creation, from 1.
    pub no: i64,
    pub base: Option<Base>,
    /// How many bases lie below.
    pub depth: u32,
    pub created: UnixMs,
}

/// Where a branch starts. The cutoff is inclusive: the entry at `seq` belongs to the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Base {
    pub branch: BranchName,
    pub seq: Seq,
}

/// One branch's own part of one document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub i64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StreamKind {
    /// Entries: notes, events, commits.
    Log,
    /// Versions of nodes and edges.
    Graph,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StreamRow {
    pub id: StreamId,
    pub ws: WsNo,
    pub branch: BranchName,
    pub doc: DocName,
    pub kind: StreamKind,
    /// The number of the first row written to it.
    pub first: Seq,
}

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// Written by a person or an agent.
    Note,
    /// Written by the machine: a task mutation.
    Event,
    /// A named point in the history of a branch.
    Commit,
}

/// The entry that a merged note is a copy of: the first one, whatever the route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The branch the note was first written to.
    pub branch: BranchName,
    /// Its number there.
    pub seq: Seq,
}

/// A row of an append-only log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntryRow {
    #[serde(skip)]
    pub ws: WsNo,
    pub seq: Seq,
    pub ts: UnixMs,
    #[serde(skip)]
    pub stream: StreamId,
    pub branch: BranchName,
    pub doc: DocName,
    pub kind: EntryKind,
    pub title: Option<String>,
    pub format: Option<String>,
    pub meta: Option<Object>,
    pub content: String,
    pub anchors: Vec<AnchorRow>,
    pub origin: Option<Origin>,
    /// The task event that this entry records.
    pub event: Option<EventNo>,
    /// Never what a briefing drops.
    pub pinned: bool,
    /// Written by an agent for the one who follows.
    pub handoff: bool,
}

impl EntryRow {
    /// The number of the note that this is a copy of, or its own.
    pub fn original(&self) -> Seq {
        self.origin.as_ref().map_or(self.seq, |origin| origin.seq)
    }

    /// Whether this is a note that no mark makes stay, and no card.
    pub fn is_plain(&self) -> bool {
        self.kind == EntryKind::Note
            && !self.pinned
            && !self.handoff
            && self.format.as_deref() != Some("card")
    }
}

/// A place in the code, and what it held when it was written down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnchorRow {
    pub at: AnchorAt,
    /// Absent when the code could not be looked at.
    pub hash: Option<String>,
    /// For lines: which of the places of the file that held the same text was meant. Absent for other anchors and for
    /// those that were written before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copy: Option<CopyRow>,
}

/// One of the places of a file that hold the same lines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CopyRow {
    /// From 1, from the top.
    pub which: u32,
    /// How many there were.
    pub of: u32,
    /// Hashes of the lines before, the nearest first.
    pub before: Vec<String>,
    /// The same of the lines after.
    pub after: Vec<String>,
    /// How many of the lines before, and of those after, another of the places had as well.
    pub shared: (u32, u32),
    /// The hash of what enclosed it, empty if nothing did. Rows of older versions do not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// How many of the lines before another of the places had that the same enclosed; nothing if there was none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnchorAt {
    Node { node_id: String },
    Path { path: String, lines: Option<(u32, u32)> },
}

/// What identifies a node or an edge inside a graph document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GraphKey {
    Node(GraphNodeId),
    Edge { from: GraphNodeId, rel: Relation, to: GraphNodeId },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyKind {
    Node,
    Edge,
}

impl GraphKey {
    pub fn kind(&self) -> KeyKind {
        match self {
            Self::Node(_) => KeyKind::Node,
            Self::Edge { .. } => KeyKind::Edge,
        }
    }

    /// The key as one text; the bar is reserved, so that no two keys share one.
    pub fn text(&self) -> String {
        match self {
            Self::Node(id) => id.as_str().to_owned(),
            Self::Edge { from, rel, to } => format!("{from}|{rel}|{to}"),
        }
    }
}

/// What a version says, apart from its key.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Body {
    /// The node's type; empty for an edge.
    pub type_: String,
    pub title: Option<String>,
    pub text: Option<String>,
    pub status: Option<String>,
    /// Normalised: lower case, sorted, each once.
    pub tags: Vec<String>,
    pub meta: Option<Object>,
    /// When a newer card took this one's place.
    pub valid_to: Option<UnixMs>,
    pub anchors: Vec<AnchorRow>,
}

/// One version of a node or an edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VersionRow {
    #[serde(skip)]
    pub ws: WsNo,
    pub seq: Seq,
    /// The number of the version that took its place on the same branch, or [`Seq::END`].
    #[serde(skip, default = "Seq::end")]
    pub next: Seq,
    pub ts: UnixMs,
    #[serde(skip)]
    pub stream: StreamId,
    pub branch: BranchName,
    pub doc: DocName,
    pub key: GraphKey,
    pub deleted: bool,
    pub body: Body,
    /// The version that a merge copied. Not part of what the version says.
    pub origin: Option<Origin>,
}

impl VersionRow {
    /// Whether its id, title or text holds a lower-case text, whatever their case.
    pub fn holds(&self, wanted: &str) -> bool {
        let own = [self.body.title.as_deref(), self.body.text.as_deref()];
        holds(&self.key.text(), wanted) || own.into_iter().flatten().any(|text| holds(text, wanted))
    }
}

/// Whether a text holds a lower-case text, whatever its own case.
pub fn holds(text: &str, wanted: &str) -> bool {
    if text.is_ascii() && wanted.is_ascii() {
        let same = |part: &[u8]| part.eq_ignore_ascii_case(wanted.as_bytes());
        return text.as_bytes().windows(wanted.len().max(1)).any(same);
    }
    text.to_lowercase().contains(wanted)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConflictStatus {
    Open,
    Resolved,
}

/// A key that both sides of a merge changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConflictRow {
    #[serde(skip)]
    pub ws: WsNo,
    pub id: ConflictId,
    /// Order of discovery, on the clock of the workspace.
    pub seq: Seq,
    pub doc: DocName,
    pub from: BranchName,
    pub into: BranchName,
    pub key: GraphKey,
    /// The three states, as the tools show them.
    pub base: Option<Object>,
    pub theirs: Option<Object>,
    pub ours: Option<Object>,
    /// The version on `from` that a resolution would apply.
    pub theirs_seq: Seq,
    /// The version of the destination that was compared.
    pub ours_seq: Option<Seq>,
    pub status: ConflictStatus,
    pub resolution: Option<String>,
    pub created: UnixMs,
    pub resolved: Option<UnixMs>,
}

/// How merges of one branch into another have left a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeMarkRow {
    #[serde(skip)]
    pub ws: WsNo,
    /// What the merged branch wrote to the document.
    #[serde(skip)]
    pub stream: StreamId,
    pub from: BranchName,
    pub into: BranchName,
    pub doc: DocName,
    pub key: GraphKey,
    /// The version of the merged branch that both sides last agreed on; none before they did since the cut.
    pub agreed: Option<Seq>,
    /// The version of the merged branch that somebody last decided not to take.
    pub refused: Option<Seq>,
}

impl MergeMarkRow {
    /// A mark that says nothing yet.
    pub fn new(stream: &StreamRow, into: &BranchName, key: &GraphKey) -> Self {
        Self {
            ws: stream.ws,
            stream: stream.id,
            from: stream.branch.clone(),
            into: into.clone(),
            doc: stream.doc.clone(),
            key: key.clone(),
            agreed: None,
            refused: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Todo,
    Active,
    Blocked,
    Done,
    Cancelled,
}

impl Status {
    pub const ALL: [Self; 5] = [Self::Todo, Self::Active, Self::Blocked, Self::Done, Self::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Todo => "todo",
            Self::Active => "active",
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    /// Whether work can go on.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Todo | Self::Active)
    }
}

/// A plan or a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EntityRow {
    #[serde(skip)]
    pub ws: WsNo,
    pub id: EntityId,
    pub parent: Option<EntityId>,
    pub title: String,
    pub description: Option<String>,
    pub contract: Option<String>,
    pub contract_data: Option<Object>,
    pub status: Status,
    /// Higher is more urgent.
    pub priority: i64,
    pub depends_on: Vec<EntityId>,
    pub anchors: Vec<AnchorRow>,
    pub revision: i64,
    /// The number of the entry that recorded its creation.
    pub created_seq: Seq,
    pub created: UnixMs,
    pub updated: UnixMs,
    pub last_event: EventNo,
    pub claim: Option<ClaimRow>,
    /// Grows with every new claim, so that an old token can never come back.
    pub fence: i64,
}

/// Who works on a task, and until when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimRow {
    pub agent: String,
    /// Empty in a workspace that was brought from elsewhere, where it was given to somebody.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub token: String,
    pub at_ms: i64,
    pub lease_ms: i64,
}

/// The first answer to a call with an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayRow {
    pub operation: String,
    pub key: String,
    /// The answer as JSON text.
    pub answer: String,
}

/// A step of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepRow {
    #[serde(skip)]
    pub ws: WsNo,
    pub task: EntityId,
    pub id: StepId,
    pub parent: Option<StepId>,
    /// Position among its siblings, from 0, at every level from the root.
    pub path: Vec<u32>,
    pub title: String,
    pub success_criteria: Vec<String>,
    pub tests: Vec<String>,
    pub blockers: Vec<String>,
    pub criteria: CheckpointRow,
    pub tests_passed: CheckpointRow,
    pub completed: Option<UnixMs>,
}

/// Whether a checkpoint was confirmed, and by what.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckpointRow {
    pub confirmed: bool,
    pub evidence: Option<Object>,
    pub at_ms: Option<i64>,
}

/// One mutation of a plan, task or step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    #[serde(skip)]
    pub ws: WsNo,
    pub no: EventNo,
    pub ts: UnixMs,
    pub entity: EntityId,
    pub path: Option<String>,
    pub type_: String,
    pub payload: Object,
}

/// What full text search can find.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FindKind {
    Note,
    Card,
    Task,
    Plan,
    /// A conclusion that a mission registered.
    Claim,
}

impl FindKind {
    pub const ALL: [Self; 5] = [Self::Note, Self::Card, Self::Task, Self::Plan, Self::Claim];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Card => "card",
            Self::Task => "task",
            Self::Plan => "plan",
            Self::Claim => "claim",
        }
    }
}

/// The terms of a text to be found, replacing what stood there under the same kind and reference.
#[derive(Clone, Debug, PartialEq)]
pub struct FindRow {
    pub ws: WsNo,
    pub kind: FindKind,
    /// The number of the entry, the key of the card with its stream, the id of the task.
    pub reference: String,
    /// The row that holds the text now.
    pub seq: Seq,
    pub ts: UnixMs,
    /// Terms, separated by spaces.
    pub title: String,
    pub body: String,
}
