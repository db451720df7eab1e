//! Plans, tasks and steps; every mutation writes its event, its trace entry and its projection with it.

mod checkpoint;
mod claim;
mod context;
mod create;
mod decompose;
mod define;
mod delta;
mod detail;
mod done;
mod edit;
mod event;
mod focus;
mod last_note;
mod mutation;
mod note;
mod patch;
mod project;
mod radar;
mod ready;
mod selector;
mod verify;

pub use checkpoint::Checkpoint;
pub use claim::{ClaimOutput, ClaimRequest, ReleaseOutput, ReleaseRequest, claim, release};
pub use context::{EntityLine, TasksContextOutput, TasksContextRequest, context};
pub use create::{StepIn, TasksCreateOutput, TasksCreateRequest, create};
pub use decompose::{StepLine, TasksDecomposeOutput, TasksDecomposeRequest, decompose};
pub use define::{StepOutput, TasksDefineRequest, define};
pub use delta::{TasksDeltaOutput, TasksDeltaRequest, delta};
pub use detail::{CheckpointState, CheckpointStates, EntityDetail, FullLength, Held, StepDetail};
pub use done::{TasksDoneOutput, TasksDoneRequest, done};
pub use edit::{TasksEditOutput, TasksEditRequest, edit};
pub use event::Event;
pub use focus::{
    FocusGetRequest, FocusOutput, FocusRequest, FocusSetRequest, focus_clear, focus_get, focus_set,
};
pub use last_note::LastNote;
pub(crate) use mutation::{entity_text, index_entities};
pub use note::{TasksNoteOutput, TasksNoteRequest, note};
pub use patch::Patch;
pub(crate) use radar::standing;
pub use radar::{Radar, StepStats, TasksRadarOutput, TasksRadarRequest, radar};
pub(crate) use ready::Readiness;
pub use ready::{TasksReadyOutput, TasksReadyRequest, ready};
pub use verify::{CheckIn, Checkpoints, Evidence, TasksVerifyRequest, verify};
