//! Calls: synchronous work on threads that may block, a bounded number at a time.

use std::sync::Arc;
use std::time::Duration;

use m1nd_stdx::cancel::CancelToken;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

/// Calls wait for files and locks more than they compute.
const CALLS_PER_CORE: usize = 4;
const MIN_CALLS: usize = 8;
const MAX_CALLS: usize = 64;

/// Runs work away from the threads that keep the protocol going.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    seats: Arc<Semaphore>,
    running: watch::Sender<usize>,
    /// Cancels every call.
    stop: CancellationToken,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CallLost {
    #[error("the call was cancelled before it began")]
    Cancelled,
    #[error("the call broke off: {0}")]
    Broken(String),
}

impl Calls {
    pub(crate) fn new(stop: CancellationToken) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            seats: Arc::new(Semaphore::new((cores * CALLS_PER_CORE).clamp(MIN_CALLS, MAX_CALLS))),
            running: watch::Sender::new(0),
            stop,
        }
    }

    /// Resolves when all calls are told to stop.
    pub(crate) async fn stopped(&self) {
        self.stop.cancelled().await;
    }

    /// Runs `work` when a seat is free. `asked` is cancelled when the caller lost interest.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        asked: &CancellationToken,
        work: impl FnOnce(&CancelToken) -> T + Send + 'static,
    ) -> Result<T, CallLost> {
        let _counted = Counted::new(&self.running);
        let seat = tokio::select! {
            seat = Arc::clone(&self.seats).acquire_owned() => {
                seat.map_err(|err| CallLost::Broken(err.to_string()))?
            }
            () = asked.cancelled() => return Err(CallLost::Cancelled),
            () = self.stop.cancelled() => return Err(CallLost::Cancelled),
        };
        let cancel = CancelToken::new();
        let flag = cancel.clone();
        let mut thread = tokio::task::spawn_blocking(move || {
            // The seat is free when the work is over, not when nobody waits for it any more.
            let _seat = seat;
            work(&flag)
        });
        // A handler that is dropped has nobody left to answer to.
        let _guard = CancelOnDrop(&cancel);
        let done = tokio::select! {
            done = &mut thread => done,
            () = asked.cancelled() => { cancel.cancel(); thread.await }
            () = self.stop.cancelled() => { cancel.cancel(); thread.await }
        };
        done.map_err(|err| CallLost::Broken(err.to_string()))
    }

    /// Waits until nothing is running, but not longer than `patience`.
    pub(crate) async fn idle(&self, patience: Duration) {
        let mut running = self.running.subscribe();
        let idle = tokio::time::timeout(patience, running.wait_for(|count| *count == 0)).await;
        if idle.is_err() {
            tracing::info!("calls are still under way");
        }
    }
}

struct Counted(watch::Sender<usize>);

impl Counted {
    fn new(running: &watch::Sender<usize>) -> Self {
        running.send_modify(|count| *count += 1);
        Self(running.clone())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

struct CancelOnDrop<'a>(&'a CancelToken);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use m1nd_stdx::cancel::Stop;

    fn wait(cancel: &CancelToken) -> Stop {
        loop {
            if let Some(stop) = cancel.stop() {
                return stop;
            }
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn a_caller_that_lost_interest_cancels_its_work() {
        let calls = Calls::new(CancellationToken::new());
        let asked = CancellationToken::new();
        let run = calls.run(&asked, wait);
        asked.cancel();
        assert!(matches!(run.await, Err(CallLost::Cancelled) | Ok(Stop::Cancelled)));
    }

    #[tokio::test]
    async fn stopping_cancels_all_work() {
        let stop = CancellationToken::new();
        let calls = Calls::new(stop.clone());
        let asked = CancellationToken::new();
        let (first, second, ()) = tokio::join!(calls.run(&asked, wait), calls.run(&asked, wait), async {
            tokio::task::yield_now().await;
            stop.cancel();
        });
        assert_eq!((first.ok(), second.ok()), (Some(Stop::Cancelled), Some(Stop::Cancelled)));
    }

    #[tokio::test]
    async fn a_panic_in_the_work_is_an_error_and_frees_its_seat() {
        let calls = Calls::new(CancellationToken::new());
        let asked = CancellationToken::new();
        for _ in 0..MAX_CALLS + 1 {
            let lost = calls.run(&asked, |_| panic!("on purpose")).await;
            assert!(matches!(lost, Err::<(), _>(CallLost::Broken(_))));
        }
        assert_eq!(*calls.running.borrow(), 0);
    }
}
