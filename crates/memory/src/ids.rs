//! Names and numbers of memory, each of its own type and checked once.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::MemoryError;

/// The longest workspace, branch and document name, in characters.
pub const MAX_NAME: usize = 128;
/// The longest node id, in bytes.
pub const MAX_NODE_ID: usize = 256;
/// The longest node type, relation and status, in bytes.
pub const MAX_WORD: usize = 128;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $field:literal, $check:expr) => {
        $(#[$doc])*
        #[derive(
            Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Checks the text and keeps it.
            pub fn parse(text: &str) -> Result<Self, MemoryError> {
                let check: fn(&str) -> Result<(), String> = $check;
                match check(text) {
                    Ok(()) => Ok(Self(text.to_owned())),
                    Err(reason) => Err(MemoryError::invalid($field, reason)),
                }
            }

            /// Takes text that was checked when it was stored.
            pub fn stored(text: impl Into<String>) -> Self {
                Self(text.into())
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str(&self.0)
            }
        }
    };
}

text_id!(
    /// The stable identifier of a workspace; isolation between two of them is total.
    WorkspaceId, "workspace", name
);
text_id!(
    /// The name of a branch of reasoning.
    BranchName, "branch", name
);
text_id!(
    /// The name of a document on a branch.
    DocName, "doc", name
);
text_id!(
    /// The id of a node of a knowledge graph.
    GraphNodeId, "id", node_id
);
text_id!(
    /// The relation of an edge.
    Relation, "rel", word
);
text_id!(
    /// The id of a thinking card; it is the id of the card's node too.
    CardId, "card.id", node_id
);
text_id!(
    /// The id of a merge conflict.
    ConflictId, "conflict_id", conflict_id
);
text_id!(
    /// The id of a step, `STEP-` and eight hex digits.
    StepId, "step_id", step_id
);

/// A plan or a task, `PLAN-001` or `TASK-001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EntityId {
    pub kind: EntityKind,
    pub no: i64,
}

/// What an [`EntityId`] names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EntityKind {
    Plan,
    Task,
}

impl EntityKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Task => "task",
        }
    }
}

impl EntityId {
    pub fn parse(field: &'static str, text: &str) -> Result<Self, MemoryError> {
        let parsed = [("PLAN-", EntityKind::Plan), ("TASK-", EntityKind::Task)]
            .into_iter()
            .find_map(|(prefix, kind)| Some((kind, text.strip_prefix(prefix)?)))
            .and_then(|(kind, digits)| {
                let plain = digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit());
                let no = digits.parse::<i64>().ok().filter(|no| *no > 0 && plain)?;
                let id = Self { kind, no };
                // `TASK-0001` would be a second spelling of `TASK-001`.
                (id.to_string() == text).then_some(id)
            });
        parsed.ok_or_else(|| MemoryError::invalid(field, format!("{text:?} is not PLAN-001 or TASK-001")))
    }

    /// The id that another spelling of it means: `task-1` for `TASK-001`.
    pub(crate) fn meant(text: &str) -> Option<Self> {
        let (kind, digits) = text.trim().split_once('-')?;
        let kind = [EntityKind::Plan, EntityKind::Task]
            .into_iter()
            .find(|known| known.as_str().eq_ignore_ascii_case(kind))?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        let no = digits.parse().ok().filter(|no| *no > 0 && plain)?;
        Some(Self { kind, no })
    }

    /// The canonical branch: reasoning about the entity lives there.
    pub fn branch(self) -> BranchName {
        BranchName(format!("{}/{self}", self.kind.as_str()))
    }

    pub fn graph_doc(self) -> DocName {
        DocName(format!("{self}-graph"))
    }

    pub fn trace_doc(self) -> DocName {
        DocName(format!("{self}-trace"))
    }

    /// The id of the node that the projection writes for the entity.
    pub fn node(self) -> GraphNodeId {
        GraphNodeId(format!("{}:{self}", self.kind.as_str()))
    }
}

impl TryFrom<String> for EntityId {
    type Error = MemoryError;

    fn try_from(text: String) -> Result<Self, MemoryError> {
        Self::parse("id", &text)
    }
}

impl From<EntityId> for String {
    fn from(id: EntityId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for EntityId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self.kind {
            EntityKind::Plan => "PLAN",
            EntityKind::Task => "TASK",
        };
        write!(out, "{prefix}-{:03}", self.no)
    }
}

impl StepId {
    /// The id of the node that the projection writes for the step.
    pub fn node(&self) -> GraphNodeId {
        GraphNodeId(format!("step:{}", self.0))
    }
}

impl CardId {
    pub fn node(&self) -> GraphNodeId {
        GraphNodeId(self.0.clone())
    }
}

impl BranchName {
    /// The branch that every workspace starts with.
    pub fn main() -> Self {
        Self("main".to_owned())
    }

    /// Whether this is the shape of some entity's canonical branch, whether or not it exists yet.
    pub fn is_canonical(&self) -> bool {
        self.0
            .split_once('/')
            .and_then(|(kind, id)| Some((kind, EntityId::parse("branch", id).ok()?)))
            .is_some_and(|(kind, id)| kind == id.kind.as_str())
    }
}

impl DocName {
    /// The notes document of every branch.
    pub fn notes() -> Self {
        Self("notes".to_owned())
    }

