//! Stage 5: the fields that every answer shares, from one place.

use std::time::Duration;

use m1nd_contract::budget::json_len;
use m1nd_contract::envelope::Freshness;
use m1nd_contract::{Code, ContractForm, Fault, Header};
use serde_json::{Map, Value, json};

use super::Done;
use crate::registry::Row;
use crate::runtime::Runtime;
use crate::runtime_contract::{self, Observed};
use crate::tool::{Needs, Spec};
use crate::workspace::Workspace;

pub(super) const CONTRACT: &str = "agent_runtime_contract";
const ELAPSED: &str = "elapsed_ms";
/// Bytes that the time takes at most.
const ELAPSED_BYTES: usize = 40;

/// What the envelope is made from.
pub(super) struct Facts<'a> {
    runtime: &'a Runtime,
    row: &'a Row,
    header: &'a Header,
    workspace: Option<&'a Workspace>,
    elapsed: Duration,
    /// Bytes that are added to the answer after it was made to fit.
    reserved: usize,
}

impl<'a> Facts<'a> {
    pub(super) fn new(
        runtime: &'a Runtime,
        row: &'a Row,
        header: &'a Header,
        workspace: Option<&'a Workspace>,
        elapsed: Duration,
    ) -> Self {
        Self { runtime, row, header, workspace, elapsed, reserved: 0 }
    }

    pub(super) fn reserving(self, reserved: usize) -> Self {
        Self { reserved, ..self }
    }

    pub(super) fn tool(&self) -> &'static str {
        self.row.entry.spec.name
    }

    pub(super) fn spec(&self) -> &'static Spec {
        self.row.entry.spec
    }

    pub(super) fn reserved(&self) -> usize {
        self.reserved
    }

    /// Bytes of an answer, however long it took: what has room once has room the next time.
    pub(super) fn timeless(body: &Map<String, Value>) -> usize {
        let timeless = body.iter().filter(|(name, _)| *name != ELAPSED);
        let fields = timeless.map(|(name, value)| json_len(name) + json_len(value) + ":,".len());
        fields.sum::<usize>() + "{}".len() + ELAPSED_BYTES
    }

    pub(super) fn runtime(&self) -> &'a Runtime {
        self.runtime
    }

    pub(super) fn header(&self) -> &Header {
        self.header
    }

    /// What the caller allows, else what this answer may have, else what the tool's answers may.
    pub(super) fn budget(&self, of_answer: Option<usize>) -> Option<usize> {
        let budget = self.header.max_chars.or(of_answer).or(self.row.entry.spec.budget);
        budget.map(|budget| budget.saturating_sub(self.reserved))
    }

    /// `form` is what the budget leaves room for.
    pub(super) fn add_to(&self, body: &mut Map<String, Value>, done: &Done, form: ContractForm) {
        let spec = self.row.entry.spec;
        let answer = &done.answer;
        if let Some(proof) = answer.proof {
            body.insert("proof_state".into(), json!(proof));
        }
        if let Ok(Value::Object(guidance)) = serde_json::to_value(&answer.guidance) {
            body.extend(guidance);
        }
        if spec.contract {
            let observed = Observed {
                tool: spec.name,
                candidates: answer.candidates.unwrap_or_default(),
                proof: answer.proof,
                scope: answer.scope.as_deref(),
                fault: None,
            };
            let contract =
                runtime_contract::build(self.runtime, self.header, self.workspace, &observed, form);
            body.insert(CONTRACT.into(), contract);
        }
        if spec.fresh
            && let Some(workspace) = self.workspace
        {
            let view = workspace.view();
            // Text is read from disk during the call; a graph is as old as its listing.
            let now = self.runtime.clock().now();
            let as_of = if spec.needs == Needs::Graph { view.as_of() } else { now };
            // An imported graph is not held against the files.
            let stale = spec.needs == Needs::Graph && view.imported_from().is_some();
            let missing_roots = workspace.missing_roots();
            let freshness = Freshness {
                generation: view.generation(),
                as_of_ms: as_of.0,
                dirty_files: done.behind.unwrap_or(0),
                commits_so_far: done.commits_so_far,
                stale: stale || done.behind.is_some() || !missing_roots.is_empty(),
                missing_roots,
            };
            body.insert("freshness".into(), json!(freshness));
        }
        if !done.clamped.is_empty() {
            body.insert("clamped".into(), json!(done.clamped));
        }
        body.insert(ELAPSED.into(), json!(milliseconds(self.elapsed)));
    }
}

/// Faults that mean "wrong place" carry the runtime contract, for tools that carry it at all.
pub(super) fn on_fault(
    runtime: &Runtime,
    row: &Row,
    header: &Header,
    workspace: Option<&Workspace>,
    fault: &Fault,
    scope: Option<String>,
) -> Option<Value> {
    let place = [Code::PathOutsideWorkspace, Code::WrongWorkspaceBinding, Code::EmptyGraph];
    if !row.entry.spec.contract || !place.contains(&fault.code) {
        return None;
    }
    let observed = Observed {
        tool: row.entry.spec.name,
        candidates: 0,
        proof: Some(m1nd_contract::ProofState::Blocked),
        scope: scope.as_deref(),
        fault: Some(fault),
    };
    Some(runtime_contract::build(runtime, header, workspace, &observed, header.contract))
}

/// What is not found may lie in a repository that cannot be read now.
pub(super) fn name_missing_roots(workspace: Option<&Workspace>, fault: &mut Fault) {
    if !matches!(fault.code, Code::NodeNotFound | Code::FileNotFound) {
        return;
    }
    let missing = workspace.map(Workspace::missing_roots).unwrap_or_default();
    if !missing.is_empty() {
        let said = format!(" The graph lacks a repository that cannot be read now ({}).", missing.join(", "));
        fault.message.push_str(&said);
    }
}

/// Microseconds are enough.
fn milliseconds(elapsed: Duration) -> f64 {
    (elapsed.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}
