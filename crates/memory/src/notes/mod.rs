//! Append-only documents: writing, reading, comparing and merging entries.

mod commit;
mod diff;
mod entry;
mod export;
mod merge;
mod show;

pub use commit::{NotesCommitOutput, NotesCommitRequest, commit};
pub use diff::{DiffOutput, DiffRequest, diff};
pub use entry::{Entry, EntryOrigin};
pub(crate) use entry::{first_written, page_of};
pub use export::{ExportOutput, ExportRequest, Section, TargetCard, export};
pub use merge::{MergeOutput, MergeRequest, merge};
pub use show::{DocKind, ShowOutput, ShowRequest, show};
