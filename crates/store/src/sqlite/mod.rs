//! The SQLite store: one writer connection, a small pool of readers, several processes.

mod check;
mod connection;
mod errors;
mod find;
mod migrate;
mod open;
mod read;
mod rows;
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

/// Idle reader connections that are kept.
const IDLE_READERS: usize = 4;

/// Memory in one SQLite file.
pub struct SqliteStore {
    path: PathBuf,
    /// Fair: threads write in the order they came.
    writer: FairMutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    check: Check,
}

impl SqliteStore {
    /// Opens the store, making it if nothing is there. A damaged file is set aside and told as an error.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        let path = path.as_ref().to_path_buf();
        let writer = open::open(&path)?;
        let check = Check::start(&path);
        Ok(Self {
            path,
            writer: FairMutex::new(writer),
            readers: Mutex::new(Vec::new()),
            check,
        })
    }

    pub fn path(&self) -> &Path {
        &self.path
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
            None => connection::open(&self.path, Role::Reader).map_err(|err| fault(&self.path, &err)),
        }
    }
}

impl Store for SqliteStore {
    fn read(&self, work: &mut dyn FnMut(&dyn Rows) -> Result<(), MemoryError>) -> Result<(), MemoryError> {
        self.check.verdict(&self.path)?;
        let connection = self.reader()?;
        connection
            .execute_batch("BEGIN")
            .map_err(|err| fault(&self.path, &err))?;
        let result = work(&Sql {
            connection: &connection,
            path: &self.path,
        });
        connection
            .execute_batch("COMMIT")
            .map_err(|err| fault(&self.path, &err))?;
        let mut readers = self.readers.lock();
        if readers.len() < IDLE_READERS {
            readers.push(connection);
        }
        result
    }

    fn write(
        &self,
        work: &mut dyn FnMut(&mut dyn Tx) -> Result<Verdict, MemoryError>,
    ) -> Result<(), MemoryError> {
        self.check.verdict(&self.path)?;
        let connection = self.writer.lock();
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(|err| fault(&self.path, &err))?;
        let open = Open {
            connection: &connection,
        };
        let verdict = work(&mut Sql {
            connection: &connection,
            path: &self.path,
        })?;
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
