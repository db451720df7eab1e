//! Shutdown: one way to ask a server to end, whatever the reason.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How often the parent is looked for. Cheap enough to be idle, quick enough to leave no orphan.
const LOOK_FOR_PARENT: Duration = Duration::from_secs(2);

/// Asks a server to end. Clones ask the same server.
#[derive(Clone, Debug, Default)]
pub struct Shutdown {
    token: CancellationToken,
}

impl Shutdown {
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the server: calls under way get a moment to finish.
    pub fn request(&self) {
        self.token.cancel();
    }

    pub fn is_requested(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Resolves when the end was asked for.
    pub async fn requested(&self) {
        self.token.cancelled().await;
    }

    pub(crate) fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Asks for the end on SIGTERM, SIGINT or SIGHUP, from now on. Needs a tokio runtime.
    pub fn on_signals(&self) -> std::io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        let shutdown = self.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
                _ = hang_up.recv() => {}
                () = shutdown.requested() => {}
            }
            shutdown.request();
        });
        Ok(())
    }
}

/// Resolves when this process was left by the one that started it.
pub(crate) async fn parent_gone() {
    let first = rustix::process::getppid();
    let mut look = tokio::time::interval(LOOK_FOR_PARENT);
    loop {
        look.tick().await;
        if rustix::process::getppid() != first {
            return;
        }
    }
}
