//! A flag that asks work under way to stop, with an optional deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Cloned into every worker of a call; cancelling one clone cancels them all.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    flag: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

/// Why work was asked to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Somebody asked for it.
    Cancelled,
    /// The time allowed for the work has passed.
    TimedOut,
}

impl CancelToken {
    pub fn new() -> Self {
        Self::default()
    }

    /// The same flag, with a deadline `after` from now (the earlier one wins).
    #[must_use]
    pub fn with_timeout(&self, after: Duration) -> Self {
        let at = Instant::now() + after;
        let deadline = Some(self.deadline.map_or(at, |earlier| earlier.min(at)));
        Self { flag: Arc::clone(&self.flag), deadline }
    }

    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Release);
    }

    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Acquire)
    }

    /// Whether work should stop now. An explicit cancel is reported before a passed deadline.
    pub fn stop(&self) -> Option<Stop> {
        if self.is_cancelled() {
            return Some(Stop::Cancelled);
        }
        match self.deadline {
            Some(at) if Instant::now() >= at => Some(Stop::TimedOut),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancelling_a_clone_cancels_the_original() {
        let token = CancelToken::new();
        token.clone().cancel();
        assert_eq!(token.stop(), Some(Stop::Cancelled));
    }

    #[test]
    fn a_timed_copy_shares_the_flag_but_not_the_deadline() {
        let token = CancelToken::new();
        let timed = token.with_timeout(Duration::ZERO);
        assert_eq!(timed.stop(), Some(Stop::TimedOut));
        assert_eq!(token.stop(), None);
        token.cancel();
        assert_eq!(timed.stop(), Some(Stop::Cancelled));
    }
}
