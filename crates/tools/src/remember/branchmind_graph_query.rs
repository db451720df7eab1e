//! `branchmind_graph_query`: nodes of a knowledge graph.

use m1nd_memory::graph::{self, GraphQueryOutput, GraphQueryRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    GraphQuery, graph::query, GraphQueryRequest => GraphQueryOutput, within LIST,
        empty nodes of Graph on branch: "No node of this graph fits. Leave filters out, or look at another branch or doc.";
    name: "branchmind_graph_query",
    summary: "Nodes of a knowledge graph by id, type, status, tag or text, newest first, with the edges among them.",
    intents: &["query knowledge graph", "find nodes", "open questions"],
    examples: &[
        Example {
            says: "Open questions of a task",
            arguments: r#"{"target": "TASK-001", "types": ["question"], "status": "open"}"#,
        },
        Example { says: "A whole document", arguments: r#"{"branch": "main", "doc": "ideas"}"# },
    ],
    ..READ
}
