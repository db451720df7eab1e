//! A note on a step or task, in its event log and in its notes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::event::Event;
use super::mutation::{Happened, mutation, record};
use super::selector::{select, task_or_focus};
use crate::anchors::{self, AnchorIn};
use crate::error::MemoryError;
use crate::ids::{DocName, Seq, WorkspaceId};
use crate::port::Object;
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::text;
use crate::writer::{Findable, NewEntry, Outcome, write};

mutation! {
    /// Notes something on a step, or on a plan or task.
    pub struct TasksNoteRequest {
        /// The plan or task (that of step_id, or the one in focus)
        #[serde(default)]
        pub task: Option<String>,
        /// The step; or give path, or neither for the task itself
        #[serde(default)]
        pub step_id: Option<String>,
        /// The step's place, s:0.s:1
        #[serde(default)]
        pub path: Option<String>,
        /// The text.
        pub note: String,
        /// Code it speaks of: node_id, or path with lines (12-40)
        #[serde(default)]
        pub anchors: Option<Vec<AnchorIn>>,
        /// Accept text that looks like a secret
        #[serde(default)]
        pub allow_sensitive: Option<bool>,
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksNoteOutput {
    /// The plan or task.
    pub task: String,
    pub revision: i64,
    /// The number of the entry in the notes document.
    pub note_seq: Seq,
    pub event: Event,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// How much of a note its event repeats, in bytes; the notes document has all of it.
const HEAD: usize = 200;

pub fn note(ports: &Ports<'_>, request: &TasksNoteRequest) -> Result<TasksNoteOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let content = text::body("note", &request.note, Sensitive::from(request.allow_sensitive))?;
    let anchors = anchors::take(ports.code, request.anchors.as_deref().unwrap_or_default())?;
    write(ports, &workspace, &request.once("tasks_note"), |w| {
        let rows = w.tx.rows();
        let (mut row, step) = if request.step_id.is_some() || request.path.is_some() {
            let found = select(
                rows,
                &w.ws,
                request.task.as_deref(),
                request.step_id.as_deref(),
                request.path.as_deref(),
            )?;
            let step = (found.steps[found.at].id.clone(), found.path());
            (found.task, Some(step))
        } else {
            (task_or_focus(rows, &w.ws, request.task.as_deref())?, None)
        };
        request.guard().check(&row, w)?;
        row.revision += 1;
        let mut payload = Object::new();
        let head = text::headline(&content, HEAD);
        if head.len() < content.len() {
            payload.insert("truncated".to_owned(), json!(true));
            payload.insert("note_length".to_owned(), json!(content.len()));
        }
        payload.insert("note".to_owned(), json!(head));
        let path = step.as_ref().map(|(_, path)| path.clone());
        let mut event = record(w, &mut row, Happened { type_: "step_noted", path, payload })?;
        w.tx.put_entity(&row)?;
        let mut meta = Object::new();
        meta.insert("source".to_owned(), json!("tasks_note"));
        meta.insert("task_id".to_owned(), json!(row.id.to_string()));
        if let Some((id, path)) = &step {
            meta.insert("step_id".to_owned(), json!(id));
            meta.insert("path".to_owned(), json!(path));
        }
        meta.insert("event_id".to_owned(), json!(event.event_id));
        let anchors = anchors.clone();
        let new = NewEntry { meta: Some(meta), anchors, ..NewEntry::note(content.clone()) };
        let entry = w.append(&row.id.branch(), &DocName::notes(), new, Findable::Yes)?;
        event.warn(anchors::warnings(&entry.anchors).pop());
        Ok(Outcome::Keep(TasksNoteOutput {
            task: row.id.to_string(),
            revision: row.revision,
            note_seq: entry.seq,
            event,
            replayed: false,
        }))
    })
}
