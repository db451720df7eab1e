//! Lanes: readers run side by side, writers of one kind of state one after another.

use std::time::Duration;

use m1nd_stdx::cancel::{CancelToken, Stop};
use parking_lot::{Mutex, MutexGuard};

use crate::tool::Effect;

/// How often a waiting writer looks whether its call was cancelled.
const LOOK: Duration = Duration::from_millis(25);

#[derive(Debug, Default)]
pub(crate) struct Lanes {
    exclusive: Mutex<()>,
}

impl Lanes {
    /// Waits for the lane of `effect`. Stores serialise `Remember` by their own transactions.
    pub(crate) fn enter(
        &self,
        effect: Effect,
        cancel: &CancelToken,
    ) -> Result<Option<MutexGuard<'_, ()>>, Stop> {
        if !matches!(effect, Effect::Ingest | Effect::WriteFiles) {
            return Ok(None);
        }
        loop {
            if let Some(guard) = self.exclusive.try_lock_for(LOOK) {
                return Ok(Some(guard));
            }
            if let Some(stop) = cancel.stop() {
                return Err(stop);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_writer_can_be_cancelled_and_readers_do_not_wait() {
        let lanes = Lanes::default();
        let cancel = CancelToken::new();
        let held = lanes.enter(Effect::Ingest, &cancel).unwrap();
        assert!(held.is_some());
        assert!(lanes.enter(Effect::Read, &cancel).unwrap().is_none());
        cancel.cancel();
        assert_eq!(lanes.enter(Effect::WriteFiles, &cancel).err(), Some(Stop::Cancelled));
    }
}
