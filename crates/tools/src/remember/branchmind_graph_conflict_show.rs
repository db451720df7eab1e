//! `branchmind_graph_conflict_show`: one conflict and its three sides.

use m1nd_memory::graph::{self, ConflictShowOutput, ConflictShowRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    GraphConflictShow, graph::conflict_show, ConflictShowRequest => ConflictShowOutput, within LIST;
    name: "branchmind_graph_conflict_show",
    summary: "One conflict: what the base, the merged branch and the destination say.",
    intents: &["read a conflict"],
    examples: &[Example { says: "Three sides", arguments: r#"{"conflict_id": "CONFLICT-7ea74f8271dfbc09"}"# }],
    ..READ
}
