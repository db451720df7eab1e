//! How far an ingest is.

use std::sync::atomic::{AtomicU64, Ordering};

/// Files listed and files read by the ingest that runs now.
#[derive(Debug, Default)]
pub(super) struct Progress {
    listed: AtomicU64,
    read: AtomicU64,
}

impl Progress {
    pub(super) fn start(&self, listed: usize) {
        self.read.store(0, Ordering::Relaxed);
        self.listed.store(listed as u64, Ordering::Relaxed);
    }

    pub(super) fn reading<T>(&self, read: impl FnOnce() -> T) -> T {
        let done = read();
        self.read.fetch_add(1, Ordering::Relaxed);
        done
    }

    pub(super) fn now(&self) -> (u64, u64) {
        (self.read.load(Ordering::Relaxed), self.listed.load(Ordering::Relaxed))
    }
}
