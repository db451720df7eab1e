//! Changes of the user's files: what a batch would do, as a plan and a diff, and doing all of it or nothing.
//!
//! `plan` reads and decides, `journal` writes; both go through the `Disk` port. Knows no graph and no tool.

pub mod disk;
pub mod journal;
mod leftover;
pub mod lock;
pub mod patch;
pub mod plan;
mod record;
pub mod text;
pub mod unified;

pub use disk::{Disk, DiskError, OnDisk};
pub use journal::{Applied, BatchId, JournalError, Recovered};
pub use plan::{Act, Change, FileChange, Plan, PlanError, plan};
pub use text::{Edit, EditError};
