//! Logging: defects of ours, told to hosts that asked to be told.

use std::sync::Arc;

use m1nd_contract::Code;
use m1nd_runtime::Reply;
use parking_lot::Mutex;
use rmcp::RoleServer;
use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::RequestContext;

/// The level that a host set with `logging/setLevel`. Nothing is sent before it did.
#[derive(Clone, Debug, Default)]
pub(super) struct Log {
    level: Arc<Mutex<Option<LoggingLevel>>>,
}

impl Log {
    pub(super) fn set(&self, level: LoggingLevel) {
        *self.level.lock() = Some(level);
    }

    /// Tells of a reply that owes its failure to m1nd.
    pub(super) async fn failure(&self, reply: &Reply, context: &RequestContext<RoleServer>) {
        let code = reply.body.pointer("/error/code").and_then(|code| code.as_str());
        if !reply.is_error || code != Some(Code::Internal.as_str()) {
            return;
        }
        let wanted = context.meta.log_level().or_else(|| *self.level.lock());
        if wanted.is_none_or(|wanted| rank(wanted) > rank(LoggingLevel::Error)) {
            return;
        }
        let message =
            LoggingMessageNotificationParam::new(LoggingLevel::Error, reply.body.clone()).with_logger("m1nd");
        let sent = context.peer.notify_logging_message(message).await;
        if let Err(err) = sent {
            tracing::debug!(%err, "a log message was not sent");
        }
    }
}

/// Syslog's order, least severe first.
fn rank(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        _ => 7,
    }
}
