//! Keeper: the thread of a server that keeps a workspace's graph fresh and saved between calls.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::Clock;

use super::{Reuse, Workspace};

/// How often it looks whether there is anything to do.
const TICK: Duration = Duration::from_millis(500);
/// An editor that writes several files is let finish.
const QUIET: Duration = Duration::from_millis(150);
/// Reading ahead may take at most this part of the time.
const REST: u32 = 5;
/// Unsaved changes do not get older than this.
const SAVE_AFTER: Duration = Duration::from_secs(30);
/// As many calls make it save sooner.
const SAVE_QUERIES: u64 = 50;
/// Facts that nothing needed for so long are only kept on disk.
const FORGET_AFTER: Duration = Duration::from_secs(600);

/// Words are made ahead when nothing changed for so long.
const WORDS_AFTER: Duration = Duration::from_secs(1);

/// How often it looks whether the history moved.
const HEAD_EVERY: Duration = Duration::from_secs(3);

/// Starts the thread; it ends when the workspace is dropped.
pub(super) fn start(workspace: &Arc<Workspace>, clock: Arc<dyn Clock>, may_write: bool) {
    let workspace = Arc::downgrade(workspace);
    let spawned = std::thread::Builder::new()
        .name("m1nd-keeper".into())
        .spawn(move || Keeper { clock, may_write, ..Keeper::new() }.run(&workspace));
    if let Err(err) = spawned {
        tracing::warn!(%err, "no thread could be started; files are looked at before each question");
    }
}

struct Keeper {
    clock: Arc<dyn Clock>,
    may_write: bool,
    /// No background reading before this.
    rested: Instant,
    seen_generation: u64,
    changed: Instant,
    saved_queries: u64,
    head_looked: Instant,
    words_looked: Instant,
}

/// Makes words on a thread of their own, so that files are watched and saved meanwhile.
fn prepare_words(workspace: &Arc<Workspace>) {
    let view = workspace.host.view();
    if view.graph().is_none() || !workspace.words.wants_preparation(&workspace.root, &view) {
        return;
    }
    let workspace = Arc::clone(workspace);
    let spawned = std::thread::Builder::new().name("m1nd-words".into()).spawn(move || {
        if let Some(graph) = view.graph() {
            workspace.words.prepare(&workspace.root, &view, graph);
        }
    });
    if let Err(err) = spawned {
        tracing::warn!(%err, "no thread could be started; words are counted by the first question");
    }
}

impl Keeper {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            clock: Arc::new(m1nd_stdx::clock::SystemClock::new()),
            may_write: false,
            rested: now,
            seen_generation: 0,
            changed: now,
            saved_queries: 0,
            head_looked: now,
            words_looked: now,
        }
    }

    fn run(mut self, workspace: &Weak<Workspace>) {
        while let Some(held) = workspace.upgrade() {
            self.tend(&held);
            if self.changed.elapsed() >= WORDS_AFTER && self.words_looked.elapsed() >= WORDS_AFTER {
                self.words_looked = Instant::now();
                prepare_words(&held);
            }
            let watch = held.host.watch();
            let clean = held.host.clean_at();
            drop(held);
            match watch {
                Some(watch) => {
                    let settled = watch.settled_after(clean.unwrap_or(0), QUIET, TICK);
                    if settled.is_some() && Instant::now() >= self.rested {
                        drop(watch);
                        let Some(held) = workspace.upgrade() else { return };
                        self.read_ahead(&held);
                    } else if settled.is_some() {
                        std::thread::sleep(QUIET);
                    }
                }
                None => std::thread::sleep(TICK),
            }
        }
    }

    fn read_ahead(&mut self, workspace: &Workspace) {
        let started = Instant::now();
        if let Err(stop) = workspace.fresh_view(self.clock.as_ref(), &CancelToken::new()) {
            tracing::debug!(?stop, "reading ahead was stopped");
        }
        self.rested = Instant::now() + started.elapsed() * REST;
    }

    fn tend(&mut self, workspace: &Workspace) {
        let host = &workspace.host;
        let view = host.view();
        if view.graph().is_none() {
            return;
        }
        if self.may_write && host.wants_watch() && workspace.ensure_runtime_root().is_ok() {
            host.start_watch(&workspace.root);
        }
        if view.generation() != self.seen_generation {
            self.seen_generation = view.generation();
            self.changed = Instant::now();
        }
        if self.head_looked.elapsed() >= HEAD_EVERY {
            self.head_looked = Instant::now();
            if host.is_head_moved(&workspace.root)
                && let Err(stop) =
                    workspace.ingest(Reuse::Unchanged, self.clock.as_ref(), &CancelToken::new())
            {
                tracing::debug!(?stop, "reading the history was stopped");
            }
        }
        let queries = host.queries();
        if self.may_write && host.is_unsaved() {
            // Without a graph on disk every process would make it again.
            let due = self.changed.elapsed() >= SAVE_AFTER
                || queries - self.saved_queries >= SAVE_QUERIES
                || (host.has_lost_snapshot() && host.unsaved_because().is_none());
            if due {
                self.saved_queries = queries;
                if let Err(err) = workspace.save() {
                    tracing::warn!(%err, "the graph was not saved");
                    // Not again at once.
                    self.changed = Instant::now();
                }
            }
        } else {
            self.saved_queries = queries;
            if self.changed.elapsed() >= FORGET_AFTER {
                host.forget_facts();
            }
        }
    }
}
