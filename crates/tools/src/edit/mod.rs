//! Edit: what must be known before a change, the change itself whole or not at all, and the way back.

mod apply;
mod apply_batch;
mod edit_commit;
mod edit_preview;
mod surgical_context;
mod surgical_context_v2;
mod undo_batch;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<surgical_context_v2::SurgicalContextV2>(),
    entry::<surgical_context::SurgicalContext>(),
    entry::<edit_preview::EditPreview>(),
    entry::<edit_commit::EditCommit>(),
    entry::<apply::Apply>(),
    entry::<apply_batch::ApplyBatch>(),
    entry::<undo_batch::UndoBatch>(),
];
