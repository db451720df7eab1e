//! `trust_selftest`: whether answers can be relied on, checked and not assumed.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_guard::{Step, TrustMode, surface};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::READ;
use crate::judged::Judged;
use crate::saw::Saw;

pub struct TrustSelftest;

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: &'static str,
    ok: bool,
    /// ok, or recover.
    status: &'static str,
    verdict: TrustMode,
    /// What that rests on.
    why: String,
    next_action: String,
    /// What is wrong, also where it makes no answer less true: what doctor says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    binding_fingerprint: Value,
    checks: Checks,
    /// The way back, when something is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    recovery_playbook: Option<Vec<Step>>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Checks {
    graph_populated: bool,
    /// Whether the host shows all that it should; null while nobody said what it shows.
    host_surface_complete: Option<bool>,
    stale_binding_suspected: bool,
    recovery_playbook_attached: bool,
}

impl Tool for TrustSelftest {
    type Input = Saw;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "trust_selftest",
        summary: "Whether answers can be relied on now: graph, binding, program and host surface, with the way back when not.",
        help: "Pass what went wrong (observed_tool, observed_candidates, error_text) and what your host shows. It reads only.",
        intents: &["can I trust this", "selftest", "stale", "is the graph fresh"],
        needs: Needs::Nothing,
        family: Family::Trust,
        examples: &[Example { says: "All checks", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Saw) -> Result<Answer<Output>, Fault> {
        let judged = Judged::of(ctx, input)?;
        let ok = judged.is_well();
        let Judged { observed, facts, verdict, warnings, book, .. } = judged;
        let steps = book.steps;
        let next = steps.first().and_then(|step| step.tool);
        let output = Output {
            schema: "m1nd-trust-selftest-v0",
            ok,
            status: if ok { "ok" } else { "recover" },
            verdict: verdict.mode,
            why: verdict.why,
            next_action: steps.first().map_or_else(String::new, |step| step.action.clone()),
            warnings,
            checks: Checks {
                graph_populated: facts.node_count > 0,
                host_surface_complete: match surface(&facts, &observed).status {
                    "unknown" => None,
                    status => Some(status == "complete"),
                },
                stale_binding_suspected: verdict.mode == TrustMode::StaleBindingSuspected,
                recovery_playbook_attached: !ok,
            },
            binding_fingerprint: json!(facts),
            recovery_playbook: (!ok).then_some(steps),
        };
        let guidance = Guidance { next_suggested_tool: next, ..Guidance::default() };
        Ok(Answer::of(output).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        false
    }
}
