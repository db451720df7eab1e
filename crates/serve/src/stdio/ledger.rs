//! Ledger: the requests that wait for their answer, so that each gets exactly one.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::{Condvar, Mutex};
use rmcp::model::RequestId;
use tokio::sync::watch;

use super::frame::Framing;

/// Requests under way at once. A host that sends more waits for answers first.
const MAX_OPEN: usize = 1_024;
/// Bytes of the requests under way at once.
const MAX_OPEN_BYTES: usize = 128 << 20;

/// What a request is, as far as waiting for it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Call,
    /// Stays open until the connection ends.
    Subscription,
}

#[derive(Debug)]
struct Open {
    framing: Framing,
    bytes: usize,
    kind: Kind,
    batch: Option<Arc<Mutex<Batch>>>,
}

/// Answers of one batch, which leave together.
#[derive(Debug, Default)]
pub(super) struct Batch {
    waiting: usize,
    answers: Vec<Vec<u8>>,
}

impl Batch {
    pub(super) fn new(waiting: usize) -> Arc<Mutex<Self>> {
        Arc::new(Mutex::new(Self { waiting, answers: Vec::new() }))
    }

    /// Counts one member as done. The last one gets the array, unless there was nothing to answer.
    pub(super) fn done(&mut self, answer: Option<Vec<u8>>) -> Option<Vec<u8>> {
        self.waiting = self.waiting.saturating_sub(1);
        self.answers.extend(answer);
        if self.waiting > 0 || self.answers.is_empty() {
            return None;
        }
        let mut array = vec![b'['];
        array.extend(self.answers.join(&b','));
        array.push(b']');
        Some(array)
    }
}

#[derive(Debug, Default)]
struct Book {
    open: HashMap<RequestId, Open>,
    bytes: usize,
    closed: bool,
}

#[derive(Debug)]
pub(super) struct Ledger {
    book: Mutex<Book>,
    changed: Condvar,
    calls: watch::Sender<usize>,
}

impl Default for Ledger {
    fn default() -> Self {
        Self { book: Mutex::default(), changed: Condvar::new(), calls: watch::Sender::new(0) }
    }
}

impl Ledger {
    /// Enters a request. False when its id is already in use: the SDK could not tell the two apart.
    pub(super) fn enter(
        &self,
        id: RequestId,
        framing: Framing,
        bytes: usize,
        kind: Kind,
        batch: Option<Arc<Mutex<Batch>>>,
    ) -> bool {
        let mut book = self.book.lock();
        if book.open.contains_key(&id) {
            return false;
        }
        book.bytes += bytes;
        let open = Open { framing, bytes, kind, batch };
        book.open.insert(id, open);
        if kind == Kind::Call {
            self.calls.send_modify(|count| *count += 1);
        }
        true
    }

    /// Strikes a request out, with its answer, or without one when it was cancelled. Returns the
    /// bytes that go out now.
    pub(super) fn strike(&self, id: &RequestId, answer: Option<Vec<u8>>) -> Option<(Framing, Vec<u8>)> {
        let open = {
            let mut book = self.book.lock();
            let open = book.open.remove(id)?;
            book.bytes -= open.bytes;
            self.changed.notify_all();
            open
        };
        let leaving = match &open.batch {
            Some(batch) => batch.lock().done(answer),
            None => answer,
        };
        if open.kind == Kind::Call {
            self.calls.send_modify(|count| *count -= 1);
        }
        leaving.map(|bytes| (open.framing, bytes))
    }

    /// Blocks while too many requests are under way. Returns false once the ledger is closed.
    pub(super) fn wait_for_room(&self) -> bool {
        let mut book = self.book.lock();
        while !book.closed && (book.open.len() >= MAX_OPEN || book.bytes > MAX_OPEN_BYTES) {
            self.changed.wait(&mut book);
        }
        !book.closed
    }

    pub(super) fn close(&self) {
        self.book.lock().closed = true;
        self.changed.notify_all();
    }

    /// How many calls are under way, as it changes.
    pub(super) fn calls(&self) -> watch::Receiver<usize> {
        self.calls.subscribe()
    }
}
