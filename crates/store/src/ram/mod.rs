//! A store in memory for tests: plain maps, read by looking through them.

mod drawers;
mod missions;
mod read;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;

use m1nd_memory::MemoryError;
use m1nd_memory::ids::{BranchName, ConflictId, EntityId, EventNo, Seq, StepId, WorkspaceId};
use m1nd_memory::port::{
    BranchRow, ConflictRow, EntityRow, EntryRow, EventRow, FindKind, FindRow, KeyKind, MergeMarkRow, Rows,
    StepRow, Store, StreamId, StreamRow, Tx, Verdict, VersionRow, WorkspaceRow, WsNo,
};
use m1nd_mission::MissionId;
use parking_lot::{Mutex, RwLock};

/// Memory that ends with the process. Written for clarity, not for size: every write copies the state.
#[derive(Default)]
pub struct RamStore {
    state: RwLock<Arc<State>>,
    writing: Mutex<()>,
}

#[derive(Clone, Default)]
struct State {
    workspaces: BTreeMap<WorkspaceId, WorkspaceRow>,
    branches: BTreeMap<(WsNo, BranchName), BranchRow>,
    streams: Vec<StreamRow>,
    entries: BTreeMap<(WsNo, Seq), EntryRow>,
    versions: BTreeMap<(WsNo, Seq), VersionRow>,
    conflicts: BTreeMap<(WsNo, ConflictId), ConflictRow>,
    merge_marks: BTreeMap<(StreamId, BranchName, KeyKind, String), MergeMarkRow>,
    entities: BTreeMap<(WsNo, EntityId), EntityRow>,
    steps: BTreeMap<(WsNo, StepId), StepRow>,
    events: BTreeMap<(WsNo, EventNo), EventRow>,
    replays: BTreeMap<(WsNo, String, String), String>,
    finds: BTreeMap<(WsNo, FindKind, String), FindRow>,
    missions: BTreeMap<MissionId, missions::Kept>,
    drawers: drawers::Kept,
}

impl RamStore {
    pub fn new() -> Self {
        Self::default()
    }
}

impl Store for RamStore {
    fn read(&self, work: &mut dyn FnMut(&dyn Rows) -> Result<(), MemoryError>) -> Result<(), MemoryError> {
        let state = Arc::clone(&self.state.read());
        work(&*state)
    }

    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Tx) -> Result<Verdict, MemoryError>,
    ) -> Result<(), MemoryError> {
        let _alone = self.writing.lock();
        let mut draft = State::clone(&self.state.read());
        if work(&mut draft)? == Verdict::Keep {
            *self.state.write() = Arc::new(draft);
        }
        Ok(())
    }

    fn place(&self) -> String {
        ":memory:".to_owned()
    }

    fn schema_version(&self) -> u32 {
        crate::SCHEMA_VERSION
    }
}
