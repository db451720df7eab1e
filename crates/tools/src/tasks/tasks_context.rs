//! `tasks_context`: all plans and tasks.

use m1nd_memory::tasks::{self, TasksContextOutput, TasksContextRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Context, tasks::context, TasksContextRequest => TasksContextOutput, within LIST;
    name: "tasks_context",
    summary: "All plans and tasks, newest first, in pages.",
    intents: &["list tasks", "all plans"],
    examples: &[Example { says: "Everything", arguments: r#"{}"# }],
    ..READ
}
