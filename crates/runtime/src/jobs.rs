//! Jobs: work that may outlast the call that started it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use m1nd_stdx::cancel::CancelToken;
use parking_lot::{Condvar, Mutex};
use serde_json::Value;

/// Finished jobs that can still be asked about.
const MAX_FINISHED: usize = 50;

/// How far a job is.
#[derive(Clone, Debug, PartialEq)]
pub enum JobState {
    Running,
    Done(Value),
    Failed(String),
    Cancelled,
}

/// One piece of work.
#[derive(Debug)]
pub struct Job {
    pub id: String,
    /// The tool that started it.
    pub tool: &'static str,
    pub cancel: CancelToken,
    state: Mutex<JobState>,
    changed: Condvar,
}

impl Job {
    pub fn state(&self) -> JobState {
        self.state.lock().clone()
    }

    /// The state once it is no longer running, or after `patience`.
    pub fn wait(&self, patience: Duration, caller: &CancelToken) -> JobState {
        let until = Instant::now() + patience;
        let mut state = self.state.lock();
        while *state == JobState::Running && Instant::now() < until {
            self.changed.wait_for(&mut state, LOOK);
            if caller.is_cancelled() {
                self.cancel.cancel();
            }
        }
        state.clone()
    }

    fn finish(&self, state: JobState) {
        *self.state.lock() = state;
        self.changed.notify_all();
    }
}

/// How often a waiting call looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

#[derive(Debug, Default)]
pub(crate) struct Jobs {
    next: AtomicU64,
    jobs: Mutex<BTreeMap<u64, Arc<Job>>>,
}

impl Jobs {
    /// Runs `work` on a thread of its own.
    pub(crate) fn start(
        &self,
        tool: &'static str,
        work: impl FnOnce(&CancelToken) -> JobState + Send + 'static,
    ) -> std::io::Result<Arc<Job>> {
        let number = self.next.fetch_add(1, Ordering::Relaxed) + 1;
        let job = Arc::new(Job {
            id: format!("job-{number}"),
            tool,
            cancel: CancelToken::new(),
            state: Mutex::new(JobState::Running),
            changed: Condvar::new(),
        });
        let runner = Arc::clone(&job);
        std::thread::Builder::new().name(job.id.clone()).spawn(move || {
            let cancel = runner.cancel.clone();
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&cancel)));
            runner.finish(
                outcome.unwrap_or_else(|_| JobState::Failed("a defect in m1nd; the log has it".into())),
            );
        })?;
        let mut jobs = self.jobs.lock();
        jobs.insert(number, Arc::clone(&job));
        let finished: Vec<u64> = jobs
            .iter()
            .filter(|(_, job)| job.state() != JobState::Running)
            .map(|(number, _)| *number)
            .collect();
        for number in finished.iter().take(finished.len().saturating_sub(MAX_FINISHED)) {
            jobs.remove(number);
        }
        Ok(job)
    }

    pub(crate) fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.jobs.lock().values().find(|job| job.id == id).cloned()
    }

    pub(crate) fn all(&self) -> Vec<Arc<Job>> {
        self.jobs.lock().values().cloned().collect()
    }
}
