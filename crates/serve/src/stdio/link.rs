//! Link: what the reader, the SDK and the writer of one connection share.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ProtocolVersion, RequestId,
    ServerJsonRpcMessage, ServerNotification, ServerResult,
};
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::jsonrpc::{Decoded, INVALID_REQUEST, Incoming, PARSE_ERROR, Rejection, decode, ids};

use super::frame::{Frame, Framing, MAX_MESSAGE, Problem};
use super::ledger::{Batch, Kind, Ledger};
use super::outbox::{HIGH_WATER, Outbox};

/// Requests in one batch; a client that wants more sends two.
const MAX_BATCH: usize = 1_000;

#[derive(Debug)]
pub(super) struct Link {
    outbox: Arc<Outbox>,
    ledger: Ledger,
    talk: Mutex<Talk>,
}

/// What the conversation has shown so far.
#[derive(Debug, Default)]
struct Talk {
    framing: Framing,
    version: Option<ProtocolVersion>,
    /// Before the first request the SDK takes nothing else.
    begun: bool,
}

impl Link {
    pub(super) fn start(to: impl Write + Send + 'static) -> std::io::Result<Arc<Self>> {
        Ok(Arc::new(Self::over(Outbox::start(to)?)))
    }

    pub(super) fn over(outbox: Arc<Outbox>) -> Self {
        Self { outbox, ledger: Ledger::default(), talk: Mutex::default() }
    }

    /// Answers a frame, or hands its messages on.
    pub(super) fn take(&self, frame: Frame, forward: &mut dyn FnMut(ClientJsonRpcMessage)) {
        match frame {
            Frame::Bad { framing, problem, id } => {
                self.talk.lock().framing = framing;
                self.reject(framing, &refusal(&problem, id));
            }
            Frame::Message(framing, bytes) => {
                let framing = self.settle(framing, &bytes);
                match decode(&bytes) {
                    Decoded::One(incoming) => self.accept(incoming, framing, bytes.len(), None, forward),
                    Decoded::Batch(parts) => self.batch(parts, framing, bytes.len(), forward),
                }
            }
        }
    }

    /// How the answer is framed. A line of junk says nothing about how the host frames its messages, so it is
    /// answered as the messages before it were.
    fn settle(&self, framing: Framing, bytes: &[u8]) -> Framing {
        let mut talk = self.talk.lock();
        let junk = framing == Framing::Line && !matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
        if !junk {
            talk.framing = framing;
        }
        talk.framing
    }

