//! Changing the fields of a plan or task.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::create::{dependencies, plan};
use super::event::Event;
use super::mutation::{Happened, Stage, mutation, seal};
use super::patch::Patch;
use super::project::detach;
use super::ready::in_the_way;
use crate::anchors::{self, AnchorIn};
use crate::error::MemoryError;
use crate::ids::{EntityId, EntityKind, WorkspaceId};
use crate::port::{EntityRow, Object, Rows, Status, WorkspaceRow};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::target;
use crate::text;
use crate::writer::{Outcome, Writer, write};

mutation! {
    /// Changes fields of a plan or task. A field that is not given stays; `null` clears it.
    pub struct TasksEditRequest {
        /// The plan or task.
        #[serde(alias = "id", alias = "plan", alias = "target")]
        pub task: String,
        /// One line.
        #[serde(default)]
        pub title: Patch<String>,
        /// What is to be done, and why.
        #[serde(default)]
        pub description: Patch<String>,
        /// What the result must fulfil.
        #[serde(default)]
        pub contract: Patch<String>,
        /// The same for machines.
        #[serde(default)]
        pub contract_data: Patch<Object>,
        /// Higher is more urgent.
        #[serde(default)]
        pub priority: Patch<i64>,
        /// The plan that a task belongs to.
        #[serde(default)]
        pub parent: Patch<String>,
        /// Tasks that must be done before.
        #[serde(default)]
        pub depends_on: Patch<Vec<String>>,
        /// Code it speaks of: node_id, or path with lines (12-40)
        #[serde(default)]
        pub anchors: Patch<Vec<AnchorIn>>,
        /// `todo`, `active`, `blocked`, `done` or `cancelled`.
        #[serde(default)]
        pub status: Patch<Status>,
        /// Accept text that looks like a secret
        #[serde(default)]
        pub allow_sensitive: Option<bool>,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksEditOutput {
    pub id: String,
    pub kind: EntityKind,
    pub revision: i64,
    pub status: Status,
    /// Absent when everything was so already: nothing was written, and the revision stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<Event>,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn edit(ports: &Ports<'_>, request: &TasksEditRequest) -> Result<TasksEditOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    write(ports, &workspace, &request.once("tasks_edit"), |w| {
        let mut row = target::entity(w.tx.rows(), &w.ws, "task", &request.task)?;
        request.guard().check(&row, w)?;
        let before = row.clone();
        let mut payload = fields(w, ports, request, &mut row)?;
        let only_status = payload.is_empty();
        if let Some(status) = set_once("status", &request.status)?.filter(|status| **status != before.status)
        {
            let status = *status;
            check_status(w.tx.rows(), &w.ws, &row, status)?;
            payload.insert("from".to_owned(), json!(before.status));
            payload.insert("to".to_owned(), json!(status));
            row.status = status;
        }
        // Whoever held it when it was closed has let go of it, unless it is they who open it again.
        if is_closed(&before) && !is_closed(&row) && request.claim_token.is_none() {
            row.claim = None;
        }
        if payload.is_empty() {
            if request.names_nothing() {
                return Err(MemoryError::NothingToChange { id: row.id });
            }
            return Ok(Outcome::Discard(TasksEditOutput::of(&row, None)));
        }
        let type_ = match (row.id.kind, only_status) {
            (EntityKind::Plan, _) => "plan_edited",
            (EntityKind::Task, true) => "task_status",
            (EntityKind::Task, false) => "task_edited",
        };
        if let Some(old) = before.parent.filter(|old| row.parent != Some(*old)) {
            detach(w, &row, old)?;
        }
        let mut event = seal(w, &mut row, &[], Stage::Changed, Happened { type_, path: None, payload })?;
        if !request.anchors.is_keep() {
            event.warn(anchors::warnings(&row.anchors).pop());
        }
        if row.id.kind == EntityKind::Plan && is_closed(&row) && !is_closed(&before) {
            event.warn(left_behind(&open_tasks(w.tx.rows(), &w.ws, &row)?, &row));
        } else if row.status.is_open() && (is_closed(&before) || before.parent != row.parent) {
            event.warn(in_the_way(w.tx.rows(), &w.ws, &row)?);
        }
        Ok(Outcome::Keep(TasksEditOutput::of(&row, Some(event))))
    })
}

impl TasksEditRequest {
    /// Whether no field is given at all.
    fn names_nothing(&self) -> bool {
        let kept = [
            self.title.is_keep(),
            self.status.is_keep(),
            self.description.is_keep(),
            self.contract.is_keep(),
            self.contract_data.is_keep(),
            self.priority.is_keep(),
            self.parent.is_keep(),
            self.depends_on.is_keep(),
            self.anchors.is_keep(),
        ];
        kept.into_iter().all(|kept| kept)
    }
}

impl TasksEditOutput {
    fn of(row: &EntityRow, event: Option<Event>) -> Self {
        let (id, kind) = (row.id.to_string(), row.id.kind);
        Self { id, kind, revision: row.revision, status: row.status, event, replayed: false }
    }
}

