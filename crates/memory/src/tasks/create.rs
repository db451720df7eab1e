//! Making a plan or a task.

use m1nd_stdx::digest::short_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::decompose::StepLine;
use super::event::Event;
use super::mutation::{Happened, Stage, mutation, seal};
use super::ready::in_the_way;
use super::selector::path_text;
use crate::anchors::{self, AnchorIn};
use crate::branch;
use crate::error::MemoryError;
use crate::ids::{EntityId, EntityKind, EventNo, Seq, StepId, WorkspaceId};
use crate::port::{CheckpointRow, EntityRow, Object, Rows, Status, StepRow, WorkspaceRow};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::target::{self, ReasoningRef};
use crate::text;
use crate::writer::{Outcome, Writer, write};

/// The most steps of one call.
const MAX_STEPS_A_CALL: usize = 200;
/// The most steps of one task; every change of a task reads them all.
const MAX_STEPS: usize = 2_000;
/// The most tasks that one may depend on.
const MAX_DEPENDENCIES: usize = 100;

mutation! {
    /// Makes a plan, or a task of a plan.
    pub struct TasksCreateRequest {
        /// One line.
        pub title: String,
        /// `plan` or `task`; a task if there is a parent, else a plan.
        #[serde(default)]
        pub kind: Option<EntityKind>,
        /// The plan that a task belongs to.
        #[serde(default)]
        pub parent: Option<String>,
        /// What is to be done, and why.
        #[serde(default)]
        pub description: Option<String>,
        /// What the result must fulfil.
        #[serde(default)]
        pub contract: Option<String>,
        /// The same for machines.
        #[serde(default)]
        pub contract_data: Option<Object>,
        /// First steps of a task, each with what must hold when it is done
        #[serde(default)]
        pub steps: Option<Vec<StepIn>>,
        /// Higher is more urgent (0).
        #[serde(default)]
        pub priority: Option<i64>,
        /// Tasks that must be done before.
        #[serde(default)]
        pub depends_on: Option<Vec<String>>,
        /// Code it speaks of: node_id, or path with lines (12-40)
        #[serde(default)]
        pub anchors: Option<Vec<AnchorIn>>,
        /// Accept text that looks like a secret
        #[serde(default)]
        pub allow_sensitive: Option<bool>,
    }
}

/// A step to be added.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepIn {
    /// One line.
    pub title: String,
    /// What must hold when the step is done.
    #[serde(default)]
    pub success_criteria: Vec<String>,
    /// How it is tested.
    #[serde(default)]
    pub tests: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksCreateOutput {
    /// `PLAN-001` or `TASK-001`.
    pub id: String,
    pub kind: EntityKind,
    /// 0.
    pub revision: i64,
    pub event: Event,
    pub reasoning_ref: ReasoningRef,
    /// The steps, with their ids and paths.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepLine>,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn create(ports: &Ports<'_>, request: &TasksCreateRequest) -> Result<TasksCreateOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let sensitive = Sensitive::from(request.allow_sensitive);
    let kind = kind_of(request)?;
    request.guard().check_new()?;
    let title = text::title("title", &request.title, sensitive)?;
    let description = text::optional_body("description", request.description.as_deref(), sensitive)?;
    let contract = text::optional_body("contract", request.contract.as_deref(), sensitive)?;
    let contract_data = text::meta("contract_data", request.contract_data.as_ref(), sensitive)?;
    let anchors = anchors::take(ports.code, request.anchors.as_deref().unwrap_or_default())?;
    write(ports, &workspace, &request.once("tasks_create"), |w| {
        let parent = match &request.parent {
            Some(parent) => Some(plan(w.tx.rows(), &w.ws, parent)?.id),
            None => None,
        };
        let depends_on = dependencies(w.tx.rows(), &w.ws, request.depends_on.as_deref().unwrap_or_default())?;
        let counter = match kind {
            EntityKind::Plan => &mut w.ws.plans,
            EntityKind::Task => &mut w.ws.tasks,
        };
        *counter += 1;
        let id = EntityId { kind, no: *counter };
        let mut row = EntityRow {
            ws: w.ws.no,
            id,
            parent,
            title: title.clone(),
            description: description.clone(),
            contract: contract.clone(),
            contract_data: contract_data.clone(),
            status: Status::Todo,
            priority: request.priority.unwrap_or(0),
            depends_on,
            anchors: anchors.clone(),
            revision: 0,
            created_seq: Seq::ZERO,
            created: w.now,
            updated: w.now,
            last_event: EventNo(0),
            claim: None,
            fence: 0,
        };
        branch::put(w, id.branch(), None, 0)?;
        let steps = add_steps(w, id, &[], None, request.steps.as_deref().unwrap_or_default(), sensitive)?;
        let mut payload = Object::new();
        payload.insert("title".to_owned(), json!(row.title));
        if let Some(parent) = row.parent {
            payload.insert("parent".to_owned(), json!(parent.to_string()));
        }
        if !steps.is_empty() {
            payload.insert("steps".to_owned(), json!(steps.iter().map(StepLine::of).collect::<Vec<_>>()));
        }
        let type_ = match kind {
            EntityKind::Plan => "plan_created",
            EntityKind::Task => "task_created",
        };
        let happened = Happened { type_, path: None, payload };
        let all: Vec<&StepRow> = steps.iter().collect();
        let mut event = seal(w, &mut row, &all, Stage::Created, happened)?;
        event.warn(anchors::warnings(&row.anchors).pop());
        // That a new task waits for others is no news to whoever says so.
        event.warn(in_the_way(w.tx.rows(), &w.ws, &EntityRow { depends_on: Vec::new(), ..row.clone() })?);
        event.warn(without_criteria(&steps));
        Ok(Outcome::Keep(TasksCreateOutput {
            id: id.to_string(),
            kind,
            revision: row.revision,
            event,
            reasoning_ref: ReasoningRef::of(id),
            steps: steps.iter().map(StepLine::of).collect(),
            replayed: false,
        }))
    })
}

