//! Missions in memory.

use std::sync::Arc;

use m1nd_memory::StoreError;
use m1nd_mission::port::{self, Appended, Ledger, Summary};
use m1nd_mission::{Event, MissionId, State as Mission};

use super::{RamStore, State};

#[derive(Clone)]
pub(super) struct Kept {
    state: Arc<Mission>,
    events: Vec<Event>,
}

impl Ledger for RamStore {
    type Fault = StoreError;

    fn append(&self, after: u64, events: &[Event], state: &Arc<Mission>) -> Result<Appended, StoreError> {
        let _alone = self.writing.lock();
        let mut draft = State::clone(&self.state.read());
        let kept = draft
            .missions
            .entry(state.mission_id.clone())
            .or_insert_with(|| Kept { state: Arc::clone(state), events: Vec::new() });
        if kept.events.len() as u64 != after {
            return Ok(Appended::Moved);
        }
        kept.events.extend_from_slice(events);
        kept.state = Arc::clone(state);
        *self.state.write() = Arc::new(draft);
        Ok(Appended::Kept)
    }

    fn state(&self, mission: &MissionId) -> Result<Option<port::Kept>, StoreError> {
        let state = self.state.read();
        let kept = state.missions.get(mission);
        Ok(kept.map(|kept| port::Kept { state: Arc::clone(&kept.state), made_again: None }))
    }

    fn written(&self, mission: &MissionId, each: &mut dyn FnMut(&[u8])) -> Result<Option<u64>, StoreError> {
        let state = self.state.read();
        let Some(kept) = state.missions.get(mission) else { return Ok(None) };
        for event in &kept.events {
            let text = serde_json::to_vec(event);
            each(&text.map_err(|err| StoreError::Engine { detail: err.to_string() })?);
        }
        Ok(Some(kept.events.len() as u64))
    }

    fn events(&self, mission: &MissionId, after: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let state = self.state.read();
        let events = state.missions.get(mission).map_or(&[][..], |kept| &kept.events);
        Ok(events.iter().filter(|event| event.sequence > after).take(limit).cloned().collect())
    }

    fn list(&self, limit: usize) -> Result<Vec<Summary>, StoreError> {
        let state = self.state.read();
        let mut all: Vec<Summary> = state.missions.values().map(|kept| Summary::of(&kept.state)).collect();
        all.sort_by(|a, b| b.updated_ms.cmp(&a.updated_ms).then_with(|| a.mission_id.cmp(&b.mission_id)));
        all.truncate(limit);
        Ok(all)
    }
}
