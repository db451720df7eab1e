//! Envelope: the fields that the pipeline adds to every answer, declared once for all tools.

use serde::Serialize;

/// How far the evidence in an answer carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ProofState {
    Triaging,
    Proving,
    ReadyToEdit,
    Blocked,
}

/// The one next step of an answer. Names only tools that exist: a test checks every registry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Guidance {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_suggested_tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_suggested_target: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_step_hint: Option<String>,
}

impl Guidance {
    pub fn next(tool: &'static str, target: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            next_suggested_tool: Some(tool),
            next_suggested_target: Some(target.into()),
            next_step_hint: Some(hint.into()),
        }
    }

    pub fn hint(hint: impl Into<String>) -> Self {
        Self { next_step_hint: Some(hint.into()), ..Self::default() }
    }

    /// Also says how to get what a limit kept back, where it did.
    #[must_use]
    pub fn with_rest(mut self, shown: usize, total: u64, ways: &str) -> Self {
        if (shown as u64) < total {
            self.add(&format!("`limit` keeps {shown} of {total}: {ways}."));
        }
        self
    }

    /// One more sentence.
    pub fn add(&mut self, said: &str) {
        let hint = self.next_step_hint.get_or_insert_default();
        if !hint.is_empty() {
            hint.push(' ');
        }
        hint.push_str(said);
    }
}

/// How fresh the data behind an answer is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Freshness {
    /// Generation of the graph the answer was made from; 0 while nothing is ingested.
    pub generation: u64,
    /// When the data was read (Unix milliseconds).
    pub as_of_ms: i64,
    /// Files known to have changed since.
    pub dirty_files: u64,
    /// True when something the answer shows may be out of date.
    pub stale: bool,
    /// Commits that were read so far, where the answer rests on a history that is still being read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commits_so_far: Option<u64>,
    /// Repositories that belong into the graph and cannot be read now, so that nothing of them is in the answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_roots: Vec<String>,
}

/// Names that a tool's own output must not use: they belong to the envelope.
/// `truncated` is shared: a tool may set it, and the fit stage sets it when it drops anything.
pub const RESERVED: [&str; 10] = [
    "proof_state",
    "next_suggested_tool",
    "next_suggested_target",
    "next_step_hint",
    "agent_runtime_contract",
    "freshness",
    "clamped",
    "elapsed_ms",
    "mission_event_id",
    "mission_warnings",
];
