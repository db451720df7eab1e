//! `branchmind_checkout`: the branch that calls mean when they name none.

use m1nd_memory::branch::{self, CheckoutOutput, CheckoutRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    Checkout, branch::checkout, CheckoutRequest => CheckoutOutput;
    name: "branchmind_checkout",
    summary: "Choose the branch that calls mean when they name none. Tasks are not affected.",
    intents: &["switch branch"],
    examples: &[Example { says: "Back to main", arguments: r#"{"ref": "main"}"# }],
    ..WRITE
}
