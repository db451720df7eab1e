//! Missions in a ledger: read, step, append, and once more when somebody else was first.

use std::sync::Arc;

use crate::error::MissionError;
use crate::event::Event;
use crate::ids::MissionId;
use crate::machine::{self, Command, Start, Stepped};
use crate::port::{Appended, Kept, Ledger, Summary};
use crate::situation::Situation;
use crate::sound::{self, Proven};
use crate::state::State;

/// Agents that write to one mission at the same time wait for each other this often. Each try that fails is another's
/// that succeeded.
const TRIES: u32 = 1_000;
/// Missions that are offered when one is not found.
const OFFERED: usize = 5;

/// Why a mission's call was refused.
#[derive(Debug)]
pub enum Refusal<E> {
    Mission(MissionError),
    Unknown {
        id: String,
        newest: Vec<Summary>,
    },
    /// Others kept writing to it.
    Busy,
    Store(E),
}

impl<E> From<MissionError> for Refusal<E> {
    fn from(err: MissionError) -> Self {
        Self::Mission(err)
    }
}

/// Begins a mission.
pub fn begin<E>(
    ledger: &dyn Ledger<Fault = E>,
    start: &Start,
    actor: &str,
    now_ms: i64,
) -> Result<Arc<State>, Refusal<E>> {
    for nonce in 0..u64::from(TRIES) {
        let id = MissionId::new(&start.goal, now_ms, nonce);
        let first = machine::start(&id, start.clone(), actor, now_ms)?;
        let Some(state) = State::begin(&first).map(Arc::new) else { continue };
        if ledger.append(0, &[first], &state).map_err(Refusal::Store)? == Appended::Kept {
            return Ok(state);
        }
    }
    Err(Refusal::Busy)
}

/// Lets something happen to a mission. `command` is asked again when somebody else wrote meanwhile.
pub fn act<E>(
    ledger: &dyn Ledger<Fault = E>,
    id: &str,
    actor: &str,
    situation: &Situation<'_>,
    mut command: impl FnMut(&State) -> Command,
) -> Result<Stepped, Refusal<E>> {
    for _ in 0..TRIES {
        let Kept { state, made_again } = kept(ledger, id)?;
        let mission = &state.mission_id;
        let find = |place: u64| {
            let found = ledger.events(mission, place.checked_sub(1)?, 1).ok()?;
            found.into_iter().next().filter(|event| event.sequence == place)
        };
        let mut stepped = machine::step(&state, command(&state), actor, situation, &find)?;
        let appended = ledger.append(state.sequence, &stepped.events, &stepped.state);
        if appended.map_err(Refusal::Store)? == Appended::Kept {
            stepped.warnings.extend(made_again);
            return Ok(stepped);
        }
    }
    Err(Refusal::Busy)
}

/// The state of the mission that an id names.
pub fn state<E>(ledger: &dyn Ledger<Fault = E>, id: &str) -> Result<Arc<State>, Refusal<E>> {
    kept(ledger, id).map(|kept| kept.state)
}

/// The same, and whether it had to be made again.
pub fn kept<E>(ledger: &dyn Ledger<Fault = E>, id: &str) -> Result<Kept, Refusal<E>> {
    let found = match MissionId::parse(id) {
        Some(id) => ledger.state(&id).map_err(Refusal::Store)?,
        None => None,
    };
    found.map_or_else(|| Err(unknown(ledger, id)?), Ok)
}

/// That there is no such mission.
fn unknown<E>(ledger: &dyn Ledger<Fault = E>, id: &str) -> Result<Refusal<E>, Refusal<E>> {
    let newest = ledger.list(OFFERED).map_err(Refusal::Store)?;
    Ok(Refusal::Unknown { id: id.to_owned(), newest })
}

/// All events of a mission.
pub fn stream<E>(ledger: &dyn Ledger<Fault = E>, id: &MissionId) -> Result<Vec<Event>, Refusal<E>> {
    ledger.events(id, 0, usize::MAX).map_err(Refusal::Store)
}

/// A mission held against its events.
#[derive(Debug)]
pub struct Sound {
    /// What its events come to, as far as they can be read.
    pub state: Option<Arc<State>>,
    /// What is wrong with them. Then nothing that they settle is settled.
    pub faults: Vec<String>,
    /// What was stored of the state is damaged; the events are not, and they are what counts.
    pub made_again: Option<String>,
    /// For the next time.
    pub proven: Option<Proven>,
}

/// The mission that an id names, with every event read again. What can be wrong with it is told and no refusal.
pub fn sound<E>(
    ledger: &dyn Ledger<Fault = E>,
    id: &str,
    before: Option<&Proven>,
) -> Result<Sound, Refusal<E>> {
    let mission = MissionId::parse(id);
    let heard = mission.as_ref().map(|mission| sound::hear(ledger, mission, before));
    let heard = heard.transpose().map_err(Refusal::Store)?.flatten();
    let Some((heard, mission)) = heard.zip(mission) else { return Err(unknown(ledger, id)?) };
    // The events of one that is broken cannot bear out what is stored of it.
    let made_again = match heard.faults.as_slice() {
        [] => ledger.state(&mission).map_err(Refusal::Store)?.and_then(|kept| kept.made_again),
        _ => None,
    };
    Ok(Sound { state: heard.state, faults: heard.faults, made_again, proven: heard.proven })
}
