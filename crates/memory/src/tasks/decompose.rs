//! Adding steps to a task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::create::{StepIn, add_steps, without_criteria};
use super::event::Event;
use super::mutation::{Happened, Stage, mutation, seal};
use super::selector::{only_task, parse_path, path_text, select, task_or_focus};
use crate::error::MemoryError;
use crate::ids::{StepId, WorkspaceId};
use crate::port::{Object, Status, StepRow};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::writer::{Outcome, write};

mutation! {
    /// Adds steps to a task, at its root or below a step.
    pub struct TasksDecomposeRequest {
        /// The task; the one in focus if none is given.
        #[serde(default)]
        pub task: Option<String>,
        /// The steps, in order.
        pub steps: Vec<StepIn>,
        /// The path of the step to add them to, such as `s:0`.
        #[serde(default)]
        pub parent: Option<String>,
        /// Accept text that looks like a secret
        #[serde(default)]
        pub allow_sensitive: Option<bool>,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksDecomposeOutput {
    /// The task.
    pub task: String,
    pub revision: i64,
    /// The new steps.
    pub steps: Vec<StepLine>,
    pub event: Event,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// A step in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepLine {
    pub id: StepId,
    /// The same; selectors take it under this name.
    pub step_id: StepId,
    /// Its place in the tree, such as `s:0.s:1`.
    pub path: String,
    pub title: String,
}

impl StepLine {
    pub(super) fn of(row: &StepRow) -> Self {
        Self {
            id: row.id.clone(),
            step_id: row.id.clone(),
            path: path_text(&row.path),
            title: row.title.clone(),
        }
    }
}

pub fn decompose(
    ports: &Ports<'_>,
    request: &TasksDecomposeRequest,
) -> Result<TasksDecomposeOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    if request.steps.is_empty() {
        return Err(MemoryError::invalid("steps", "is empty"));
    }
    write(ports, &workspace, &request.once("tasks_decompose"), |w| {
        let rows = w.tx.rows();
        let (mut task, there, parent) = match &request.parent {
            Some(path) => {
                parse_path(path)?;
                let named = select(rows, &w.ws, request.task.as_deref(), None, Some(path))?;
                let parent = named.steps[named.at].clone();
                (named.task, named.steps, Some(parent))
            }
            None => {
                let task = only_task(task_or_focus(rows, &w.ws, request.task.as_deref())?)?;
                let steps = rows.steps(w.ws.no, task.id)?;
                (task, steps, None)
            }
        };
        request.guard().check(&task, w)?;
        if matches!(task.status, Status::Done | Status::Cancelled) {
            return Err(MemoryError::TaskClosed { task: task.id, status: task.status.as_str() });
        }
        if let Some(parent) = &parent
            && parent.completed.is_some()
        {
            let path = path_text(&parent.path);
            return Err(MemoryError::StepDone { step: parent.id.clone(), path });
        }
        let added = add_steps(
            w,
            task.id,
            &there,
            parent.as_ref(),
            &request.steps,
            Sensitive::from(request.allow_sensitive),
        )?;
        let lines: Vec<StepLine> = added.iter().map(StepLine::of).collect();
        let mut payload = Object::new();
        payload.insert("steps".to_owned(), json!(lines));
        let path = parent.as_ref().map(|parent| path_text(&parent.path));
        let happened = Happened { type_: "steps_added", path, payload };
        let all: Vec<&StepRow> = added.iter().collect();
        let mut event = seal(w, &mut task, &all, Stage::Changed, happened)?;
        event.warn(without_criteria(&added));
        Ok(Outcome::Keep(TasksDecomposeOutput {
            task: task.id.to_string(),
            revision: task.revision,
            steps: lines,
            event,
            replayed: false,
        }))
    })
}
