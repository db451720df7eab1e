//! `branchmind_graph_merge`: a graph merged back into its base.

use m1nd_contract::Guidance;
use m1nd_memory::graph::{self, GraphMergeOutput, GraphMergeRequest};
use m1nd_memory::port::StreamKind;
use m1nd_runtime::{Ctx, Example};

use crate::recall::{WRITE, memory_tool, when_doc_empty};

memory_tool! {
    GraphMerge, graph::merge, GraphMergeRequest => GraphMergeOutput, next point;
    name: "branchmind_graph_merge",
    summary: "Merge a branch's graph back into its base. What both sides changed becomes a conflict and is left as it is.",
    intents: &["merge graph", "merge back"],
    examples: &[
        Example { says: "Rehearse it", arguments: r#"{"from": "bold", "into": "main", "dry_run": true}"# },
    ],
    ..WRITE
}

/// To the first conflict that can be looked at; a rehearsal has kept none.
fn point(ctx: &Ctx<'_>, merged: &GraphMergeOutput) -> Guidance {
    let kept = merged.conflict_ids.first().filter(|_| !merged.dry_run);
    match kept.or(merged.still_open.first()) {
        Some(id) => Guidance::next(
            "branchmind_graph_conflict_show",
            id.to_string(),
            "The two sides cannot both stand; this says why, then settle it.",
        ),
        None if merged.conflicts_created > 0 => {
            Guidance::hint("Nothing was written. The merge without dry_run records these conflicts.")
        }
        None if merged.pagination.count == 0 => {
            let place = (&merged.from, &merged.doc, StreamKind::Graph);
            when_doc_empty::<()>(ctx, &[], place, "The branch has changed nothing of this graph.")
        }
        None => Guidance::default(),
    }
}
