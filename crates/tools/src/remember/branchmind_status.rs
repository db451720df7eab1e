//! `branchmind_status`: how much is remembered, and what was last.

use m1nd_contract::Guidance;
use m1nd_memory::ids::Seq;
use m1nd_memory::workspace::{self, StatusOutput, StatusRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, damaged, elsewhere, memory_tool};

memory_tool! {
    Status, workspace::status, StatusRequest => StatusOutput, within LIST, next point;
    name: "branchmind_status",
    summary: "Counts and newest event of a workspace: cheap to ask whether anything changed.",
    intents: &["memory status", "last event"],
    examples: &[Example { says: "Did anything change?", arguments: r#"{}"# }],
    ..READ
}

/// Small counts may be those of a store that was begun anew, or of a mistyped name.
fn point(ctx: &Ctx<'_>, found: &StatusOutput) -> Guidance {
    match damaged(ctx) {
        Some(said) => said,
        None if found.last_seq == Seq::ZERO => elsewhere(ctx),
        None => Guidance::default(),
    }
}
