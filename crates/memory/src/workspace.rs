//! The workspace as a whole: making sure it is there, and a quick look at it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Budget;
use crate::error::MemoryError;
use crate::ids::{BranchName, EventNo, Seq, WorkspaceId};
use crate::port;
use crate::ports::Ports;
use crate::text::{nearest, timestamp};
use crate::writer::{self, Once, Outcome, write};

/// Makes sure that the storage of a workspace is there.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitRequest {
    /// The workspace.
    pub workspace: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InitOutput {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The folder that holds the store.
    pub storage_dir: String,
    /// The version of the store's layout.
    pub schema_version: u32,
}

pub fn init(ports: &Ports<'_>, request: &InitRequest) -> Result<InitOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let (storage_dir, schema_version) = (ports.store.place(), ports.store.schema_version());
    let out = InitOutput { workspace: workspace.clone(), storage_dir, schema_version };
    // One that is there needs no write, and may lie where nothing can be written.
    if port::read(ports.store, |rows| Ok(rows.workspace(&workspace)?.is_some()))? {
        return Ok(out);
    }
    write(ports, &workspace, &Once::plain("init"), |_| Ok(Outcome::Keep(out.clone())))
}

/// The names of all workspaces in the store, in order.
pub fn names(ports: &Ports<'_>) -> Result<Vec<String>, MemoryError> {
    port::read(ports.store, |rows| {
        let mut names: Vec<String> = rows.workspaces()?.iter().map(|row| row.name.to_string()).collect();
        names.sort();
        Ok(names)
    })
}

/// The names of workspaces nearest to one that is not there; nothing if it is.
pub fn elsewhere(ports: &Ports<'_>, asked: &str) -> Result<Option<Vec<String>>, MemoryError> {
    let known = names(ports)?;
    let there = known.iter().any(|name| name == asked);
    Ok((!there).then(|| nearest(asked, &known)))
}

/// A fast look at the store and the workspace.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StatusRequest {
    /// The workspace.
    pub workspace: String,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusOutput {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The version of the store's layout.
    pub schema_version: u32,
    /// The newest task event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event_id: Option<String>,
    /// When it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event_ts: Option<String>,
    /// The newest number of the workspace's clock; 0 when nothing was written.
    pub last_seq: Seq,
    /// The checked out branch.
    pub checkout: BranchName,
    /// How many branches there are.
    pub branches: i64,
    /// How many plans there are.
    pub plans: i64,
    /// How many tasks there are.
    pub tasks: i64,
}

pub fn status(ports: &Ports<'_>, request: &StatusRequest) -> Result<StatusOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    // The answer has no text that could be shortened; whoever called compares it with the budget.
    Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let last = match ws.event {
            EventNo(0) => None,
            EventNo(no) => rows.events(ws.no, EventNo(no - 1), 1)?.pop(),
        };
        Ok(StatusOutput {
            workspace: workspace.clone(),
            schema_version: ports.store.schema_version(),
            last_event_id: last.as_ref().map(|event| event.no.to_string()),
            last_event_ts: last.as_ref().map(|event| timestamp(event.ts)),
            last_seq: ws.seq,
            checkout: ws.checkout.clone(),
            branches: ws.branches.max(1),
            plans: ws.plans,
            tasks: ws.tasks,
        })
    })
}
