//! The graph on disk: one flat file that is mapped, checked and used without being parsed.
//!
//! ```text
//! header   magic, version, byte order, generation, section count, checksum of header and table
//! table    per section: name, offset, length, blake3 of its bytes
//! sections one per column, aligned to 64 bytes
//! ```

mod format;
mod load;
mod save;

use std::path::{Path, PathBuf};

pub use load::{load, load_aside, read};
pub use save::{save, to_bytes};

/// Why a snapshot could not be used.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("the file is not a graph snapshot")]
    NotASnapshot,
    #[error("format version {found} is not {expected}")]
    Version { found: u32, expected: u32 },
    #[error("the file was written on a machine with another byte order")]
    ByteOrder,
    #[error("the file ends before its contents do")]
    Truncated,
    #[error("the bytes of `{section}` are not those that were written")]
    Checksum { section: String },
    #[error("the contents of `{section}` contradict each other")]
    Shape { section: String },
}

impl SnapshotError {
    /// Whether the file itself is at fault, so that setting it aside is the way on.
    pub fn is_corrupt(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }

    fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

/// Where the last good snapshot before the current one is kept.
pub fn previous_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".previous");
    path.with_file_name(name)
}

#[cfg(test)]
mod forge;
#[cfg(test)]
mod tests;
