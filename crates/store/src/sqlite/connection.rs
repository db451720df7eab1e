//! How a connection is set up.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

/// The version of the SQLite that is linked, `3.53.2`.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Makes the file if it is not there.
    Maker,
    Writer,
    Reader,
    /// Reads a store that this process may not write: shares the log if one is there.
    Guest,
    /// The same where not even the index of the log can be made: the file alone, as nobody writes it.
    Frozen,
}

/// Prepared statements kept by each connection; more than this store has.
const STATEMENTS: usize = 128;

pub(super) fn open(path: &Path, role: Role) -> rusqlite::Result<Connection> {
    let (access, place) = match role {
        Role::Maker => (OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE, path.into()),
        Role::Writer | Role::Reader => (OpenFlags::SQLITE_OPEN_READ_WRITE, path.into()),
        Role::Guest => (OpenFlags::SQLITE_OPEN_READ_ONLY, path.into()),
        Role::Frozen => (OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI, frozen_uri(path)),
    };
    let connection = Connection::open_with_flags(&place, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_handler(Some(wait))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Plans do not depend on what is bound. Else a statement near a partial index is prepared anew each time, which
    // costs many times what it finds.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // An acknowledged write survives a power cut: every commit is synced.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "cell_size_check", "ON")?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    if !matches!(role, Role::Maker | Role::Writer) {
        connection.pragma_update(None, "query_only", "ON")?;
    }
    Ok(connection)
}

/// The path as SQLite takes it with a promise that the file does not change.
fn frozen_uri(path: &Path) -> PathBuf {
    let mut uri = OsString::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                uri.push(char::from(*byte).to_string());
            }
            other => uri.push(format!("%{other:02X}")),
        }
    }
    uri.push("?immutable=1");
    uri.into()
}

/// How long a writer waits for others before it gives up, at least. A call that takes longer than this is one that
/// hosts give up on; some 4,000 tries are enough for any crowd of writers, which hold the lock for milliseconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(8);
const LONGEST_NAP: Duration = Duration::from_millis(4);

/// Waits for a lock: short naps of uneven length, so that no process always comes last.
fn wait(attempt: i32) -> bool {
    let attempt = u32::try_from(attempt).unwrap_or(0);
    let most = LONGEST_NAP.min(Duration::from_micros(200) * (attempt + 1));
    // The naps average half of the longest.
    let naps = PATIENCE.as_micros() / (LONGEST_NAP.as_micros() / 2);
    if u128::from(attempt) > naps {
        return false;
    }
    let spread = spread(attempt);
    std::thread::sleep(most.mul_f64(spread));
    true
}

/// A number between 0 and 1 that differs between processes and attempts.
fn spread(attempt: u32) -> f64 {
    let seed = u64::from(std::process::id()) << 32 | u64::from(attempt);
    let mixed = (seed ^ (seed >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    f64::from((mixed >> 40) as u32 & 0xFFFF) / 65_535.0
}
