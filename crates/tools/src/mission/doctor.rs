//! `doctor`: everything that is known to be wrong with this server, its state and its binding.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_guard::{Scope, TrustMode, diagnose, hidden, playbook_for, surface, verdict};
use m1nd_runtime::flows::{context_guard, hosts, trust};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::READ;
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
        let observed = input.observed(ctx)?;
        let facts = trust::wide_facts(ctx)?;
        let verdict = verdict(&facts, &observed);
        let found = diagnose(&facts, &observed, &verdict);
        let workspace = ctx.workspace().ok();
        let mut warnings = Vec::new();
        if verdict.mode != TrustMode::FullTrust {
            warnings.push(verdict.why.clone());
        }
        let said: Vec<String> = found.iter().map(|found| found.why.clone()).collect();
        warnings.extend(said.into_iter().filter(|why| *why != verdict.why));
        let memories = workspace.map(|workspace| workspace.memories_set_aside());
        let aside = saved::set_aside(memories.as_deref().unwrap_or_default());
        warnings.extend(aside.clone());
        warnings.extend(workspace.and_then(|workspace| workspace.made_again()));
        let missing = workspace.map(|workspace| workspace.missing_roots()).unwrap_or_default();
        if !missing.is_empty() {
            warnings
                .push(format!("Repositories of this graph that cannot be read now: {}.", missing.join(", ")));
        }
        let settled = workspace.map(|workspace| workspace.untold_batches()).unwrap_or_default();
        let (whole, partly): (Vec<_>, Vec<_>) = settled.into_iter().partition(|one| one.is_whole);
        warnings.extend(partly.into_iter().map(|one| one.said));
        let whole: Vec<String> = whole.into_iter().map(|one| one.said).collect();
        let agent = ctx.header().caller.name();
        let steps = playbook_for(verdict.mode, &found, &facts, &observed, agent).steps;
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
        let output = Output {
            schema: "m1nd-doctor-v0",
            status: if warnings.is_empty() { "ok" } else { "degraded" },
            trust_mode: verdict.mode,
            context_guard,
            next_actions,
            diagnostics: json!({
                "binding": facts,
                "binary_replaced": facts.binary_replaced,
                "found": found,
                "programs_on_path": hosts::programs_on_path(ctx),
                "hidden_tools": hidden(&facts, &observed),
                "no_such_tools": surface(&facts, &observed).no_such,
                "set_aside": memories.map(|memories| memories.len()),
                "settled_batches": whole,
            }),
            warnings,
        };
        let next = steps.first().and_then(|step| step.tool);
        Ok(Answer::of(output).next(Guidance { next_suggested_tool: next, ..Guidance::default() }))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        false
    }
}
