//! `tasks_focus_clear`: nothing in focus.

use m1nd_memory::tasks::{self, FocusOutput, FocusRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    FocusClear, tasks::focus_clear, FocusRequest => FocusOutput;
    name: "tasks_focus_clear",
    summary: "Take whatever is in focus out of it.",
    intents: &["clear focus"],
    examples: &[Example { says: "Nothing in focus", arguments: r#"{}"# }],
    ..WRITE
}
