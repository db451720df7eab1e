//! Host: the one writer of a workspace's graph; readers take what it has published.

mod disk;
mod leftovers;
mod progress;
mod touched;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use m1nd_graph::{Graph, carry};
use m1nd_ingest::history::{self, HistoryError, Limits};
use m1nd_ingest::{Ingest, Listed, Report, scan};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::{Clock, UnixMs};
use m1nd_stdx::memory;
use m1nd_vfs::Root;
use m1nd_vfs::walk::Passed;
use m1nd_vfs::watch::{Watch, WatchError};
use parking_lot::{Mutex, MutexGuard};

use super::listing::{Stamp, sizes};
use super::overlays::Overlays;
use super::quarantine::{Asked, Content, Quarantine};
use super::view::WorkspaceView;
use disk::{FACTS, SNAPSHOT};
pub use disk::{ReloadError, SaveError, Saved};
use progress::Progress;
pub use touched::Seen;

/// How often a waiting ingest looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(25);
/// A watch hears nothing of what is written through another name of a file, or through memory: however quiet it
/// is, the files are listed again after so long.
const LISTED_FOR: Duration = Duration::from_secs(5);
/// Listing them because of that may take at most this part of the time.
const LISTING_REST: u32 = 50;
/// The same for counting what changed while others read it.
const COUNTING_REST: u32 = 4;

/// What an ingest takes over from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// Everything but files that changed; history too.
    Edits,
    /// Files that did not change.
    Unchanged,
    Nothing,
}

#[derive(Debug)]
pub(super) struct Host {
    folder: PathBuf,
    view: ArcSwap<WorkspaceView>,
    loaded: OnceLock<()>,
    ingest: Mutex<Option<Ingest>>,
    problem: Mutex<Option<String>>,
    /// Why the newest graph is not on disk, if writing it failed.
    unsaved: Mutex<Option<String>>,
    overlays: Overlays,
    progress: Progress,
    watching: Mutex<Watching>,
    clean: Mutex<Option<Clean>>,
    changed: Mutex<Option<Counted>>,
    /// The mark of the commits that the newest history was read from.
    marks: Mutex<Option<String>>,
    /// Calls answered.
    queries: AtomicU64,
    /// The generation on disk.
    saved: AtomicU64,
    /// Whether the graph on disk could not be read.
    is_lost: AtomicBool,
}

/// When the newest view was last known to be true.
#[derive(Clone, Copy, Debug)]
struct Clean {
    /// How many events had been heard.
    heard: u64,
    listed: Instant,
    /// How long the listing took.
    took: Duration,
}

/// How many files differ from a view.
#[derive(Clone, Copy, Debug)]
struct Counted {
    files: u64,
    generation: u64,
    at: Instant,
    /// How long the listing took.
    took: Duration,
}

impl Counted {
    fn holds(&self, view: &WorkspaceView) -> bool {
        self.generation == view.generation() && self.at.elapsed() < self.took * COUNTING_REST
    }
}

/// A listing of all files.
struct Files<'f> {
    list: &'f [Listed],
    passed: Passed,
    stamp: Stamp,
    now: UnixMs,
}

/// Whether changes are heard of.
#[derive(Clone, Debug)]
pub enum Watching {
    /// Only a server watches, and only once there is a graph.
    NotYet,
    On(Arc<Watch>),
    /// And why; files are looked at before each question.
    Off(String),
}

