//! `tasks_focus_get`: what is in focus.

use m1nd_contract::Guidance;
use m1nd_memory::tasks::{self, FocusGetRequest, FocusOutput};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, elsewhere_or, memory_tool};

memory_tool! {
    FocusGet, tasks::focus_get, FocusGetRequest => FocusOutput, within LIST, next point;
    name: "tasks_focus_get",
    summary: "What is in focus: the plan or task that calls mean when they name none.",
    intents: &["current task"],
    examples: &[Example { says: "What is it?", arguments: r#"{}"# }],
    ..READ
}

/// Nothing in focus says how something gets there.
fn point(ctx: &Ctx<'_>, found: &FocusOutput) -> Guidance {
    match found.focus {
        Some(_) => Guidance::default(),
        None => elsewhere_or(ctx, || {
            Guidance::hint("Nothing is in focus; tasks_focus_set puts a plan or task there.")
        }),
    }
}
