//! `tasks_focus_clear`: nothing in focus.

use m1nd_contract::Guidance;
use m1nd_memory::tasks::{self, FocusOutput, FocusRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{WRITE, elsewhere, memory_tool};

memory_tool! {
    FocusClear, tasks::focus_clear, FocusRequest => FocusOutput, next point;
    name: "tasks_focus_clear",
    summary: "Take whatever is in focus out of it.",
    intents: &["clear focus"],
    examples: &[Example { says: "Nothing in focus", arguments: r#"{}"# }],
    ..WRITE
}

/// Nothing to clear may mean that another workspace was meant.
fn point(ctx: &Ctx<'_>, cleared: &FocusOutput) -> Guidance {
    if cleared.previous.is_none() { elsewhere(ctx) } else { Guidance::default() }
}