impl Host {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self {
            overlays: Overlays::new(&folder),
            progress: Progress::default(),
            folder,
            view: ArcSwap::default(),
            loaded: OnceLock::new(),
            ingest: Mutex::new(None),
            problem: Mutex::new(None),
            unsaved: Mutex::new(None),
            watching: Mutex::new(Watching::NotYet),
            clean: Mutex::new(None),
            changed: Mutex::new(None),
            marks: Mutex::new(None),
            queries: AtomicU64::new(0),
            saved: AtomicU64::new(0),
            is_lost: AtomicBool::new(false),
        }
    }

    /// The newest view. The snapshot, if there is one, is opened the first time somebody asks.
    pub(super) fn view(&self) -> Arc<WorkspaceView> {
        self.loaded.get_or_init(|| self.load());
        self.view.load_full()
    }

    /// What is wrong with the files on disk, if anything is.
    pub(super) fn problem(&self) -> Option<String> {
        self.problem.lock().clone()
    }

    /// Why the newest graph could not be written, until it can.
    pub(super) fn unsaved_because(&self) -> Option<String> {
        self.unsaved.lock().clone()
    }

    /// The newest view after a look at the files: one that changed is read again first.
    pub(super) fn fresh_view(
        &self,
        root: &Root,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Arc<WorkspaceView>, Stop> {
        let mut view = self.view();
        if view.graph().is_none() && self.folder.join(SNAPSHOT).exists() {
            // Another process may have made one since this one looked first.
            self.load();
            view = self.view.load_full();
        }
        if view.graph().is_none() || view.imported_from().is_some() {
            return Ok(view);
        }
        if self.overlays.is_changed() {
            self.lay_anew(root, clock, cancel)?;
            view = self.view.load_full();
        }
        let watch = self.watch();
        let heard = watch.as_ref().and_then(|watch| watch.now());
        if heard.is_some_and(|heard| self.is_clean(heard)) {
            return Ok(self.view.load_full());
        }
        let heard = watch.and_then(|watch| match watch.follow(root, cancel) {
            // What changes from here on is heard again.
            Ok(()) => watch.now(),
            Err(err) => {
                self.stop_watch(&err);
                None
            }
        });
        let now = clock.now();
        let listed = Instant::now();
        let (files, passed) = scan::list(root, cancel)?;
        let took = listed.elapsed();
        let stamp = Stamp::of(&files, now);
        if stamp.proves_unchanged(view.stamp()) {
            if !view.has_sizes() {
                let proved = view.proved_by(sizes(&files), passed);
                self.view.compare_and_swap(&view, Arc::new(proved));
            }
        } else if !self.adopt(&stamp, &files) {
            self.count_changed(&view, &files, listed);
            let mut state = self.turn(cancel)?;
            // Another call may have read the same change while this one waited.
            if !stamp.proves_unchanged(self.view.load().stamp()) {
                self.read(
                    &mut state,
                    root,
                    Reuse::Edits,
                    Files { list: &files, passed, stamp, now },
                    clock,
                    cancel,
                )?;
            }
        }
        *self.clean.lock() = heard.map(|heard| Clean { heard, listed, took });
        Ok(self.view.load_full())
    }

    /// Another process laid an index over its graph: this one is made again with it.
    fn lay_anew(&self, root: &Root, clock: &dyn Clock, cancel: &CancelToken) -> Result<(), Stop> {
        let mut state = self.turn(cancel)?;
        self.overlays.look();
        if state.is_none() {
            *state = self.facts(&self.view());
        }
        state.iter_mut().for_each(Ingest::rebuild);
        drop(state);
        self.ingest(root, Reuse::Edits, clock, cancel).map(drop)
    }

    /// How many files are not as a view has them, as far as sizes and times tell. They are listed anew unless that was
    /// done just now.
    pub(super) fn changed_files(
        &self,
        view: &WorkspaceView,
        root: &Root,
        cancel: &CancelToken,
    ) -> Result<u64, Stop> {
        let counted = *self.changed.lock();
        if let Some(counted) = counted.filter(|counted| counted.holds(view)) {
            return Ok(counted.files);
        }
        let started = Instant::now();
        let (files, _) = scan::list(root, cancel)?;
        Ok(self.count_changed(view, &files, started))
    }

    fn count_changed(&self, view: &WorkspaceView, files: &[Listed], started: Instant) -> u64 {
        let files = view.differing(files);
        let (generation, at) = (view.generation(), Instant::now());
        *self.changed.lock() = Some(Counted { files, generation, at, took: started.elapsed() });
        files
    }

    pub(super) fn overlays(&self) -> &Overlays {
        &self.overlays
    }

    /// How far the ingest that runs now is.
    pub(super) fn progress(&self) -> (u64, u64) {
        self.progress.now()
    }

    /// Makes a view the newest one.
    pub(super) fn publish(&self, view: WorkspaceView) {
        self.loaded.get_or_init(|| ());
        self.view.store(Arc::new(view));
    }

    /// Reads the history again if commits were made, or others checked out, since it was read.
    pub(super) fn follow_history(
        &self,
        root: &Root,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<(), Stop> {
        let view = self.view();
        let is_moved = self.marks.lock().as_ref().is_some_and(|known| *known != history::marks(root));
        if is_moved && view.graph().is_some() && view.imported_from().is_none() {
            self.ingest(root, Reuse::Edits, clock, cancel)?;
        }
        Ok(())
    }

    /// Reads what changed, makes the next generation if anything did, and publishes it.
    pub(super) fn ingest(
        &self,
        root: &Root,
        reuse: Reuse,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Report, Stop> {
        let mut state = self.turn(cancel)?;
        let now = clock.now();
        let (files, passed) = scan::list(root, cancel)?;
        let stamp = Stamp::of(&files, now);
        self.read(&mut state, root, reuse, Files { list: &files, passed, stamp, now }, clock, cancel)
    }

    /// Reads files again whatever their sizes and times say, and everything else that changed.
    pub(super) fn reread(
        &self,
        root: &Root,
        paths: &[String],
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Report, Stop> {
        let mut state = self.turn(cancel)?;
        if state.is_none() {
            *state = self.facts(&self.view());
        }
        state.iter_mut().for_each(|ingest| ingest.distrust(paths));
        let now = clock.now();
        let (files, passed) = scan::list(root, cancel)?;
        let stamp = Stamp::of(&files, now);
        self.read(&mut state, root, Reuse::Edits, Files { list: &files, passed, stamp, now }, clock, cancel)
    }

    /// Which of these files hold something else than when they were last read; how many could be told.
    pub(super) fn rewritten(
        &self,
        root: &Root,
        paths: &[String],
        cancel: &CancelToken,
    ) -> Result<(Vec<String>, u64), Stop> {
        let state = self.turn(cancel)?;
        let kept = if state.is_none() { self.facts(&self.view()) } else { None };
        let Some(ingest) = state.as_ref().or(kept.as_ref()) else { return Ok((Vec::new(), 0)) };
        let mut told = 0;
        let mut found = Vec::new();
        for path in paths {
            if let Some(stop) = cancel.stop() {
                return Err(stop);
            }
            let (Some(_), Ok(bytes)) = (ingest.hash(path), scan::read(root, path)) else { continue };
            told += 1;
            if !ingest.is_current(path, &bytes) {
                found.push(path.clone());
            }
        }
        Ok((found, told))
    }

    fn read(
        &self,
        state: &mut Option<Ingest>,
        root: &Root,
        reuse: Reuse,
        files: Files<'_>,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Report, Stop> {
        if reuse == Reuse::Nothing {
            *state = None;
            Quarantine::forget(&self.folder);
        }
        let before = self.view();
        // A graph that was imported stays until somebody asks for the workspace itself.
        if reuse == Reuse::Edits && before.imported_from().is_some() {
            return Ok(before.counts());
        }
        // A folder that was moved away is no empty repository: what is known of it stays until it is back.
        if !root.path().is_dir() {
            tracing::warn!("the workspace's folder is not there");
            return Ok(before.counts());
        }
        let is_in_memory = state.is_some();
        let kept = match state.take() {
            None if reuse != Reuse::Nothing => self.facts(&before),
            kept => kept,
        };
        let first = kept.is_none();
        let ingest =
            state.insert(kept.unwrap_or_else(|| Ingest::new(&name(root))).after(before.generation()));
        let marks = history::marks(root);
        // History moves with commits, not with edits, and then the mark is another one.
        let is_marked = is_in_memory && self.marks.lock().as_ref() == Some(&marks);
        let is_moved = || !is_marked && ingest.history_head() != history::heads(root);
        if first || reuse == Reuse::Nothing || is_moved() {
            match history::read_all(root, Limits::default(), cancel) {
                Ok(history) => ingest.set_history(history),
                Err(HistoryError::Stopped(stop)) => return Err(stop),
                Err(err) => tracing::info!(%err, "no history"),
            }
        }
        *self.marks.lock() = Some(marks);
        let sizes = sizes(files.list);
        let size_of = |path: &str| sizes.get(path).map(|&(size, _)| size);
        let asked = if reuse == Reuse::Edits { Asked::No } else { Asked::Yes };
        let quarantine = Quarantine::open(&self.folder, asked, size_of);
        self.progress.start(files.list.len());
        let read = |path: &str| {
            let reading = quarantine.admit(path, size_of(path))?;
            let bytes = self.progress.reading(|| scan::read(root, path))?;
            Ok(Content { bytes, _reading: reading })
        };
        let now_ns = i128::from(files.now.0) * 1_000_000;
        // What overlays changed about the last generation would be taken for what the files say.
        let last = before.graph().and_then(|graph| self.overlays.below(graph));
        let done = ingest.refresh_on(last.as_deref(), files.list, read, clock, now_ns, cancel)?;
        quarantine.forgive(&self.folder);
        let mut report = done.report;
        report.pass_over(&files.passed);
        report.history = ingest.history_unreadable().map(str::to_owned);
        let graph = match (done.graph, before.graph()) {
            (Some(graph), old) => {
                let graph = self.overlays.lay_over(graph, |path| ingest.hash(path));
                report.nodes = graph.node_count() as u64;
                report.edges = graph.edge_count() as u64;
                if let Some(old) = old {
                    carry::learned_weights(old, &graph);
                }
                Arc::new(graph)
            }
            (None, Some(old)) => {
                if let Some(earlier) = before.report() {
                    report.unresolved_references = earlier.unresolved_references;
                    report.external_references = earlier.external_references;
                }
                report.nodes = old.node_count() as u64;
                report.edges = old.edge_count() as u64;
                let is_saved = self.saved.load(Ordering::Acquire) == old.generation();
                // What was too young to prove anything when it was saved is proof now, for every later process.
                if is_saved
                    && files.stamp.proves_unchanged(&files.stamp)
                    && files.stamp.digest() == before.stamp().digest()
                    && let Err(err) = self.save_stamp(old.generation(), files.now, &files.stamp)
                {
                    tracing::debug!(%err, "the stamp stays as it was");
                }
                Arc::clone(old)
            }
            (None, None) => Arc::new(Graph::empty()),
        };
        let view = WorkspaceView::new(graph, Some(report.clone()), files.now, files.stamp, sizes);
        let view = view.passing(files.passed);
        let much = report.files_resolved * 2 > report.files_seen;
        self.view.store(Arc::new(view));
        if much {
            memory::give_back();
        }
        Ok(report)
    }

    // Watching.

    pub(super) fn watch(&self) -> Option<Arc<Watch>> {
        match &*self.watching.lock() {
            Watching::On(watch) => Some(Arc::clone(watch)),
            _ => None,
        }
    }

    pub(super) fn wants_watch(&self) -> bool {
        matches!(*self.watching.lock(), Watching::NotYet)
    }

    pub(super) fn start_watch(&self, root: &Root) {
        let started = Watch::start(root, &self.folder, &CancelToken::new());
        match started {
            Ok(watch) => *self.watching.lock() = Watching::On(Arc::new(watch)),
            Err(err) => self.stop_watch(&err),
        }
    }

    /// The folders to be watched are others from now on.
    pub(super) fn watch_anew(&self) {
        let mut watching = self.watching.lock();
        if !matches!(*watching, Watching::NotYet) {
            *watching = Watching::NotYet;
        }
        drop(watching);
        *self.clean.lock() = None;
    }

    fn stop_watch(&self, why: &WatchError) {
        tracing::info!(%why, "files are not watched but looked at before each question");
        *self.watching.lock() = Watching::Off(why.to_string());
        *self.clean.lock() = None;
    }

    pub(super) fn watching(&self) -> Watching {
        self.watching.lock().clone()
    }

    /// How many events had been heard when the newest view was known to be true.
    pub(super) fn clean_at(&self) -> Option<u64> {
        self.clean.lock().map(|clean| clean.heard)
    }

    /// Whether nothing was heard since the view was last proved, and that is not long ago.
    fn is_clean(&self, heard: u64) -> bool {
        let clean = *self.clean.lock();
        clean.is_some_and(|clean| {
            let holds = LISTED_FOR.max(clean.took * LISTING_REST);
            clean.heard == heard && clean.listed.elapsed() < holds
        })
    }

    // What the keeper asks.

    /// Whether commits were made, or another one was checked out, since the history was read.
    pub(super) fn is_head_moved(&self, root: &Root) -> bool {
        let Some(state) = self.ingest.try_lock() else { return false };
        state.as_ref().is_some_and(|ingest| ingest.history_head() != history::heads(root))
    }

    pub(super) fn note_query(&self) {
        self.queries.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn queries(&self) -> u64 {
        self.queries.load(Ordering::Relaxed)
    }

    pub(super) fn is_unsaved(&self) -> bool {
        let generation = self.view.load().generation();
        generation > 0 && generation != self.saved.load(Ordering::Acquire)
    }

    /// Gives back the memory that only the next edit would need; what is known is on disk.
    pub(super) fn forget_facts(&self) {
        if let Some(mut state) = self.ingest.try_lock()
            && state.is_some()
            && !self.is_unsaved()
            && self.folder.join(FACTS).exists()
        {
            *state = None;
            drop(state);
            memory::give_back();
        }
    }

    pub(super) fn turn(&self, cancel: &CancelToken) -> Result<MutexGuard<'_, Option<Ingest>>, Stop> {
        loop {
            if let Some(state) = self.ingest.try_lock_for(LOOK) {
                return Ok(state);
            }
            if let Some(stop) = cancel.stop() {
                return Err(stop);
            }
        }
    }
}

pub(super) fn name(root: &Root) -> String {
    root.path().file_name().map_or_else(|| "workspace".into(), |name| name.to_string_lossy().into_owned())
}
