//! `branchmind_branch_list`: the branches of a workspace.

use m1nd_contract::Guidance;
use m1nd_memory::branch::{self, BranchListOutput, BranchListRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{LIST, READ, elsewhere, memory_tool};

memory_tool! {
    BranchList, branch::list, BranchListRequest => BranchListOutput, within LIST, next point;
    name: "branchmind_branch_list",
    summary: "Branches, newest first, with their bases; those of plans and tasks too.",
    intents: &["list branches"],
    examples: &[Example { says: "All branches", arguments: r#"{}"# }],
    ..READ
}

/// Every name has main, a mistyped one too.
fn point(ctx: &Ctx<'_>, found: &BranchListOutput) -> Guidance {
    if found.branches.len() < 2 { elsewhere(ctx) } else { Guidance::default() }
}
