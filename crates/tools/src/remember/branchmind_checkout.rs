//! `branchmind_checkout`: the branch that new branches start from and a brief reads.

use m1nd_contract::Guidance;
use m1nd_memory::branch::{self, CheckoutOutput, CheckoutRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{WRITE, elsewhere, memory_tool};

memory_tool! {
    Checkout, branch::checkout, CheckoutRequest => CheckoutOutput, next point;
    name: "branchmind_checkout",
    summary: "Choose the branch that new branches, commits and the log mean when none is named, and that brief reads. Notes, cards and graphs still name theirs; tasks are not affected.",
    intents: &["switch branch"],
    examples: &[Example { says: "Back to main", arguments: r#"{"ref": "main"}"# }],
    ..WRITE
}

/// Nothing to change may mean that another workspace was meant.
fn point(ctx: &Ctx<'_>, out: &CheckoutOutput) -> Guidance {
    if out.previous.as_ref() == Some(&out.current) { elsewhere(ctx) } else { Guidance::default() }
}
