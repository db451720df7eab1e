//! `branchmind_graph_conflict_resolve`: a conflict, settled.

use m1nd_memory::graph::{self, ConflictResolveOutput, ConflictResolveRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    GraphConflictResolve, graph::resolve, ConflictResolveRequest => ConflictResolveOutput;
    name: "branchmind_graph_conflict_resolve",
    summary: "Settle a conflict, once: take the merged branch's state (`use_from`) or keep the destination's (`use_into`).",
    intents: &["settle a conflict"],
    examples: &[
        Example {
            says: "Keep what is there",
            arguments: r#"{"conflict_id": "CONFLICT-7ea74f8271dfbc09", "resolution": "use_into"}"#,
        },
    ],
    ..WRITE
}
