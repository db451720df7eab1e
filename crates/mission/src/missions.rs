//! Missions in a ledger: read, step, append, and once more when somebody else was first.

use crate::chain;
use crate::error::MissionError;
use crate::event::Event;
use crate::ids::MissionId;
use crate::machine::{self, Command, Start, Stepped};
use crate::port::{Appended, Ledger, Summary};
use crate::situation::Situation;
use crate::state::{RULES, State};

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
) -> Result<State, Refusal<E>> {
    for nonce in 0..u64::from(TRIES) {
        let id = MissionId::new(&start.goal, now_ms, nonce);
        let first = machine::start(&id, start.clone(), actor, now_ms)?;
        let Some(state) = State::begin(&first) else { continue };
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
        let state = state(ledger, id)?;
        let mission = state.mission_id.clone();
        let find = |place: u64| {
            let found = ledger.events(&mission, place.checked_sub(1)?, 1).ok()?;
            found.into_iter().next().filter(|event| event.sequence == place)
        };
        let stepped = machine::step(&state, command(&state), actor, situation, &find)?;
        let appended = ledger.append(state.sequence, &stepped.events, &stepped.state);
        if appended.map_err(Refusal::Store)? == Appended::Kept {
            return Ok(stepped);
        }
    }
    Err(Refusal::Busy)
}

/// The state of the mission that an id names.
pub fn state<E>(ledger: &dyn Ledger<Fault = E>, id: &str) -> Result<State, Refusal<E>> {
    let found = match MissionId::parse(id) {
        Some(id) => ledger.state(&id).map_err(Refusal::Store)?,
        None => None,
    };
    match found {
        Some(state) if state.rules != RULES => {
            let events = stream(ledger, &state.mission_id)?;
            Ok(State::of(&events).unwrap_or(state))
        }
        Some(state) => Ok(state),
        None => {
            let newest = ledger.list(OFFERED).map_err(Refusal::Store)?;
            Err(Refusal::Unknown { id: id.to_owned(), newest })
        }
    }
}

/// All events of a mission.
pub fn stream<E>(ledger: &dyn Ledger<Fault = E>, id: &MissionId) -> Result<Vec<Event>, Refusal<E>> {
    ledger.events(id, 0, usize::MAX).map_err(Refusal::Store)
}

/// What is wrong with a mission as it is kept: its chain, and whether its state is what its events come to.
pub fn faults<E>(ledger: &dyn Ledger<Fault = E>, id: &str) -> Result<Vec<String>, Refusal<E>> {
    let kept = state(ledger, id)?;
    let events = stream(ledger, &kept.mission_id)?;
    let mut faults = chain::faults(&kept.mission_id, &events);
    if faults.is_empty() && State::of(&events) != Some(kept) {
        faults.push("the state that is kept is not what its events come to".to_owned());
    }
    Ok(faults)
}
