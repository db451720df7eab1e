//! `branchmind_notes_commit`: one note, written.

use m1nd_memory::notes::{self, NotesCommitOutput, NotesCommitRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    NotesCommit, notes::commit, NotesCommitRequest => NotesCommitOutput;
    name: "branchmind_notes_commit",
    summary: "Write down what you learned or decided, for a plan or task (`target`) or on a branch. Anchor it to code, and it will say when that code changed.",
    help: "`meta.pinned: true` keeps a note in every brief of its branch (and of all, if that is no fork), `meta.handoff: true` makes it the last hand-off.",
    intents: &["write a note", "remember this", "save a decision", "hand off"],
    examples: &[
        Example {
            says: "A note about a task, tied to a file",
            arguments: r#"{"target": "TASK-001", "content": "greet takes the name by reference; keep it so.", "anchors": [{"path": "src/main.rs", "lines": "5-7"}]}"#,
        },
        Example {
            says: "A hand-off to whoever comes next",
            arguments: r#"{"branch": "main", "doc": "notes", "content": "Stopped before the guide.", "meta": {"handoff": true}}"#,
        },
    ],
    ..WRITE
}
