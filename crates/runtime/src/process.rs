//! What the system knows of this process.

use std::fs;
use std::path::Path;

/// Resident memory in bytes; `None` where the system does not tell.
pub fn memory_bytes() -> Option<u64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE_BYTES)
}

/// Linux on x86-64, and on most ARM machines.
const PAGE_BYTES: u64 = 4096;

/// Bytes of the files below `folder`. Links are not followed.
pub fn disk_bytes(folder: &Path) -> u64 {
    let mut folders = vec![folder.to_owned()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => bytes += meta.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}
