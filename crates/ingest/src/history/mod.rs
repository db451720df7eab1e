//! What the version history says about files: how often, when, by whom, together with what, and in which words.

mod alike;
mod base;
mod changes;
mod git;
mod log;
mod mark;
mod moves;
mod past;
mod several;
mod tally;
#[cfg(test)]
mod testing;
mod timeline;

pub use base::{Base, Baseline, Content};
pub use changes::{
    Compared, Now, OwnCommit, RangeError, carried, changes, changes_with_texts, commits_since, compared,
    default_base, kept, left, newer_side, older_side,
};
pub use git::{HistoryError, Lack, has_any, has_commit, head, lack, landmarks, read};
pub use log::{Log, LogEntry, Reach, log, log_so_far};
pub use past::{LaterCommit, Past};
pub use several::{heads, logs_so_far, marks, read_all};
pub use tally::{CoChange, Commit, FileHistory, History, Limits, is_fix};
pub use timeline::{Timeline, Touch, timeline};
