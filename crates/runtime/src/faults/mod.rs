//! Where an engine's fact becomes advice to an agent. One file for each engine.

pub mod from_bring;
pub mod from_edit;
pub mod from_graph;
pub mod from_memory;
pub mod from_mission;
pub mod from_vfs;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_stdx::cancel::Stop;
use serde_json::json;

use crate::registry::HELP;

/// An argument that is wrong. Points to the tool's help.
pub fn invalid_params(tool: &str, message: impl Into<String>) -> Fault {
    Fault::new(
        Code::InvalidParams,
        message,
        Recovery::call(
            format!("Read the arguments of {tool} and call it again."),
            HELP,
            json!({ "tool": tool }),
        ),
    )
}

/// A budget that not even the shortest form of an answer fits into.
pub fn too_little_room(tool: &str, given: usize, least: usize) -> Fault {
    let fault = Fault::new(
        Code::InvalidParams,
        format!("`max_chars` {given} is too small: the shortest form of this answer has {least} bytes."),
        Recovery::hint(format!("Call {tool} again with `max_chars` of at least {least}.")),
    );
    fault.with_detail(json!({ "least": least }))
}

/// Work that was asked to stop.
pub fn stopped(stop: Stop) -> Fault {
    match stop {
        Stop::Cancelled => Fault::new(
            Code::Cancelled,
            "The call was cancelled; nothing was changed.",
            Recovery::hint("Call again if the answer is still wanted."),
        ),
        Stop::TimedOut => Fault::new(
            Code::Busy,
            "The call did not get its turn in time.",
            Recovery::hint("Another call is writing. Call again in a few seconds."),
        ),
    }
}

/// The call needs the graph, and there is none.
pub fn empty_graph() -> Fault {
    Fault::new(
        Code::EmptyGraph,
        "Nothing is ingested yet, so the graph is empty.",
        Recovery::call("Ingest the workspace, then call again.", INGEST, json!({})),
    )
}

/// The graph is empty because its first ingest still runs.
pub fn still_ingesting(job: &str) -> Fault {
    Fault::new(
        Code::Busy,
        format!("The first ingest of this workspace still runs ({job}), so there is no graph yet."),
        Recovery::call("Ask how far it is, then call again.", "job_status", json!({ "job_id": job })),
    )
}

/// The tool that fills the graph.
const INGEST: &str = "ingest";

/// The process is bound to no workspace; `why` if that is known.
pub fn no_workspace(why: Option<&str>) -> Fault {
    let why = why.unwrap_or("it was started outside a repository, and the client named no root");
    Fault::new(
        Code::WrongWorkspaceBinding,
        format!("This server is bound to no workspace: {why}."),
        Recovery::hint(
            "Start the server with --workspace PATH, or set M1ND_WORKSPACE_ROOT in the host's configuration.",
        ),
    )
}
