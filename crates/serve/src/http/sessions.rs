//! Sessions of clients before 2026-07-28: kept while they are used, and never too many.

use std::collections::HashMap;
use std::time::Duration;

use futures::Stream;
use parking_lot::Mutex;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};

/// Beyond this, the session that was used least recently ends; its client starts a new one.
const MAX_SESSIONS: usize = 1_024;

/// Agents think, and people have lunch: a session that nobody closed ends after a day.
const IDLE: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Debug)]
pub(super) struct Sessions {
    inner: LocalSessionManager,
    used: Mutex<Used>,
}

/// When each session was last used, in ticks of its own.
#[derive(Debug, Default)]
struct Used {
    last: HashMap<SessionId, u64>,
    now: u64,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(IDLE);
        Self { inner, used: Mutex::default() }
    }
}

impl Used {
    fn touch(&mut self, id: &SessionId) {
        self.now += 1;
        let now = self.now;
        if let Some(last) = self.last.get_mut(id) {
            *last = now;
        }
    }

    /// Enters a new session. Returns the one that has to go for it.
    fn enter(&mut self, id: SessionId, most: usize) -> Option<SessionId> {
        let oldest = || self.last.iter().min_by_key(|(_, last)| **last);
        let evicted = (self.last.len() >= most).then(|| oldest().map(|(id, _)| id.clone())).flatten();
        if let Some(id) = &evicted {
            self.last.remove(id);
        }
        self.now += 1;
        self.last.insert(id, self.now);
        evicted
    }
}

type Inner = LocalSessionManager;

impl SessionManager for Sessions {
    type Error = <Inner as SessionManager>::Error;
    type Transport = <Inner as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.inner.create_session().await?;
        let evicted = self.used.lock().enter(id.clone(), MAX_SESSIONS);
        if let Some(evicted) = evicted {
            tracing::info!("too many sessions: the oldest ends");
            self.inner.close_session(&evicted).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.used.lock().touch(id);
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.used.lock().last.remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.inner.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_session_used_least_recently_goes_first() {
        let mut used = Used::default();
        let id = |name: &str| SessionId::from(name.to_owned());
        assert_eq!(used.enter(id("a"), 2), None);
        assert_eq!(used.enter(id("b"), 2), None);
        used.touch(&id("a"));
        used.touch(&id("unknown"));
        assert_eq!(used.enter(id("c"), 2), Some(id("b")));
        assert_eq!(used.last.len(), 2);
    }
}
