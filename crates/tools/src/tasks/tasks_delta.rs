//! `tasks_delta`: what happened to tasks since an event.

use m1nd_memory::tasks::{self, TasksDeltaOutput, TasksDeltaRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Delta, tasks::delta, TasksDeltaRequest => TasksDeltaOutput, within LIST,
        empty events: "Nothing happened after this event.";
    name: "tasks_delta",
    summary: "Task events after `since`, oldest first: what others did meanwhile.",
    intents: &["what changed", "events since", "what did others do"],
    examples: &[
        Example { says: "From the beginning", arguments: r#"{}"# },
        Example { says: "Since an event", arguments: r#"{"since": "evt_0000000000000002"}"# },
    ],
    ..READ
}
