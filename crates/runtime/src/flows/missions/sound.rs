//! Sound: a mission held against its own events, before anybody is told what it proved.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_memory::StoreError;
use m1nd_mission::{State, chain, missions};
use serde_json::json;

use super::{ledger, refused};
use crate::ctx::Ctx;

/// A mission as far as its events carry it.
pub struct Sound {
    pub state: State,
    /// What is wrong with it. Then nothing that it settled counts as settled, unless its events say so.
    pub faults: Vec<String>,
}

/// The mission that an id names, with every event read again.
pub fn sound(ctx: &Ctx<'_>, id: &str) -> Result<Sound, Fault> {
    let ledger = ledger(ctx)?;
    let kept = missions::state(&*ledger, id).map_err(|err| refused(ctx, &err))?;
    let events = match ledger.events(&kept.mission_id, 0, usize::MAX) {
        Ok(events) => events,
        Err(err @ StoreError::Unreadable { .. }) => {
            return Ok(Sound { state: kept.doubted(), faults: vec![err.to_string()] });
        }
        Err(err) => return Err(crate::faults::from_memory::store(&err)),
    };
    let faults = chain::faults(&kept.mission_id, &events);
    if !faults.is_empty() {
        return Ok(Sound { state: kept.doubted(), faults });
    }
    match State::of(&events) {
        Some(state) if state == kept => Ok(Sound { state, faults }),
        Some(state) => Ok(Sound { state, faults: vec![NOT_THE_SUM.to_owned()] }),
        None => Ok(Sound { state: kept.doubted(), faults: vec![NOT_THE_SUM.to_owned()] }),
    }
}

const NOT_THE_SUM: &str = "the state that is kept is not what its events come to";

impl Sound {
    /// The mission, if nothing is wrong with it.
    pub fn whole(self) -> Result<State, Fault> {
        let Some(said) = self.warning() else { return Ok(self.state) };
        let id = self.state.mission_id.as_str();
        Err(Fault::new(
            Code::Storage,
            format!("{said} Nothing was recorded, and no proof can be made of it."),
            Recovery::call(
                "`m1nd verify` with its id lists all that is wrong. A child goes on from what is left of it; what it concluded must be proved again there.",
                "mission_resume",
                json!({ "mission_id": id }),
            ),
        ))
    }

    /// What to say of it; nothing while nothing is wrong.
    pub fn warning(&self) -> Option<String> {
        let first = self.faults.first()?;
        let more = match self.faults.len() {
            1 => String::new(),
            count => format!(" ({} more)", count - 1),
        };
        let id = &self.state.mission_id;
        Some(format!("What is kept of {id} is not as it was recorded: {first}{more}."))
    }
}
