//! `branchmind_graph_apply`: changes to a knowledge graph.

use m1nd_memory::graph::{self, GraphApplyOutput, GraphApplyRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    GraphApply, graph::apply, GraphApplyRequest => GraphApplyOutput;
    name: "branchmind_graph_apply",
    summary: "Change a knowledge graph: nodes and edges with types of your own; all operations or none. Cards are easier with branchmind_think_card.",
    intents: &["link facts", "knowledge graph", "add a node", "add an edge"],
    examples: &[
        Example {
            says: "Two nodes and how they relate",
            arguments: r#"{"branch": "main", "doc": "ideas", "ops": [{"op": "node_upsert", "id": "greeter", "type": "component", "title": "Greeter"}, {"op": "node_upsert", "id": "phrase", "type": "idea"}, {"op": "edge_upsert", "from": "greeter", "rel": "uses", "to": "phrase"}]}"#,
        },
    ],
    ..WRITE
}
