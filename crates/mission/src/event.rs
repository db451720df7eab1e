//! Event: one thing that happened in a mission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::claim::{Claim, Verdict};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::{ClaimId, EventId, MissionId};
use crate::mode::{Budget, Mode, Route};
use crate::needs::Gap;
use crate::state::{DeadPath, Seen, TestRun};

pub const SCHEMA: &str = "m1nd-mission-event-v1";

/// Who saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A call went through the runtime, which recorded it.
    Observed,
    /// An agent said so.
    Told,
    /// The mission itself: it began, a claim was judged, it ended.
    Kernel,
}

/// One event of the stream. Fields are hashed in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub schema: String,
    pub event_id: EventId,
    pub mission_id: MissionId,
    /// From 1.
    pub sequence: u64,
    pub timestamp_ms: i64,
    pub actor: String,
    pub source: Source,
    #[serde(flatten)]
    pub draft: Draft,
    /// The hash of the event before; zeros for the first.
    pub prev_hash: String,
    /// Over everything above.
    pub hash: String,
}

/// What an event says, before it has its place in the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    pub phase: String,
    pub event_type: String,
    pub tool_family: Family,
    pub target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_class: Option<EvidenceClass>,
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Of the file it is about, when it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Detail>>,
}

impl Draft {
    /// An event of the mission itself.
    pub(crate) fn kernel(
        phase: &str,
        event_type: &str,
        target: String,
        outcome: &str,
        detail: Detail,
    ) -> Self {
        Self {
            phase: phase.to_owned(),
            event_type: event_type.to_owned(),
            tool_family: Family::Mission,
            target,
            evidence_class: None,
            outcome: outcome.to_owned(),
            duration_ms: None,
            agent_confidence: None,
            note: None,
            content_hash: None,
            detail: Some(Box::new(detail)),
        }
    }

    pub fn is_direct(&self) -> bool {
        self.evidence_class.is_some_and(EvidenceClass::is_direct)
    }

    /// Whether it says that what was looked for is not there, or not so.
    pub fn refutes(&self) -> bool {
        matches!(
            self.outcome.as_str(),
            "hypothesis_rejected" | "rejected" | "refuted" | "contradicted" | "ruled_out"
        )
    }

    /// Whether it only says what the mission did with itself, and shows nothing of what it is about.
    pub fn is_housekeeping(&self) -> bool {
        match self.detail.as_deref() {
            Some(
                Detail::Started { .. }
                | Detail::Claimed { .. }
                | Detail::Dissent { .. }
                | Detail::HandedOff { .. }
                | Detail::Closed { .. },
            ) => true,
            Some(Detail::Found { .. } | Detail::Edited { .. } | Detail::Judged { .. }) | None => false,
        }
    }

    /// Whether nobody need go there again.
    pub fn is_dead_path(&self) -> bool {
        self.refutes()
            || matches!(self.outcome.as_str(), "dead_path" | "dead_end")
            || self.event_type == "dead_path"
    }
}

/// What only the mission's own events say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "only the first event of a mission is the large one, and it is boxed"
)]
pub enum Detail {
    Started {
        repo: String,
        goal: String,
        mode: Mode,
        route: Route,
        budget: Budget,
        known_paths: Vec<String>,
        context_guard: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_mission_id: Option<MissionId>,
        #[serde(default, skip_serializing_if = "Inherited::is_empty")]
        inherited: Inherited,
    },
    /// Places that an answer pointed to, the best first.
    Found {
        places: Vec<String>,
    },
    /// Files that a batch changed.
    Edited {
        batch_id: String,
        files: Vec<EditedFile>,
    },
    Claimed {
        claim_id: ClaimId,
        text: String,
        event_ids: Vec<EventId>,
    },
    Judged {
        claim_id: ClaimId,
        verdict: Verdict,
        reason: String,
        event_ids: Vec<EventId>,
        self_reported: bool,
    },
    Dissent {
        against: String,
        reason: String,
    },
    HandedOff {
        handoff: Value,
    },
    Closed {
        gaps: Vec<Gap>,
        forced: bool,
    },
}

/// A file that a batch changed, and what it held afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedFile {
    pub path: String,
    /// Missing when it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// What a mission knows from the one before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inherited {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead_paths: Vec<DeadPath>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Seen>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestRun>,
    /// Whether somebody looked already for what the first finding hides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub swept: bool,
    /// What the one before would have done next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_move: Option<Value>,
}

impl Inherited {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
