//! Changes: tells every connected host that the tool list has changed, in either era.

use std::sync::Arc;
use std::time::{Duration, Instant};

use m1nd_runtime::Runtime;
use parking_lot::Mutex;
use rmcp::service::SubscriptionContext;
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A host that does not take a notification for so long does not get it.
const PATIENCE: Duration = Duration::from_secs(5);
/// Above this, closed connections are looked for whenever one opens.
const SWEEP_ABOVE: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct Changes {
    version: watch::Sender<u64>,
    newest: Arc<Mutex<Option<Instant>>>,
    /// Hosts of the era with sessions, which are told without asking.
    peers: Arc<Mutex<Vec<Peer<RoleServer>>>>,
    stop: CancellationToken,
}

impl Changes {
    /// Listens to the runtime until `stop`. Needs a tokio runtime.
    pub(crate) fn watch(runtime: &Runtime, stop: CancellationToken) -> Self {
        let changes = Self {
            version: watch::Sender::new(runtime.surface_version()),
            newest: Arc::default(),
            peers: Arc::default(),
            stop,
        };
        let (version, newest) = (changes.version.clone(), Arc::clone(&changes.newest));
        runtime.on_surface_change(move || {
            *newest.lock() = Some(Instant::now());
            version.send_modify(|version| *version += 1);
        });
        tokio::spawn(changes.clone().tell_peers());
        changes
    }

    pub(crate) fn add(&self, peer: Peer<RoleServer>) {
        let mut peers = self.peers.lock();
        if peers.len() >= SWEEP_ABOVE {
            peers.retain(|peer| !peer.is_transport_closed());
        }
        peers.push(peer);
    }

    async fn tell_peers(self) {
        let mut seen = self.version.subscribe();
        while self.changed(&mut seen).await {
            let peers = {
                let mut peers = self.peers.lock();
                peers.retain(|peer| !peer.is_transport_closed());
                peers.clone()
            };
            for peer in peers {
                tokio::spawn(async move {
                    match tokio::time::timeout(PATIENCE, peer.notify_tool_list_changed()).await {
                        Ok(Ok(())) => {}
                        Ok(Err(err)) => tracing::debug!(%err, "a host was not told of new tools"),
                        Err(_) => tracing::debug!("a host did not take the news of new tools"),
                    }
                });
            }
        }
    }

    /// Serves one subscription of the era without sessions.
    pub(crate) async fn listen(&self, subscription: &SubscriptionContext) {
        let mut seen = self.version.subscribe();
        // The subscriber was told that it is one before this line: a change in between is not lost.
        if self.newest.lock().is_some_and(|at| at.elapsed() < PATIENCE) {
            seen.mark_changed();
        }
        loop {
            tokio::select! {
                () = subscription.cancelled() => return,
                more = self.changed(&mut seen) => if !more { return },
            }
            // The SDK confirms nothing once it is ending.
            tokio::select! {
                sent = subscription.sink().notify_tool_list_changed() => if let Err(err) = sent {
                    tracing::debug!(%err, "a subscriber was not told of new tools");
                },
                () = self.stop.cancelled() => return,
            }
        }
    }

    /// False when there will be no more changes.
    async fn changed(&self, seen: &mut watch::Receiver<u64>) -> bool {
        tokio::select! {
            changed = seen.changed() => changed.is_ok(),
            () = self.stop.cancelled() => false,
        }
    }
}
