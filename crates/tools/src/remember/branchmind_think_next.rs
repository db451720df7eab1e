//! `branchmind_think_next`: which card needs work next.

use m1nd_memory::think::{self, ThinkNextOutput, ThinkNextRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    ThinkNext, think::next, ThinkNextRequest => ThinkNextOutput, within LIST,
        empty moves: "No open question, test, hypothesis, decision or frame is here; branchmind_think_card writes one.";
    name: "branchmind_think_next",
    summary: "What to think about next: open cards that need a test, an answer or a decision, most useful first.",
    intents: &["what to think about next", "open cards"],
    examples: &[Example { says: "What next?", arguments: r#"{"target": "TASK-001"}"# }],
    ..READ
}
