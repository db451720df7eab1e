//! `branchmind_branch_list`: the branches of a workspace.

use m1nd_memory::branch::{self, BranchListOutput, BranchListRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    BranchList, branch::list, BranchListRequest => BranchListOutput, within LIST;
    name: "branchmind_branch_list",
    summary: "Branches, newest first, with their bases; those of plans and tasks too.",
    intents: &["list branches"],
    examples: &[Example { says: "All branches", arguments: r#"{}"# }],
    ..READ
}
