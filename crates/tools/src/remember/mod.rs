//! Memory: what was learned and decided, and finding it again. The folder is named after the verb, because
//! a module `memory` would hide the crate.

mod branchmind_branch_create;
mod branchmind_branch_list;
mod branchmind_checkout;
mod branchmind_commit;
mod branchmind_diff;
mod branchmind_export;
mod branchmind_graph_apply;
mod branchmind_graph_conflict_resolve;
mod branchmind_graph_conflict_show;
mod branchmind_graph_conflicts;
mod branchmind_graph_diff;
mod branchmind_graph_merge;
mod branchmind_graph_query;
mod branchmind_graph_validate;
mod branchmind_init;
mod branchmind_log;
mod branchmind_merge;
mod branchmind_show;
mod branchmind_status;
mod branchmind_think_card;
mod branchmind_think_context;
mod branchmind_think_next;
mod branchmind_think_template;
mod memory_search;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<memory_search::MemorySearch>(),
    entry::<branchmind_init::Init>(),
    entry::<branchmind_status::Status>(),
    entry::<branchmind_show::Show>(),
    entry::<branchmind_export::Export>(),
    entry::<branchmind_commit::Commit>(),
    entry::<branchmind_log::Log>(),
    entry::<branchmind_branch_create::BranchCreate>(),
    entry::<branchmind_branch_list::BranchList>(),
    entry::<branchmind_checkout::Checkout>(),
    entry::<branchmind_diff::Diff>(),
    entry::<branchmind_merge::Merge>(),
    entry::<branchmind_graph_apply::GraphApply>(),
    entry::<branchmind_graph_query::GraphQuery>(),
    entry::<branchmind_graph_validate::GraphValidate>(),
    entry::<branchmind_graph_diff::GraphDiff>(),
    entry::<branchmind_graph_merge::GraphMerge>(),
    entry::<branchmind_graph_conflicts::GraphConflicts>(),
    entry::<branchmind_graph_conflict_show::GraphConflictShow>(),
    entry::<branchmind_graph_conflict_resolve::GraphConflictResolve>(),
    entry::<branchmind_think_template::ThinkTemplate>(),
    entry::<branchmind_think_card::ThinkCard>(),
    entry::<branchmind_think_context::ThinkContext>(),
    entry::<branchmind_think_next::ThinkNext>(),
];
