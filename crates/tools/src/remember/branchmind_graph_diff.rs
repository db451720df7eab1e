//! `branchmind_graph_diff`: how two branches of a knowledge graph differ.

use m1nd_memory::graph::{self, GraphDiffOutput, GraphDiffRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    GraphDiff, graph::diff, GraphDiffRequest => GraphDiffOutput, within LIST,
        empty changes of Graph on to: "Both branches say the same about this graph.";
    name: "branchmind_graph_diff",
    summary: "Nodes and edges that stand differently on branch `to` than on `from`, deletions too.",
    intents: &["compare graphs"],
    examples: &[
        Example { says: "What would a merge bring?", arguments: r#"{"from": "main", "to": "bold"}"# },
    ],
    ..READ
}
