//! The clock as a port: engines are handed the time, they never read it.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;

/// Wall-clock milliseconds since 1970, for showing and storing; may jump.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct UnixMs(pub i64);

/// Where the time comes from.
pub trait Clock: Send + Sync {
    /// Wall clock: may jump in either direction.
    fn now(&self) -> UnixMs;
    /// Time since some fixed instant: never goes back.
    fn monotonic(&self) -> Duration;
}

/// The machine's clocks.
#[derive(Debug)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    fn now(&self) -> UnixMs {
        UnixMs::from(SystemTime::now())
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

impl From<SystemTime> for UnixMs {
    fn from(time: SystemTime) -> Self {
        let ms = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_millis()),
            Err(before) => i64::try_from(before.duration().as_millis()).map(|ms| -ms),
        };
        Self(ms.unwrap_or(i64::MAX))
    }
}

/// A clock that stands still until a test moves it.
#[derive(Clone, Debug, Default)]
pub struct ManualClock {
    at: Arc<Mutex<(i64, Duration)>>,
}

impl ManualClock {
    pub fn at(now: UnixMs) -> Self {
        Self { at: Arc::new(Mutex::new((now.0, Duration::ZERO))) }
    }

    /// Moves both clocks forward.
    pub fn advance(&self, by: Duration) {
        let mut at = self.at.lock();
        at.0 = at.0.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX));
        at.1 += by;
    }

    /// Moves the wall clock alone, in either direction, as a time server would.
    pub fn jump_to(&self, now: UnixMs) {
        self.at.lock().0 = now.0;
    }
}

impl Clock for ManualClock {
    fn now(&self) -> UnixMs {
        UnixMs(self.at.lock().0)
    }

    fn monotonic(&self) -> Duration {
        self.at.lock().1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_jump_leaves_monotonic_time_alone() {
        let clock = ManualClock::at(UnixMs(1_000));
        clock.advance(Duration::from_millis(5));
        clock.jump_to(UnixMs(-40));
        assert_eq!(clock.now(), UnixMs(-40));
        assert_eq!(clock.monotonic(), Duration::from_millis(5));
    }

    #[test]
    fn times_before_1970_are_negative() {
        let time = UNIX_EPOCH - Duration::from_millis(1_500);
        assert_eq!(UnixMs::from(time), UnixMs(-1_500));
    }
}
