//! What memory says no to: facts, without advice.

use crate::ids::{BranchName, CardId, ConflictId, DocName, EntityId, EventNo, StepId};
use crate::port::AnchorAt;
use crate::tasks::Checkpoint;

/// Every refusal of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MemoryError {
    #[error("{field}: {reason}")]
    Invalid { field: &'static str, reason: String },
    #[error("give either {first} or {second}")]
    OneOf { first: &'static str, second: &'static str },
    #[error("branch {name} does not exist")]
    BranchUnknown { name: String, nearest: Vec<String> },
    #[error("branch {name} exists already")]
    BranchExists { name: BranchName },
    #[error("branch {name} would be {depth} deep; the most is {max}")]
    BranchTooDeep { name: BranchName, depth: u32, max: u32 },
    #[error("{kind} {id} does not exist")]
    TargetUnknown { kind: &'static str, id: String, nearest: Vec<String> },
    #[error("nothing is in focus and no target was named")]
    NoTarget,
    #[error("{} no graph document", have(branches))]
    NoGraphDoc { branches: Vec<BranchName> },
    #[error("{} several graph documents", have(branches))]
    SeveralGraphDocs { branches: Vec<BranchName>, docs: Vec<DocName> },
    #[error("id {id} is reserved: only the task projection writes it")]
    ReservedId { id: String },
    #[error("node {id} does not exist in this view")]
    NodeUnknown { id: String, nearest: Vec<String>, at: GraphPlace },
    #[error("edge {from} -{rel}-> {to} does not exist in this view")]
    EdgeUnknown { from: String, rel: String, to: String, at: GraphPlace },
    #[error("edge {from} -{rel}-> {to} would hang in the air: node {missing} does not exist")]
    WouldDangle { from: String, rel: String, to: String, missing: String, at: GraphPlace },
    #[error("branch {from} was not branched off {into}; {}", base.as_ref().map_or("it has no base".to_owned(), |b| format!("its base is {b}")))]
    NotMergeBack { from: BranchName, into: BranchName, base: Option<BranchName> },
    #[error("conflict {id} does not exist")]
    ConflictUnknown { id: String },
    #[error("conflict {id} is settled already ({resolution})")]
    ConflictSettled { id: ConflictId, resolution: String },
    #[error("branch {into} has no node {missing} any more, and the edge {edge} of {from} needs it")]
    ConflictNeedsNode { missing: String, edge: String, from: BranchName, into: BranchName, doc: DocName },
    #[error("the destination changed after conflict {id} was recorded")]
    ConflictStale {
        id: ConflictId,
        current: Option<serde_json::Value>,
        /// Edges of the destination that would go with the node, as they stand now.
        edges: Vec<serde_json::Value>,
    },
    #[error("card type {given} is unknown")]
    CardTypeUnknown { given: String, supported: Vec<&'static str> },
    #[error("the card cannot be read: {reason}")]
    CardUnreadable { reason: String },
    #[error("card {id} exists with other contents ({})", differs.join(", "))]
    CardChanged { id: CardId, differs: Vec<&'static str>, at: GraphPlace },
    #[error("card {id} refers to {missing}, which does not exist")]
    CardReferenceUnknown { id: CardId, missing: String, nearest: Vec<String>, at: GraphPlace },
    #[error("card {id} refers to {other}, which is no card but a {type_}")]
    CardReferenceNoCard { id: CardId, other: String, type_: String, at: GraphPlace },
    #[error("card {id} does not exist, so there is nothing to update")]
    CardUnknown { id: CardId, nearest: Vec<String>, at: GraphPlace },
    #[error("{id} is at revision {current}, not {expected}")]
    RevisionMismatch { id: EntityId, expected: i64, current: i64 },
    #[error("step {selector} does not exist in {task}")]
    StepUnknown { task: EntityId, selector: String, nearest: Vec<String> },
    #[error("step {step} does not exist in this workspace")]
    NoSuchStep { step: StepId },
    #[error("event {event} does not exist; {}", newest.map_or("there is none yet".to_owned(), |newest| format!("the newest is {newest}")))]
    EventUnknown { event: EventNo, newest: Option<EventNo> },
    #[error("nothing about {id} would change: no field was given")]
    NothingToChange { id: EntityId },
    #[error("step_id names {by_id} but path names {by_path}")]
    SelectorDisagrees { by_id: String, by_path: String },
    #[error("checkpoints_not_confirmed: {} of step {path}", Checkpoint::list(missing))]
    CheckpointsNotConfirmed { step: StepId, path: String, missing: Vec<Checkpoint> },
    #[error("step {path} has open steps below it: {open}")]
    OpenChildren { step: StepId, path: String, open: usize },
    #[error("step {path} is done already")]
    StepDone { step: StepId, path: String },
    #[error("{task} has steps that are open: {open}")]
    OpenSteps { task: EntityId, open: usize },
    #[error("{plan} has tasks that are open: {}", first(open))]
    OpenTasks { plan: EntityId, open: Vec<EntityId> },
    #[error("{task} is {status}")]
    TaskClosed { task: EntityId, status: &'static str },
    #[error("{task} would depend on itself through {through}")]
    DependencyCycle { task: EntityId, through: String },
    #[error("{task} is claimed by {by} until {until}")]
    ClaimHeld { task: EntityId, by: String, until: String },
    #[error("{task} is not claimed")]
    NotClaimed { task: EntityId },
    #[error("the claim token is not the one that holds {task} now")]
    ClaimForeign { task: EntityId },
    #[error("the claim on {task} expired at {at}")]
    ClaimExpired { task: EntityId, at: String },
    #[error("{field} looks like it holds a secret ({kind}, at byte {at})")]
    Sensitive { field: String, kind: &'static str, at: usize },
    #[error("anchor {} does not exist", crate::anchors::name(at))]
    AnchorUnknown { at: AnchorAt },
    #[error("anchor {} is behind the end: {}", crate::anchors::name(at), crate::anchors::length(at, *count))]
    AnchorBeyond { at: AnchorAt, count: u32 },
    #[error("evidence {} does not exist", crate::anchors::name(at))]
    EvidenceUnknown { at: AnchorAt },
    #[error("document {doc} is written by the program itself")]
    MachineDoc { doc: DocName },
    #[error("anchor {name} names several nodes")]
    AnchorAmbiguous { name: String, candidates: Vec<String> },
    #[error("workspace {workspace} holds entries already")]
    ImportTargetNotEmpty { workspace: String },
    #[error("line {line} of the import: {reason}")]
    ImportUnreadable { line: usize, reason: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The first few of many.
fn first(ids: &[EntityId]) -> String {
    let named: Vec<String> = ids.iter().take(5).map(ToString::to_string).collect();
    let more = ids.len() - named.len();
    if more == 0 { named.join(", ") } else { format!("{} and {more} more", named.join(", ")) }
}

/// The graph that a refusal speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphPlace {
    pub branch: BranchName,
    pub doc: DocName,
}

/// What a store can say no to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("the store stayed locked for {waited_ms} ms")]
    Busy { waited_ms: u64 },
    #[error("the disk is full")]
    DiskFull,
    #[error("the store cannot be written: {detail}")]
    ReadOnly { detail: String },
    #[error("{path} is damaged ({detail})")]
    Corrupt { path: String, detail: String, set_aside: Option<String> },
    /// One thing in a store that is well otherwise.
    #[error("{what} cannot be read ({detail})")]
    Unreadable { what: String, detail: String },
    #[error("{path} has schema version {found}; this program knows {known}")]
    SchemaTooNew { path: String, found: u32, known: u32 },
    #[error("the store could not be read or written: {detail}")]
    Io { detail: String },
    #[error("the store refused a statement: {detail}")]
    Engine { detail: String },
}

impl MemoryError {
    /// Whether the call named something that is not there, as calls under a mistyped workspace do.
    pub fn is_of_absence(&self) -> bool {
        matches!(
            self,
            Self::BranchUnknown { .. }
                | Self::TargetUnknown { .. }
                | Self::NoTarget
                | Self::NoGraphDoc { .. }
                | Self::NodeUnknown { .. }
                | Self::EdgeUnknown { .. }
                | Self::WouldDangle { .. }
                | Self::ConflictUnknown { .. }
                | Self::CardReferenceUnknown { .. }
                | Self::CardUnknown { .. }
                | Self::StepUnknown { .. }
                | Self::NoSuchStep { .. }
                | Self::EventUnknown { .. }
        )
    }

    pub(crate) fn invalid(field: &'static str, reason: impl Into<String>) -> Self {
        Self::Invalid { field, reason: reason.into() }
    }
}

/// "branch a has" or "branches a and b have".
fn have(branches: &[BranchName]) -> String {
    match branches {
        [one] => format!("branch {one} has"),
        several => {
            let names: Vec<&str> = several.iter().map(BranchName::as_str).collect();
            format!("branches {} together have", names.join(" and "))
        }
    }
}
