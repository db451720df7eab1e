//! `branchmind_show`: a page of a document.

use m1nd_memory::notes::{self, ShowOutput, ShowRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Show, notes::show, ShowRequest => ShowOutput, within LIST,
        empty entries of Log on branch: "Nothing was written to this document yet, or the cursor lies behind its end.";
    name: "branchmind_show",
    summary: "Read notes or trace of a plan or task, or any document of a branch, newest first; a branch shows what it inherited too.",
    intents: &["read notes", "history of a task", "trace", "page through notes"],
    examples: &[
        Example { says: "Notes of a task", arguments: r#"{"target": "TASK-001"}"# },
        Example {
            says: "The last three of a document",
            arguments: r#"{"branch": "main", "doc": "notes", "limit": 3}"#,
        },
    ],
    ..READ
}
