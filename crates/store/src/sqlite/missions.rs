//! Missions in the same file: a row for each, with its state, and a row for each event.

use m1nd_memory::StoreError;
use m1nd_mission::port::{Appended, Ledger, Summary};
use m1nd_mission::{Event, MissionId, State, Status};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::errors::fault;
use super::{Open, SqliteStore};

impl Ledger for SqliteStore {
    type Fault = StoreError;

    fn append(&self, after: u64, events: &[Event], state: &State) -> Result<Appended, StoreError> {
        self.check.verdict(&self.path)?;
        let sql = |err: rusqlite::Error| fault(&self.path, &err);
        let connection = self.writer.lock();
        connection.execute_batch("BEGIN IMMEDIATE").map_err(sql)?;
        let open = Open { connection: &connection };
        if stands_at(&connection, &state.mission_id).map_err(sql)? != after {
            return Ok(Appended::Moved);
        }
        write(&connection, after, events, state).map_err(sql)?;
        open.commit().map_err(sql)?;
        Ok(Appended::Kept)
    }

    fn state(&self, mission: &MissionId) -> Result<Option<State>, StoreError> {
        let text: Option<Vec<u8>> = self.ask(|connection| {
            connection
                .prepare_cached("SELECT state FROM missions WHERE mission = $1")?
                .query_row([mission.as_str()], |row| bytes(row, 0))
                .optional()
        })?;
        text.map(|text| self.state_of(mission.as_str(), text)).transpose()
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
        let event = |(place, text): &(i64, Vec<u8>)| parse(text, || format!("event {place} of {mission}"));
        texts.iter().map(event).collect()
    }

    fn list(&self, limit: usize) -> Result<Vec<Summary>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let texts: Vec<Vec<u8>> = self.ask(|connection| {
            let mut rows = connection
                .prepare_cached("SELECT state FROM missions ORDER BY updated_ms DESC, mission LIMIT $1")?;
            rows.query_map([limit], |row| bytes(row, 0))?.collect()
        })?;
        // One that is damaged does not hide the others.
        let readable = texts.iter().filter_map(|text| serde_json::from_slice::<State>(text).ok());
        Ok(readable.map(|state| Summary::of(&state)).collect())
    }

    fn unreadable(&self) -> Result<Vec<String>, StoreError> {
        let rows: Vec<(String, Vec<u8>)> = self.ask(|connection| {
            let mut rows =
                connection.prepare_cached("SELECT mission, state FROM missions ORDER BY mission")?;
            rows.query_map([], |row| Ok((row.get(0)?, bytes(row, 1)?)))?.collect()
        })?;
        let damaged = rows.into_iter().filter(|(_, state)| serde_json::from_slice::<State>(state).is_err());
        Ok(damaged.map(|(mission, _)| mission).collect())
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

    /// The state that a text is. Steps of one mission follow each other and ask for the same one several times, and to
    /// compare its text costs far less than to read it.
    fn state_of(&self, mission: &str, text: Vec<u8>) -> Result<State, StoreError> {
        let mut last = self.last_state.lock();
        if let Some((_, state)) = last.as_ref().filter(|(known, _)| *known == text) {
            return Ok(state.clone());
        }
        let state: State = parse(&text, || format!("the state of {mission}"))?;
        *last = Some((text, state.clone()));
        Ok(state)
    }
}

/// What a column holds, whether it still is a text or not.
fn bytes(row: &Row<'_>, column: usize) -> rusqlite::Result<Vec<u8>> {
    Ok(row.get_ref(column)?.as_bytes().unwrap_or_default().to_vec())
}

/// One row that says nothing is no damage of the file: the others are as they were.
fn parse<T: serde::de::DeserializeOwned>(
    text: &[u8],
    what: impl FnOnce() -> String,
) -> Result<T, StoreError> {
    serde_json::from_slice(text)
        .map_err(|err| StoreError::Unreadable { what: what(), detail: err.to_string() })
}

/// How many events a mission has; 0 when there is none.
fn stands_at(connection: &Connection, mission: &MissionId) -> rusqlite::Result<u64> {
    let sequence: Option<i64> = connection
        .prepare_cached("SELECT sequence FROM missions WHERE mission = $1")?
        .query_row([mission.as_str()], |row| row.get(0))
        .optional()?;
    Ok(sequence.and_then(|sequence| u64::try_from(sequence).ok()).unwrap_or(0))
}

fn write(connection: &Connection, after: u64, events: &[Event], state: &State) -> rusqlite::Result<()> {
    let text = |value: Result<String, serde_json::Error>| {
        value.map_err(|err| rusqlite::Error::ToSqlConversionFailure(Box::new(err)))
    };
    let mission = state.mission_id.as_str();
    let status = match state.status {
        Status::Open => "open",
        Status::Closed => "closed",
    };
    connection
        .prepare_cached(
            "INSERT INTO missions (mission, status, updated_ms, sequence, state) VALUES ($1, $2, $3, $4, $5) \
             ON CONFLICT (mission) DO UPDATE SET status = $2, updated_ms = $3, sequence = $4, state = $5",
        )?
        .execute(params![
            mission,
            status,
            state.updated_ms,
            number(after) + number(events.len() as u64),
            text(serde_json::to_string(state))?,
        ])?;
    let mut insert = connection
        .prepare_cached("INSERT INTO mission_events (mission, sequence, event) VALUES ($1, $2, $3)")?;
    for event in events {
        insert.execute(params![mission, number(event.sequence), text(serde_json::to_string(event))?])?;
    }
    Ok(())
}

fn number(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}
