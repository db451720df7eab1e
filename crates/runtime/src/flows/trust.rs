//! Trust: the facts that a verdict rests on, gathered without changing anything.

use m1nd_contract::Fault;
use m1nd_guard::{Facts, Observed, Scope, TrustMode};
use m1nd_vfs::PathError;

use super::context_guard;
use crate::ctx::Ctx;

/// What an agent says it saw, as every tool of recovery takes it.
#[derive(Clone, Debug, Default)]
pub struct Saw {
    pub observed_tool_count: Option<u64>,
    pub available_tools: Option<Vec<String>>,
    pub missing_tools: Option<Vec<String>>,
    pub scope: Option<String>,
    pub observed_tool: Option<String>,
    pub observed_proof_state: Option<String>,
    pub observed_candidates: Option<u64>,
    pub error_text: Option<String>,
    pub trust_mode: Option<TrustMode>,
}

/// Who answers, and from what.
pub fn facts(ctx: &Ctx<'_>) -> Facts {
    let runtime = ctx.runtime();
    let workspace = ctx.workspace().ok();
    let view = workspace.map(|workspace| workspace.view());
    let root = workspace.map(|workspace| workspace.root().path().display().to_string());
    let others = workspace.map(|workspace| workspace.added_roots()).unwrap_or_default();
    let others = others.into_iter().filter(|added| added.problem.is_none());
    let generation = view.as_ref().map_or(0, |view| view.generation());
    let roots = root.iter().cloned().chain(others.map(|added| added.path.display().to_string()));
    let build = runtime.settings().build;
    let graph = workspace.map(|workspace| workspace.runtime_root().join("graph.snapshot"));
    let enabled = runtime.enabled_toolsets();
    Facts {
        process_id: std::process::id(),
        runtime_root: workspace.map(|workspace| workspace.runtime_root().display().to_string()),
        binary_path: runtime.binary().map(|path| path.display().to_string()),
        version: build.version.to_owned(),
        build_hash: build.hash.to_owned(),
        ingest_roots: roots.filter(|_| generation > 0).collect(),
        workspace_root: root,
        graph_path: graph.map(|path| path.display().to_string()),
        graph_generation: generation,
        node_count: view.as_ref().map_or(0, |view| view.node_count()),
        edge_count: view.as_ref().map_or(0, |view| view.edge_count()),
        binary_replaced: runtime.binary_was_replaced(),
        binary_gone: runtime.binary_is_gone(),
        graph_problem: workspace.and_then(|workspace| workspace.problem()),
        memory_problem: None,
        other_programs: Vec::new(),
        dead_entries: Vec::new(),
        other_bindings: Vec::new(),
        tools: runtime.registry().entries().map(|(entry, _)| entry.spec.name).collect(),
        listed: runtime
            .registry()
            .entries()
            .filter(|(_, toolset)| enabled.contains(toolset))
            .map(|(entry, _)| entry.spec.name)
            .collect(),
    }
}

/// The same with the graph as the files are now: one that was kept on disk and not asked for yet is loaded. Memory is
/// looked at.
pub fn fresh_facts(ctx: &Ctx<'_>) -> Result<Facts, Fault> {
    let Ok(workspace) = ctx.workspace() else { return Ok(facts(ctx)) };
    ctx.graph_if_any()?;
    let problem = workspace.memory_state().problem;
    Ok(Facts { memory_problem: problem.map(|problem| problem.to_string()), ..facts(ctx) })
}

/// The same with what the hosts of this machine would start.
pub fn wide_facts(ctx: &Ctx<'_>) -> Result<Facts, Fault> {
    let mut facts = fresh_facts(ctx)?;
    super::hosts::add_to(ctx, &mut facts);
    Ok(facts)
}

/// What was seen, with the scope held against the workspace.
pub fn observed(ctx: &Ctx<'_>, saw: Saw) -> Observed {
    let scope = saw.scope.as_deref().map(|scope| classify(ctx, scope));
    let (repository, namespace) = match (&saw.scope, scope, ctx.workspace()) {
        (Some(text), Some(Scope::WrongWorkspaceBinding), Ok(workspace)) => {
            let elsewhere = context_guard::elsewhere(workspace, text);
            let found = elsewhere.repository();
            (found.map(|path| path.display().to_string()), found.map(super::roots::name_of))
        }
        _ => (None, None),
    };
    Observed {
        repository,
        namespace,
        tool_count: saw.observed_tool_count,
        available: saw.available_tools,
        missing: saw.missing_tools.unwrap_or_default(),
        scope,
        scope_text: saw.scope,
        tool: saw.observed_tool,
        proof_state: saw.observed_proof_state,
        candidates: saw.observed_candidates,
        error_text: saw.error_text,
        trust_mode: saw.trust_mode,
    }
}

/// How a folder or file lies to the workspace. A worktree is a workspace of its own; a link is what it leads to.
pub fn classify(ctx: &Ctx<'_>, scope: &str) -> Scope {
    let Ok(workspace) = ctx.workspace() else { return Scope::WrongWorkspaceBinding };
    match workspace.root().locate(scope) {
        Ok(found) if found.as_str().split('/').next().is_some_and(|first| first.ends_with("::")) => {
            Scope::Federated
        }
        Ok(found) if workspace.root().path().join(found.as_str()).exists() => Scope::SingleRepo,
        // A name that the workspace does not have may be that of a folder beside it.
        Ok(_) | Err(PathError::Outside { .. } | PathError::NotFound { .. }) => {
            let found = context_guard::elsewhere(workspace, scope);
            match () {
                // So may be the workspace's own name.
                () if found.is_own(workspace) => Scope::SingleRepo,
                () if found.exists() => Scope::WrongWorkspaceBinding,
                () => Scope::Missing,
            }
        }
        Err(_) => Scope::Missing,
    }
}

/// Jobs that run now: what they bring is not in the graph yet.
pub fn running_jobs(ctx: &Ctx<'_>) -> Vec<String> {
    jobs_of(ctx.runtime())
}

/// The same of a runtime.
pub fn jobs_of(runtime: &crate::runtime::Runtime) -> Vec<String> {
    let jobs = runtime.jobs().into_iter();
    let running = jobs.filter(|job| matches!(job.state(), crate::jobs::JobState::Running));
    running.map(|job| job.id.clone()).collect()
}
