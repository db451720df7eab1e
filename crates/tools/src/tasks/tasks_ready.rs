//! `tasks_ready`: tasks that can be started now.

use m1nd_contract::Guidance;
use m1nd_memory::tasks::{self, TasksReadyOutput, TasksReadyRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, elsewhere_or, memory_tool};

memory_tool! {
    Ready, tasks::ready, TasksReadyRequest => TasksReadyOutput, within LIST, next point;
    name: "tasks_ready",
    summary: "Tasks that can be started now: open, nothing before them, claimed by nobody; most urgent first.",
    intents: &["what can I start", "next task", "unblocked tasks"],
    examples: &[
        Example { says: "What can I take?", arguments: r#"{}"# },
        Example { says: "And what do I hold?", arguments: r#"{"agent_id": "tester"}"# },
    ],
    ..READ
}

/// To the most urgent one; none says where the others are.
fn point(ctx: &Ctx<'_>, ready: &TasksReadyOutput) -> Guidance {
    match (ready.tasks.first(), ready.yours.first()) {
        (_, Some(held)) => Guidance::next("tasks_radar", held.id.clone(), "You hold this one already."),
        (Some(task), None) => Guidance::next("tasks_claim", task.id.clone(), "Take the most urgent one."),
        (None, None) => elsewhere_or(ctx, || Guidance {
            next_suggested_tool: Some("tasks_context"),
            next_step_hint: Some("Nothing is ready; this lists what is blocked, claimed or done.".into()),
            ..Guidance::default()
        }),
    }
}
