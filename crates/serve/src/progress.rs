//! Progress: what a tool reports, passed on to the host now and then.

use std::time::Duration;

use m1nd_runtime::{Progress, Step};
use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::Notify;
use tokio::time::Instant;

/// Hosts redraw; they do not need more.
const AT_MOST_EVERY: Duration = Duration::from_millis(200);
/// A report that says nothing new still says that the work goes on.
const AT_LEAST_EVERY: Duration = Duration::from_secs(4);

/// The newest report of one call. Reporting never blocks.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    newest: Mutex<Option<Step>>,
    arrived: Notify,
}

impl Progress for Reports {
    fn report(&self, step: Step) {
        *self.newest.lock() = Some(step);
        self.arrived.notify_one();
    }
}

impl Reports {
    /// Sends reports until dropped.
    pub(crate) async fn forward(&self, peer: &Peer<RoleServer>, token: ProgressToken) -> ! {
        let mut sent: Option<(f64, Instant)> = None;
        loop {
            self.arrived.notified().await;
            let Some(step) = self.newest.lock().take() else {
                continue;
            };
            let Some(value) = next_value(&step, sent.map(|(value, at)| (value, at.elapsed()))) else {
                continue;
            };
            let mut param = ProgressNotificationParam::new(token.clone(), value).with_message(step.message);
            if let Some(total) = step.total {
                param = param.with_total(total as f64);
            }
            if let Err(err) = peer.notify_progress(param).await {
                tracing::debug!(%err, "progress was not sent");
            }
            sent = Some((value, Instant::now()));
            tokio::time::sleep(AT_MOST_EVERY).await;
        }
    }
}

/// The value to send. MCP wants each larger than the one before, so a step that is not is sent
/// only as a sign of life, a little further.
fn next_value(step: &Step, sent: Option<(f64, Duration)>) -> Option<f64> {
    let value = step.done as f64;
    match sent {
        Some((last, age)) if value <= last => (age >= AT_LEAST_EVERY).then_some(last + 0.001),
        _ => Some(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_only_grow() {
        let step = |done| Step { done, total: None, message: String::new() };
        assert_eq!(next_value(&step(0), None), Some(0.0));
        assert_eq!(next_value(&step(5), Some((0.0, Duration::ZERO))), Some(5.0));
        assert_eq!(next_value(&step(5), Some((5.0, Duration::from_secs(1)))), None);
        let sign_of_life = next_value(&step(4), Some((5.0, Duration::from_secs(5))));
        assert!(sign_of_life.is_some_and(|value| value > 5.0));
    }
}
