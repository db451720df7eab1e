//! Edits: the journal of changed files, the one who may write it, and previews that wait to be made true.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_edit::journal::{self, Ended};
use m1nd_edit::lock::{self, Lock};
use m1nd_edit::{Change, DiskError, OnDisk, Recovered};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::{Clock, UnixMs};
use m1nd_vfs::Root;
use parking_lot::Mutex;

/// Below the runtime root.
const JOURNAL: &str = "journal";
/// A batch takes far less; who holds the lock longer has stopped.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long a preview can be made true.
pub const PREVIEW_MS: i64 = 5 * 60 * 1_000;
/// Previews that are kept, and what they may hold together.
const MAX_PREVIEWS: usize = 64;
const MAX_PREVIEW_BYTES: usize = 64 << 20;

/// A change that was shown and not made.
#[derive(Clone, Debug)]
pub struct Preview {
    pub id: String,
    pub change: Change,
    /// sha256 of the file that it was shown for, and of what it is to hold.
    pub before: Option<String>,
    pub after: String,
    pub made: UnixMs,
}

impl Preview {
    fn bytes(&self) -> usize {
        match &self.change.act {
            m1nd_edit::Act::Replace(text) | m1nd_edit::Act::Create(text) => text.len(),
            m1nd_edit::Act::Edits(edits) => edits.iter().map(|edit| edit.old.len() + edit.new.len()).sum(),
            m1nd_edit::Act::Exact(bytes) => bytes.len(),
            m1nd_edit::Act::Delete | m1nd_edit::Act::Keep => 0,
        }
    }
}

#[derive(Debug)]
pub(super) struct Edits {
    journal: PathBuf,
    previews: Mutex<VecDeque<Preview>>,
    /// What became of batches that an earlier process left.
    recovered: Mutex<Vec<Recovered>>,
}

/// Why nothing can be written now.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    #[error("another batch is being written")]
    Busy,
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("{0}")]
    Recovery(#[from] DiskError),
}

impl Edits {
    pub(super) fn new(runtime_root: &Path) -> Self {
        Self { journal: runtime_root.join(JOURNAL), previews: Mutex::default(), recovered: Mutex::default() }
    }

    pub(super) fn disk<'a>(&self, root: &'a Root) -> OnDisk<'a> {
        OnDisk { root, journal: self.journal.clone() }
    }

    /// The right to write, once what an earlier process left is settled.
    pub(super) fn lock(
        &self,
        root: &Root,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Lock, LockError> {
        let end = std::time::Instant::now() + PATIENCE;
        let go_on = || cancel.stop().is_none() && std::time::Instant::now() < end;
        let lock = lock::acquire(&self.journal, root, go_on)?.ok_or(LockError::Busy)?;
        let settled = journal::recover(&self.disk(root))?;
        self.note(&settled, clock);
        Ok(lock)
    }

    /// Settles what an earlier process left, if anything, unless somebody is writing right now.
    pub(super) fn settle(&self, root: &Root) {
        let disk = self.disk(root);
        if !journal::is_pending(&disk) {
            return;
        }
        match lock::acquire(&self.journal, root, || false) {
            Ok(Some(_lock)) => match journal::recover(&disk) {
                Ok(settled) => self.recovered.lock().extend(settled),
                Err(err) => tracing::warn!(%err, "an unfinished batch could not be settled"),
            },
            Ok(None) => {}
            Err(err) => tracing::warn!(%err, "the journal cannot be locked"),
        }
    }

    fn note(&self, settled: &[Recovered], clock: &dyn Clock) {
        for one in settled {
            tracing::warn!(batch = one.id, ended = ?one.ended, left_alone = ?one.left_alone, now = clock.now().0, "an unfinished batch was settled");
        }
        self.recovered.lock().extend_from_slice(settled);
    }

    /// What became of batches that an earlier process left, in a sentence each; told once.
    pub(super) fn take_news(&self) -> Vec<String> {
        let news = std::mem::take(&mut *self.recovered.lock());
        let told = |one: Recovered| {
            let ended = match one.ended {
                Ended::Completed => "was completed: all of its files are new",
                Ended::TakenBack => "was taken back: all of its files are as before",
                Ended::Damaged => "could not be read and was set aside in the journal",
            };
            let alone = if one.left_alone.is_empty() {
                String::new()
            } else {
                format!(" Changed since and left alone: {}.", one.left_alone.join(", "))
            };
            format!("Batch {} of a process that ended {ended}.{alone}", one.id)
        };
        news.into_iter().map(told).collect()
    }

    pub(super) fn keep(&self, preview: Preview) {
        let mut kept = self.previews.lock();
        kept.retain(|one| one.id != preview.id && preview.made.0 - one.made.0 < PREVIEW_MS);
        kept.push_back(preview);
        let mut bytes: usize = kept.iter().map(Preview::bytes).sum();
        while kept.len() > MAX_PREVIEWS || bytes > MAX_PREVIEW_BYTES && kept.len() > 1 {
            bytes -= kept.pop_front().map_or(0, |one| one.bytes());
        }
    }

    /// A preview that is not too old.
    pub(super) fn preview(&self, id: &str, now: UnixMs) -> Option<Preview> {
        let kept = self.previews.lock();
        kept.iter().find(|one| one.id == id && now.0 - one.made.0 < PREVIEW_MS).cloned()
    }
}
