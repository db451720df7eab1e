//! Opening the file: making it whole or not at all, and setting a damaged one aside.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use m1nd_memory::StoreError;
use rusqlite::{Connection, MAIN_DB};

use super::check::{self, INLINE_CHECK};
use super::connection::{self, Role};
use super::errors::fault;
use super::migrate;

/// The store's first connection, and how its readers are opened.
pub(super) fn open(path: &Path) -> Result<(Connection, Role), StoreError> {
    // Looked at in this order: a healthy log is made after its file, so that a log that was seen without a
    // file is not just another process at its first opening.
    let log = exists(&beside(path, "-wal"))?;
    if !exists(path)? {
        if log {
            return Err(set_aside(path, NO_FILE));
        }
        make(path)?;
    }
    match open_existing(path, Role::Writer, INLINE_CHECK) {
        Ok(connection) => Ok((connection, Role::Reader)),
        Err(StoreError::Corrupt { detail, .. }) => Err(set_aside(path, &detail)),
        Err(refused @ StoreError::ReadOnly { .. }) => open_to_read(path).map_err(|err| match err {
            StoreError::ReadOnly { .. } => refused,
            other => other,
        }),
        Err(other) => Err(other),
    }
}

/// Looks whether the file is whole, and changes nothing: a damaged one stays where it is. What cannot be looked at is
/// not called damaged.
pub(super) fn look(path: &Path) -> Result<(), StoreError> {
    let log = beside(path, "-wal");
    if !exists(path)? {
        return if exists(&log)? { Err(damaged(path, NO_FILE)) } else { Ok(()) };
    }
    let look = |role: Role| open_existing(path, role, LOOKED_THROUGH).map(drop);
    // Without a log the file alone is the whole store. With one the two are read together, as its writers do: half of
    // it may be on its way from the log into the file.
    let found = if is_empty(&log) { look(Role::Frozen) } else { look(Role::Guest) };
    let found = match found {
        Err(StoreError::Corrupt { .. }) if !is_empty(&log) => look(Role::Guest),
        other => other,
    };
    match found {
        Err(found @ (StoreError::Corrupt { .. } | StoreError::SchemaTooNew { .. })) => Err(found),
        _ => Ok(()),
    }
}

/// A larger file is not looked through by whoever only asks how it is, in bytes.
const LOOKED_THROUGH: u64 = 64 * 1024 * 1024;
const NO_FILE: &str = "its write-ahead log is there, the file itself is not";

/// Opens a store that this process may read but not write: in a folder of somebody else, or on a medium that
/// takes nothing. Writing to it is refused later; what was remembered can still be read.
fn open_to_read(path: &Path) -> Result<(Connection, Role), StoreError> {
    match open_existing(path, Role::Guest, INLINE_CHECK) {
        Ok(connection) => Ok((connection, Role::Guest)),
        // Without a log the file alone is the whole store. With one, reading past it would lose what it holds.
        Err(StoreError::ReadOnly { .. } | StoreError::Io { .. }) if is_empty(&beside(path, "-wal")) => {
            open_existing(path, Role::Frozen, INLINE_CHECK).map(|connection| (connection, Role::Frozen))
        }
        Err(other) => Err(other),
    }
}

/// Opens a store for whoever only looks, as [`look`] does.
pub(super) fn open_to_look(path: &Path) -> Result<(Connection, Role), StoreError> {
    let log = beside(path, "-wal");
    if !exists(path)? {
        let why = if exists(&log)? { NO_FILE } else { "there is no such file" };
        return Err(damaged(path, why));
    }
    // Where there is a log somebody may be writing: what it holds is read with the file.
    let role = if exists(&log)? { Role::Guest } else { Role::Frozen };
    open_existing(path, role, LOOKED_THROUGH).map(|connection| (connection, role))
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |log| log.len() == 0)
}

/// The damaged files beside the store.
pub(super) fn set_aside_files(path: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Vec::new();
    };
    let prefix = format!("{}.corrupt-", name.to_string_lossy());
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut out: Vec<PathBuf> = files
        .filter_map(Result::ok)
        .filter(|file| file.file_name().to_string_lossy().starts_with(&prefix))
        .map(|file| file.path())
        .collect();
    out.sort();
    out
}