fn kind_of(request: &TasksCreateRequest) -> Result<EntityKind, MemoryError> {
    let by_parent = if request.parent.is_some() { EntityKind::Task } else { EntityKind::Plan };
    let kind = request.kind.unwrap_or(by_parent);
    if kind == EntityKind::Plan {
        for (field, given) in [
            ("parent", request.parent.is_some()),
            ("steps", request.steps.as_ref().is_some_and(|steps| !steps.is_empty())),
            ("depends_on", request.depends_on.as_ref().is_some_and(|tasks| !tasks.is_empty())),
        ] {
            if given {
                return Err(MemoryError::invalid(field, "belongs to a task, not to a plan"));
            }
        }
    }
    Ok(kind)
}

/// The plan of this id, which must exist.
pub(super) fn plan(rows: &dyn Rows, ws: &WorkspaceRow, text: &str) -> Result<EntityRow, MemoryError> {
    let row = target::entity(rows, ws, "parent", text)?;
    match row.id.kind {
        EntityKind::Plan => Ok(row),
        EntityKind::Task => Err(MemoryError::invalid("parent", format!("{text} is a task, not a plan"))),
    }
}

/// The tasks of these ids, each once, all of which must exist.
pub(super) fn dependencies(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    given: &[String],
) -> Result<Vec<EntityId>, MemoryError> {
    if given.len() > MAX_DEPENDENCIES {
        return Err(MemoryError::invalid("depends_on", format!("more than {MAX_DEPENDENCIES}")));
    }
    let mut out = Vec::new();
    for text in given {
        let id = target::entity(rows, ws, "depends_on", text)?.id;
        if id.kind != EntityKind::Task {
            return Err(MemoryError::invalid("depends_on", format!("{text} is a plan, not a task")));
        }
        if !out.contains(&id) {
            out.push(id);
        }
    }
    out.sort();
    Ok(out)
}

/// Writes new steps below `parent`, after those that are there.
pub(super) fn add_steps(
    w: &mut Writer<'_>,
    task: EntityId,
    there: &[StepRow],
    parent: Option<&StepRow>,
    given: &[StepIn],
    sensitive: Sensitive,
) -> Result<Vec<StepRow>, MemoryError> {
    if given.len() > MAX_STEPS_A_CALL || there.len() + given.len() > MAX_STEPS {
        let reason = format!("more than {MAX_STEPS_A_CALL} in a call or {MAX_STEPS} in a task");
        return Err(MemoryError::invalid("steps", reason));
    }
    let above: &[u32] = parent.map_or(&[], |parent| parent.path.as_slice());
    let siblings = there
        .iter()
        .filter(|step| step.path.len() == above.len() + 1 && step.path.starts_with(above))
        .count();
    let mut out: Vec<StepRow> = Vec::with_capacity(given.len());
    for (offset, step) in given.iter().enumerate() {
        let ordinal = u32::try_from(siblings + offset).unwrap_or(u32::MAX);
        let path: Vec<u32> = above.iter().copied().chain([ordinal]).collect();
        let row = StepRow {
            ws: w.ws.no,
            task,
            id: free_id(w, task, &path)?,
            parent: parent.map(|parent| parent.id.clone()),
            path,
            title: text::title("title", &step.title, sensitive)?,
            success_criteria: text::lines("success_criteria", &step.success_criteria, sensitive)?,
            tests: text::lines("tests", &step.tests, sensitive)?,
            blockers: Vec::new(),
            criteria: CheckpointRow::default(),
            tests_passed: CheckpointRow::default(),
            completed: None,
        };
        w.tx.put_step(&row)?;
        out.push(row);
    }
    Ok(out)
}

/// What to know about steps that say nothing of when they are done.
pub(super) fn without_criteria(steps: &[StepRow]) -> Option<String> {
    let bare: Vec<String> = steps
        .iter()
        .filter(|step| step.success_criteria.is_empty())
        .map(|step| path_text(&step.path))
        .collect();
    let first = bare.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = if bare.len() > 5 { " and more" } else { "" };
    (!bare.is_empty()).then(|| {
        format!("Nothing says when {first}{more} is done; give it success_criteria with tasks_define.")
    })
}

/// A step id that no step of the workspace has.
fn free_id(w: &Writer<'_>, task: EntityId, path: &[u32]) -> Result<StepId, MemoryError> {
    let mut salt = 0_u32;
    loop {
        let name = format!("{}\n{task}\n{}\n{salt}", w.ws.name, path_text(path));
        let hex = short_name(name.as_bytes(), 8);
        let id = StepId::stored(format!("STEP-{}", hex.to_uppercase()));
        if w.tx.task_of_step(w.ws.no, &id)?.is_none() {
            return Ok(id);
        }
        salt += 1;
    }
}