/// Sets everything but the status. Returns what is now different.
fn fields(
    w: &Writer<'_>,
    ports: &Ports<'_>,
    request: &TasksEditRequest,
    row: &mut EntityRow,
) -> Result<Object, MemoryError> {
    let sensitive = Sensitive::from(request.allow_sensitive);
    let before = row.clone();
    let mut changed = Object::new();
    if let Some(title) = set_once("title", &request.title)? {
        row.title = text::title("title", title, sensitive)?;
        if row.title != before.title {
            changed.insert("title".to_owned(), json!(row.title));
        }
    }
    if !request.description.is_keep() {
        row.description =
            text::optional_body("description", set(&request.description).map(String::as_str), sensitive)?;
        if row.description != before.description {
            changed.insert("description".to_owned(), json!(row.description));
        }
    }
    if !request.contract.is_keep() {
        row.contract =
            text::optional_body("contract", set(&request.contract).map(String::as_str), sensitive)?;
        if row.contract != before.contract {
            changed.insert("contract".to_owned(), json!(row.contract));
        }
    }
    if !request.contract_data.is_keep() {
        row.contract_data = text::meta("contract_data", set(&request.contract_data), sensitive)?;
        if row.contract_data != before.contract_data {
            changed.insert("contract_data".to_owned(), json!(row.contract_data));
        }
    }
    if !request.priority.is_keep() {
        row.priority = set(&request.priority).copied().unwrap_or(0);
        if row.priority != before.priority {
            changed.insert("priority".to_owned(), json!(row.priority));
        }
    }
    if !request.anchors.is_keep() {
        let given = set(&request.anchors).map(Vec::as_slice).unwrap_or_default();
        row.anchors = anchors::take(ports.code, given)?;
        let names: Vec<String> = row.anchors.iter().map(|anchor| anchors::name(&anchor.at)).collect();
        if row.anchors != before.anchors {
            changed.insert("anchors".to_owned(), json!(names));
        }
    }
    for (field, kept) in [("parent", request.parent.is_keep()), ("depends_on", request.depends_on.is_keep())]
    {
        if row.id.kind == EntityKind::Plan && !kept {
            return Err(MemoryError::invalid(field, "belongs to a task, not to a plan"));
        }
    }
    if !request.parent.is_keep() {
        row.parent = match set(&request.parent) {
            Some(parent) => Some(plan(w.tx.rows(), &w.ws, parent)?.id),
            None => None,
        };
        if row.parent != before.parent {
            changed.insert("parent".to_owned(), json!(row.parent.map(|id| id.to_string())));
        }
    }
    if !request.depends_on.is_keep() {
        let given = set(&request.depends_on).map(Vec::as_slice).unwrap_or_default();
        row.depends_on = dependencies(w.tx.rows(), &w.ws, given)?;
        check_acyclic(w.tx.rows(), &w.ws, row)?;
        let names: Vec<String> = row.depends_on.iter().map(ToString::to_string).collect();
        if row.depends_on != before.depends_on {
            changed.insert("depends_on".to_owned(), json!(names));
        }
    }
    Ok(changed)
}

/// A field that can be changed but not cleared.
fn set_once<'a, T>(field: &'static str, patch: &'a Patch<T>) -> Result<Option<&'a T>, MemoryError> {
    match patch {
        Patch::Clear => Err(MemoryError::invalid(field, "cannot be cleared; leave it out to keep it")),
        kept_or_set => Ok(set(kept_or_set)),
    }
}

fn set<T>(patch: &Patch<T>) -> Option<&T> {
    match patch {
        Patch::Set(value) => Some(value),
        Patch::Keep | Patch::Clear => None,
    }
}

/// A task is not done while its steps are not: that would pass their checkpoints by. Nor is a plan while its tasks
/// are open: nobody would find them again.
fn check_status(rows: &dyn Rows, ws: &WorkspaceRow, row: &EntityRow, to: Status) -> Result<(), MemoryError> {
    if to != Status::Done {
        return Ok(());
    }
    if row.id.kind == EntityKind::Plan {
        let open = open_tasks(rows, ws, row)?;
        return if open.is_empty() { Ok(()) } else { Err(MemoryError::OpenTasks { plan: row.id, open }) };
    }
    let open = rows.steps(ws.no, row.id)?.iter().filter(|step| step.completed.is_none()).count();
    if open > 0 {
        return Err(MemoryError::OpenSteps { task: row.id, open });
    }
    Ok(())
}

fn is_closed(row: &EntityRow) -> bool {
    matches!(row.status, Status::Done | Status::Cancelled)
}

/// The tasks of a plan that are neither done nor cancelled, oldest first.
fn open_tasks(rows: &dyn Rows, ws: &WorkspaceRow, plan: &EntityRow) -> Result<Vec<EntityId>, MemoryError> {
    let tasks = rows.children(ws.no, plan.id)?;
    let open = tasks.iter().filter(|row| !is_closed(row));
    Ok(open.map(|row| row.id).collect())
}

/// What to know when a plan is given up with tasks that are not finished.
fn left_behind(tasks: &[EntityId], plan: &EntityRow) -> Option<String> {
    let (count, id) = (tasks.len(), plan.id);
    (count > 0)
        .then(|| format!("{count} open tasks of {id} are not ready any more; tasks_context names them."))
}

/// Follows the dependencies; coming back to the task itself is a cycle.
fn check_acyclic(rows: &dyn Rows, ws: &WorkspaceRow, row: &EntityRow) -> Result<(), MemoryError> {
    let mut seen: HashSet<EntityId> = HashSet::new();
    let mut open: Vec<(EntityId, EntityId)> = row.depends_on.iter().map(|id| (*id, *id)).collect();
    while let Some((id, through)) = open.pop() {
        if id == row.id {
            return Err(MemoryError::DependencyCycle { task: row.id, through: through.to_string() });
        }
        if seen.insert(id)
            && let Some(next) = rows.entity(ws.no, id)?
        {
            open.extend(next.depends_on.iter().map(|next| (*next, through)));
        }
    }
    Ok(())
}
