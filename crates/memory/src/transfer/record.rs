//! One line of an export.

use serde::{Deserialize, Serialize};

use crate::port::{
    BranchRow, ConflictRow, EntityRow, EntryRow, EventRow, MergeMarkRow, ReplayRow, StepRow, VersionRow,
    WorkspaceRow,
};

/// The version of the format; a reader refuses one that it does not know.
pub(super) const FORMAT: u32 = 2;
/// The oldest version that is read. Version 1 had no merge marks.
pub(super) const OLDEST: u32 = 1;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Record {
    /// The first line.
    Workspace {
        format: u32,
        row: WorkspaceRow,
    },
    Branch(BranchRow),
    Entity(EntityRow),
    Step(StepRow),
    Event(EventRow),
    Entry(EntryRow),
    Version(VersionRow),
    Conflict(ConflictRow),
    MergeMark(MergeMarkRow),
    Replay(ReplayRow),
    /// The last line, so that a file that was cut off is known as such.
    End(Counts),
}

/// How much was written or read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub branches: usize,
    pub entities: usize,
    pub steps: usize,
    pub events: usize,
    pub entries: usize,
    pub versions: usize,
    pub conflicts: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub merge_marks: usize,
    /// Answers under idempotency keys.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub replays: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
