//! MCP over standard input and output: line-delimited JSON, or `Content-Length` frames.

mod frame;
mod json_end;
mod ledger;
mod link;
mod lost_id;
mod outbox;
#[cfg(test)]
mod properties;
mod transport;

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use m1nd_runtime::Runtime;
use rmcp::service::{ServerInitializeError, serve_server};
use tokio_util::sync::CancellationToken;

use crate::ServeError;
use crate::handler::Handler;
use crate::shutdown::{Shutdown, parent_gone};
use link::Link;
use transport::Stdio;

/// How a stdio server behaves.
#[derive(Clone, Debug)]
pub struct StdioOptions {
    pub shutdown: Shutdown,
    /// End when the process that started this one is gone.
    pub watch_parent: bool,
}

impl Default for StdioOptions {
    fn default() -> Self {
        Self { shutdown: Shutdown::new(), watch_parent: true }
    }
}

/// Why a stdio server ended. None of these is a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The host closed our input, or stopped reading our output.
    HostLeft,
    /// The process that started this one is gone.
    ParentGone,
    /// [`Shutdown`] was asked for.
    Asked,
}

/// A host that closed the input may still want the answers to what it sent.
const PATIENCE_AFTER_INPUT: Duration = Duration::from_millis(2_500);
/// Two seconds in all, with the time to write and to persist.
const PATIENCE_AFTER_SIGNAL: Duration = Duration::from_millis(1_000);
/// What calls get to notice that they are cancelled.
const PATIENCE_AFTER_CANCEL: Duration = Duration::from_millis(400);
/// What the writer gets for answers that are ready, when the host is likely to read them.
const PATIENCE_FOR_WRITING: Duration = Duration::from_millis(1_000);
/// The same when it is not, or when time is short.
const PATIENCE_FOR_LAST_WORDS: Duration = Duration::from_millis(200);

/// Serves this process's standard input and output until the host leaves.
///
/// Calls that ignore cancellation may still be running on blocking threads when this returns: end
/// the process, or the tokio runtime with `shutdown_background`, and do not wait for them.
pub async fn stdio(runtime: Arc<Runtime>, options: StdioOptions) -> Result<Ended, ServeError> {
    serve_pipes(runtime, options, std::io::stdin(), std::io::stdout()).await
}

/// Serves any pair of pipes.
pub async fn serve_pipes(
    runtime: Arc<Runtime>,
    options: StdioOptions,
    from: impl Read + Send + 'static,
    to: impl Write + Send + 'static,
) -> Result<Ended, ServeError> {
    let link = Link::start(to).map_err(ServeError::Thread)?;
    let closing = CancellationToken::new();
    let stop = CancellationToken::new();
    let transport =
        Stdio::start(from, Arc::clone(&link), closing.clone(), stop.clone(), PATIENCE_AFTER_INPUT)
            .map_err(ServeError::Thread)?;
    let handler = Handler::new(runtime, stop.clone()).asking_for_roots();
    let conversation = tokio::spawn(converse(handler, transport));
    let mut conversation = std::pin::pin!(conversation);
    let ended = tokio::select! {
        done = &mut conversation => {
            finished(done);
            close(link, PATIENCE_FOR_WRITING).await;
            return Ok(Ended::HostLeft);
        }
        // The transport gave up waiting for the calls that were under way at the end of the input.
        () = stop.cancelled() => Ended::HostLeft,
        () = options.shutdown.requested() => Ended::Asked,
        () = parent_gone(), if options.watch_parent => Ended::ParentGone,
    };
    tracing::info!(?ended, "ending");
    closing.cancel();
    if ended == Ended::Asked && tokio::time::timeout(PATIENCE_AFTER_SIGNAL, link.idle()).await.is_err() {
        tracing::info!("calls under way are cancelled");
    }
    stop.cancel();
    match tokio::time::timeout(PATIENCE_AFTER_CANCEL, &mut conversation).await {
        Ok(done) => finished(done),
        Err(_) => tracing::info!("a call did not stop in time and is left behind"),
    }
    let writing = match ended {
        Ended::HostLeft => PATIENCE_FOR_WRITING,
        Ended::Asked | Ended::ParentGone => PATIENCE_FOR_LAST_WORDS,
    };
    close(link, writing).await;
    Ok(ended)
}

async fn converse(handler: Handler, transport: Stdio) {
    match serve_server(handler, transport).await {
        Ok(running) => {
            if let Err(err) = running.waiting().await {
                tracing::error!(%err, "the conversation broke off");
            }
        }
        // A host that starts a server and says nothing has done nothing wrong.
        Err(ServerInitializeError::ConnectionClosed(_)) => tracing::debug!("no request came"),
        Err(err) => tracing::warn!(%err, "the conversation did not begin"),
    }
}

fn finished(done: Result<(), tokio::task::JoinError>) {
    if let Err(err) = done {
        tracing::error!(%err, "the conversation failed");
    }
}

/// Waits for the writer on a thread that may wait.
async fn close(link: Arc<Link>, patience: Duration) {
    let closed = tokio::task::spawn_blocking(move || link.close(patience)).await;
    if let Err(err) = closed {
        tracing::warn!(%err, "the output was not closed");
    }
}
