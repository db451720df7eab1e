//! Confirming or revoking the checkpoints of a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::define::{StepOutput, put, refuse_done};
use super::mutation::mutation;
use super::selector::select;
use crate::anchors::{EventSeen, Sight};
use crate::error::MemoryError;
use crate::ids::WorkspaceId;
use crate::port::{AnchorAt, CheckpointRow, Object};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::text;
use crate::writer::{Outcome, write};

mutation! {
    /// Confirms or revokes checkpoints of a step.
    pub struct TasksVerifyRequest {
        /// The task (that of step_id, or the one in focus)
        #[serde(default)]
        pub task: Option<String>,
        /// The step; or give path
        #[serde(default)]
        pub step_id: Option<String>,
        /// The step's place, s:0.s:1
        #[serde(default)]
        pub path: Option<String>,
        /// Evidence: command and exit_code, commit, or path and file_hash
        pub checkpoints: Checkpoints,
        /// Accept text that looks like a secret
        #[serde(default)]
        pub allow_sensitive: Option<bool>,
    }
}

/// The checkpoints to change; one that is missing stays as it is.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoints {
    /// Whether the success criteria hold.
    #[serde(default)]
    pub criteria: Option<CheckIn>,
    /// Whether the tests pass.
    #[serde(default)]
    pub tests: Option<CheckIn>,
}

/// A verdict on a checkpoint.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckIn {
    /// False revokes it.
    pub confirmed: bool,
    /// What it rests on.
    #[serde(default)]
    pub evidence: Option<Evidence>,
}

/// A receipt: a command with its exit code, a mission event, a commit, or a file with its hash.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// A command that was run; goes with `exit_code`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    /// An event of a mission.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mission_event_id: Option<String>,
    /// A commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// A file; goes with `file_hash`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_hash: Option<String>,
}

pub fn verify(ports: &Ports<'_>, request: &TasksVerifyRequest) -> Result<StepOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let sensitive = Sensitive::from(request.allow_sensitive);
    let criteria =
        request.checkpoints.criteria.as_ref().map(|check| checked(ports, check, sensitive)).transpose()?;
    let tests =
        request.checkpoints.tests.as_ref().map(|check| checked(ports, check, sensitive)).transpose()?;
    if criteria.is_none() && tests.is_none() {
        return Err(MemoryError::invalid("checkpoints", "has neither criteria nor tests"));
    }
    write(ports, &workspace, &request.once("tasks_verify"), |w| {
        let mut found = select(
            w.tx.rows(),
            &w.ws,
            request.task.as_deref(),
            request.step_id.as_deref(),
            request.path.as_deref(),
        )?;
        request.guard().check(&found.task, w)?;
        refuse_done(&mut found)?;
        let now = w.now.0;
        let mut payload = Object::new();
        let step = found.step();
        for (name, check, slot) in
            [("criteria", &criteria, &mut step.criteria), ("tests", &tests, &mut step.tests_passed)]
        {
            if let Some((confirmed, evidence)) = check {
                // Saying again that it holds takes away nothing that proved it.
                let proved = *confirmed && evidence.is_none() && slot.confirmed && slot.evidence.is_some();
                if !proved {
                    let (confirmed, evidence) = (*confirmed, evidence.clone());
                    *slot = CheckpointRow { confirmed, evidence, at_ms: Some(now) };
                }
                payload.insert(name.to_owned(), json!({ "confirmed": confirmed, "evidence": slot.evidence }));
            }
        }
        let mut out = put(w, found, "step_verified", payload)?;
        out.event.warn([&criteria, &tests].into_iter().flatten().find_map(doubt).map(str::to_owned));
        Ok(Outcome::Keep(out))
    })
}

/// Whether a gate is confirmed, and the receipt.
type Checked = (bool, Option<Object>);

/// Where a receipt says how its file compares with `file_hash`.
const FILE: &str = "file_state";
/// Where a receipt says whether its commit is one of this repository.
const COMMIT: &str = "commit_state";
/// Where a receipt says what its mission event came to.
const EVENT: &str = "event_state";
/// Fewer digits of a hash say nothing.
const SHORTEST: usize = 8;

/// What speaks against a receipt.
fn doubt(check: &Checked) -> Option<&'static str> {
    let receipt = check.1.as_ref()?;
    (receipt.get(COMMIT) == Some(&json!("missing")))
        .then_some("This repository has no commit of the name that the evidence gives.")
}

