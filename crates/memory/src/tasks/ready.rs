//! The tasks that somebody could start now.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::EntityLine;
use crate::budget::{Budget, Fit, fit, json_size};
use crate::error::{MemoryError, StoreError};
use crate::ids::WorkspaceId;
use crate::page;
use crate::port::{self, EntityRow, Rows, Status, WorkspaceRow};
use crate::ports::Ports;
use crate::writer;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 200;

/// Lists open tasks that wait for nothing and that nobody has claimed, most urgent first, then oldest.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksReadyRequest {
    /// The workspace.
    pub workspace: String,
    /// The most tasks (20, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// List the tasks that this agent has claimed too, apart.
    #[serde(default)]
    pub agent_id: Option<String>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksReadyOutput {
    pub workspace: WorkspaceId,
    /// Most urgent first, then oldest.
    pub tasks: Vec<EntityLine>,
    /// Tasks that the asking agent holds already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<EntityLine>,
    /// The limit that was used.
    pub limit: usize,
    /// Whether there are more than are listed: claim or finish some, or ask for more.
    pub truncated: bool,
}

pub fn ready(ports: &Ports<'_>, request: &TasksReadyRequest) -> Result<TasksReadyOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    let now = ports.clock.now();
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let mut failed: Option<StoreError> = None;
        let mut tasks = Vec::new();
        let mut yours = Vec::new();
        rows.open_tasks(ws.no, &mut |row| {
            if let Some(claim) = row.claim.as_ref().filter(|claim| claim.is_live(now)) {
                if request.agent_id.as_ref() == Some(&claim.agent) && yours.len() < limit {
                    yours.push(EntityLine::of(&row, now));
                }
                return ControlFlow::Continue(());
            }
            if tasks.len() <= limit {
                match is_unblocked(rows, &ws, &row) {
                    Ok(true) => tasks.push(EntityLine::of(&row, now)),
                    Ok(false) => {}
                    Err(err) => {
                        failed = Some(err);
                        return ControlFlow::Break(());
                    }
                }
            }
            let enough = tasks.len() > limit && request.agent_id.is_none();
            if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if let Some(err) = failed {
            return Err(err.into());
        }
        let more = tasks.len() > limit;
        tasks.truncate(limit);
        let mut out = TasksReadyOutput {
            workspace: workspace.clone(),
            tasks: Vec::new(),
            yours,
            limit,
            truncated: false,
        };
        out.truncated = fit(&mut tasks, budget.0.saturating_sub(json_size(&out))) == Fit::Trimmed || more;
        out.tasks = tasks;
        Ok(out)
    })
}

/// Whether everything that a task depends on is done, and its plan is not closed.
pub(crate) fn is_unblocked(rows: &dyn Rows, ws: &WorkspaceRow, row: &EntityRow) -> Result<bool, StoreError> {
    if let Some(plan) = row.parent
        && let Some(plan) = rows.entity(ws.no, plan)?
        && matches!(plan.status, Status::Done | Status::Cancelled)
    {
        return Ok(false);
    }
    for id in &row.depends_on {
        if rows.entity(ws.no, *id)?.is_none_or(|other| other.status != Status::Done) {
            return Ok(false);
        }
    }
    Ok(true)
}
