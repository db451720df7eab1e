//! `branchmind_think_context`: the cards of a plan, task or branch.

use m1nd_memory::think::{self, ThinkContextOutput, ThinkContextRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    ThinkContext, think::context, ThinkContextRequest => ThinkContextOutput, within LIST,
        empty cards: "No card is here yet; branchmind_think_card writes one.";
    name: "branchmind_think_context",
    summary: "The cards of a plan, task or branch, newest first, with counts by type.",
    intents: &["list cards", "resume thinking"],
    examples: &[
        Example { says: "Where does the thinking stand?", arguments: r#"{"target": "TASK-001"}"# },
    ],
    ..READ
}
