//! `recovery_playbook`: the way back to answers that can be trusted.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_guard::{NON_CLAIMS, Step, TrustMode};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::READ;
use crate::judged::Judged;
use crate::saw::Saw;

pub struct RecoveryPlaybook;

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: &'static str,
    /// ok, or recover.
    status: &'static str,
    trust_mode: TrustMode,
    /// What that rests on.
    why: String,
    /// What is wrong, each with what it rests on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnoses: Vec<Value>,
    recovery_goal: &'static str,
    next_action: String,
    steps: Vec<Step>,
    non_claims: Vec<&'static str>,
}

impl Tool for RecoveryPlaybook {
    type Input = Saw;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "recovery_playbook",
        summary: "What to do when a call was blocked, empty or about the wrong repository: the verdict, and steps with ready arguments.",
        help: "recovery.arguments of agent_runtime_contract go in as they are. It reads only: nothing is ingested, repaired or run.",
        intents: &["nothing found", "blocked", "wrong workspace", "recover", "empty result"],
        needs: Needs::Nothing,
        family: Family::Recover,
        examples: &[Example {
            says: "After an empty answer",
            arguments: r#"{"observed_tool": "seek", "observed_candidates": 0, "trust_mode": "retrieval_needs_recovery"}"#,
        }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Saw) -> Result<Answer<Output>, Fault> {
        let judged = Judged::of(ctx, input)?;
        let is_well = judged.is_well();
        let Judged { verdict, found, book, .. } = judged;
        let first = book.steps.first();
        let guidance = Guidance {
            next_suggested_tool: first.and_then(|step| step.tool),
            next_suggested_target: None,
            next_step_hint: None,
        };
        let output = Output {
            schema: "m1nd-recovery-playbook-v0",
            status: if is_well { "ok" } else { "recover" },
            trust_mode: verdict.mode,
            why: verdict.why,
            diagnoses: found.iter().map(|found| json!(found)).collect(),
            recovery_goal: book.goal,
            next_action: first.map_or_else(String::new, |step| step.action.clone()),
            steps: book.steps,
            non_claims: NON_CLAIMS.to_vec(),
        };
        Ok(Answer::of(output).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        false
    }
}
