//! Finishing a step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Checkpoint;
use super::decompose::StepLine;
use super::define::refuse_done;
use super::event::Event;
use super::mutation::{Happened, finish, mutation, record};
use super::selector::select;
use crate::error::MemoryError;
use crate::ids::WorkspaceId;
use crate::port::{Object, Status};
use crate::ports::Ports;
use crate::writer::{Outcome, write};

mutation! {
    /// Finishes a step whose checkpoints are confirmed. The last one finishes the task.
    pub struct TasksDoneRequest {
        /// The task (that of step_id, or the one in focus)
        #[serde(default)]
        pub task: Option<String>,
        /// The step; or give path
        #[serde(default)]
        pub step_id: Option<String>,
        /// The step's place, s:0.s:1
        #[serde(default)]
        pub path: Option<String>,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksDoneOutput {
    /// The task.
    pub task: String,
    pub revision: i64,
    pub step: StepLine,
    /// The status of the task: `done` when this was its last open step.
    pub task_status: Status,
    /// Steps that are still open.
    pub open: usize,
    pub event: Event,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn done(ports: &Ports<'_>, request: &TasksDoneRequest) -> Result<TasksDoneOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    write(ports, &workspace, &request.once("tasks_done"), |w| {
        let mut found = select(
            w.tx.rows(),
            &w.ws,
            request.task.as_deref(),
            request.step_id.as_deref(),
            request.path.as_deref(),
        )?;
        request.guard().check(&found.task, w)?;
        refuse_done(&mut found)?;
        let path = found.path();
        let step = found.step().clone();
        let below = |other: &&crate::port::StepRow| {
            other.path.len() > step.path.len() && other.path.starts_with(&step.path)
        };
        let open = found.steps.iter().filter(below).filter(|other| other.completed.is_none()).count();
        if open > 0 {
            return Err(MemoryError::OpenChildren { step: step.id, path, open });
        }
        let missing = Checkpoint::missing(&step);
        if !missing.is_empty() {
            return Err(MemoryError::CheckpointsNotConfirmed { step: step.id, path, missing });
        }
        found.step().completed = Some(w.now);
        let step = found.step().clone();
        w.tx.put_step(&step)?;
        let open = found.steps.iter().filter(|other| other.completed.is_none()).count();
        let mut task = found.task;
        let before = task.status;
        if open == 0 {
            task.status = Status::Done;
        }
        task.revision += 1;
        let mut payload = Object::new();
        payload.insert("step_id".to_owned(), json!(step.id));
        let event = record(w, &mut task, Happened { type_: "step_done", path: Some(path), payload })?;
        if task.status != before {
            let mut payload = Object::new();
            payload.insert("from".to_owned(), json!(before));
            payload.insert("to".to_owned(), json!(task.status));
            record(w, &mut task, Happened { type_: "task_status", path: None, payload })?;
        }
        finish(w, &task, &[&step])?;
        Ok(Outcome::Keep(TasksDoneOutput {
            task: task.id.to_string(),
            revision: task.revision,
            step: StepLine::of(&step),
            task_status: task.status,
            open,
            event,
            replayed: false,
        }))
    })
}
