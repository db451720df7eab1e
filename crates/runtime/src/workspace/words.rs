//! Words: the corpus that questions are put to, kept in step with the graph.
//!
//! In a server it is made ahead by a thread of its own when the graph has been still for a moment. A question that comes
//! before that makes the words itself, and waits a little for the past. The past
//! of a long history takes seconds to walk: the question is then answered with what is known of it, and says so. Words are
//! not kept on disk.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use m1nd_graph::{Graph, NodeKind};
use m1nd_ingest::history::{self, Log, Reach};
use m1nd_ingest::{scan, state};
use m1nd_recall::corpus::{self, Corpus, NamedCommit};
use m1nd_recall::text::{FileBag, Source, Terms, TextIndex};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_vfs::{Root, durable, read};
use parking_lot::{Mutex, MutexGuard};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::view::WorkspaceView;

/// The log as a file: reading it from the repository takes seconds where it is long.
const LOG: &str = "recall.log";
/// Commits whose messages are known. Older ones speak of code that is gone.
const MAX_COMMITS: usize = 5_000;
/// A question waits so long for the past where a thread reads on after it.
const PATIENCE: Duration = Duration::from_millis(700);
/// And so long where nobody else will read it: hosts wait longer, people hardly.
const PATIENCE_ALONE: Duration = Duration::from_secs(6);
/// How often somebody who waits looks whether the question was taken back.
const LOOK: Duration = Duration::from_millis(50);

/// The corpus of the newest generation that was asked for.
#[derive(Debug)]
pub(super) struct Words {
    folder: PathBuf,
    kept: Mutex<Kept>,
    past: Mutex<Option<Arc<KnownPast>>>,
    /// The mark of the commits that were checked out when somebody last looked, and which they were.
    heads: Mutex<Option<(String, String)>>,
    /// Held by the one who walks the history.
    walking: Mutex<()>,
    /// Whether a thread makes words ahead and reads on where a question could not wait.
    is_ahead: AtomicBool,
    is_preparing: AtomicBool,
    /// How long a question waits for the past, where a thread reads on after it and where nobody will.
    waits: (Duration, Duration),
}

#[derive(Debug, Default)]
struct Kept {
    generation: u64,
    corpus: Option<Arc<Corpus>>,
    /// In the order of paths.
    bags: Vec<(Arc<FileBag>, MadeFrom)>,
    past: Option<Arc<KnownPast>>,
}

/// Size and time of the file that words were taken from, if they tell whether it changed.
type MadeFrom = Option<(u64, i128)>;

/// The commits that are known, and whether they are all that are wanted.
#[derive(Debug, Serialize, Deserialize)]
pub struct KnownPast {
    /// Of the build that wrote it.
    extractors: String,
    pub reach: Reach,
    pub log: Log,
}

impl KnownPast {
    /// Whether it goes back to the first commit.
    pub fn is_whole(&self) -> bool {
        self.reach == Reach::Whole && self.log.entries.len() < MAX_COMMITS
    }

    fn is_of(&self, head: &str) -> bool {
        self.log.head == head
    }
}

/// How long somebody may take to read the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Patience {
    Question,
    Preparation,
}

