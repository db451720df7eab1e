//! Saying anew what a step is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::decompose::StepLine;
use super::event::Event;
use super::mutation::{Happened, Stage, mutation, seal};
use super::selector::{Selected, select};
use crate::error::MemoryError;
use crate::ids::WorkspaceId;
use crate::port::{CheckpointRow, Object, Status};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::text;
use crate::writer::{Outcome, write};

mutation! {
    /// Replaces parts of a step. New criteria or tests must be confirmed anew.
    pub struct TasksDefineRequest {
        /// The task (that of step_id, or the one in focus)
        #[serde(default)]
        pub task: Option<String>,
        /// The step; or give path
        #[serde(default)]
        pub step_id: Option<String>,
        /// The step's place, s:0.s:1
        #[serde(default)]
        pub path: Option<String>,
        /// One line.
        #[serde(default)]
        pub title: Option<String>,
        /// The whole list: what must hold when the step is done.
        #[serde(default)]
        pub success_criteria: Option<Vec<String>>,
        /// The whole list: how it is tested.
        #[serde(default)]
        pub tests: Option<Vec<String>>,
        /// The whole list: what is in the way.
        #[serde(default)]
        pub blockers: Option<Vec<String>>,
        /// Accept text that looks like a secret
        #[serde(default)]
        pub allow_sensitive: Option<bool>,
    }
}

/// A step after a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepOutput {
    /// The task.
    pub task: String,
    pub revision: i64,
    pub step: StepLine,
    /// Checkpoints that still stand before the step is done.
    pub missing_checkpoints: Vec<super::Checkpoint>,
    pub event: Event,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn define(ports: &Ports<'_>, request: &TasksDefineRequest) -> Result<StepOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let sensitive = Sensitive::from(request.allow_sensitive);
    let title = request.title.as_deref().map(|title| text::title("title", title, sensitive)).transpose()?;
    let list = |field: &'static str, given: &Option<Vec<String>>| {
        given.as_deref().map(|lines| text::lines(field, lines, sensitive)).transpose()
    };
    let criteria = list("success_criteria", &request.success_criteria)?;
    let tests = list("tests", &request.tests)?;
    let blockers = list("blockers", &request.blockers)?;
    if title.is_none() && criteria.is_none() && tests.is_none() && blockers.is_none() {
        return Err(MemoryError::invalid(
            "title",
            "nothing to define: give title, success_criteria, tests or blockers",
        ));
    }
    write(ports, &workspace, &request.once("tasks_define"), |w| {
        let mut found = select(
            w.tx.rows(),
            &w.ws,
            request.task.as_deref(),
            request.step_id.as_deref(),
            request.path.as_deref(),
        )?;
        request.guard().check(&found.task, w)?;
        refuse_done(&mut found)?;
        let mut payload = Object::new();
        let step = found.step();
        if let Some(title) = &title {
            payload.insert("title".to_owned(), json!(title));
            step.title.clone_from(title);
        }
        if let Some(criteria) = &criteria {
            payload.insert("success_criteria".to_owned(), json!(criteria));
            step.success_criteria.clone_from(criteria);
            step.criteria = CheckpointRow::default();
        }
        if let Some(tests) = &tests {
            payload.insert("tests".to_owned(), json!(tests));
            step.tests.clone_from(tests);
            step.tests_passed = CheckpointRow::default();
        }
        if let Some(blockers) = &blockers {
            payload.insert("blockers".to_owned(), json!(blockers));
            step.blockers.clone_from(blockers);
        }
        Ok(Outcome::Keep(put(w, found, "step_defined", payload)?))
    })
}

/// A step that is done stays as it is, and so does one of a task that was given up.
pub(super) fn refuse_done(found: &mut Selected) -> Result<(), MemoryError> {
    let path = found.path();
    let step = found.step();
    if step.completed.is_some() {
        return Err(MemoryError::StepDone { step: step.id.clone(), path });
    }
    if found.task.status == Status::Cancelled {
        let (task, status) = (found.task.id, found.task.status.as_str());
        return Err(MemoryError::TaskClosed { task, status });
    }
    Ok(())
}

/// Writes a changed step and seals the change of its task.
pub(super) fn put(
    w: &mut crate::writer::Writer<'_>,
    mut found: Selected,
    type_: &'static str,
    payload: Object,
) -> Result<StepOutput, MemoryError> {
    let path = Some(found.path());
    let step = found.step().clone();
    w.tx.put_step(&step)?;
    let happened = Happened { type_, path, payload };
    let event = seal(w, &mut found.task, &[&step], Stage::Changed, happened)?;
    Ok(StepOutput {
        task: found.task.id.to_string(),
        revision: found.task.revision,
        step: StepLine::of(&step),
        missing_checkpoints: super::Checkpoint::missing(&step),
        event,
        replayed: false,
    })
}
