//! Outbox: finished messages on their way to the host, written by one thread.

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tokio_util::sync::CancellationToken;

use super::frame::Framing;

/// Bytes that wait for a host that does not read. Above it no more requests are read.
pub(super) const HIGH_WATER: usize = 32 << 20;

/// Where answers wait. Putting never blocks; the reader looks at the level instead.
#[derive(Debug)]
pub(super) struct Outbox {
    inner: Mutex<Queue>,
    changed: Condvar,
    /// Cancelled when the host no longer takes anything.
    broken: CancellationToken,
}

#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Vec<u8>>,
    bytes: usize,
    writing: bool,
    closed: bool,
}

impl Outbox {
    /// An outbox and the thread that empties it.
    pub(super) fn start(to: impl Write + Send + 'static) -> std::io::Result<Arc<Self>> {
        let outbox = Arc::new(Self::new());
        let writer = Arc::clone(&outbox);
        std::thread::Builder::new().name("m1nd-stdout".into()).spawn(move || writer.write_all(to))?;
        Ok(outbox)
    }

    fn new() -> Self {
        Self { inner: Mutex::default(), changed: Condvar::new(), broken: CancellationToken::new() }
    }

    /// An outbox that nothing empties but [`drain`](Self::drain).
    #[cfg(test)]
    pub(super) fn kept() -> Arc<Self> {
        Arc::new(Self::new())
    }

    #[cfg(test)]
    pub(super) fn drain(&self) -> Vec<Vec<u8>> {
        let mut queue = self.inner.lock();
        queue.bytes = 0;
        queue.messages.drain(..).collect()
    }

    pub(super) fn put(&self, framing: Framing, json: Vec<u8>) {
        let message = framed(framing, json);
        let mut queue = self.inner.lock();
        if queue.closed {
            return;
        }
        queue.bytes += message.len();
        queue.messages.push_back(message);
        self.changed.notify_all();
    }

    pub(super) fn bytes(&self) -> usize {
        self.inner.lock().bytes
    }

    /// Blocks while too much is waiting. Returns false when nothing will be read any more.
    pub(super) fn wait_for_room(&self) -> bool {
        let mut queue = self.inner.lock();
        while queue.bytes > HIGH_WATER && !queue.closed {
            self.changed.wait(&mut queue);
        }
        !queue.closed
    }

    pub(super) fn broken(&self) -> &CancellationToken {
        &self.broken
    }

    /// Takes nothing more, and waits a moment for what is already here.
    pub(super) fn close(&self, patience: Duration) {
        let until = Instant::now() + patience;
        let mut queue = self.inner.lock();
        while (queue.writing || !queue.messages.is_empty()) && !queue.closed {
            if self.changed.wait_until(&mut queue, until).timed_out() {
                break;
            }
        }
        queue.closed = true;
        self.changed.notify_all();
    }

    fn write_all(&self, mut to: impl Write) {
        while let Some(message) = self.next() {
            let written = to.write_all(&message).and_then(|()| to.flush());
            let mut queue = self.inner.lock();
            queue.bytes -= message.len();
            queue.writing = false;
            if let Err(err) = written {
                tracing::info!(%err, "the host no longer reads");
                queue.closed = true;
                self.broken.cancel();
            }
            self.changed.notify_all();
        }
    }

    fn next(&self) -> Option<Vec<u8>> {
        let mut queue = self.inner.lock();
        loop {
            if queue.closed {
                return None;
            }
            if let Some(message) = queue.messages.pop_front() {
                queue.writing = true;
                return Some(message);
            }
            self.changed.wait(&mut queue);
        }
    }
}

fn framed(framing: Framing, mut json: Vec<u8>) -> Vec<u8> {
    match framing {
        Framing::Line => {
            json.push(b'\n');
            json
        }
        Framing::Header => {
            let mut message = format!("Content-Length: {}\r\n\r\n", json.len()).into_bytes();
            message.append(&mut json);
            message
        }
    }
}
