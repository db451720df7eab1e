//! States of missions: what was stored at some event, and the events since. What does not fit its events is made again from
//! all of them.

use std::sync::Arc;

use m1nd_memory::StoreError;
use m1nd_mission::chain::{Check, Head};
use m1nd_mission::port::Kept;
use m1nd_mission::{Event, MissionId, RULES, State};
use m1nd_stdx::digest::sha256_hex;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::SqliteStore;
use super::missions::{bytes, number, recorded};

/// Missions whose states are kept in memory: steps of one follow each other, and a parent is asked beside its child.
const KNOWN: usize = 4;

/// A state that was read or written.
#[derive(Clone, Debug)]
pub(super) struct Known {
    kept: Kept,
    /// Whether what is stored of it is to be written anew, because it was not used.
    is_to_be_stored: bool,
}

/// By which a stored state is known again.
pub(super) fn digest(text: &[u8]) -> String {
    sha256_hex(text)
}

/// Whether a state is as it was stored.
pub(super) fn is_sealed(text: &[u8], seal: &[u8]) -> bool {
    digest(text).as_bytes() == seal
}

impl SqliteStore {
    /// The state after the newest event.
    pub(super) fn read_state(&self, mission: &MissionId) -> Result<Option<Kept>, StoreError> {
        let known = {
            let all = self.states.lock();
            all.iter().find(|known| known.kept.state.mission_id == *mission).cloned()
        };
        let read = self.ask(|connection| {
            // The state and the events as of one moment.
            let view = connection.unchecked_transaction()?;
            read(&view, mission, known)
        })?;
        let Some(known) = read? else { return Ok(None) };
        let kept = known.kept.clone();
        self.remember(known);
        Ok(Some(kept))
    }

    /// Keeps a state that was just stored with its events.
    pub(super) fn know(&self, kept: Kept) {
        self.remember(Known { kept, is_to_be_stored: false });
    }

    pub(super) fn is_to_be_stored(&self, mission: &MissionId) -> bool {
        let states = self.states.lock();
        states.iter().any(|known| known.kept.state.mission_id == *mission && known.is_to_be_stored)
    }

    /// The newest first.
    fn remember(&self, known: Known) {
        let mut states = self.states.lock();
        states.retain(|other| other.kept.state.mission_id != known.kept.state.mission_id);
        states.insert(0, known);
        states.truncate(KNOWN);
    }
}

/// The state of a mission in a view of the store, from what is known of it already.
fn read(
    view: &Connection,
    mission: &MissionId,
    known: Option<Known>,
) -> rusqlite::Result<Result<Option<Known>, StoreError>> {
    let Some(recorded) = recorded(view, mission)? else { return Ok(Ok(None)) };
    // The hash of the newest event stands for all before it.
    let newest = view
        .prepare_cached(
            "SELECT sequence, event FROM mission_events WHERE mission = $1 ORDER BY sequence DESC LIMIT 1",
        )?
        .query_row([mission.as_str()], |row| Ok((row.get::<_, i64>(0)?, bytes(row, 1)?)))
        .optional()?;
    let (last, newest) = newest.unwrap_or_default();
    if last != number(recorded) {
        let detail = format!("{recorded} events were recorded, and the last of them is {last}");
        return Ok(Err(StoreError::Unreadable { what: format!("the end of {mission}"), detail }));
    }
    let head = serde_json::from_slice::<Newest>(&newest).map(|newest| newest.hash).unwrap_or_default();
    if let Some(known) = known {
        if known.kept.state.head == head {
            return Ok(Ok(Some(known)));
        }
        let Known { kept, is_to_be_stored } = known;
        // Others wrote meanwhile.
        if kept.state.sequence < recorded
            && let Ok(state) = follow(view, mission, Some(kept.state))?
        {
            let kept = Kept { state, made_again: kept.made_again };
            return Ok(Ok(Some(Known { kept, is_to_be_stored })));
        }
    }
    let (stored, why) = match stored(view, mission)? {
        Stored::Sealed(state) if state.sequence > recorded => {
            let known = state.sequence;
            let detail = format!("{known} events were recorded, and the last of them is {recorded}");
            return Ok(Err(StoreError::Unreadable { what: format!("the end of {mission}"), detail }));
        }
        Stored::Sealed(state) if state.sequence == recorded && state.head != head => {
            (true, "does not fit its events")
        }
        Stored::Sealed(state) => match follow(view, mission, Some(state))? {
            Ok(state) => {
                let kept = Kept { state, made_again: None };
                return Ok(Ok(Some(Known { kept, is_to_be_stored: false })));
            }
            Err(_) => (true, "does not fit its events"),
        },
        Stored::Damaged => (true, "is damaged"),
        Stored::Otherwise => (false, ""),
    };
    Ok(follow(view, mission, None)?.map(|state| {
        let made_again = stored.then(|| {
            let events = state.sequence;
            format!(
                "What was stored of the state of {mission} {why}; it was made again from its {events} events, whose chain is whole."
            )
        });
        Some(Known { kept: Kept { state, made_again }, is_to_be_stored: true })
    }))
}

/// The end of a stream.
#[derive(serde::Deserialize)]
struct Newest {
    hash: String,
}

/// What is stored of a state.
enum Stored {
    Sealed(Arc<State>),
    /// It is not what was stored.
    Damaged,
    /// It was stored by a build that knew no digests, or counted otherwise.
    Otherwise,
}

fn stored(view: &Connection, mission: &MissionId) -> rusqlite::Result<Stored> {
    let (text, seal) = view
        .prepare_cached("SELECT state, digest FROM missions WHERE mission = $1")?
        .query_row([mission.as_str()], |row| Ok((bytes(row, 0)?, bytes(row, 1)?)))?;
    if seal.is_empty() {
        return Ok(Stored::Otherwise);
    }
    if !is_sealed(&text, &seal) {
        return Ok(Stored::Damaged);
    }
    Ok(match serde_json::from_slice::<State>(&text) {
        Ok(state) if state.rules == RULES && state.mission_id == *mission => Stored::Sealed(Arc::new(state)),
        // Another build may have written what this one cannot read.
        Ok(_) | Err(_) => Stored::Otherwise,
    })
}

/// A state and every event after it, each held against the one before; from the beginning without one.
fn follow(
    view: &Connection,
    mission: &MissionId,
    mut state: Option<Arc<State>>,
) -> rusqlite::Result<Result<Arc<State>, StoreError>> {
    let head = state.as_ref().map_or_else(Head::default, |state| state.head());
    let mut rows = view.prepare_cached(
        "SELECT event FROM mission_events WHERE mission = $1 AND sequence > $2 ORDER BY sequence",
    )?;
    let mut rows = rows.query(params![mission.as_str(), number(head.sequence)])?;
    let mut check = Check::from(mission, head);
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_bytes().unwrap_or_default();
        match serde_json::from_slice::<Event>(text) {
            Ok(event) => {
                check.next_written(&event, text);
                match &mut state {
                    Some(state) => Arc::make_mut(state).apply(&event),
                    None => state = State::begin(&event).map(Arc::new),
                }
            }
            Err(err) => check.unreadable(&err.to_string()),
        }
        if let Some(first) = check.faults.first() {
            let what = format!("the stream of {mission}");
            return Ok(Err(StoreError::Unreadable { what, detail: first.clone() }));
        }
    }
    let nothing = || StoreError::Unreadable {
        what: format!("the stream of {mission}"),
        detail: "it does not begin with the start of a mission".to_owned(),
    };
    Ok(state.ok_or_else(nothing))
}
