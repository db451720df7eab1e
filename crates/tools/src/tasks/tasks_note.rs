//! `tasks_note`: progress on a task or step.

use m1nd_memory::tasks::{self, TasksNoteOutput, TasksNoteRequest};
use m1nd_runtime::Example;

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Note, tasks::note, TasksNoteRequest => TasksNoteOutput;
    name: "tasks_note",
    summary: "Note progress on a task or step; it goes to the task's notes and trace.",
    intents: &["progress note", "log progress"],
    examples: &[
        Example {
            says: "Progress",
            arguments: r#"{"task": "TASK-001", "path": "s:0", "note": "Borrowing the name works."}"#,
        },
    ],
    ..CHANGE
}
