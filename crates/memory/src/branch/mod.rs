//! Branches: snapshots of reasoning that cost nothing to take.

mod checkout;
mod create;
mod docs;
mod list;
mod view;

pub use checkout::{CheckoutOutput, CheckoutRequest, checkout};
pub(crate) use create::put;
pub use create::{BranchCreateOutput, BranchCreateRequest, MAX_DEPTH, create};
pub(crate) use docs::docs;
pub use docs::{has_doc, meant};
pub use list::{Branch, BranchListOutput, BranchListRequest, list};
pub(crate) use view::{Part, View, existing};
