//! `tasks_decompose`: more steps of a task.

use m1nd_memory::tasks::{self, TasksDecomposeOutput, TasksDecomposeRequest};
use m1nd_runtime::Example;

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Decompose, tasks::decompose, TasksDecomposeRequest => TasksDecomposeOutput;
    name: "tasks_decompose",
    summary: "Add steps to a task, or below one of its steps, each with what must hold when it is done.",
    intents: &["split a task", "add steps"],
    examples: &[
        Example {
            says: "One more step",
            arguments: r#"{"task": "TASK-001", "steps": [{"title": "Add a test", "success_criteria": ["it fails without greet"]}]}"#,
        },
    ],
    ..CHANGE
}
