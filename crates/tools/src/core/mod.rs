//! Core: what every agent needs on every day.

mod batch_view;
mod branchmind_notes_commit;
mod brief;
mod callees;
mod callers;
mod glob;
mod health;
mod help;
mod impact;
mod ingest;
mod outline;
mod search;
mod seek;
mod toolset_enable;
mod view;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<seek::Seek>(),
    entry::<search::Search>(),
    entry::<glob::Glob>(),
    entry::<view::View>(),
    entry::<batch_view::BatchView>(),
    entry::<ingest::Ingest>(),
    entry::<outline::Outline>(),
    entry::<callers::Callers>(),
    entry::<callees::Callees>(),
    entry::<impact::Impact>(),
    entry::<brief::Brief>(),
    entry::<branchmind_notes_commit::NotesCommit>(),
    entry::<health::Health>(),
    entry::<help::Help>(),
    entry::<toolset_enable::ToolsetEnable>(),
];
