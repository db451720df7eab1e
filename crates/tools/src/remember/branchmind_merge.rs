//! `branchmind_merge`: notes of one branch into another.

use m1nd_memory::notes::{self, MergeOutput, MergeRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    Merge, notes::merge, MergeRequest => MergeOutput;
    name: "branchmind_merge",
    summary: "Copy the notes of a branch into another; what is there already is skipped, so repeating is safe.",
    intents: &["merge notes", "bring back an idea"],
    examples: &[
        Example { says: "Rehearse it", arguments: r#"{"from": "bold", "into": "main", "dry_run": true}"# },
    ],
    ..WRITE
}
