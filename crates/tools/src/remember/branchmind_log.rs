//! `branchmind_log`: the points reached on a branch.

use m1nd_memory::commits::{self, LogOutput, LogRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Log, commits::log, LogRequest => LogOutput, within LIST,
        empty commits: "No commit is on this branch yet; branchmind_commit names a point.";
    name: "branchmind_log",
    summary: "The points reached on a branch (branchmind_commit), newest first.",
    intents: &["history of a branch", "list commits"],
    examples: &[Example { says: "What was reached?", arguments: r#"{}"# }],
    ..READ
}
