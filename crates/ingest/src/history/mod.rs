//! What the version history says about files: how often, when, by whom, and together with what.

mod git;
mod tally;

pub use git::{HistoryError, head, read};
pub use tally::{CoChange, Commit, FileHistory, History, Limits};
