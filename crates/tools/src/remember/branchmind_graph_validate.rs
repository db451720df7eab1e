//! `branchmind_graph_validate`: whether a knowledge graph is sound.

use m1nd_memory::graph::{self, GraphValidateOutput, GraphValidateRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    GraphValidate, graph::validate, GraphValidateRequest => GraphValidateOutput, within LIST;
    name: "branchmind_graph_validate",
    summary: "Whether every edge of a knowledge graph has both its nodes.",
    intents: &["check the graph", "dangling edges"],
    examples: &[Example { says: "Is it sound?", arguments: r#"{"branch": "main", "doc": "ideas"}"# }],
    ..READ
}
