//! `branchmind_graph_conflicts`: the conflicts of a branch.

use m1nd_memory::graph::{self, ConflictsOutput, ConflictsRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    GraphConflicts, graph::conflicts, ConflictsRequest => ConflictsOutput, within LIST,
        empty conflicts of Graph on into: "No conflict of this status; a branchmind_graph_merge records what both sides changed.";
    name: "branchmind_graph_conflicts",
    summary: "Conflicts that merges into a branch left, newest first.",
    intents: &["list conflicts"],
    examples: &[Example { says: "What is open?", arguments: r#"{"into": "main", "status": "open"}"# }],
    ..READ
}
