//! `branchmind_graph_validate`: whether a knowledge graph is sound.

use m1nd_contract::Guidance;
use m1nd_memory::graph::{self, GraphValidateOutput, GraphValidateRequest};
use m1nd_memory::port::StreamKind;
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, memory_tool, when_doc_empty};

memory_tool! {
    GraphValidate, graph::validate, GraphValidateRequest => GraphValidateOutput, within LIST, next point;
    name: "branchmind_graph_validate",
    summary: "Whether every edge of a knowledge graph has both its nodes.",
    intents: &["check the graph", "dangling edges"],
    examples: &[Example { says: "Is it sound?", arguments: r#"{"branch": "main", "doc": "ideas"}"# }],
    ..READ
}

/// A graph without nodes is right, and probably not the one that was meant.
fn point(ctx: &Ctx<'_>, checked: &GraphValidateOutput) -> Guidance {
    if checked.stats.nodes > 0 {
        return Guidance::default();
    }
    let place = (&checked.branch, &checked.doc, StreamKind::Graph);
    when_doc_empty(ctx, &checked.errors, place, "This graph holds nothing; was another branch or doc meant?")
}
