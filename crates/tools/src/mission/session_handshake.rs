//! `session_handshake`: who answers here, and what can be done.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_guard::{TrustMode, hidden, surface};
use m1nd_runtime::flows::{context_guard, trust};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::READ;
use crate::judged::Judged;
use crate::saw::Saw;

pub struct SessionHandshake;

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: &'static str,
    trust_mode: TrustMode,
    /// What that rests on.
    why: String,
    can_ingest: bool,
    can_retrieve: bool,
    can_recover: bool,
    next_action: String,
    /// What is wrong, also where it makes no answer less true: what doctor says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    /// Process, program, workspace and graph: two answers with different ones come from different bindings.
    binding_fingerprint: Value,
    /// What the host shows of this server.
    tool_surface: Value,
    /// Where the scope that was given lies elsewhere: its repository, and three ways there.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_guard: Option<Value>,
    /// Ingests that run now; job_status says how far they are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    running_jobs: Vec<String>,
}

impl Tool for SessionHandshake {
    type Input = Saw;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "session_handshake",
        summary: "Who answers here: process, build, workspace and graph, whether answers can be trusted, and what to do first.",
        help: "Changes nothing. Pass scope (the repository you mean) and available_tools (what your host shows): a wrong binding and hidden tools are told.",
        intents: &["which workspace", "am I bound right", "first call", "handshake"],
        needs: Needs::Nothing,
        family: Family::Trust,
        examples: &[Example { says: "Before anything else", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Saw) -> Result<Answer<Output>, Fault> {
        let Judged { observed, facts, verdict, warnings, book, .. } = Judged::of(ctx, input)?;
        let hidden = hidden(&facts, &observed);
        let surface = surface(&facts, &observed);
        let agent = ctx.header().caller.name();
        let first = book.steps.into_iter().next();
        let bound = verdict.mode != TrustMode::WrongWorkspaceBinding;
        let guidance = match &first {
            Some(step) if step.tool.is_some() => Guidance {
                next_suggested_tool: step.tool,
                next_suggested_target: None,
                next_step_hint: Some(step.action.clone()),
            },
            _ => Guidance::default(),
        };
        let elsewhere = observed.scope_text.as_deref().filter(|_| observed.repository.is_some());
        let context_guard = match (elsewhere, ctx.workspace()) {
            (Some(scope), Ok(workspace)) => {
                Some(context_guard::elsewhere(workspace, scope).guard(workspace, agent))
            }
            _ => None,
        };
        let running_jobs = trust::running_jobs(ctx);
        let output = Output {
            schema: "m1nd-session-handshake-v0",
            trust_mode: verdict.mode,
            why: verdict.why,
            // What the playbook offers can be done: another repository is put into this graph on purpose.
            can_ingest: (bound || observed.repository.is_some()) && !hidden.contains(&"ingest"),
            can_retrieve: bound && facts.node_count > 0,
            can_recover: !hidden.contains(&"recovery_playbook"),
            next_action: first.map_or_else(String::new, |step| step.action),
            warnings,
            tool_surface: json!({
                "status": surface.status,
                "unknown": surface.unknown,
                "unseen": surface.unseen,
                "no_such": surface.no_such,
                "degraded_host_tool_surface": !hidden.is_empty(),
                "hidden": hidden,
                "listed": facts.listed.len(),
                "callable": facts.tools.len(),
            }),
            binding_fingerprint: json!(facts),
            context_guard,
            running_jobs,
        };
        Ok(Answer::of(output).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        false
    }
}
