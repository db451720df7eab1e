//! Drawers in the same file: a row for each thing, and the last number of each drawer.

use m1nd_memory::StoreError;
use m1nd_memory::drawers::{Added, Drawer, Drawers, Room, Thing};
use rusqlite::{Connection, OptionalExtension as _, Row, params};

use super::errors::fault;
use super::{Open, SqliteStore};

const COLUMNS: &str = "key, version, updated_ms, body";

fn thing(row: &Row<'_>) -> rusqlite::Result<Thing> {
    let version: i64 = row.get(1)?;
    let version = u64::try_from(version).unwrap_or_default();
    Ok(Thing { key: row.get(0)?, version, updated_ms: row.get(2)?, body: row.get(3)? })
}

impl SqliteStore {
    fn alone<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.check.verdict(&self.path)?;
        let sql = |err: rusqlite::Error| fault(&self.path, &err);
        let connection = self.writer.lock();
        connection.execute_batch("BEGIN IMMEDIATE").map_err(sql)?;
        let open = Open { connection: &connection };
        let done = work(&connection).map_err(sql)?;
        open.commit().map_err(sql)?;
        Ok(done)
    }
}

impl Drawers for SqliteStore {
    fn add(
        &self,
        drawer: Drawer<'_>,
        room: Room,
        now_ms: i64,
        make: &mut dyn FnMut(u64) -> (String, String),
    ) -> Result<Added, StoreError> {
        let Drawer { kind, agent } = drawer;
        self.alone(|connection| {
            if let Some(idle) = room.idle_ms {
                connection
                    .prepare_cached("DELETE FROM drawers WHERE kind = $1 AND updated_ms < $2")?
                    .execute(params![kind, now_ms.saturating_sub(idle)])?;
            }
            let held: i64 = connection
                .prepare_cached("SELECT count(*) FROM drawers WHERE kind = $1 AND agent = $2")?
                .query_row([kind, agent], |row| row.get(0))?;
            if usize::try_from(held).is_ok_and(|held| held >= room.most) {
                return Ok(Added::Full);
            }
            let number: i64 = connection
                .prepare_cached(
                    "INSERT INTO drawer_numbers (kind, agent, last) VALUES ($1, $2, 1) \
                     ON CONFLICT (kind, agent) DO UPDATE SET last = last + 1 RETURNING last",
                )?
                .query_row([kind, agent], |row| row.get(0))?;
            let (key, body) = make(u64::try_from(number).unwrap_or_default());
            connection
                .prepare_cached(
                    "INSERT INTO drawers (kind, agent, key, version, updated_ms, body) \
                     VALUES ($1, $2, $3, 1, $4, $5)",
                )?
                .execute(params![kind, agent, key, now_ms, body])?;
            Ok(Added::Kept(Thing { key, version: 1, updated_ms: now_ms, body }))
        })
    }

    fn get(&self, drawer: Drawer<'_>, key: &str) -> Result<Option<Thing>, StoreError> {
        self.ask(|connection| {
            connection
                .prepare_cached(&format!(
                    "SELECT {COLUMNS} FROM drawers WHERE kind = $1 AND agent = $2 AND key = $3"
                ))?
                .query_row([drawer.kind, drawer.agent, key], thing)
                .optional()
        })
    }

    fn replace(&self, drawer: Drawer<'_>, new: &Thing, now_ms: i64) -> Result<bool, StoreError> {
        let version = i64::try_from(new.version).unwrap_or(i64::MAX);
        let changed = self.alone(|connection| {
            connection
                .prepare_cached(
                    "UPDATE drawers SET version = version + 1, updated_ms = ?5, body = ?6 \
                     WHERE kind = ?1 AND agent = ?2 AND key = ?3 AND version = ?4",
                )?
                .execute(params![drawer.kind, drawer.agent, new.key, version, now_ms, new.body])
        })?;
        Ok(changed == 1)
    }

    fn list(&self, drawer: Drawer<'_>) -> Result<Vec<Thing>, StoreError> {
        self.ask(|connection| {
            let mut rows = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM drawers WHERE kind = $1 AND agent = $2 ORDER BY updated_ms DESC, key"
            ))?;
            rows.query_map([drawer.kind, drawer.agent], thing)?.collect()
        })
    }

    fn count(&self, kind: &str) -> Result<usize, StoreError> {
        let held: i64 = self.ask(|connection| {
            connection
                .prepare_cached("SELECT count(*) FROM drawers WHERE kind = $1")?
                .query_row([kind], |row| row.get(0))
        })?;
        Ok(usize::try_from(held).unwrap_or_default())
    }

    fn remove(&self, drawer: Drawer<'_>, key: &str) -> Result<bool, StoreError> {
        let removed = self.alone(|connection| {
            connection
                .prepare_cached("DELETE FROM drawers WHERE kind = $1 AND agent = $2 AND key = $3")?
                .execute([drawer.kind, drawer.agent, key])
        })?;
        Ok(removed == 1)
    }
}
