//! `tasks_focus_set`: a plan or task in focus.

use m1nd_memory::tasks::{self, FocusOutput, FocusSetRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    FocusSet, tasks::focus_set, FocusSetRequest => FocusOutput;
    name: "tasks_focus_set",
    summary: "Put a plan or task in focus.",
    intents: &["work on a task"],
    also_takes: &["target", "id", "plan"],
    examples: &[Example { says: "Work on this", arguments: r#"{"task": "TASK-001"}"# }],
    ..WRITE
}
