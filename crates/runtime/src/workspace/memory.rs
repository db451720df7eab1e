//! The workspace's memory: one store beside the graph, opened on first need and shared by every call.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_memory::StoreError;
use m1nd_memory::port::Store as _;
use m1nd_store::SqliteStore;
use parking_lot::Mutex;

/// The store's name in the runtime root.
pub const MEMORY_FILE: &str = "memory.db";

/// Opens the store once. Several processes do so side by side.
#[derive(Debug)]
pub(super) struct Memory {
    path: PathBuf,
    open: Mutex<Option<Opened>>,
}

#[derive(Debug)]
struct Opened {
    store: Arc<SqliteStore>,
    file: Option<FileId>,
}

/// Which file lies at a path, whatever else was there before.
type FileId = (u64, u64);

/// How the store is doing, for `health` and `doctor`.
#[derive(Clone, Debug)]
pub struct MemoryState {
    pub path: PathBuf,
    /// Bytes of the store and of its log; 0 while nothing was remembered.
    pub bytes: u64,
    /// Absent while this process has not opened it.
    pub schema_version: Option<u32>,
    /// What is wrong with it, if anything is known to be.
    pub problem: Option<StoreError>,
    /// Whether this process found that it may read but not write.
    pub read_only: bool,
    /// Damaged files that were set aside, oldest first.
    pub set_aside: Vec<PathBuf>,
}

impl Memory {
    pub(super) fn new(runtime_root: &Path) -> Self {
        Self { path: runtime_root.join(MEMORY_FILE), open: Mutex::default() }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether there is a store, or what is left of one.
    pub(super) fn exists(&self) -> bool {
        self.path.exists() || self.beside("-wal").exists()
    }

    fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    }

    /// The store. One that somebody moved away or removed is opened anew, because what is written to a file
    /// without a name is lost; so is one that turned out to be damaged, which sets it aside, and one that could
    /// only be read, because somebody may have allowed writing since.
    pub(super) fn store(&self) -> Result<Arc<SqliteStore>, StoreError> {
        let mut open = self.open.lock();
        if let Some(opened) = &*open
            && opened.file.is_some()
            && opened.file == file_id(&self.path)
            && opened.store.problem().is_none()
            && !opened.store.is_read_only()
        {
            return Ok(Arc::clone(&opened.store));
        }
        *open = None;
        let store = Arc::new(SqliteStore::open(&self.path)?);
        *open = Some(Opened { store: Arc::clone(&store), file: file_id(&self.path) });
        Ok(store)
    }

    /// Damaged files that were set aside, oldest first.
    pub(super) fn set_aside(&self) -> Vec<PathBuf> {
        m1nd_store::set_aside(&self.path)
    }

    /// Looks without opening: asking how memory is must not make one, nor move a damaged one away.
    pub(super) fn state(&self) -> MemoryState {
        let bytes = |suffix: &str| fs::metadata(self.beside(suffix)).map_or(0, |meta| meta.len());
        let open = self.open.lock();
        let store = open.as_ref().map(|opened| &opened.store);
        MemoryState {
            path: self.path.clone(),
            bytes: bytes("") + bytes("-wal"),
            schema_version: store.map(|store| store.schema_version()),
            problem: store.and_then(|store| store.problem()).or_else(|| m1nd_store::problem_of(&self.path)),
            read_only: store.is_some_and(|store| store.is_read_only()),
            set_aside: self.set_aside(),
        }
    }
}

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|meta| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    fs::metadata(path).ok().map(|_| (0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_share_one_store_and_a_removed_one_is_made_anew() {
        let dir = tempfile::tempdir().unwrap();
        let memory = Memory::new(dir.path());
        assert_eq!((memory.state().bytes, memory.state().schema_version), (0, None));
        let first = memory.store().unwrap();
        assert!(Arc::ptr_eq(&first, &memory.store().unwrap()));
        assert!(memory.state().bytes > 0);
        for name in ["memory.db", "memory.db-wal", "memory.db-shm"] {
            fs::remove_file(dir.path().join(name)).unwrap_or_default();
        }
        assert!(!Arc::ptr_eq(&first, &memory.store().unwrap()));
        assert!(dir.path().join("memory.db").exists());
    }

    #[test]
    fn a_damaged_store_is_said_and_set_aside() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("memory.db"), "not a store").unwrap();
        let memory = Memory::new(dir.path());
        let seen = memory.state();
        assert!(matches!(seen.problem, Some(StoreError::Corrupt { set_aside: None, .. })), "{seen:?}");
        assert!(seen.set_aside.is_empty() && dir.path().join("memory.db").exists(), "asking only looks");
        assert!(matches!(memory.store(), Err(StoreError::Corrupt { set_aside: Some(_), .. })));
        assert_eq!(memory.state().set_aside.len(), 1);
        assert!(memory.store().is_ok());
    }
}
