//! `tasks_done`: a step, closed.

use m1nd_memory::tasks::{self, TasksDoneOutput, TasksDoneRequest};
use m1nd_runtime::Example;

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Done, tasks::done, TasksDoneRequest => TasksDoneOutput;
    name: "tasks_done",
    summary: "Close a step whose checkpoints are confirmed. The task is done with its last step.",
    intents: &["finish a step", "complete", "close"],
    examples: &[
        Example { says: "Close the first step", arguments: r#"{"task": "TASK-001", "path": "s:0"}"# },
    ],
    ..CHANGE
}
