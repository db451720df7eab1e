//! Mode: what kind of work a mission is, and what it may spend.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of work that have a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    BugHunt,
    Review,
    Refactor,
    DocsDrift,
    Release,
    Orientation,
    Edit,
}

impl Mode {
    pub const ALL: [Self; 7] = [
        Self::BugHunt,
        Self::Review,
        Self::Refactor,
        Self::DocsDrift,
        Self::Release,
        Self::Orientation,
        Self::Edit,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::BugHunt => "bug_hunt",
            Self::Review => "review",
            Self::Refactor => "refactor",
            Self::DocsDrift => "docs_drift",
            Self::Release => "release",
            Self::Orientation => "orientation",
            Self::Edit => "edit",
        }
    }

    /// What a mission of this kind may spend unless it says otherwise: a dozen calls to look around, some forty to find
    /// and prove something.
    pub fn budget(self) -> Budget {
        let (tool_calls_max, files_read_max, minutes) = match self {
            Self::Orientation => (12, 8, 10),
            Self::Review | Self::DocsDrift => (30, 20, 30),
            Self::BugHunt | Self::Release => (40, 25, 45),
            Self::Refactor | Self::Edit => (50, 30, 60),
        };
        Budget { tool_calls_max, files_read_max, soft_deadline_ms: minutes * 60_000 }
    }

    /// What a mission of this kind is not.
    pub fn non_goals(self) -> &'static [&'static str] {
        match self {
            Self::BugHunt => &["No edits: a finding is proved, not repaired.", "No list of style remarks."],
            Self::Review => &["No edits.", "Nothing outside what the change touches or reaches."],
            Self::Refactor => &["No change of behaviour.", "No clean-up beside the goal."],
            Self::DocsDrift => &["No rewriting of documents: a drift is named with both places."],
            Self::Release => &["No new features.", "Nothing is published."],
            Self::Orientation => &["No findings and no edits: a map, and where to go on."],
            Self::Edit => &["No change beside the goal.", "No edit of a file that was not read first."],
        }
    }
}

/// Counted from events; spending more is told and never stops a mission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    pub tool_calls_max: u64,
    pub files_read_max: u64,
    pub soft_deadline_ms: u64,
}

/// The way a mission begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// The files are known: read or test them, without the graph.
    Direct,
    /// The repository is unknown: trust check, ingest, audit, then direct proof.
    ShortAudit,
    /// Another mission went before: go on where it ended.
    Resume,
    /// This is not the workspace, or not the program, that it should be.
    Recover,
}

impl Route {
    pub fn why(self) -> &'static str {
        match self {
            Self::Direct => "The files are known: reading them costs less than asking where they are.",
            Self::ShortAudit => "The repository is unknown: one look at the whole, then direct proof.",
            Self::Resume => "Another mission went before: what it settled is not asked again.",
            Self::Recover => "This is not the workspace, or not the program, that it should be.",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::ShortAudit => "short_audit",
            Self::Resume => "resume",
            Self::Recover => "recover",
        }
    }
}
