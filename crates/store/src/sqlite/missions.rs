//! Missions in the same file: a row for each, with its state as it was at some event, and a row for each event.

use std::sync::Arc;

use m1nd_memory::StoreError;
use m1nd_mission::port::{Appended, Kept, Ledger, Summary};
use m1nd_mission::{Detail, Event, MissionId, Mode, State, Status};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::errors::fault;
use super::states::{digest, is_sealed};
use super::{Open, SqliteStore};

/// Events after which the state is stored again. To store it costs as much as the mission is large, to add this many
/// events to it next to nothing.
const STRIDE: u64 = 64;

impl Ledger for SqliteStore {
    type Fault = StoreError;

    fn append(&self, after: u64, events: &[Event], state: &Arc<State>) -> Result<Appended, StoreError> {
        self.check.verdict(&self.path)?;
        let sql = |err: rusqlite::Error| fault(&self.path, &err);
        let connection = self.writer.lock();
        connection.execute_batch("BEGIN IMMEDIATE").map_err(sql)?;
        let open = Open { connection: &connection };
        if stands_at(&connection, &state.mission_id).map_err(sql)? != after {
            return Ok(Appended::Moved);
        }
        let is_due = after / STRIDE != state.sequence / STRIDE || state.status == Status::Closed;
        if after == 0 || is_due || self.is_to_be_stored(&state.mission_id) {
            store(&connection, state).map_err(sql)?;
        }
        write(&connection, events, state).map_err(sql)?;
        open.commit().map_err(sql)?;
        self.know(Kept { state: Arc::clone(state), made_again: None });
        Ok(Appended::Kept)
    }

    fn state(&self, mission: &MissionId) -> Result<Option<Kept>, StoreError> {
        self.read_state(mission)
    }

    fn written(&self, mission: &MissionId, each: &mut dyn FnMut(&[u8])) -> Result<Option<u64>, StoreError> {
        self.ask(|connection| {
            // The count and the events as of one moment.
            let view = connection.unchecked_transaction()?;
            let recorded = recorded(&view, mission)?;
            // What was stored of the state at some event knows of every event before it.
            let known = known(&view, mission)?;
            let recorded = recorded.map(|recorded| recorded.max(known));
            let mut rows =
                view.prepare_cached("SELECT event FROM mission_events WHERE mission = $1 ORDER BY sequence")?;
            let mut rows = rows.query([mission.as_str()])?;
            while let Some(row) = rows.next()? {
                each(row.get_ref(0)?.as_bytes().unwrap_or_default());
            }
            Ok(recorded)
        })
    }

    fn events(&self, mission: &MissionId, after: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let texts: Vec<(i64, Vec<u8>)> = self.ask(|connection| {
            let mut rows = connection.prepare_cached(
                "SELECT sequence, event FROM mission_events WHERE mission = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
            )?;
            let asked = params![mission.as_str(), number(after), limit];
            let rows = rows.query_map(asked, |row| Ok((row.get(0)?, bytes(row, 1)?)))?;
            rows.collect()
        })?;
        let event = |(place, text): &(i64, Vec<u8>)| {
            serde_json::from_slice(text).map_err(|err| StoreError::Unreadable {
                what: format!("event {place} of {mission}"),
                detail: err.to_string(),
            })
        };
        texts.iter().map(event).collect()
    }

    fn list(&self, limit: usize) -> Result<Vec<Summary>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows: Vec<Listed> = self.ask(|connection| {
            let mut rows = connection.prepare_cached(&format!(
                "SELECT {LISTED} FROM missions ORDER BY updated_ms DESC, mission LIMIT $1"
            ))?;
            rows.query_map([limit], Listed::of)?.collect()
        })?;
        // One that is damaged does not hide the others.
        Ok(rows.iter().filter_map(Listed::summary).collect())
    }

    fn unreadable(&self) -> Result<Vec<String>, StoreError> {
        let rows: Vec<Listed> = self.ask(|connection| {
            let mut rows =
                connection.prepare_cached(&format!("SELECT {LISTED} FROM missions ORDER BY mission"))?;
            rows.query_map([], Listed::of)?.collect()
        })?;
        let damaged = rows.into_iter().filter(|row| row.summary().is_none());
        Ok(damaged.map(|row| row.mission).collect())
    }
}

impl SqliteStore {
    pub(super) fn ask<T>(
        &self,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.check.verdict(&self.path)?;
        let connection = self.reader()?;
        let answer = ask(&connection).map_err(|err| fault(&self.path, &err));
        self.give_back(connection);
        answer
    }
}

/// A mission as a list needs it.
struct Listed {
    mission: String,
    is_closed: bool,
    updated_ms: i64,
    events: i64,
    about: Option<About>,
}

/// What a mission is about: in its state, if that is as it was stored, and in its first event.
#[derive(serde::Deserialize)]
struct About {
    mission_id: MissionId,
    goal: String,
    mode: Mode,
    started_ms: i64,
}

const LISTED: &str = "mission, status, updated_ms, sequence, state, digest, \
     (SELECT event FROM mission_events WHERE mission_events.mission = missions.mission AND mission_events.sequence = 1)";

