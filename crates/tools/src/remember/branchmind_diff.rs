//! `branchmind_diff`: notes that one branch has and another has not.

use m1nd_memory::notes::{self, DiffOutput, DiffRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Diff, notes::diff, DiffRequest => DiffOutput, within LIST,
        empty entries of Log on to: "`from` shows everything that `to` shows in this document. Turn the two around for the other side.";
    name: "branchmind_diff",
    summary: "Notes that branch `to` shows and `from` does not. Turn the two around for the other side.",
    intents: &["compare branches", "new notes on a branch"],
    examples: &[
        Example { says: "What did the idea add?", arguments: r#"{"from": "main", "to": "bold"}"# },
    ],
    ..READ
}
