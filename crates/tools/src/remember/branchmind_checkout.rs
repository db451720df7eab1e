//! `branchmind_checkout`: the branch that new branches start from and a brief reads.

use m1nd_memory::branch::{self, CheckoutOutput, CheckoutRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    Checkout, branch::checkout, CheckoutRequest => CheckoutOutput;
    name: "branchmind_checkout",
    summary: "Choose the branch that new branches, commits and the log mean when none is named, and that brief reads. Notes, cards and graphs still name theirs; tasks are not affected.",
    intents: &["switch branch"],
    examples: &[Example { says: "Back to main", arguments: r#"{"ref": "main"}"# }],
    ..WRITE
}
