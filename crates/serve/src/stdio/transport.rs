//! Transport: the connection as the SDK sees it, which ends by winding down.

use std::future::{Future, pending};
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::frame::Framer;
use super::link::Link;

/// Messages between the reader and the SDK.
const QUEUE: usize = 64;
/// A request that came too late; from the range that JSON-RPC leaves to servers.
const ENDING: i32 = -32000;
/// What is read at once.
const CHUNK: usize = 64 << 10;

pub(super) struct Stdio {
    link: Arc<Link>,
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    /// Asks for the end while the host is still there.
    closing: CancellationToken,
    /// Tells the calls under way to stop.
    stop: CancellationToken,
    /// How long calls under way may go on after the input ended.
    patience: Duration,
    winding_down: Option<Instant>,
}

impl Stdio {
    /// Starts the thread that reads. A thread of its own, because a blocked read cannot be cancelled
    /// and must not keep a runtime from ending.
    pub(super) fn start(
        from: impl Read + Send + 'static,
        link: Arc<Link>,
        closing: CancellationToken,
        stop: CancellationToken,
        patience: Duration,
    ) -> std::io::Result<Self> {
        let (send, messages) = mpsc::channel(QUEUE);
        let reader = Arc::clone(&link);
        std::thread::Builder::new().name("m1nd-stdin".into()).spawn(move || read(from, &reader, &send))?;
        Ok(Self { link, messages, closing, stop, patience, winding_down: None })
    }
}

fn read(mut from: impl Read, link: &Link, send: &mpsc::Sender<ClientJsonRpcMessage>) {
    let mut framer = Framer::default();
    let mut chunk = vec![0; CHUNK];
    let mut gone = false;
    let mut frames = Vec::new();
    while !gone {
        let read = match from.read(&mut chunk) {
            Ok(0) => break,
            Ok(read) => read,
            Err(err) if err.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(err) => {
                tracing::warn!(%err, "the input cannot be read");
                break;
            }
        };
        framer.push(&chunk[..read], &mut |frame| frames.push(frame));
        for frame in frames.drain(..) {
            gone |= !link.wait_for_room();
            link.take(frame, &mut |message| gone |= send.blocking_send(message).is_err());
        }
    }
    framer.finish(&mut |frame| link.take(frame, &mut |message| gone |= send.blocking_send(message).is_err()));
    if gone {
        tracing::debug!("the connection ended before its input");
    }
}

#[derive(Debug, thiserror::Error)]
#[error("an answer cannot be written as JSON: {0}")]
pub(super) struct Unwritable(#[from] serde_json::Error);

impl Transport<RoleServer> for Stdio {
    type Error = Unwritable;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Unwritable>> + Send + 'static {
        let link = Arc::clone(&self.link);
        async move { Ok(link.deliver(message)?) }
    }

    /// Can be dropped and called again at any time, as the SDK does.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        if self.winding_down.is_none() {
            let message = tokio::select! {
                message = self.messages.recv() => message,
                () = self.closing.cancelled() => None,
                () = self.link.broken().cancelled() => None,
            };
            if message.is_some() {
                return message;
            }
        }
        let until = *self.winding_down.get_or_insert_with(|| Instant::now() + self.patience);
        loop {
            tokio::select! {
                () = self.link.idle() => break,
                () = sleep_until(until) => break,
                () = self.link.broken().cancelled() => break,
                message = next(&mut self.messages) => match message {
                    ClientJsonRpcMessage::Request(late) => {
                        let why = ErrorData::new(ErrorCode(ENDING), "The server is ending.", None);
                        if let Err(err) = self.link.deliver(ServerJsonRpcMessage::error(why, Some(late.id))) {
                            tracing::warn!(%err, "a late request was not answered");
                        }
                    }
                    // Calls under way may wait for an answer, or be cancelled.
                    other => return Some(other),
                },
            }
        }
        self.stop.cancel();
        None
    }

    async fn close(&mut self) -> Result<(), Unwritable> {
        Ok(())
    }
}

/// Never resolves once the input has ended.
async fn next(messages: &mut mpsc::Receiver<ClientJsonRpcMessage>) -> ClientJsonRpcMessage {
    match messages.recv().await {
        Some(message) => message,
        None => pending().await,
    }
}
