//! Advice: exactly one next move, and what to leave alone.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::state::Remaining;

/// The next step.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Move {
    pub tool_family: Family,
    /// A tool of this runtime; none when the step is done elsewhere, as a test run is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'static str>,
    /// Can be passed to it as they are, with the agent and the mission.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Value>,
    pub why: String,
}

/// Arguments that say what a step is about; others say how.
const ABOUT: [&str; 5] = ["file_path", "node_id", "query", "claim_id", "target"];

impl Move {
    /// What the step is about, if one of its arguments says so.
    pub fn target(&self) -> Option<&str> {
        let arguments = self.arguments.as_ref()?.as_object()?;
        ABOUT.iter().find_map(|name| arguments.get(*name)?.as_str())
    }
}

/// What not to do now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DoNot {
    /// The kind of step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_family: Option<Family>,
    /// Only with this target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    pub why: String,
}

impl DoNot {
    pub fn forbids(&self, family: Family, target: &str) -> bool {
        self.tool_family.is_none_or(|known| known == family)
            && self.target.as_deref().is_none_or(|known| known == target)
    }
}

/// What `mission_next` says.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Advice {
    pub next_move: Move,
    pub allowed_tools: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub do_not: Vec<DoNot>,
    /// When this move is done.
    pub stop_condition: String,
    /// What to do when it cannot be done.
    pub fallback: String,
    /// What would make the next claim count.
    pub evidence_required: Vec<EvidenceClass>,
    pub budget_remaining: Remaining,
    /// Set when more was spent than planned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_warning: Option<String>,
}
