//! Judged: how far answers can be relied on and what is wrong besides, judged once for every tool of recovery.

use m1nd_contract::Fault;
use m1nd_guard::{
    Diagnosis, Facts, Found, Observed, Playbook, Step, TrustMode, Verdict, diagnose, playbook_for, verdict,
};
use m1nd_runtime::Ctx;
use m1nd_runtime::flows::{ledger, trust};
use serde_json::json;

use crate::saved;
use crate::saw::Saw;

pub struct Judged {
    pub observed: Observed,
    pub facts: Facts,
    pub verdict: Verdict,
    pub found: Vec<Found>,
    /// What is wrong, in sentences; also what makes no answer less true.
    pub warnings: Vec<String>,
    /// Batches that an earlier process left and that are whole again.
    pub settled: Vec<String>,
    /// That memory was set aside.
    pub aside: Option<String>,
    pub book: Playbook,
}

impl Judged {
    pub fn of(ctx: &Ctx<'_>, saw: Saw) -> Result<Self, Fault> {
        let observed = saw.observed(ctx)?;
        let facts = trust::wide_facts(ctx)?;
        let mut verdict = verdict(&facts, &observed);
        let mut found = diagnose(&facts, &observed, &verdict);
        let workspace = ctx.workspace().ok();
        // This process has its graph; the next one would find only what is on disk.
        let on_disk = workspace.filter(|_| facts.graph_problem.is_none() && facts.node_count > 0);
        let on_disk = on_disk.and_then(|workspace| workspace.unreadable_graph());
        found.extend(on_disk.as_ref().map(|problem| Found {
            diagnosis: Diagnosis::UnreadableSnapshot,
            why: format!("The graph on disk cannot be read, the one of this process is whole: {problem}."),
        }));
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
        let unsaved = workspace.and_then(|workspace| workspace.unsaved_because());
        warnings.extend(unsaved.map(|why| format!("The graph could not be written to disk: {why}.")));
        let is_damaged = workspace.is_some_and(ledger::is_damaged);
        warnings.extend(is_damaged.then(|| format!("{}.", saved::HISTORY)));
        let missing = workspace.map(|workspace| workspace.missing_roots()).unwrap_or_default();
        if !missing.is_empty() {
            warnings
                .push(format!("Repositories of this graph that cannot be read now: {}.", missing.join(", ")));
        }
        let settled = workspace.map(|workspace| workspace.untold_batches()).unwrap_or_default();
        let (whole, partly): (Vec<_>, Vec<_>) = settled.into_iter().partition(|one| one.is_whole);
        warnings.extend(partly.into_iter().map(|one| one.said));
        let settled = whole.into_iter().map(|one| one.said).collect();
        if verdict.mode == TrustMode::FullTrust && !warnings.is_empty() {
            verdict.why.push_str(BESIDES);
        }
        let agent = ctx.header().caller.name();
        let mut book = playbook_for(verdict.mode, &found, &facts, &observed, agent);
        // What is being made need not be begun again.
        if let Some(job) = trust::running_jobs(ctx).first() {
            for step in book.steps.iter_mut().filter(|step| step.id == "ingest") {
                step.tool = Some("job_status");
                step.arguments = Some(json!({ "agent_id": agent, "job_id": job }));
                step.action = format!("An ingest runs already ({job}): wait until it is done.");
            }
        }
        if on_disk.is_some() && verdict.mode == TrustMode::FullTrust {
            book.steps.retain(|step| step.id != "go_on");
            book.steps.push(Step {
                id: "save_anew",
                tool: Some("persist"),
                arguments: Some(json!({ "agent_id": agent, "action": "save" })),
                action: "Write the graph of this process to disk anew.".to_owned(),
            });
        }
        // The way out of a state says nothing of what was lost before it.
        if verdict.mode == TrustMode::FullTrust && !warnings.is_empty() {
            for step in book.steps.iter_mut().filter(|step| step.id == "go_on") {
                step.action = format!("{GO_ON} {}", warnings.join(" "));
            }
        }
        Ok(Self { observed, facts, verdict, found, warnings, settled, aside, book })
    }

    /// Whether nothing at all is wrong.
    pub fn is_well(&self) -> bool {
        self.verdict.mode == TrustMode::FullTrust && self.warnings.is_empty()
    }
}

/// Why a verdict of full trust stands beside something that is wrong.
const BESIDES: &str =
    " What this process answers can be relied on; what is wrong besides stands in warnings.";
const GO_ON: &str = "Use answers, and tell the user what is wrong besides:";
