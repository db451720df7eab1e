//! A refused path that leads out of the workspace, held against the binding: one place for every tool that takes paths.

use m1nd_contract::{Caller, Code, Fault, Recovery};
use serde_json::{Value, json};

use super::ANYBODY;
use crate::faults::from_vfs::REQUESTED;
use crate::flows::context_guard;
use crate::registry::Registry;
use crate::runtime::Runtime;
use crate::workspace::Workspace;

/// Puts the context guard into a fault about a path outside, and says which path it was. Where another repository is
/// meant, looking at this one would only mislead: the way on is a handshake that names the other one.
pub(super) fn guard(
    runtime: &Runtime,
    workspace: Option<&Workspace>,
    caller: &Caller,
    fault: &mut Fault,
) -> Option<String> {
    let requested = fault.detail.as_ref()?.get(REQUESTED)?.as_str()?.to_owned();
    let workspace = workspace.filter(|_| fault.code == Code::PathOutsideWorkspace)?;
    let agent = match caller {
        Caller::Agent(name) => name.as_str(),
        Caller::Workspace(_) => ANYBODY,
    };
    let elsewhere = context_guard::elsewhere(workspace, &requested);
    fault.detail = Some(json!({ "context_guard": elsewhere.guard(workspace, agent) }));
    if let Some(repository) = elsewhere.repository()
        && fault.recovery.next_tool != Some(INGEST)
        && let Some(tool) = handshake(runtime.registry())
    {
        let hint =
            "This server is bound to another repository; detail.context_guard has three ways to this one.";
        let arguments: Value = json!({ "scope": repository, "agent_id": agent });
        fault.recovery = Recovery::call(hint, tool, arguments);
    }
    Some(elsewhere.repository().map_or(requested, |path| path.display().to_string()))
}

const INGEST: &str = "ingest";

fn handshake(registry: &Registry) -> Option<&'static str> {
    registry.first_of(&["session_handshake"])
}
