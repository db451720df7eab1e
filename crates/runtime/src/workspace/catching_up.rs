//! Catching up: where more changed than can be read while a host waits, the rest is read behind answers that say so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::Clock;

use super::{Workspace, WorkspaceView};

/// Hosts give up after a minute, many sooner: so long a question waits for files to be read.
const PATIENCE: Duration = Duration::from_secs(6);
/// So long it waits where somebody else has been reading for longer than that.
const SHORT: Duration = Duration::from_secs(1);
/// How often it looks whether they are done.
const LOOK: Duration = Duration::from_millis(20);

/// Whether the graph is behind the files, and somebody reads them.
#[derive(Debug)]
pub(super) struct CatchingUp {
    is_behind: AtomicBool,
    /// A server answers in time; a command line waits for the truth.
    in_time: AtomicBool,
    patience_ms: AtomicU64,
}

impl Default for CatchingUp {
    fn default() -> Self {
        Self {
            is_behind: AtomicBool::new(false),
            in_time: AtomicBool::new(false),
            patience_ms: AtomicU64::new(PATIENCE.as_millis() as u64),
        }
    }
}

/// A view, and how it stands to the files.
#[derive(Clone, Debug)]
pub enum InTime {
    /// It shows the files as they are.
    Fresh(Arc<WorkspaceView>),
    /// It is the last good one; so many files are known to have changed since.
    Behind(Arc<WorkspaceView>, u64),
}

impl Workspace {
    /// From now on questions are answered in time, from the last good view if need be. Nothing else than a test needs another
    /// `patience` than the usual one.
    pub fn answer_in_time(&self, patience: Option<Duration>) {
        let catching_up = &self.catching_up;
        if let Some(patience) = patience {
            catching_up.patience_ms.store(patience.as_millis() as u64, Ordering::Relaxed);
        }
        catching_up.in_time.store(true, Ordering::Release);
    }

    /// Whether a server keeps it, which answers in time.
    pub(super) fn is_kept(&self) -> bool {
        self.catching_up.in_time.load(Ordering::Acquire)
    }

    /// The newest view after a look at the files, or the last good one where reading them takes longer than a host waits.
    pub fn view_in_time(
        self: &Arc<Self>,
        clock: &Arc<dyn Clock>,
        cancel: &CancelToken,
    ) -> Result<InTime, Stop> {
        let catching_up = &self.catching_up;
        if !catching_up.in_time.load(Ordering::Acquire) {
            return self.fresh_view(clock.as_ref(), cancel).map(InTime::Fresh);
        }
        let patience = Duration::from_millis(catching_up.patience_ms.load(Ordering::Relaxed));
        let asked = Instant::now();
        while self.is_behind() {
            if let Some(stop) = cancel.stop() {
                return Err(stop);
            }
            if asked.elapsed() >= SHORT.min(patience) {
                return self.behind(self.view(), cancel);
            }
            std::thread::sleep(LOOK);
        }
        match self.fresh_view(clock.as_ref(), &cancel.with_timeout(patience)) {
            Err(Stop::TimedOut) if cancel.stop().is_none() => {
                let behind = self.behind(self.view(), cancel);
                self.catch_up(clock);
                behind
            }
            done => done.map(InTime::Fresh),
        }
    }

    /// Whether files are being read that the newest view does not show.
    pub fn is_behind(&self) -> bool {
        self.catching_up.is_behind.load(Ordering::Acquire)
    }

    /// A view that is behind, and how far.
    fn behind(&self, view: Arc<WorkspaceView>, cancel: &CancelToken) -> Result<InTime, Stop> {
        let changed = self.host.changed_files(&view, &self.root, cancel)?;
        // Where files came and went while they were counted, at least one did.
        Ok(InTime::Behind(view, changed.max(1)))
    }

    /// Reads on a thread of its own, once at a time.
    fn catch_up(self: &Arc<Self>, clock: &Arc<dyn Clock>) {
        if self.catching_up.is_behind.swap(true, Ordering::AcqRel) {
            return;
        }
        let (workspace, clock) = (Arc::clone(self), Arc::clone(clock));
        let spawned = std::thread::Builder::new().name("m1nd-catch-up".into()).spawn(move || {
            let cancel = CancelToken::new();
            if let Err(stop) = workspace.fresh_view(clock.as_ref(), &cancel) {
                tracing::warn!(?stop, "reading what changed was stopped");
            }
            workspace.catching_up.is_behind.store(false, Ordering::Release);
        });
        if let Err(err) = spawned {
            tracing::warn!(%err, "no thread could be started to read what changed");
            self.catching_up.is_behind.store(false, Ordering::Release);
        }
    }
}
