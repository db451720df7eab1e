//! `tasks_define`: a step, defined anew.

use m1nd_memory::tasks::{self, StepOutput, TasksDefineRequest};
use m1nd_runtime::Example;

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Define, tasks::define, TasksDefineRequest => StepOutput;
    name: "tasks_define",
    summary: "Change a step: title, criteria, tests, blockers; lists are replaced whole. New criteria or tests must be verified anew.",
    intents: &["change a step", "blocked", "acceptance criteria"],
    examples: &[
        Example {
            says: "What is in the way",
            arguments: r#"{"task": "TASK-001", "path": "s:1", "blockers": ["waiting for review"]}"#,
        },
    ],
    ..CHANGE
}
