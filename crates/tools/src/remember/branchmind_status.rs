//! `branchmind_status`: how much is remembered, and what was last.

use m1nd_memory::workspace::{self, StatusOutput, StatusRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Status, workspace::status, StatusRequest => StatusOutput, within LIST;
    name: "branchmind_status",
    summary: "Counts and newest event of a workspace: cheap to ask whether anything changed.",
    intents: &["memory status", "last event"],
    examples: &[Example { says: "Did anything change?", arguments: r#"{}"# }],
    ..READ
}
