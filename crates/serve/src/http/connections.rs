//! Connections: accepted, timed, counted, and the idle ones dropped when there are too many.

use std::collections::BTreeMap;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use parking_lot::Mutex;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service;

/// Time for a request's head, and for the next request on an open connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(20);
/// Connections at once, if the system allows so many files.
const MAX_CONNECTIONS: usize = 4_096;
/// Files that the rest of the process may want.
const SPARE_FILES: usize = 256;
/// Waiting before the next accept after the system refused one.
const BREATH: Duration = Duration::from_millis(50);

/// All connections of one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Connections {
    open: Arc<Mutex<BTreeMap<u64, Open>>>,
    tasks: TaskTracker,
}

#[derive(Clone, Debug)]
struct Open {
    /// Requests of this connection that are being answered.
    busy: Arc<AtomicUsize>,
    drop: CancellationToken,
}

impl Connections {
    /// Accepts until `closing`, then lets open connections finish what they do.
    pub(super) async fn accept(&self, listener: TcpListener, router: Router, closing: CancellationToken) {
        let most = most_connections();
        let mut number = 0;
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = closing.cancelled() => return,
            };
            match accepted {
                Ok((stream, _)) => {
                    number += 1;
                    self.make_room(most);
                    let open = Open { busy: Arc::default(), drop: CancellationToken::new() };
                    self.open.lock().insert(number, open.clone());
                    let all = Arc::clone(&self.open);
                    let (router, closing) = (router.clone(), closing.clone());
                    self.tasks.spawn(async move {
                        serve(stream, router, open, closing).await;
                        all.lock().remove(&number);
                    });
                }
                Err(err) => {
                    // Mostly too many open files: those that do nothing give theirs back.
                    tracing::warn!(%err, "a connection was not accepted");
                    self.make_room(self.open.lock().len());
                    tokio::time::sleep(BREATH).await;
                }
            }
        }
    }

    /// Drops the oldest connection that is not being answered, when there are `most`.
    fn make_room(&self, most: usize) {
        let mut open = self.open.lock();
        if open.len() < most.max(1) {
            return;
        }
        let idle = open
            .iter()
            .find(|(_, connection)| connection.busy.load(Ordering::Acquire) == 0)
            .map(|(number, _)| *number);
        if let Some(connection) = idle.and_then(|number| open.remove(&number)) {
            connection.drop.cancel();
        }
    }

    /// Waits a moment for all connections to end by themselves.
    pub(super) async fn finished(&self, patience: Duration) {
        self.tasks.close();
        if tokio::time::timeout(patience, self.tasks.wait()).await.is_err() {
            tracing::debug!("connections are still open");
        }
    }

    pub(super) fn drop_all(&self) {
        for connection in self.open.lock().values() {
            connection.drop.cancel();
        }
    }
}

async fn serve(stream: TcpStream, router: Router, open: Open, closing: CancellationToken) {
    if let Err(err) = stream.set_nodelay(true) {
        tracing::debug!(%err, "answers may be delayed");
    }
    let busy = Arc::clone(&open.busy);
    let service = tower::service_fn(move |request: hyper::Request<Incoming>| {
        let busy = Busy::new(&busy);
        let mut router = router.clone();
        async move {
            let response = router.call(request.map(Body::new)).await;
            // Busy until the answer's last byte, which may be a stream's.
            response.map(|response| response.map(|body| Answering { body, _busy: busy }))
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut connection = std::pin::pin!(connection);
    let mut asked = false;
    loop {
        tokio::select! {
            done = &mut connection => {
                if let Err(err) = done {
                    tracing::debug!(%err, "a connection broke off");
                }
                return;
            }
            () = open.drop.cancelled() => return,
            () = closing.cancelled(), if !asked => {
                asked = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}

/// Counts one request for as long as it lives.
struct Busy(Arc<AtomicUsize>);

impl Busy {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(count))
    }
}

/// An answer's body that keeps its connection busy.
struct Answering {
    body: Body,
    _busy: Busy,
}

impl hyper::body::Body for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        hyper::body::Body::size_hint(&self.body)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Raises the number of files to what the system allows, and leaves some for others.
fn most_connections() -> usize {
    let before = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: before.maximum, maximum: before.maximum })
        .map_err(io::Error::from);
    if let Err(err) = raised {
        tracing::debug!(%err, "the number of open files stays as it is");
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let files = usize::try_from(files).unwrap_or(usize::MAX);
    files.saturating_sub(SPARE_FILES).clamp(16, MAX_CONNECTIONS)
}
