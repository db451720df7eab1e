//! Whether the file is whole: at once if it is small, beside the first calls if it is large.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Duration;

use m1nd_memory::StoreError;
use parking_lot::Mutex;
use rusqlite::{Connection, InterruptHandle};

use super::connection::{self, Role};
use super::open::{beside, private_file};

/// A file up to this size is checked before it is used, which takes a few milliseconds.
pub(super) const INLINE_CHECK: u64 = 4 * 1024 * 1024;

/// The first finding of SQLite's own check, if there is one.
pub(super) fn quick_check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok((found != "ok").then_some(found))
}

/// A check that runs beside the store's use. Damage makes every later call an error, and leaves a mark so
/// that the next opening sets the file aside.
pub(super) struct Check {
    finding: Arc<OnceLock<String>>,
    stop: Option<InterruptHandle>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Check {
    /// None at all, for whoever only looks: a finding would leave a mark.
    pub(super) fn none() -> Self {
        Self { finding: Arc::default(), stop: None, thread: Mutex::new(None) }
    }

    pub(super) fn start(path: &Path, role: Role) -> Self {
        let finding = Arc::new(OnceLock::new());
        let none = Self { finding: Arc::clone(&finding), stop: None, thread: Mutex::new(None) };
        if fs::metadata(path).map_or(0, |file| file.len()) <= INLINE_CHECK {
            return none;
        }
        let Ok(connection) = connection::open(path, role) else {
            return none;
        };
        let stop = connection.get_interrupt_handle();
        let (path, found) = (path.to_path_buf(), Arc::clone(&finding));
        let run = move || {
            // An interrupted or failed check says nothing about the file.
            if let Ok(Some(detail)) = quick_check(&connection) {
                mark(&path);
                found.get_or_init(|| detail);
            }
        };
        match std::thread::Builder::new().name("memory-check".to_owned()).spawn(run) {
            Ok(thread) => Self { finding, stop: Some(stop), thread: Mutex::new(Some(thread)) },
            Err(_) => none,
        }
    }

    pub(super) fn verdict(&self, path: &Path) -> Result<(), StoreError> {
        match self.finding.get() {
            None => Ok(()),
            Some(detail) => Err(StoreError::Corrupt {
                path: path.display().to_string(),
                detail: detail.clone(),
                set_aside: None,
            }),
        }
    }

    pub(super) fn wait(&self) {
        if let Some(thread) = self.thread.lock().take()
            && thread.join().is_err()
        {
            self.finding.get_or_init(|| "the check itself failed".to_owned());
        }
    }
}

impl Drop for Check {
    fn drop(&mut self) {
        let running = |check: &Self| check.thread.lock().as_ref().is_some_and(|thread| !thread.is_finished());
        if let Some(stop) = &self.stop {
            // An interrupt before the check's statement runs is lost, so it is repeated.
            while running(self) {
                stop.interrupt();
                std::thread::sleep(Duration::from_micros(200));
            }
        }
        self.wait();
    }
}

/// Whether an earlier process found damage.
pub(super) fn is_suspect(path: &Path) -> bool {
    suspicion(path).exists()
}

pub(super) fn clear_suspicion(path: &Path) {
    // The mark only makes the next opening look closer; a mark that stays does no harm.
    fs::remove_file(suspicion(path)).ok();
}

fn mark(path: &Path) {
    // Without the mark the damage is found again by the next check.
    private_file(&suspicion(path)).ok();
}

fn suspicion(path: &Path) -> PathBuf {
    beside(path, ".suspect")
}
