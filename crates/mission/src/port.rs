//! Port: where missions are kept. A ledger offers rows and one promise: events are appended at the place they were made
//! for, all with the state they come to, or not at all.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::ids::MissionId;
use crate::mode::Mode;
use crate::state::{State, Status};

/// A mission in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub mission_id: MissionId,
    pub goal: String,
    pub mode: Mode,
    pub status: Status,
    pub started_ms: i64,
    pub updated_ms: i64,
    pub events: u64,
}

impl Summary {
    pub fn of(state: &State) -> Self {
        Self {
            mission_id: state.mission_id.clone(),
            goal: state.goal.clone(),
            mode: state.mode,
            status: state.status,
            started_ms: state.started_ms,
            updated_ms: state.updated_ms,
            events: state.sequence,
        }
    }
}

/// Whether an append found the stream as it expected it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Appended {
    Kept,
    /// Somebody else was first; nothing was kept.
    Moved,
}

/// What a mission's events come to.
#[derive(Clone, Debug)]
pub struct Kept {
    pub state: Arc<State>,
    /// Why it was made again from all events: what was stored of it is damaged.
    pub made_again: Option<String>,
}

/// Several processes may hold the same one.
pub trait Ledger {
    type Fault;

    /// Appends `events` after event `after`; 0 begins a mission. `state` is what they come to.
    fn append(&self, after: u64, events: &[Event], state: &Arc<State>) -> Result<Appended, Self::Fault>;

    /// The state after the newest event. What is stored of it is trusted only as far as the events bear it out.
    fn state(&self, mission: &MissionId) -> Result<Option<Kept>, Self::Fault>;

    /// Each event as it is written, in order, and how many were recorded; nothing where there is no such mission. All as of
    /// one moment.
    fn written(&self, mission: &MissionId, each: &mut dyn FnMut(&[u8])) -> Result<Option<u64>, Self::Fault>;

    /// Events after a place, in order.
    fn events(&self, mission: &MissionId, after: u64, limit: usize) -> Result<Vec<Event>, Self::Fault>;

    /// Those that changed last, first. One that cannot be read is left out, and named by `unreadable`.
    fn list(&self, limit: usize) -> Result<Vec<Summary>, Self::Fault>;

    /// Missions that are kept and cannot be read.
    fn unreadable(&self) -> Result<Vec<String>, Self::Fault> {
        Ok(Vec::new())
    }
}
