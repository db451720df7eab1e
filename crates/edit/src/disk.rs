//! Disk: the port through which files are changed, and the real one.

use std::fs;
use std::io;
use std::path::PathBuf;

use m1nd_vfs::path::PathError;
pub use m1nd_vfs::write::{Held, Onto, WriteError};
use m1nd_vfs::{RelPath, Root, durable, sync};

/// What a disk refused.
#[derive(Debug, thiserror::Error)]
pub enum DiskError {
    #[error(transparent)]
    Path(#[from] PathError),
    #[error(transparent)]
    Write(#[from] WriteError),
    #[error("the journal: {0}")]
    State(#[from] io::Error),
}

/// Everything that a batch does to files. Paths are those of the workspace; `name` is a file beside one of them.
pub trait Disk {
    /// The file at a path; nothing where there is none.
    fn held(&self, path: &str) -> Result<Option<Held>, DiskError>;
    /// Folders on the way to a file that are not there, outermost first.
    fn missing_folders(&self, path: &str) -> Result<Vec<String>, DiskError>;
    /// Whether there is a file of that name beside a path.
    fn is_beside(&self, path: &str, name: &str) -> Result<bool, DiskError>;

    fn make_folder(&self, path: &str) -> Result<(), DiskError>;
    /// Takes a folder away if nothing is in it.
    fn remove_empty_folder(&self, path: &str) -> Result<(), DiskError>;
    /// Writes and syncs a new file beside a path, with the owner and the attributes of the file at `like`.
    fn put_beside(
        &self,
        path: &str,
        name: &str,
        bytes: &[u8],
        mode: Option<u32>,
        like: &str,
    ) -> Result<(), DiskError>;
    /// Whether the folder was there to be looked into; that the file is not in it is no error.
    fn remove_beside(&self, path: &str, name: &str) -> Result<bool, DiskError>;
    fn take_place(&self, path: &str, name: &str, onto: Onto) -> Result<(), DiskError>;
    fn remove_file(&self, path: &str) -> Result<(), DiskError>;
    /// Syncs the folder that holds a path.
    fn sync_beside(&self, path: &str) -> Result<(), DiskError>;

    /// Names and sizes of what the journal holds, in no order.
    fn states(&self) -> Result<Vec<(String, u64)>, DiskError>;
    fn state(&self, name: &str) -> Result<Vec<u8>, DiskError>;
    /// Writes a file of the journal so that it is there whole or not at all.
    fn put_state(&self, name: &str, bytes: &[u8]) -> Result<(), DiskError>;
    /// Renames one, and syncs.
    fn move_state(&self, from: &str, to: &str) -> Result<(), DiskError>;
    /// Removes one; that there is none is no error.
    fn remove_state(&self, name: &str) -> Result<(), DiskError>;
}

/// Larger files are not edited.
pub const MAX_FILE_BYTES: u64 = 64 << 20;

/// A workspace and the folder of its journal.
#[derive(Debug)]
pub struct OnDisk<'a> {
    pub root: &'a Root,
    pub journal: PathBuf,
}

impl OnDisk<'_> {
    fn at<T>(
        &self,
        path: &str,
        act: impl FnOnce(&Root, &RelPath) -> Result<T, WriteError>,
    ) -> Result<T, DiskError> {
        Ok(act(self.root, &self.root.relative(path)?)?)
    }

    fn sync_states(&self) -> Result<(), DiskError> {
        Ok(sync::all(&fs::File::open(&self.journal)?)?)
    }
}

impl Disk for OnDisk<'_> {
    fn held(&self, path: &str) -> Result<Option<Held>, DiskError> {
        self.at(path, |root, path| root.held(path, MAX_FILE_BYTES))
    }

    fn missing_folders(&self, path: &str) -> Result<Vec<String>, DiskError> {
        let missing = self.at(path, |root, path| root.missing_folders(path))?;
        Ok(missing.iter().map(|path| path.as_str().to_owned()).collect())
    }

    fn is_beside(&self, path: &str, name: &str) -> Result<bool, DiskError> {
        self.at(path, |root, path| root.is_beside(path, name))
    }

    fn make_folder(&self, path: &str) -> Result<(), DiskError> {
        self.at(path, |root, path| root.make_folder(path))
    }

    fn remove_empty_folder(&self, path: &str) -> Result<(), DiskError> {
        self.at(path, |root, path| root.remove_empty_folder(path))
    }

    fn put_beside(
        &self,
        path: &str,
        name: &str,
        bytes: &[u8],
        mode: Option<u32>,
        like: &str,
    ) -> Result<(), DiskError> {
        let like = self.root.relative(like)?;
        self.at(path, |root, path| root.put_beside(path, name, bytes, mode, &like))
    }

    fn remove_beside(&self, path: &str, name: &str) -> Result<bool, DiskError> {
        self.at(path, |root, path| root.remove_beside(path, name))
    }

    fn take_place(&self, path: &str, name: &str, onto: Onto) -> Result<(), DiskError> {
        self.at(path, |root, path| root.take_place(path, name, onto))
    }

    fn remove_file(&self, path: &str) -> Result<(), DiskError> {
        self.at(path, |root, path| root.remove_file(path))
    }

    fn sync_beside(&self, path: &str) -> Result<(), DiskError> {
        self.at(path, |root, path| root.sync_beside(path))
    }

    fn states(&self) -> Result<Vec<(String, u64)>, DiskError> {
        let entries = match fs::read_dir(&self.journal) {
            Ok(entries) => entries,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(err) => return Err(err.into()),
        };
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            found.push((entry.file_name().to_string_lossy().into_owned(), entry.metadata()?.len()));
        }
        Ok(found)
    }

    fn state(&self, name: &str) -> Result<Vec<u8>, DiskError> {
        Ok(fs::read(self.journal.join(name))?)
    }

    fn put_state(&self, name: &str, bytes: &[u8]) -> Result<(), DiskError> {
        durable::private_folder(&self.journal)?;
        Ok(durable::replace(&self.journal.join(name), bytes)?)
    }

    fn move_state(&self, from: &str, to: &str) -> Result<(), DiskError> {
        fs::rename(self.journal.join(from), self.journal.join(to))?;
        self.sync_states()
    }

    fn remove_state(&self, name: &str) -> Result<(), DiskError> {
        match fs::remove_file(self.journal.join(name)) {
            Ok(()) => self.sync_states(),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(err) => Err(err.into()),
        }
    }
}
