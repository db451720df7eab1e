//! `tasks_focus_get`: what is in focus.

use m1nd_memory::tasks::{self, FocusOutput, FocusRequest};
use m1nd_runtime::Example;

use crate::recall::{READ, memory_tool};

memory_tool! {
    FocusGet, tasks::focus_get, FocusRequest => FocusOutput;
    name: "tasks_focus_get",
    summary: "What is in focus: the plan or task that calls mean when they name none.",
    intents: &["current task"],
    examples: &[Example { says: "What is it?", arguments: r#"{}"# }],
    ..READ
}