impl Words {
    pub(super) fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            kept: Mutex::default(),
            past: Mutex::default(),
            heads: Mutex::default(),
            walking: Mutex::default(),
            is_ahead: AtomicBool::new(false),
            is_preparing: AtomicBool::new(false),
            waits: (PATIENCE, PATIENCE_ALONE),
        }
    }

    /// The corpus of a view. Only files that changed since it was last asked for are read again.
    pub(super) fn of(
        &self,
        root: &Root,
        view: &WorkspaceView,
        graph: &Graph,
        cancel: &CancelToken,
    ) -> Result<Arc<Corpus>, Stop> {
        self.made(root, view, graph, Patience::Question, cancel)
    }

    /// The commits that are known: as many as there is time for.
    pub(super) fn past_so_far(&self, root: &Root, cancel: &CancelToken) -> Result<Arc<KnownPast>, Stop> {
        self.past(root, Patience::Question, cancel)
    }

    /// How many commits are known, where the history was not read to its end yet.
    pub(super) fn commits_so_far(&self) -> Option<usize> {
        let past = self.kept.lock().past.clone()?;
        (past.reach == Reach::Part).then_some(past.log.entries.len())
    }

    /// Whether there is anything to make ahead for this view; from now on questions rely on it.
    pub(super) fn wants_preparation(&self, root: &Root, view: &WorkspaceView) -> bool {
        self.is_ahead.store(true, Ordering::Relaxed);
        if self.is_preparing.load(Ordering::Acquire) {
            return false;
        }
        let Some(kept) = self.kept.try_lock() else { return false };
        let is_known = |past: &Arc<KnownPast>| past.reach == Reach::Whole && past.is_of(&self.heads(root));
        kept.generation != view.generation() || !kept.past.as_ref().is_some_and(is_known)
    }

    /// Makes the corpus of a view before anybody asks.
    pub(super) fn prepare(&self, root: &Root, view: &WorkspaceView, graph: &Graph) {
        if self.is_preparing.swap(true, Ordering::AcqRel) {
            return;
        }
        if let Err(stop) = self.made(root, view, graph, Patience::Preparation, &CancelToken::new()) {
            tracing::debug!(?stop, "words were not made ahead");
        }
        self.is_preparing.store(false, Ordering::Release);
    }

    fn made(
        &self,
        root: &Root,
        view: &WorkspaceView,
        graph: &Graph,
        patience: Patience,
        cancel: &CancelToken,
    ) -> Result<Arc<Corpus>, Stop> {
        let past = self.past(root, patience, cancel)?;
        let mut kept = waited_for(&self.kept, cancel)?;
        if kept.generation == view.generation()
            && kept.past.as_ref().is_some_and(|known| Arc::ptr_eq(known, &past))
            && let Some(corpus) = &kept.corpus
        {
            return Ok(Arc::clone(corpus));
        }
        let bags = bags(root, view, graph, &kept.bags, cancel)?;
        let text = TextIndex::of(bags.iter().map(|(bag, _)| Arc::clone(bag)).collect());
        let commits = past.log.entries.iter().map(|entry| NamedCommit {
            message: &entry.message,
            time_ms: entry.time.0,
            files: &entry.files,
        });
        let corpus = Arc::new(Corpus::of(text, commits, Some(graph)));
        *kept =
            Kept { generation: view.generation(), corpus: Some(Arc::clone(&corpus)), bags, past: Some(past) };
        Ok(corpus)
    }

    /// The commits that are checked out. Opening a repository costs more than looking at its mark.
    fn heads(&self, root: &Root) -> String {
        let mark = history::marks(root);
        if let Some((known, heads)) = &*self.heads.lock()
            && *known == mark
        {
            return heads.clone();
        }
        let heads = history::heads(root);
        *self.heads.lock() = Some((mark, heads.clone()));
        heads
    }

    /// What is known of the past of the commit that is checked out.
    fn past(&self, root: &Root, patience: Patience, cancel: &CancelToken) -> Result<Arc<KnownPast>, Stop> {
        let head = self.heads(root);
        if let Some(past) = self.known(&head, patience) {
            return Ok(past);
        }
        let allowed = match (patience, self.is_ahead.load(Ordering::Relaxed)) {
            (Patience::Preparation, _) => None,
            (Patience::Question, true) => Some(self.waits.0),
            (Patience::Question, false) => Some(self.waits.1),
        };
        let within = allowed.map_or_else(|| cancel.clone(), |allowed| cancel.with_timeout(allowed));
        let walking = waited_for(&self.walking, &within).ok();
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
        // Whoever walked may have just found it.
        if let Some(past) = self.known(&head, patience) {
            return Ok(past);
        }
        let older = self.past.lock().clone();
        if walking.is_none() {
            let none = || KnownPast::of(Log { head, ..Log::default() }, Reach::Part);
            return Ok(older.unwrap_or_else(|| Arc::new(none())));
        }
        let whole = older.as_ref().filter(|past| past.reach == Reach::Whole).map(|past| &past.log);
        let (log, reach) = match history::logs_so_far(root, whole, MAX_COMMITS, &within) {
            Ok(found) => found,
            Err(history::HistoryError::Stopped(stop)) => return Err(stop),
            Err(err) => {
                tracing::info!(%err, "no log");
                (Log { head, ..Log::default() }, Reach::Whole)
            }
        };
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
        // A whole past of another commit knows more than the beginning of this one's.
        if let Some(older) = older.filter(|older| reach == Reach::Part && older.reach == Reach::Whole) {
            return Ok(older);
        }
        let past = Arc::new(KnownPast::of(log, reach));
        *self.past.lock() = Some(Arc::clone(&past));
        self.save(&past);
        Ok(past)
    }

    /// The past in memory or on disk, if it is of that commit and reaches far enough.
    fn known(&self, head: &str, patience: Patience) -> Option<Arc<KnownPast>> {
        let mut known = self.past.lock();
        if known.is_none() {
            *known = self.saved().map(Arc::new);
        }
        let past = known.as_ref().filter(|past| past.is_of(head))?;
        (past.reach == Reach::Whole || patience == Patience::Question).then(|| Arc::clone(past))
    }

    fn saved(&self) -> Option<KnownPast> {
        let bytes = std::fs::read(self.folder.join(LOG)).ok()?;
        let saved: KnownPast = postcard::from_bytes(&bytes).ok()?;
        (saved.extractors == state::EXTRACTORS).then_some(saved)
    }

    fn save(&self, past: &KnownPast) {
        // A workspace without a runtime root was never saved, and may not be written to.
        if !self.folder.exists() {
            return;
        }
        let written = postcard::to_allocvec(past)
            .map_err(std::io::Error::other)
            .and_then(|bytes| durable::replace(&self.folder.join(LOG), &bytes));
        if let Err(err) = written {
            tracing::warn!(%err, "the log was not written down");
        }
    }
}