    /// Where named points of a branch's history are kept.
    pub fn commits() -> Self {
        Self("commits".to_owned())
    }

    /// Whether only the program writes into it: the trace or graph of a plan or task, and commits.
    pub fn is_machine(&self) -> bool {
        let of_entity = ["-trace", "-graph"].iter().find_map(|end| self.0.strip_suffix(end));
        *self == Self::commits() || of_entity.is_some_and(|id| EntityId::parse("doc", id).is_ok())
    }
}

/// Prefixes of node ids that only the projection writes.
pub const RESERVED_PREFIXES: [&str; 4] = ["task:", "step:", "plan:", "code:"];

impl GraphNodeId {
    pub fn is_reserved(&self) -> bool {
        RESERVED_PREFIXES.iter().any(|prefix| self.0.starts_with(prefix))
    }
}

/// The number of a version or entry; one clock for everything in a workspace.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Seq(pub i64);

impl Seq {
    pub const ZERO: Self = Self(0);
    /// Later than any number that will ever be given out.
    pub const END: Self = Self(i64::MAX);
    /// The cutoff of a branch's own tip: everything written so far.
    pub const TIP: Self = Self(i64::MAX - 1);
}

impl fmt::Display for Seq {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl Seq {
    pub(crate) fn end() -> Self {
        Self::END
    }
}

/// The number of a task event; dense, from 1, per workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EventNo(pub i64);

impl EventNo {
    pub fn parse(field: &'static str, text: &str) -> Result<Self, MemoryError> {
        text.strip_prefix("evt_")
            .filter(|digits| digits.len() == 16 && digits.bytes().all(|b| b.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok())
            .map(Self)
            .ok_or_else(|| MemoryError::invalid(field, format!("{text:?} is not evt_ and 16 digits")))
    }
}

impl fmt::Display for EventNo {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "evt_{:016}", self.0)
    }
}

fn name(text: &str) -> Result<(), String> {
    let mut chars = text.chars();
    let Some(first) = chars.next() else {
        return Err("is empty".to_owned());
    };
    if text.chars().count() > MAX_NAME {
        return Err(format!("is longer than {MAX_NAME} characters"));
    }
    if !first.is_ascii_alphanumeric() {
        return Err(format!("{text:?} does not start with a letter or digit"));
    }
    match chars.find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-'))) {
        Some(bad) => Err(format!("{text:?} holds {bad:?}; letters, digits and . _ / - are allowed")),
        None => Ok(()),
    }
}

fn bounded(text: &str, max: usize) -> Result<(), String> {
    if text.trim().is_empty() {
        return Err("is empty".to_owned());
    }
    if text.len() > max {
        return Err(format!("is longer than {max} bytes"));
    }
    if text.trim() != text {
        return Err(format!("{text:?} starts or ends with white space"));
    }
    match text.chars().find(|c| c.is_control() || *c == '|') {
        Some(bad) => Err(format!("{text:?} holds {bad:?}")),
        None => Ok(()),
    }
}

fn node_id(text: &str) -> Result<(), String> {
    bounded(text, MAX_NODE_ID)
}

pub(crate) fn word(text: &str) -> Result<(), String> {
    bounded(text, MAX_WORD)
}

fn conflict_id(text: &str) -> Result<(), String> {
    match text.strip_prefix("CONFLICT-") {
        Some(hex) if hex.len() == 16 && hex.bytes().all(|b| b.is_ascii_hexdigit()) => Ok(()),
        _ => Err(format!("{text:?} is not CONFLICT- and 16 hex digits")),
    }
}

fn step_id(text: &str) -> Result<(), String> {
    match text.strip_prefix("STEP-") {
        Some(hex) if hex.len() == 8 && hex.bytes().all(|b| b.is_ascii_hexdigit()) => Ok(()),
        _ => Err(format!("{text:?} is not STEP- and 8 hex digits")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_workspace_name_is_bounded_and_starts_with_a_letter_or_digit() {
        assert!(WorkspaceId::parse("acme/app-1.2_x").is_ok());
        assert!(WorkspaceId::parse(&"w".repeat(128)).is_ok());
        for bad in ["", "-x", "/x", "a b", "ä", "a\n", &"w".repeat(129)] {
            assert!(WorkspaceId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_entity_has_one_spelling() {
        assert_eq!(EntityId::parse("task", "TASK-012").unwrap().to_string(), "TASK-012");
        assert_eq!(EntityId::parse("task", "TASK-1234").unwrap().no, 1234);
        for bad in ["TASK-12", "TASK-0012", "task-012", "TASK-000", "TASK-", "STEP-001", "TASK-0x1"] {
            assert!(EntityId::parse("task", bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_bar_and_control_characters_are_refused_in_node_ids() {
        assert!(GraphNodeId::parse("h 1").is_ok());
        for bad in ["a|b", "a\tb", " a", "", " ", &"n".repeat(257)] {
            assert!(GraphNodeId::parse(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn canonical_branches_are_recognised_by_shape() {
        assert!(BranchName::stored("task/TASK-007").is_canonical());
        assert!(!BranchName::stored("plan/TASK-007").is_canonical());
        assert!(!BranchName::stored("task/foo").is_canonical());
        assert!(!BranchName::main().is_canonical());
    }
}
