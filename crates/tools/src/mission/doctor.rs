//! `doctor`: everything that is known to be wrong with this server, its state and its binding.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_guard::{Scope, TrustMode, hidden, surface};
use m1nd_runtime::flows::{context_guard, hosts};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::READ;
use crate::judged::Judged;
use crate::saved;
use crate::saw::Saw;

pub struct Doctor;

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: &'static str,
    /// ok, or degraded.
    status: &'static str,
    trust_mode: TrustMode,
    diagnostics: Value,
    /// What is wrong, in sentences.
    warnings: Vec<String>,
    next_actions: Vec<String>,
    /// How the scope that was given lies to the workspace.
    context_guard: Value,
}

impl Tool for Doctor {
    type Input = Saw;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "doctor",
        summary: "What is wrong with this server: replaced or second programs, damaged state, hidden tools, missing repositories, a wrong binding.",
        help: "It reads only. `m1nd doctor` on the command line checks the installation as well.",
        intents: &["diagnose", "why does it not work", "two binaries", "damaged"],
        needs: Needs::Nothing,
        family: Family::Recover,
        examples: &[Example { says: "All of it", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Saw) -> Result<Answer<Output>, Fault> {
        let judged = Judged::of(ctx, input)?;
        let is_well = judged.is_well();
        let Judged { observed, facts, verdict, found, warnings, settled, aside, book } = judged;
        let workspace = ctx.workspace().ok();
        let set_aside = workspace.map(|workspace| {
            let (memories, graphs) = (workspace.memories_set_aside(), workspace.graphs_set_aside());
            memories.len() + graphs.len()
        });
        let agent = ctx.header().caller.name();
        let steps = book.steps;
        let class = observed.scope.map_or("not_asked", |scope| scope.name());
        let mut context_guard = json!({
            "class": class,
            "requested_scope": observed.scope_text,
            "active_workspace_root": facts.workspace_root,
        });
        if let (Some(Scope::WrongWorkspaceBinding), Some(scope), Some(workspace)) =
            (observed.scope, &observed.scope_text, workspace)
        {
            let elsewhere = context_guard::elsewhere(workspace, scope);
            context_guard["recoveries"] = elsewhere.recoveries(agent);
        }
        // The way out of a state says nothing of what was lost before it.
        let well = verdict.mode == TrustMode::FullTrust && !warnings.is_empty();
        let next_actions: Vec<String> = steps
            .iter()
            .filter(|step| !(well && step.id == "go_on"))
            .map(|step| step.action.clone())
            .chain(aside.map(|_| saved::WHAT_NOW.to_owned()))
            .collect();
        // What is wrong and has no way of its own must not stand there alone.
        let next_actions = match (is_well, next_actions.is_empty()) {
            (false, true) => vec![format!("{TELL} {}", warnings.join(" "))],
            _ => next_actions,
        };
        let output = Output {
            schema: "m1nd-doctor-v0",
            status: if is_well { "ok" } else { "degraded" },
            trust_mode: verdict.mode,
            context_guard,
            next_actions,
            diagnostics: json!({
                "binding": facts,
                "binary_replaced": facts.binary_replaced,
                "binary_gone": facts.binary_gone,
                "found": found,
                "programs_on_path": hosts::programs_on_path(ctx),
                "hidden_tools": hidden(&facts, &observed),
                "no_such_tools": surface(&facts, &observed).no_such,
                "set_aside": set_aside,
                "settled_batches": settled,
            }),
            warnings,
        };
        let next = steps.first().and_then(|step| step.tool);
        Ok(Answer::of(output).next(Guidance { next_suggested_tool: next, ..Guidance::default() }))
    }
}

/// What to do about what only a person can mend.
const TELL: &str = "Tell the user what is wrong; what this process answers can be relied on:";

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        false
    }
}
