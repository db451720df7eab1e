//! The SQLite store: one writer connection, a small pool of readers, several processes.

mod check;
mod connection;
mod drawers;
mod errors;
mod find;
mod migrate;
mod missions;
mod node_text;
mod open;
mod read;
mod rows;
mod states;
mod write;

use std::path::{Path, PathBuf};

use m1nd_memory::port::{Rows, Store, Tx, Verdict};
use m1nd_memory::{MemoryError, StoreError};
use parking_lot::{FairMutex, Mutex};
use rusqlite::Connection;

use check::Check;
use connection::Role;
use errors::fault;

pub use connection::sqlite_version;

/// Files beside the store at `path` that were set aside because they were damaged, oldest first.
pub fn set_aside(path: &Path) -> Vec<PathBuf> {
    open::set_aside_files(path)
}

/// What is wrong with the store at `path`, if anything is; nothing where there is none. It only looks.
pub fn problem_of(path: &Path) -> Option<StoreError> {
    open::look(path).err()
}

/// Idle reader connections that are kept.
const IDLE_READERS: usize = 4;

/// Memory in one SQLite file.
pub struct SqliteStore {
    path: PathBuf,
    /// Fair: threads write in the order they came.
    writer: FairMutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    /// How readers are opened.
    reading: Role,
    check: Check,
    /// States of the missions that were asked for last.
    states: Mutex<Vec<states::Known>>,
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the store, making it if nothing is there. A damaged file is set aside and told as an error.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_path_buf();
        let (writer, reading) = open::open(&path)?;
        let check = Check::start(&path, reading);
        let (writer, readers) = (FairMutex::new(writer), Mutex::new(Vec::new()));
        Ok(Self { path, writer, readers, reading, check, states: Mutex::default() })
    }

    /// Opens a store to look at it, and changes nothing: a damaged file stays where it is, one of an earlier build is not
    /// brought up to date, and none is made.
    pub fn open_to_look(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_path_buf();
        let (writer, reading) = open::open_to_look(&path)?;
        let check = Check::none();
        let (writer, readers) = (FairMutex::new(writer), Mutex::new(Vec::new()));
        Ok(Self { path, writer, readers, reading, check, states: Mutex::default() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether this process may read the store but not write it.
    pub fn is_read_only(&self) -> bool {
        self.reading != Role::Reader
    }

    /// What the check beside the first calls has found by now.
    pub fn problem(&self) -> Option<StoreError> {
        self.check.verdict(&self.path).err()
    }

    /// Files that were set aside because they were damaged, oldest first.
    pub fn set_aside(&self) -> Vec<PathBuf> {
        open::set_aside_files(&self.path)
    }

    /// Waits until the check that runs beside the first calls is through.
    pub fn wait_for_check(&self) -> Result<(), StoreError> {
        self.check.wait();
        self.check.verdict(&self.path)
    }

    fn reader(&self) -> Result<Connection, StoreError> {
        match self.readers.lock().pop() {
            Some(connection) => Ok(connection),
            None => connection::open(&self.path, self.reading).map_err(|err| fault(&self.path, &err)),
        }
    }

    fn give_back(&self, connection: Connection) {
        let mut readers = self.readers.lock();
        // A frozen connection never notices what others write, so none is kept.
        if readers.len() < IDLE_READERS && self.reading != Role::Frozen {
            readers.push(connection);
        }
    }
}

impl Store for SqliteStore {
    fn read(&self, work: &mut dyn FnMut(&dyn Rows) -> Result<(), MemoryError>) -> Result<(), MemoryError> {
        self.check.verdict(&self.path)?;
        let connection = self.reader()?;
        connection.execute_batch("BEGIN").map_err(|err| fault(&self.path, &err))?;
        let result = work(&Sql { connection: &connection, path: &self.path });
        connection.execute_batch("COMMIT").map_err(|err| fault(&self.path, &err))?;
        self.give_back(connection);
        result
    }

    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Tx) -> Result<Verdict, MemoryError>,
    ) -> Result<(), MemoryError> {
        self.check.verdict(&self.path)?;
        let connection = self.writer.lock();
        connection.execute_batch("BEGIN IMMEDIATE").map_err(|err| fault(&self.path, &err))?;
        let open = Open { connection: &connection };
        let verdict = work(&mut Sql { connection: &connection, path: &self.path })?;
        match verdict {
            Verdict::Keep => open.commit().map_err(|err| fault(&self.path, &err))?,
            Verdict::Discard => drop(open),
        }
        Ok(())
    }

    fn place(&self) -> String {
        self.path.parent().unwrap_or(&self.path).display().to_string()
    }

    fn schema_version(&self) -> u32 {
        migrate::VERSION
    }
}

/// Rows of one connection inside one transaction.
struct Sql<'c> {
    connection: &'c Connection,
    path: &'c Path,
}

