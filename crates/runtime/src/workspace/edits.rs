//! Edits: the journal of changed files, the one who may write it, and previews that wait to be made true.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use m1nd_edit::journal::{self, Ended};
use m1nd_edit::lock::{self, Lock};
use m1nd_edit::{Change, DiskError, OnDisk, Recovered};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::UnixMs;
use m1nd_vfs::{Root, durable};
use parking_lot::Mutex;

/// Below the runtime root.
const JOURNAL: &str = "journal";
/// What became of unfinished batches, a line each, until an edit tells it: the process that settles one may make no
/// edit, and end.
const NEWS: &str = "settled.jsonl";
/// Lines of it that are kept, and files that a sentence names.
const MAX_NEWS: usize = 20;
const MAX_NAMED: usize = 5;
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
    /// The batch that made it true.
    pub batch: Option<String>,
}

impl Preview {
    fn bytes(&self) -> usize {
        match &self.change.act {
            m1nd_edit::Act::Replace(text) | m1nd_edit::Act::Create(text) => text.len(),
            m1nd_edit::Act::Edits(edits) => edits.iter().map(|edit| edit.old.len() + edit.new.len()).sum(),
            m1nd_edit::Act::Exact(bytes) | m1nd_edit::Act::CreateExact { bytes, .. } => bytes.len(),
            m1nd_edit::Act::Delete | m1nd_edit::Act::Keep => 0,
        }
    }
}

#[derive(Debug)]
pub(super) struct Edits {
    journal: PathBuf,
    previews: Mutex<VecDeque<Preview>>,
    news: PathBuf,
    /// What became of batches that an earlier process left, where it could not be written down.
    unwritten: Mutex<Vec<Recovered>>,
}

/// What became of a batch that a process left unfinished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settled {
    pub said: String,
    /// Whether all of its files are new, or all are as before.
    pub is_whole: bool,
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
        Self {
            journal: runtime_root.join(JOURNAL),
            previews: Mutex::default(),
            news: runtime_root.join(NEWS),
            unwritten: Mutex::default(),
        }
    }

    pub(super) fn disk<'a>(&self, root: &'a Root) -> OnDisk<'a> {
        OnDisk { root, journal: self.journal.clone() }
    }

    /// The right to write, once what an earlier process left is settled.
    pub(super) fn lock(&self, root: &Root, cancel: &CancelToken) -> Result<Lock, LockError> {
        let end = std::time::Instant::now() + PATIENCE;
        let go_on = || cancel.stop().is_none() && std::time::Instant::now() < end;
        let lock = lock::acquire(&self.journal, root, go_on)?.ok_or(LockError::Busy)?;
        self.note(journal::recover(&self.disk(root))?);
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
                Ok(settled) => self.note(settled),
                Err(err) => tracing::warn!(%err, "an unfinished batch could not be settled"),
            },
            Ok(None) => {}
            Err(err) => tracing::warn!(%err, "the journal cannot be locked"),
        }
    }

    /// The lock is held, so nobody else writes the news.
    fn note(&self, settled: Vec<Recovered>) {
        if settled.is_empty() {
            return;
        }
        for one in &settled {
            tracing::warn!("{}", told(one).said);
        }
        let mut all = self.read_news();
        all.extend(settled.iter().cloned());
        let first = all.len().saturating_sub(MAX_NEWS);
        let lines = all[first..].iter().filter_map(|one| serde_json::to_string(one).ok());
        let text: String = lines.map(|line| line + "\n").collect();
        if let Err(err) = durable::replace(&self.news, text.as_bytes()) {
            tracing::warn!(%err, "what became of an unfinished batch is not written down");
            self.unwritten.lock().extend(settled);
        }
    }

    fn read_news(&self) -> Vec<Recovered> {
        let text = fs::read_to_string(&self.news).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// What became of batches that earlier processes left, and that no edit has told yet.
    pub(super) fn news(&self) -> Vec<Settled> {
        let mut all = self.read_news();
        all.extend(self.unwritten.lock().iter().cloned());
        all.iter().map(told).collect()
    }

    /// The news, told once.
    pub(super) fn take_news(&self) -> Vec<String> {
        let news = self.news();
        self.unwritten.lock().clear();
        if let Err(err) = fs::remove_file(&self.news)
            && err.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%err, "old news of the journal stay");
        }
        news.into_iter().map(|one| one.said).collect()
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

    /// A preview was made true by a batch.
    pub(super) fn was_made(&self, id: &str, batch: &str) {
        if let Some(one) = self.previews.lock().iter_mut().find(|one| one.id == id) {
            one.batch = Some(batch.to_owned());
        }
    }

    /// A preview that is not too old.
    pub(super) fn preview(&self, id: &str, now: UnixMs) -> Option<Preview> {
        let kept = self.previews.lock();
        kept.iter().find(|one| one.id == id && now.0 - one.made.0 < PREVIEW_MS).cloned()
    }
}

fn told(one: &Recovered) -> Settled {
    let is_whole = one.left_alone.is_empty() && one.ended != Ended::Damaged;
    let ended = match (one.ended, is_whole) {
        (Ended::Completed, true) => "was completed: all of its files are new.",
        (Ended::Completed, false) => "was completed, but for files that are something else now:",
        (Ended::TakenBack, true) => "was taken back: all of its files are as before.",
        (Ended::TakenBack, false) => "was taken back, but for files that are something else now:",
        (Ended::Damaged, _) => "could not be read and was set aside in the journal.",
    };
    let mut said = format!("Batch {} of a process that ended {ended}", one.id);
    if !one.left_alone.is_empty() {
        let named = &one.left_alone[..one.left_alone.len().min(MAX_NAMED)];
        said.push_str(&format!(" {}", named.join(", ")));
        match one.left_alone.len() - named.len() {
            0 => said.push('.'),
            more => said.push_str(&format!(" and {more} more.")),
        }
        said.push_str(" They were left alone.");
    }
    if let Some(aside) = &one.aside {
        said.push_str(&format!(" Its record is kept as {JOURNAL}/{aside}."));
    }
    Settled { said, is_whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_process_settled_is_told_by_the_next_that_edits() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("ws");
        fs::create_dir(&root).unwrap();
        let root = Root::open(&root).unwrap();
        let edits = || Edits::new(dir.path());
        let damaged = dir.path().join("journal/00000001-b-1.forward");
        fs::create_dir(damaged.parent().unwrap()).unwrap();
        fs::write(&damaged, "nonsense").unwrap();
        edits().settle(&root);
        let said = "Batch 00000001-b-1 of a process that ended could not be read and was set aside in the journal. \
                    Its record is kept as journal/00000001-b-1.forward.corrupt.";
        assert_eq!(edits().news(), [Settled { said: said.to_owned(), is_whole: false }]);
        assert_eq!(edits().take_news(), [said]);
        assert_eq!(edits().take_news(), [""; 0]);
    }

    #[test]
    fn files_that_were_left_alone_are_named_up_to_a_number() {
        let left_alone = (0..8).map(|nth| format!("f{nth} (it is a folder)")).collect();
        let one = Recovered {
            id: "b-1".into(),
            ended: Ended::TakenBack,
            left_alone,
            aside: Some("1.aside".into()),
        };
        let said = told(&one).said;
        assert!(said.contains("f4 (it is a folder) and 3 more. They were left alone."), "{said}");
        assert!(said.ends_with("kept as journal/1.aside."), "{said}");
    }
}
