//! The tasks that somebody could start now.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::EntityLine;
use crate::budget::{Budget, Fit, fit, json_size};
use crate::error::{MemoryError, StoreError};
use crate::ids::{EntityId, EventNo, Seq, WorkspaceId};
use crate::page::{self, Pagination};
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
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
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
    /// Tasks that the asking agent holds already, on the first page; more than `limit` are listed by `tasks_context`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub yours: Vec<EntityLine>,
    /// The limit that was used.
    pub limit: usize,
    pub pagination: Pagination,
    /// Whether there are more than are listed: claim or finish some, or turn the page.
    pub truncated: bool,
}

pub fn ready(ports: &Ports<'_>, request: &TasksReadyRequest) -> Result<TasksReadyOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    let now = ports.clock.now();
    let cursor = page::cursor(request.cursor, 0)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let behind = (cursor > 0).then(|| standing_at(rows, &ws, cursor)).transpose()?;
        let readiness = Readiness::new(rows, &ws);
        let mut failed: Option<StoreError> = None;
        let mut tasks = Vec::new();
        let mut numbers = Vec::new();
        let mut yours = Vec::new();
        let mut more_yours = false;
        rows.open_tasks(ws.no, &mut |row| {
            if let Some(claim) = row.claim.as_ref().filter(|claim| claim.is_live(now)) {
                if behind.is_none() && request.agent_id.as_ref() == Some(&claim.agent) {
                    more_yours = yours.len() == limit;
                    if !more_yours {
                        yours.push(EntityLine::of(&row, now));
                    }
                }
                return ControlFlow::Continue(());
            }
            if tasks.len() <= limit && behind.is_none_or(|at| at < rank(&row)) {
                match readiness.is_unblocked(&row) {
                    Ok(true) => {
                        numbers.push(place(&row));
                        tasks.push(EntityLine::of(&row, now));
                    }
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
        let more = page::cut(&mut tasks, limit);
        numbers.truncate(limit);
        // What the agent holds is never more than half of the answer.
        more_yours |= !yours.is_empty() && fit(&mut yours, budget.0 / 2) == Fit::Trimmed;
        let mut out = TasksReadyOutput {
            workspace: workspace.clone(),
            tasks: Vec::new(),
            yours,
            limit,
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        let (pagination, trimmed) = out.pagination.fitted(&mut tasks, &numbers, more, room);
        out.truncated = trimmed || more || more_yours;
        (out.pagination, out.tasks) = (pagination, tasks);
        Ok(out)
    })
}

/// Numbers of a workspace stay below this, and the whole below what JSON can hold.
const SEQS: i64 = 1 << 33;
/// Urgencies from here on, either way, have one number in a cursor: there the task that it names tells its own.
const URGENCY: i64 = (1 << 19) - 1;

/// Where a task stands in the list: more urgent first, then older.
fn rank(row: &EntityRow) -> (Reverse<i64>, Seq) {
    (Reverse(row.priority), row.created_seq)
}

/// The same as one number: it stays the same whatever becomes of other tasks.
fn place(row: &EntityRow) -> i64 {
    (URGENCY - row.priority.clamp(-URGENCY, URGENCY)) * SEQS + row.created_seq.0.min(SEQS - 1)
}

/// Where the task stands that a cursor names.
fn standing_at(rows: &dyn Rows, ws: &WorkspaceRow, cursor: i64) -> Result<(Reverse<i64>, Seq), StoreError> {
    let (urgency, seq) = (URGENCY - cursor / SEQS, Seq(cursor % SEQS));
    if urgency.abs() >= URGENCY {
        let named = rows.entities(ws.no, Seq(seq.0 + 1), EventNo(0), 1)?;
        if let Some(row) = named.first().filter(|row| place(row) == cursor) {
            return Ok(rank(row));
        }
    }
    Ok((Reverse(urgency), seq))
}

/// Tells which tasks are ready, and asks after each plan and task that they hang on once.
pub(crate) struct Readiness<'a> {
    rows: &'a dyn Rows,
    ws: &'a WorkspaceRow,
    statuses: RefCell<HashMap<EntityId, Option<Status>>>,
}

impl<'a> Readiness<'a> {
    pub(crate) fn new(rows: &'a dyn Rows, ws: &'a WorkspaceRow) -> Self {
        Self { rows, ws, statuses: RefCell::default() }
    }

    /// Whether everything that a task depends on is done, and its plan is not closed.
    pub(crate) fn is_unblocked(&self, row: &EntityRow) -> Result<bool, StoreError> {
        if let Some(plan) = row.parent
            && matches!(self.status(plan)?, Some(Status::Done | Status::Cancelled))
        {
            return Ok(false);
        }
        for id in &row.depends_on {
            if self.status(*id)? != Some(Status::Done) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn status(&self, id: EntityId) -> Result<Option<Status>, StoreError> {
        if let Some(known) = self.statuses.borrow().get(&id) {
            return Ok(*known);
        }
        let status = self.rows.entity(self.ws.no, id)?.map(|row| row.status);
        self.statuses.borrow_mut().insert(id, status);
        Ok(status)
    }
}

/// Why an open task is not ready, for whoever takes or changes it.
pub(super) fn in_the_way(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    row: &EntityRow,
) -> Result<Option<String>, StoreError> {
    let id = row.id;
    if let Some(plan) = row.parent
        && let Some(plan) = rows.entity(ws.no, plan)?
        && matches!(plan.status, Status::Done | Status::Cancelled)
    {
        let (plan, status) = (plan.id, plan.status.as_str());
        return Ok(Some(format!("{id} is not ready: {plan}, which it belongs to, is {status}.")));
    }
    let waits = waits_for(rows, ws, row)?;
    if !waits.is_empty() {
        return Ok(Some(format!("{id} is not ready: it waits for {}.", waits.join(", "))));
    }
    Ok((row.status == Status::Blocked).then(|| format!("{id} is blocked; tasks_radar shows by what.")))
}

/// The tasks that a task waits for, and how they stand.
fn waits_for(rows: &dyn Rows, ws: &WorkspaceRow, row: &EntityRow) -> Result<Vec<String>, StoreError> {
    let mut out = Vec::new();
    for id in &row.depends_on {
        match rows.entity(ws.no, *id)? {
            Some(other) if other.status == Status::Done => {}
            Some(other) => out.push(format!("{id} ({})", other.status.as_str())),
            None => out.push(id.to_string()),
        }
    }
    Ok(out)
}
