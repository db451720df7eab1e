//! `branchmind_branch_create`: a branch to think something through.

use m1nd_memory::branch::{self, BranchCreateOutput, BranchCreateRequest};
use m1nd_runtime::Example;

use crate::recall::{WRITE, memory_tool};

memory_tool! {
    BranchCreate, branch::create, BranchCreateRequest => BranchCreateOutput;
    name: "branchmind_branch_create",
    summary: "Open a branch to think something through without touching what stands; nothing is copied.",
    intents: &["what if", "new branch", "try an idea"],
    examples: &[
        Example {
            says: "Try another greeting",
            arguments: r#"{"name": "other-greeting", "from": "main"}"#,
        },
    ],
    ..WRITE
}
