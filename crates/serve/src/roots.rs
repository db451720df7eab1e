//! Roots: the client's first folder becomes the workspace, unless a stronger choice was made.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use m1nd_runtime::Runtime;
use m1nd_runtime::workspace::BindingSource;
use percent_encoding::percent_decode_str;
use rmcp::model::{ClientCapabilities, ListRootsResult};
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;

/// How long a call waits for the client to say where it works.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long an answer is still of use.
const GIVE_UP: Duration = Duration::from_secs(30);

#[derive(Clone, Debug)]
pub(crate) struct Roots {
    runtime: Arc<Runtime>,
    /// Whether the client has roots that matter.
    wanted: Arc<AtomicBool>,
    /// Whether calls should wait for them.
    asking: watch::Sender<bool>,
}

impl Roots {
    pub(crate) fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime, wanted: Arc::default(), asking: watch::Sender::new(false) }
    }

    /// Makes calls wait, from the moment the client says that it has roots.
    pub(crate) fn expect(&self, client: &ClientCapabilities) {
        let decided =
            self.runtime.workspace().is_some_and(|bound| bound.source() < BindingSource::ClientRoot);
        if client.roots.is_some() && !decided {
            self.wanted.store(true, Ordering::Release);
            self.asking.send_replace(true);
        }
    }

    /// Asks, if there was something to expect, and binds.
    pub(crate) async fn ask(&self, peer: &Peer<RoleServer>) {
        if !self.wanted.load(Ordering::Acquire) {
            return;
        }
        let answer = tokio::time::timeout(GIVE_UP, peer.list_roots()).await;
        match answer {
            Ok(Ok(roots)) => self.bind(&roots).await,
            Ok(Err(err)) => tracing::info!(%err, "the client did not say where it works"),
            Err(_) => tracing::info!("the client did not say in time where it works"),
        }
        self.asking.send_replace(false);
    }

    async fn bind(&self, roots: &ListRootsResult) {
        let Some(folder) = roots.roots.iter().find_map(|root| folder_of(&root.uri)) else {
            return;
        };
        let runtime = Arc::clone(&self.runtime);
        let bound = tokio::task::spawn_blocking(move || {
            // Binding anew to the same folder would throw its state away.
            let real = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            let same = |bound: Arc<m1nd_runtime::workspace::Workspace>| bound.root().path() == real;
            if runtime.workspace().is_some_and(same) {
                return;
            }
            match runtime.bind(&folder, BindingSource::ClientRoot) {
                Ok(bound) => tracing::info!(folder = %folder.display(), bound, "the client's root"),
                Err(err) => tracing::warn!(%err, "the client's root is no workspace"),
            }
        })
        .await;
        if let Err(err) = bound {
            tracing::error!(%err, "binding broke off");
        }
    }

    /// Waits until the client has said where it works, for a moment and only the first time.
    pub(crate) async fn settled(&self) {
        let mut asking = self.asking.subscribe();
        let settled = tokio::time::timeout(PATIENCE, asking.wait_for(|asking| !*asking)).await;
        if settled.is_err() {
            // Once is enough: the next call does not wait again.
            self.asking.send_replace(false);
        }
    }
}

/// The folder behind a `file://` address.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    let host = &rest[..rest.len() - path.len()];
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    let path = Path::new(OsStr::from_bytes(&bytes));
    (!bytes.contains(&0)).then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_files_are_folders() {
        let folder = |uri| folder_of(uri).map(|path| path.display().to_string());
        assert_eq!(folder("file:///a%20b/c%C3%A9").as_deref(), Some("/a b/cé"));
        assert_eq!(folder("file://localhost/a").as_deref(), Some("/a"));
        assert_eq!(folder("file://server/a"), None);
        assert_eq!(folder("https://x/a"), None);
        assert_eq!(folder("file:///a%00b"), None);
    }
}
