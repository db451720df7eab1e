//! `tasks_context`: all plans and tasks.

use m1nd_contract::Guidance;
use m1nd_memory::tasks::{self, TasksContextOutput, TasksContextRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, memory_tool, when_empty};

memory_tool! {
    Context, tasks::context, TasksContextRequest => TasksContextOutput, within LIST, next point;
    name: "tasks_context",
    summary: "All plans and tasks, newest first, in pages; with `task`, that one in full: contract, claim, every step with criteria, tests and evidence.",
    intents: &["list tasks", "all plans", "list steps", "read a contract"],
    also_takes: &["target", "plan"],
    examples: &[
        Example { says: "Everything", arguments: r#"{}"# },
        Example { says: "One task with its steps", arguments: r#"{"task": "TASK-001"}"# },
    ],
    ..READ
}

/// An empty list says whether there is nothing at all.
fn point(ctx: &Ctx<'_>, found: &TasksContextOutput) -> Guidance {
    if found.plans.is_empty() {
        return when_empty(ctx, &found.tasks, "No plan or task fits; tasks_create makes one.");
    }
    Guidance::default()
}
