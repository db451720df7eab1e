//! Files that a process had begun to write when it was ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::disk::SNAPSHOT;

/// Nothing is written for so long: what is older was left behind.
const OLD: Duration = Duration::from_secs(3_600);

/// Removes what earlier processes left half written. Only for whoever holds the lock of the snapshot.
pub(super) fn sweep(folder: &Path) {
    for path in found(folder) {
        match fs::remove_file(&path) {
            Ok(()) => tracing::info!(path = %path.display(), "a file left half written was removed"),
            Err(err) => tracing::warn!(%err, path = %path.display(), "a file left half written stays"),
        }
    }
}

/// Snapshots that were never finished, and old files of ours that never got their name.
pub(super) fn found(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_left = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_staged = name.strip_prefix(SNAPSHOT).is_some_and(|rest| rest.starts_with(".tmp-"));
        let age = || entry.metadata().and_then(|meta| meta.modified()).ok()?.elapsed().ok();
        is_staged || (name.starts_with(".m1nd-") && age().is_some_and(|age| age > OLD))
    };
    entries.filter(is_left).map(|entry| entry.path()).collect()
}