/// `memory.db-wal` beside `memory.db`.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// A file of at most `checked` bytes is looked through at once.
fn open_existing(path: &Path, role: Role, checked: u64) -> Result<Connection, StoreError> {
    let sql = |err: rusqlite::Error| fault(path, &err);
    let damaged = |detail: &str| damaged(path, detail);
    // SQLite takes an empty file for a new store. A store of ours is never empty, so this one was cut off.
    if fs::metadata(path).map_err(|err| file(&err))?.len() == 0 {
        return Err(damaged("the file is empty"));
    }
    let connection = connection::open(path, role).map_err(sql)?;
    // SQLite opens a file that it may only read without a word.
    if role == Role::Writer && connection.is_readonly(MAIN_DB).map_err(sql)? {
        return Err(StoreError::ReadOnly { detail: format!("{} may only be read", path.display()) });
    }
    let found = migrate::version(&connection).map_err(sql)?;
    if found == 0 {
        return Err(damaged("the file holds no store"));
    }
    if found > migrate::VERSION {
        let path = path.display().to_string();
        return Err(StoreError::SchemaTooNew { path, found, known: migrate::VERSION });
    }
    if check::is_suspect(path) || fs::metadata(path).map_err(|err| file(&err))?.len() <= checked {
        if let Some(detail) = check::quick_check(&connection).map_err(sql)? {
            return Err(damaged(&detail));
        }
        if role == Role::Writer {
            check::clear_suspicion(path);
        }
    }
    if found < migrate::VERSION && role == Role::Writer {
        migrate::migrate(path, &connection)?;
    }
    Ok(connection)
}

/// Makes the store under another name and moves it into place whole, so that a file under its own name is
/// never half made, whoever is killed when. Of several processes the first wins.
fn make(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(folder).map_err(|err| file(&err))?;
    let draft = beside(path, &format!(".new-{}-{}", std::process::id(), draft_number()));
    let result = fill(&draft).and_then(|()| match fs::hard_link(&draft, path) {
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map_err(|err| file(&err)),
    });
    for suffix in ["", "-wal", "-shm"] {
        match fs::remove_file(beside(&draft, suffix)) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(file(&err)),
            _ => {}
        }
    }
    result?;
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|err| file(&err))
}

fn fill(draft: &Path) -> Result<(), StoreError> {
    let sql = |err: rusqlite::Error| fault(draft, &err);
    private_file(draft).map_err(|err| file(&err))?;
    let connection = connection::open(draft, Role::Maker).map_err(sql)?;
    connection.pragma_update(None, "journal_mode", "WAL").map_err(sql)?;
    migrate::migrate(draft, &connection)?;
    // Closing the only connection moves everything from the log into the file.
    connection.close().map_err(|(_, err)| sql(err))?;
    File::open(draft).and_then(|made| made.sync_all()).map_err(|err| file(&err))
}

/// A store that cannot be read, and lies where it lay.
fn damaged(path: &Path, detail: &str) -> StoreError {
    StoreError::Corrupt { path: path.display().to_string(), detail: detail.to_owned(), set_aside: None }
}

fn set_aside(path: &Path, detail: &str) -> StoreError {
    let stamp = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis());
    let kept = beside(path, &format!(".corrupt-{stamp}"));
    let mut moved = None;
    for suffix in ["", "-wal", "-shm"] {
        let (from, to) = (beside(path, suffix), beside(&kept, suffix));
        match fs::rename(&from, &to) {
            Ok(()) if moved.is_none() => moved = Some(to.display().to_string()),
            Ok(()) => {}
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            Err(err) => return file(&err),
        }
    }
    check::clear_suspicion(path);
    StoreError::Corrupt { path: path.display().to_string(), detail: detail.to_owned(), set_aside: moved }
}

fn exists(path: &Path) -> Result<bool, StoreError> {
    fs::exists(path).map_err(|err| file(&err))
}

/// Each draft of one process has a name of its own.
fn draft_number() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

#[cfg(unix)]
pub(super) fn private_file(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map(drop)
}

#[cfg(not(unix))]
pub(super) fn private_file(path: &Path) -> io::Result<()> {
    fs::OpenOptions::new().write(true).create_new(true).open(path).map(drop)
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

fn file(err: &io::Error) -> StoreError {
    match err.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
            StoreError::ReadOnly { detail: err.to_string() }
        }
        _ => StoreError::Io { detail: err.to_string() },
    }
}