/// A write transaction that is rolled back unless it is committed, also when a caller panics.
struct Open<'c> {
    connection: &'c Connection,
}

impl Open<'_> {
    fn commit(self) -> rusqlite::Result<()> {
        self.connection.execute_batch("COMMIT")
        // A commit that failed leaves the transaction open; dropping rolls it back.
    }
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        if !self.connection.is_autocommit()
            && let Err(err) = self.connection.execute_batch("ROLLBACK")
        {
            // SQLite has rolled back by itself after a full disk or an I/O error.
            debug_assert!(self.connection.is_autocommit(), "rollback failed: {err}");
        }
    }
}

#[cfg(test)]
mod tests {
    use m1nd_memory::Ports;
    use m1nd_memory::notes::{self, NotesCommitRequest, ShowRequest};
    use m1nd_stdx::clock::ManualClock;

    use super::*;

    fn note(store: &SqliteStore, content: String) -> Result<(), MemoryError> {
        let request = NotesCommitRequest {
            workspace: "w".to_owned(),
            branch: Some("main".to_owned()),
            doc: Some("notes".to_owned()),
            content,
            ..NotesCommitRequest::default()
        };
        notes::commit(&Ports::new(store, &ManualClock::default()), &request).map(drop)
    }

    fn count(store: &SqliteStore) -> usize {
        let request = ShowRequest {
            workspace: "w".to_owned(),
            branch: Some("main".to_owned()),
            doc: Some("notes".to_owned()),
            limit: Some(200),
            max_chars: Some(1_000_000),
            ..ShowRequest::default()
        };
        notes::show(&Ports::new(store, &ManualClock::default()), &request).unwrap().entries.len()
    }

    #[test]
    fn a_full_disk_is_told_and_the_store_goes_on_when_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
        note(&store, "first".to_owned()).unwrap();
        let pages: i64 = {
            let writer = store.writer.lock();
            let pages = writer.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
            writer.pragma_update(None, "max_page_count", pages + 4).unwrap();
            pages
        };
        let mut kept = 1;
        let refusal = loop {
            match note(&store, "x".repeat(3_000)) {
                Ok(()) => kept += 1,
                Err(err) => break err,
            }
            assert!(kept < 50, "the disk never became full");
        };
        assert_eq!(refusal, MemoryError::Store(StoreError::DiskFull));
        assert_eq!(count(&store), kept);
        store.writer.lock().pragma_update(None, "max_page_count", pages + 4_000).unwrap();
        note(&store, "after".to_owned()).unwrap();
        assert_eq!(count(&store), kept + 1);
    }

    #[test]
    fn a_panic_in_a_write_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
        note(&store, "first".to_owned()).unwrap();
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            store.write(&mut |tx| {
                tx.create_workspace(&m1nd_memory::ids::WorkspaceId::parse("other")?, 0)?;
                panic!("in the middle")
            })
        }));
        assert!(panicked.is_err());
        note(&store, "second".to_owned()).unwrap();
        assert_eq!(count(&store), 2);
        let mut known = 0;
        store
            .read(&mut |rows| {
                known = rows.workspaces()?.len();
                Ok(())
            })
            .unwrap();
        assert_eq!(known, 1);
    }

    #[test]
    fn every_commit_is_synced_and_keys_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
        let writer = store.writer.lock();
        let ask = |name: &str| writer.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!((ask("synchronous"), ask("foreign_keys")), (2, 1));
        let mode: String = writer.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!(mode, "wal");
    }

    #[test]
    fn what_a_briefing_asks_for_is_found_by_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
        let writer = store.writer.lock();
        let plan = |sql: &str| -> String {
            let mut statement = writer.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let values = vec![1_i64; statement.parameter_count()];
            let steps = statement
                .query_map(rusqlite::params_from_iter(values), |row| row.get::<_, String>(3))
                .unwrap();
            steps.map(|step| step.unwrap()).collect::<Vec<_>>().join("; ")
        };
        for (index, sql) in [
            ("entries_anchored", read::anchored_entries_sql()),
            ("versions_anchored", read::anchored_nodes_sql()),
            ("versions_tagged", read::tagged_sql()),
        ] {
            assert!(plan(&sql).contains(index), "{}", plan(&sql));
        }
    }

    #[test]
    fn a_statement_is_not_prepared_anew_for_other_values() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("memory.db")).unwrap();
        let writer = store.writer.lock();
        for sql in [read::anchored_entries_sql(), read::anchored_nodes_sql()] {
            let mut statement = writer.prepare(&sql).unwrap();
            for value in 0..5_i64 {
                let values = vec![value; statement.parameter_count()];
                let mut rows = statement.query(rusqlite::params_from_iter(values)).unwrap();
                assert!(rows.next().unwrap().is_none());
            }
            assert_eq!(statement.get_status(rusqlite::StatementStatus::RePrepare), 0, "{sql}");
        }
    }
}