impl Listed {
    fn of(row: &Row<'_>) -> rusqlite::Result<Self> {
        let (state, seal, first) = (bytes(row, 4)?, bytes(row, 5)?, bytes(row, 6)?);
        let stored = || serde_json::from_slice(&state).ok().filter(|_| is_sealed(&state, &seal));
        Ok(Self {
            mission: String::from_utf8_lossy(&bytes(row, 0)?).into_owned(),
            is_closed: bytes(row, 1)? == CLOSED.as_bytes(),
            updated_ms: row.get_ref(2)?.as_i64().unwrap_or_default(),
            events: row.get_ref(3)?.as_i64().unwrap_or_default(),
            about: stored().or_else(|| About::of_first(&first)),
        })
    }

    fn summary(&self) -> Option<Summary> {
        let about = self.about.as_ref()?;
        Some(Summary {
            mission_id: about.mission_id.clone(),
            goal: about.goal.clone(),
            mode: about.mode,
            status: if self.is_closed { Status::Closed } else { Status::Open },
            started_ms: about.started_ms,
            updated_ms: self.updated_ms,
            events: u64::try_from(self.events).unwrap_or(0),
        })
    }
}

impl About {
    fn of_first(text: &[u8]) -> Option<Self> {
        let event: Event = serde_json::from_slice(text).ok()?;
        let (mission_id, started_ms) = (event.mission_id, event.timestamp_ms);
        match *event.draft.detail? {
            Detail::Started { goal, mode, .. } => Some(Self { mission_id, goal, mode, started_ms }),
            _ => None,
        }
    }
}

/// What a column holds, whether it still is a text or not.
pub(super) fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<u8>> {
    Ok(row.get_ref(column)?.as_bytes().unwrap_or_default().to_vec())
}

/// How many events a mission has; 0 when there is none.
fn stands_at(connection: &Connection, mission: &MissionId) -> rusqlite::Result<u64> {
    let sequence: Option<i64> = connection
        .prepare_cached("SELECT MAX(sequence) FROM mission_events WHERE mission = $1")?
        .query_row([mission.as_str()], |row| row.get(0))?;
    Ok(sequence.and_then(|sequence| u64::try_from(sequence).ok()).unwrap_or(0))
}

/// How many events were recorded of a mission, whether they are still there or not.
pub(super) fn recorded(connection: &Connection, mission: &MissionId) -> rusqlite::Result<Option<u64>> {
    let recorded: Option<i64> = connection
        .prepare_cached("SELECT sequence FROM missions WHERE mission = $1")?
        .query_row([mission.as_str()], |row| Ok(row.get_ref(0)?.as_i64().unwrap_or_default()))
        .optional()?;
    Ok(recorded.map(|recorded| u64::try_from(recorded).unwrap_or(0)))
}

/// The event that the stored state stands at, if that is as it was stored; else 0.
fn known(connection: &Connection, mission: &MissionId) -> rusqlite::Result<u64> {
    #[derive(serde::Deserialize)]
    struct Stands {
        sequence: u64,
    }
    let found = connection
        .prepare_cached("SELECT state, digest FROM missions WHERE mission = $1")?
        .query_row([mission.as_str()], |row| Ok((bytes(row, 0)?, bytes(row, 1)?)))
        .optional()?;
    let stands = found.filter(|(state, seal)| is_sealed(state, seal));
    let stands = stands.and_then(|(state, _)| serde_json::from_slice::<Stands>(&state).ok());
    Ok(stands.map_or(0, |stands| stands.sequence))
}

/// Stores a state, with a digest by which it is known again.
fn store(connection: &Connection, state: &State) -> rusqlite::Result<()> {
    let text = text(state)?;
    connection
        .prepare_cached(
            "INSERT INTO missions (mission, status, updated_ms, sequence, state, digest) VALUES ($1, '', 0, 0, $2, $3) \
             ON CONFLICT (mission) DO UPDATE SET state = $2, digest = $3",
        )?
        .execute(params![state.mission_id.as_str(), text, digest(text.as_bytes())])?;
    Ok(())
}

/// Adds events to a mission that is stored, and says where it stands with them.
fn write(connection: &Connection, events: &[Event], state: &State) -> rusqlite::Result<()> {
    let mission = state.mission_id.as_str();
    let status = match state.status {
        Status::Open => OPEN,
        Status::Closed => CLOSED,
    };
    connection
        .prepare_cached("UPDATE missions SET status = ?2, updated_ms = ?3, sequence = ?4 WHERE mission = ?1")?
        .execute(params![mission, status, state.updated_ms, number(state.sequence)])?;
    let mut insert = connection
        .prepare_cached("INSERT INTO mission_events (mission, sequence, event) VALUES ($1, $2, $3)")?;
    for event in events {
        insert.execute(params![mission, number(event.sequence), text(event)?])?;
    }
    Ok(())
}

const OPEN: &str = "open";
const CLOSED: &str = "closed";

fn text(value: &impl serde::Serialize) -> rusqlite::Result<String> {
    serde_json::to_string(value).map_err(|err| rusqlite::Error::ToSqlConversionFailure(Box::new(err)))
}

pub(super) fn number(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}