impl KnownPast {
    fn of(log: Log, reach: Reach) -> Self {
        Self { extractors: state::EXTRACTORS.to_owned(), reach, log }
    }
}

fn waited_for<'m, T>(lock: &'m Mutex<T>, cancel: &CancelToken) -> Result<MutexGuard<'m, T>, Stop> {
    loop {
        if let Some(held) = lock.try_lock_for(LOOK) {
            return Ok(held);
        }
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
    }
}

/// The words of every file, in the order of paths; of files that did not change, those that were known.
fn bags(
    root: &Root,
    view: &WorkspaceView,
    graph: &Graph,
    old: &[(Arc<FileBag>, MadeFrom)],
    cancel: &CancelToken,
) -> Result<Vec<(Arc<FileBag>, MadeFrom)>, Stop> {
    let files = graph.nodes().filter(|node| node.kind() == NodeKind::File && !node.language().is_empty());
    let paths: Vec<&str> = files.map(|node| node.path()).collect();
    let of = |terms: &mut Terms, path: &&str| {
        let state = view.state_of(path);
        let known = old.binary_search_by(|(bag, _)| bag.path.as_str().cmp(path)).ok().map(|at| &old[at]);
        if let Some((bag, made_from)) = known
            && state.is_some()
            && *made_from == state
        {
            return Some((Arc::clone(bag), state));
        }
        if cancel.stop().is_some() {
            return None;
        }
        let (text, _) = scan::read(root, path).ok().and_then(|bytes| read::decode(&bytes))?;
        let source = Source { path, text: &text, spans: corpus::spans(graph, path) };
        Some((Arc::new(FileBag::cut_by(terms, &source)), state))
    };
    let mut bags: Vec<_> = paths.par_iter().map_init(Terms::default, of).flatten_iter().collect();
    if let Some(stop) = cancel.stop() {
        return Err(stop);
    }
    bags.sort_by(|a, b| a.0.path.cmp(&b.0.path));
    Ok(bags)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(folder: &Path) -> Words {
        Words { waits: (Duration::ZERO, Duration::ZERO), ..Words::new(&folder.join("state")) }
    }

    fn log(head: &str) -> Log {
        Log { head: head.to_owned(), ..Log::default() }
    }

    #[test]
    fn a_question_does_not_wait_for_a_long_walk_and_says_that_it_knows_a_part() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let words = words(dir.path());
        let walking = words.walking.lock();
        let past = words.past(&root, Patience::Question, &CancelToken::new()).unwrap();
        assert_eq!(past.reach, Reach::Part);
        drop(walking);
        let past = words.past(&root, Patience::Preparation, &CancelToken::new()).unwrap();
        assert_eq!(past.reach, Reach::Whole, "a folder without history has been read to its end");
    }

    #[test]
    fn the_whole_past_of_another_commit_serves_until_this_one_is_walked() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let words = words(dir.path());
        *words.past.lock() = Some(Arc::new(KnownPast::of(log("before"), Reach::Whole)));
        let _walking = words.walking.lock();
        let past = words.past(&root, Patience::Question, &CancelToken::new()).unwrap();
        assert_eq!((past.log.head.as_str(), past.reach), ("before", Reach::Whole));
    }

    #[test]
    fn a_question_that_was_taken_back_ends_while_somebody_else_walks() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root::open(dir.path()).unwrap();
        let long = Duration::from_secs(3_600);
        let words = Words { waits: (long, long), ..words(dir.path()) };
        let _walking = words.walking.lock();
        let taken_back = CancelToken::new();
        taken_back.cancel();
        assert!(words.past(&root, Patience::Question, &taken_back).is_err());
        assert!(words.past(&root, Patience::Preparation, &taken_back).is_err());
    }
}
