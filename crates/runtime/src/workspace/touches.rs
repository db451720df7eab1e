//! Touches: when files were edited through m1nd, which the history does not know until they are committed.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::lines::Lines;

const TOUCHES: &str = "touches.jsonl";

/// One edit of some files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Touch {
    pub time_ms: i64,
    pub files: Vec<String>,
}

/// The edits of a workspace.
#[derive(Debug)]
pub(super) struct Touches(Lines<Touch>);

impl Touches {
    pub(super) fn new(folder: &Path) -> Self {
        Self(Lines::new(folder.join(TOUCHES)))
    }

    /// Every edit, oldest first.
    pub(super) fn all(&self) -> Arc<Vec<Touch>> {
        self.0.all(Some)
    }

    /// Does not wait for the disk: what is lost with the machine was an observation and no work.
    pub(super) fn add(&self, touch: &Touch) -> io::Result<()> {
        self.0.add_unsynced([touch])
    }
}