    fn accept(
        &self,
        incoming: Incoming,
        framing: Framing,
        bytes: usize,
        batch: Option<&Arc<Mutex<Batch>>>,
        forward: &mut dyn FnMut(ClientJsonRpcMessage),
    ) {
        match incoming {
            Incoming::Request(id, request) => {
                let kind = match *request {
                    ClientRequest::SubscriptionsListenRequest(_) => Kind::Subscription,
                    _ => Kind::Call,
                };
                if self.ledger.enter(id.clone(), framing, bytes, kind, batch.cloned()) {
                    self.talk.lock().begun = true;
                    forward(ClientJsonRpcMessage::request(*request, id));
                } else {
                    let why = "Another request with this id is under way.";
                    let rejection = Rejection::new(Some(ids::write(&id)), INVALID_REQUEST, why);
                    self.reject_in(batch, framing, &rejection);
                }
            }
            Incoming::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &*notification
                    && let Some(id) = &cancelled.params.request_id
                    && let Some((framing, bytes)) = self.ledger.strike(id, None)
                {
                    self.outbox.put(framing, bytes);
                }
                if self.talk.lock().begun {
                    forward(ClientJsonRpcMessage::notification(*notification));
                }
            }
            Incoming::Answer(message) if self.talk.lock().begun => forward(*message),
            Incoming::Answer(_) | Incoming::Ignored => {}
            Incoming::Rejected(rejection) => self.reject_in(batch, framing, &rejection),
        }
    }

    /// Batches came with 2025-03-26 and went with 2025-06-18.
    fn batch(
        &self,
        parts: Vec<Incoming>,
        framing: Framing,
        bytes: usize,
        forward: &mut dyn FnMut(ClientJsonRpcMessage),
    ) {
        let allowed = self
            .talk
            .lock()
            .version
            .as_ref()
            .is_some_and(|version| version.as_str() < ProtocolVersion::V_2025_06_18.as_str());
        let why = match parts.len() {
            _ if !allowed => "This revision of MCP has no batches: send one message at a time.",
            MAX_BATCH.. => "A batch has at most 1000 messages.",
            _ => {
                let answered =
                    |part: &&Incoming| matches!(part, Incoming::Request(..) | Incoming::Rejected(_));
                let batch = Batch::new(parts.iter().filter(answered).count());
                let share = bytes / parts.len();
                for part in parts {
                    self.accept(part, framing, share, Some(&batch), forward);
                }
                return;
            }
        };
        self.reject(framing, &Rejection::new(None, INVALID_REQUEST, why));
    }

    fn reject_in(&self, batch: Option<&Arc<Mutex<Batch>>>, framing: Framing, rejection: &Rejection) {
        let Some(batch) = batch else {
            return self.reject(framing, rejection);
        };
        if let Some(bytes) = batch.lock().done(Some(rejection.to_json())) {
            self.outbox.put(framing, bytes);
        }
    }

    fn reject(&self, framing: Framing, rejection: &Rejection) {
        self.outbox.put(framing, rejection.to_json());
    }

    /// Sends what the SDK has to say.
    pub(super) fn deliver(&self, message: ServerJsonRpcMessage) -> Result<(), serde_json::Error> {
        match message {
            ServerJsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    self.talk.lock().version = Some(result.protocol_version.clone());
                }
                let text = reply_text(&ids::write(&response.id), "result", &response.result)?;
                self.answer(&response.id, text);
            }
            ServerJsonRpcMessage::Error(error) => {
                let id = error.id.as_ref().map_or("null".into(), ids::write);
                let text = reply_text(&id, "error", &error.error)?;
                match &error.id {
                    Some(id) => self.answer(id, text),
                    None => self.put(text),
                }
            }
            ServerJsonRpcMessage::Notification(note)
                if dispensable(&note.notification) && self.outbox.bytes() > HIGH_WATER / 4 =>
            {
                tracing::debug!("progress was dropped: the host does not read");
            }
            other => self.put(serde_json::to_vec(&other)?),
        }
        Ok(())
    }

    fn answer(&self, id: &RequestId, text: Vec<u8>) {
        if let Some((framing, bytes)) = self.ledger.strike(id, Some(text)) {
            self.outbox.put(framing, bytes);
        }
    }

    fn put(&self, text: Vec<u8>) {
        let framing = self.talk.lock().framing;
        self.outbox.put(framing, text);
    }

    /// Blocks until another message may be read. False when there is no use in it.
    pub(super) fn wait_for_room(&self) -> bool {
        self.ledger.wait_for_room() && self.outbox.wait_for_room()
    }

    /// Resolves when no call is under way.
    pub(super) async fn idle(&self) {
        let mut calls = self.ledger.calls();
        // The sender lives in the ledger, which outlives this borrow.
        if let Err(gone) = calls.wait_for(|count| *count == 0).await {
            tracing::debug!(%gone, "the ledger is gone");
        }
    }

    pub(super) fn broken(&self) -> &CancellationToken {
        self.outbox.broken()
    }

    /// Stops the reader, and lets the writer finish what it has for a moment.
    pub(super) fn close(&self, patience: Duration) {
        self.ledger.close();
        self.outbox.close(patience);
    }
}

fn refusal(problem: &Problem, id: Option<String>) -> Rejection {
    let (code, message) = match problem {
        Problem::TooLong => {
            (INVALID_REQUEST, format!("The message is over {} MB and was not read.", MAX_MESSAGE >> 20))
        }
        Problem::Header => (PARSE_ERROR, "The Content-Length header cannot be read.".into()),
        Problem::Length { declared, found } if declared == found => (
            PARSE_ERROR,
            format!("Content-Length says {declared}, but the message is not complete after that many bytes."),
        ),
        Problem::Length { declared, found } => (
            PARSE_ERROR,
            format!("Content-Length says {declared}, but the message ends after {found} bytes."),
        ),
        Problem::NoJson => (PARSE_ERROR, "The message is not a JSON object.".into()),
    };
    Rejection::new(id, code, message)
}

fn dispensable(notification: &ServerNotification) -> bool {
    matches!(
        notification,
        ServerNotification::ProgressNotification(_) | ServerNotification::LoggingMessageNotification(_)
    )
}

/// An answer with the id exactly as the client wrote it.
fn reply_text(id: &str, member: &str, value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = format!(r#"{{"jsonrpc":"2.0","id":{id},"{member}":"#).into_bytes();
    serde_json::to_writer(&mut text, value)?;
    text.push(b'}');
    Ok(text)
}
