//! The agent runtime contract: why an answer is what it is, in one predictable object.

use m1nd_contract::{Code, ContractForm, Fault, Header, ProofState};
use m1nd_guard::TrustMode;
use serde_json::{Value, json};

use crate::runtime::Runtime;
use crate::workspace::Workspace;

const SCHEMA: &str = "m1nd-agent-runtime-contract-v0";

/// What the call at hand showed.
pub(crate) struct Observed<'a> {
    pub(crate) tool: &'static str,
    pub(crate) candidates: u64,
    pub(crate) proof: Option<ProofState>,
    pub(crate) scope: Option<&'a str>,
    pub(crate) fault: Option<&'a Fault>,
}

/// Tools that an agent is sent to when something is wrong, best first; only those that exist are named.
const RECOVERY_TOOLS: [&str; 2] = ["recovery_playbook", "health"];

/// Short while all is well, full otherwise or when asked for.
pub(crate) fn build(
    runtime: &Runtime,
    header: &Header,
    workspace: Option<&Workspace>,
    observed: &Observed<'_>,
    form: ContractForm,
) -> Value {
    let nodes = workspace.map_or(0, |workspace| workspace.view().node_count());
    let is_damaged = runtime.binary_was_replaced() || workspace.is_some_and(|one| one.problem().is_some());
    let mode = trust_mode(observed, nodes, is_damaged);
    let status = match mode {
        TrustMode::FullTrust => "ok",
        _ if observed.fault.is_some() || observed.candidates == 0 => "blocked",
        _ => "triaging",
    };
    let healthy = mode == TrustMode::FullTrust && form == ContractForm::Auto;
    if healthy || form == ContractForm::Short {
        return json!({ "schema": SCHEMA, "status": status, "trust_mode": mode.name() });
    }
    full(runtime, header, workspace, observed, mode, status)
}

/// The same verdict as the handshake's, in the words that this contract has: a replaced program and damaged files of the
/// graph need recovery, whatever was found.
fn trust_mode(observed: &Observed<'_>, nodes: u64, is_damaged: bool) -> TrustMode {
    let misplaced = [Code::PathOutsideWorkspace, Code::WrongWorkspaceBinding];
    match observed.fault {
        Some(fault) if misplaced.contains(&fault.code) => TrustMode::WrongWorkspaceBinding,
        _ if nodes == 0 => TrustMode::NeedsIngest,
        Some(_) => TrustMode::RetrievalNeedsRecovery,
        None if observed.candidates == 0 || is_damaged => TrustMode::RetrievalNeedsRecovery,
        None => TrustMode::FullTrust,
    }
}

fn full(
    runtime: &Runtime,
    header: &Header,
    workspace: Option<&Workspace>,
    observed: &Observed<'_>,
    mode: TrustMode,
    status: &str,
) -> Value {
    let view = workspace.map(Workspace::view);
    let generation = view.as_ref().map_or(0, |view| view.generation());
    let root = workspace.map(|workspace| workspace.root().path().to_string_lossy().into_owned());
    let runtime_root = workspace.map(Workspace::runtime_root);
    let graph_path = runtime_root.map(|folder| folder.join("graph.snapshot"));
    // A graph exists only once something was ingested; until then no root is one.
    let others = workspace.map(Workspace::added_roots).unwrap_or_default();
    let others = others.iter().filter(|added| added.problem.is_none());
    let others = others.map(|added| added.path.to_string_lossy().into_owned());
    let ingest_roots: Vec<String> = root.iter().cloned().chain(others).filter(|_| generation > 0).collect();
    let mut seen = json!({ "tool": observed.tool, "candidates": observed.candidates });
    if let Some(fault) = observed.fault {
        seen["error"] = json!(fault.message);
    }
    let mut binding = json!({
        "requested_scope": observed.scope,
        "active_workspace_root": root,
        "ingest_roots": ingest_roots,
    });
    if mode == TrustMode::WrongWorkspaceBinding {
        binding["mismatch"] = json!(observed.fault.map(|fault| fault.message.as_str()));
    }
    let recovery =
        (mode != TrustMode::FullTrust).then(|| recovery(runtime, header, observed, mode)).flatten();
    json!({
        "schema": SCHEMA,
        "status": status,
        "proof_state": observed.proof,
        "trust_mode": mode.name(),
        "observed": seen,
        "session_identity": {
            "agent_id": header.caller.name(),
            "tool": observed.tool,
            "process_id": std::process::id(),
            "runtime_root": runtime_root,
            "current_binary": runtime.binary(),
            "binary_version": runtime.settings().build.version,
        },
        "workspace_binding": binding,
        "graph_identity": {
            "node_count": view.as_ref().map_or(0, |view| view.node_count()),
            "edge_count": view.as_ref().map_or(0, |view| view.edge_count()),
            "graph_generation": generation,
            "cache_generation": generation,
            "plasticity_generation": 0,
            "ingest_root_count": ingest_roots.len(),
            "graph_path": graph_path,
            "graph_path_exists": graph_path.as_ref().is_some_and(|path| path.exists()),
        },
        "next_suggested_tool": recovery.as_ref().map(|recovery| recovery["tool"].clone()),
        "recovery": recovery,
        "non_claims": NON_CLAIMS,
    })
}

/// What the contract does not prove or change.
const NON_CLAIMS: [&str; 4] = [
    "does not repair MCP host bindings",
    "does not ingest or change the graph",
    "does not prove that retrieval is semantically right",
    "does not replace compiler, test, log or file truth",
];

fn recovery(runtime: &Runtime, header: &Header, observed: &Observed<'_>, mode: TrustMode) -> Option<Value> {
    let tool = runtime.registry().first_of(&RECOVERY_TOOLS)?;
    let mut arguments = json!({ "agent_id": header.caller.name() });
    if tool == RECOVERY_TOOLS[0] {
        arguments["observed_tool"] = json!(observed.tool);
        arguments["observed_candidates"] = json!(observed.candidates);
        arguments["trust_mode"] = json!(mode.name());
        if let Some(proof) = observed.proof {
            arguments["observed_proof_state"] = json!(proof);
        }
        if let Some(scope) = observed.scope {
            arguments["scope"] = json!(scope);
        }
        if let Some(fault) = observed.fault {
            arguments["error_text"] = json!(fault.message);
        }
    }
    Some(json!({ "tool": tool, "arguments": arguments }))
}