fn checked(ports: &Ports<'_>, check: &CheckIn, sensitive: Sensitive) -> Result<Checked, MemoryError> {
    let Some(evidence) = &check.evidence else {
        return Ok((check.confirmed, None));
    };
    let bad = |reason: &str| Err(MemoryError::invalid("evidence", reason));
    let run = evidence.command.is_some() || evidence.exit_code.is_some();
    if run && (evidence.command.is_none() || evidence.exit_code.is_none()) {
        return bad("command and exit_code go together");
    }
    if evidence.command.as_deref().is_some_and(|command| command.trim().is_empty()) {
        return bad("command is empty");
    }
    let file = evidence.path.is_some() || evidence.file_hash.is_some();
    if file && (evidence.path.is_none() || evidence.file_hash.is_none()) {
        return bad("path and file_hash go together");
    }
    if evidence.mission_event_id.as_deref().is_some_and(|id| !is_event(id)) {
        return bad(
            "mission_event_id is no event of a mission: evt_, ten hexadecimal digits, _ and a number",
        );
    }
    if !run && !file && evidence.commit.is_none() && evidence.mission_event_id.is_none() {
        return bad("is empty");
    }
    if check.confirmed && evidence.exit_code.is_some_and(|code| code != 0) {
        return bad("a command that failed confirms nothing");
    }
    let Ok(Value::Object(mut object)) = serde_json::to_value(evidence) else {
        return bad("is not an object");
    };
    if let (Some(path), Some(hash)) = (&evidence.path, &evidence.file_hash) {
        let hash = hash.strip_prefix("sha256:").unwrap_or(hash);
        let state = match ports.code.digest(path) {
            Some(now) if hash.len() >= SHORTEST && now.starts_with(&hash.to_lowercase()) => "matches",
            Some(_) if check.confirmed => {
                return bad(
                    "path holds something else than file_hash says (SHA-256 in hex, 8 digits or more)",
                );
            }
            Some(_) => "differs",
            None => {
                let at = AnchorAt::Path { path: path.clone(), lines: None };
                if ports.code.look(&at) == Sight::Gone {
                    return Err(MemoryError::EvidenceUnknown { at });
                }
                "not_read"
            }
        };
        object.insert(FILE.to_owned(), json!(state));
    }
    if let Some(id) = &evidence.mission_event_id {
        let state = match ports.code.event(id) {
            Some(EventSeen::Missing) => {
                return bad("mission_event_id: no mission of this workspace has that event");
            }
            Some(EventSeen::Refutes(outcome)) if check.confirmed => {
                return bad(&format!("the mission event says {outcome}, which confirms nothing"));
            }
            Some(EventSeen::Housekeeping(type_)) if check.confirmed => {
                return bad(&format!(
                    "the mission event {type_} only says what the mission did with itself; cite the event of a step \
                     that showed it"
                ));
            }
            Some(EventSeen::ShowsNothing(outcome)) if check.confirmed => {
                return bad(&format!(
                    "the mission event ({outcome}) shows nothing by itself; cite one that read the source, ran a test \
                     or looked directly, and speaks for it"
                ));
            }
            Some(EventSeen::Stale(path)) if check.confirmed => {
                return bad(&format!("{path} changed since the mission event; look again and cite that"));
            }
            Some(EventSeen::Refutes(_)) => "refutes",
            Some(EventSeen::Stale(_)) => "stale",
            Some(EventSeen::Supports | EventSeen::Housekeeping(_) | EventSeen::ShowsNothing(_)) => "found",
            None => "not_read",
        };
        object.insert(EVENT.to_owned(), json!(state));
    }
    if let Some(commit) = &evidence.commit {
        let state = match ports.code.has_commit(commit.trim()) {
            Some(true) => "found",
            Some(false) if check.confirmed => {
                return bad("commit: this repository has no commit of that name");
            }
            Some(false) => "missing",
            None => "not_read",
        };
        object.insert(COMMIT.to_owned(), json!(state));
    }
    Ok((check.confirmed, text::meta("evidence", Some(&object), sensitive)?))
}

/// Whether a text has the form of an event's id.
fn is_event(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    id.strip_prefix("evt_").is_some_and(|rest| (1..=64).contains(&rest.len()) && rest.bytes().all(plain))
}
