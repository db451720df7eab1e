//! `tasks_edit`: fields of a plan or task, changed.

use m1nd_memory::tasks::{self, TasksEditOutput, TasksEditRequest};
use m1nd_runtime::Example;

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Edit, tasks::edit, TasksEditRequest => TasksEditOutput;
    name: "tasks_edit",
    summary: "Change fields or `status` of a plan or task; null clears a field.",
    intents: &["edit a task", "cancel a task", "priority", "status"],
    null_means_clear: true,
    also_takes: &["expected_version", "id", "plan", "target"],
    examples: &[
        Example { says: "More urgent", arguments: r#"{"task": "TASK-002", "priority": 5}"# },
        Example {
            says: "Nothing to wait for any more",
            arguments: r#"{"task": "TASK-002", "depends_on": null}"#,
        },
    ],
    ..CHANGE
}
