//! `branchmind_commit`: a point that was reached.

use m1nd_memory::commits::{self, CommitOutput, CommitRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    Commit, commits::commit, CommitRequest => CommitOutput;
    name: "branchmind_commit",
    summary: "Mark a point that was reached on a branch: a message, and the notes and graph as they stand.",
    intents: &["checkpoint", "milestone", "mark a state"],
    examples: &[
        Example {
            says: "A point worth finding again",
            arguments: r#"{"message": "Greeting works; the guide is next."}"#,
        },
    ],
    ..WRITE
}
