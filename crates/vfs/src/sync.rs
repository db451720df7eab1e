//! Sync: waiting until the disk has what was written, and how long this process has waited for that.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static WAITED_NS: AtomicU64 = AtomicU64::new(0);

/// Waits until the disk has a file, or the names in a folder.
pub fn all(file: &File) -> io::Result<()> {
    let started = Instant::now();
    let synced = file.sync_all();
    let took = u64::try_from(started.elapsed().as_nanos()).unwrap_or(u64::MAX);
    WAITED_NS.fetch_add(took, Ordering::Relaxed);
    synced
}

/// How long this process has waited so far, all threads together. For measuring: what a program cannot make faster.
pub fn waited() -> Duration {
    Duration::from_nanos(WAITED_NS.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_file_counts() {
        let before = waited();
        all(&tempfile::tempfile().unwrap()).unwrap();
        assert!(waited() > before);
    }
}
