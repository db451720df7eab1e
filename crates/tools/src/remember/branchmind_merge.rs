//! `branchmind_merge`: notes of one branch into another.

use m1nd_contract::Guidance;
use m1nd_memory::notes::{self, MergeOutput, MergeRequest};
use m1nd_memory::port::StreamKind;
use m1nd_runtime::{Ctx, Example};

use crate::recall::{WRITE, memory_tool, when_doc_empty};

memory_tool! {
    Merge, notes::merge, MergeRequest => MergeOutput, next point;
    name: "branchmind_merge",
    summary: "Copy the notes of a branch into another; what is there already is skipped, so repeating is safe.",
    intents: &["merge notes", "bring back an idea"],
    examples: &[
        Example { says: "Rehearse it", arguments: r#"{"from": "bold", "into": "main", "dry_run": true}"# },
    ],
    ..WRITE
}

/// A rehearsal says what it was; nothing to merge may mean that another document was meant.
fn point(ctx: &Ctx<'_>, merged: &MergeOutput) -> Guidance {
    if merged.dry_run && merged.merged > 0 {
        return Guidance::hint("Nothing was written. The merge without dry_run copies these notes.");
    }
    if merged.merged + merged.skipped > 0 {
        return Guidance::default();
    }
    let place = (&merged.from, &merged.doc, StreamKind::Log);
    when_doc_empty::<()>(ctx, &[], place, "The branch has no notes in this document that its base has not.")
}
