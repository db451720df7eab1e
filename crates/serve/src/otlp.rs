//! OTLP over HTTP: steps of missions to the collector that a user named, from a thread of its own.
//!
//! A collector that is slow, dead or hostile costs no call anything: spans wait in a bounded queue and are dropped when
//! it is full, every step of a request has a time limit, and no answer is read further than its first line.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use m1nd_runtime::{FlightSink, otlp_request};
use serde_json::Value;

/// Spans that may wait.
const QUEUE: usize = 1_024;
/// Spans of one request.
const BATCH: usize = 128;
/// How long a span waits for others.
const LINGER: Duration = Duration::from_millis(200);
/// For each of: connecting, sending, and the answer's first bytes.
const PATIENCE: Duration = Duration::from_secs(1);
/// After a failure nothing is tried for so long.
const PAUSE: Duration = Duration::from_secs(5);
/// How long the end of the process waits for what is still to be sent.
const FAREWELL: Duration = Duration::from_millis(400);

/// Why an endpoint cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum OtlpError {
    #[error(
        "it must begin with http://; for a remote or encrypted one, run a collector on this machine that forwards"
    )]
    Scheme,
    #[error("it names no host")]
    Host,
    #[error("its port is no number")]
    Port,
}

/// Where to post.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Endpoint {
    host: String,
    port: u16,
    path: String,
}

impl Endpoint {
    /// As OpenTelemetry says: the address of a collector, to which the path of traces is added.
    fn parse(text: &str) -> Result<Self, OtlpError> {
        let rest = text.trim().strip_prefix("http://").ok_or(OtlpError::Scheme)?;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().map_err(|_| OtlpError::Port)?),
            _ => (authority, 4_318),
        };
        let plain = |c: char| c.is_ascii_graphic() && c != '@';
        if host.is_empty() || !host.chars().all(plain) || !path.chars().all(|c| c.is_ascii_graphic()) {
            return Err(OtlpError::Host);
        }
        let path = match path.trim_matches('/') {
            "" => "/v1/traces".to_owned(),
            path if path.ends_with("v1/traces") => format!("/{path}"),
            path => format!("/{path}/v1/traces"),
        };
        Ok(Self { host: host.trim_matches(['[', ']']).to_owned(), port, path })
    }
}

/// A collector that spans are sent to.
pub struct Otlp {
    queue: Option<SyncSender<Value>>,
    dropped: Arc<AtomicU64>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Otlp {
    /// Starts the thread; nothing is connected before there is something to send.
    pub fn start(endpoint: &str, version: &'static str) -> Result<Self, OtlpError> {
        let endpoint = Endpoint::parse(endpoint)?;
        let (queue, waiting) = sync_channel(QUEUE);
        let dropped = Arc::new(AtomicU64::new(0));
        let counter = Arc::clone(&dropped);
        let work = move || send_all(&endpoint, version, &waiting, &counter);
        let thread = std::thread::Builder::new().name("otlp".into()).spawn(work);
        let thread = thread.inspect_err(|err| tracing::warn!(%err, "no spans are sent")).ok();
        Ok(Self { queue: Some(queue), dropped, thread: Mutex::new(thread) })
    }

    /// Spans that were not delivered.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}

impl FlightSink for Otlp {
    fn step(&self, span: Value) {
        match self.queue.as_ref().map(|queue| queue.try_send(span)) {
            Some(Err(TrySendError::Full(_) | TrySendError::Disconnected(_))) => {
                self.dropped.fetch_add(1, Ordering::Relaxed);
            }
            Some(Ok(())) | None => {}
        }
    }
}

impl Drop for Otlp {
    /// Lets the thread send what waits, for a moment.
    fn drop(&mut self) {
        self.queue = None;
        let thread = self.thread.lock().ok().and_then(|mut thread| thread.take());
        let until = Instant::now() + FAREWELL;
        while let Some(thread) = &thread
            && !thread.is_finished()
            && Instant::now() < until
        {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn send_all(endpoint: &Endpoint, version: &str, waiting: &Receiver<Value>, dropped: &AtomicU64) {
    let mut failed: Option<Instant> = None;
    let mut told = false;
    while let Ok(first) = waiting.recv() {
        let mut batch = vec![first];
        let until = Instant::now() + LINGER;
        while batch.len() < BATCH {
            match waiting.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(span) => batch.push(span),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        let paused = failed.is_some_and(|at| at.elapsed() < PAUSE);
        let outcome = if paused { Err(io::Error::other("paused")) } else { post(endpoint, version, &batch) };
        match outcome {
            Ok(()) => failed = None,
            Err(err) => {
                dropped.fetch_add(batch.len() as u64, Ordering::Relaxed);
                if !paused {
                    failed = Some(Instant::now());
                }
                // Once is enough: a collector that is away stays away for long.
                if !std::mem::replace(&mut told, true) {
                    tracing::warn!(%err, host = %endpoint.host, "the collector took no spans; they are dropped");
                }
            }
        }
    }
}

fn post(endpoint: &Endpoint, version: &str, batch: &[Value]) -> io::Result<()> {
    let body = otlp_request(batch, version).to_string();
    let mut addresses = (endpoint.host.as_str(), endpoint.port).to_socket_addrs()?;
    let address = addresses.next().ok_or_else(|| io::Error::other("the host has no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: {}:{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        endpoint.path,
        endpoint.host,
        endpoint.port,
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())?;
    // `HTTP/1.1 200`: what follows is the collector's business.
    let mut status = [0; 12];
    stream.read_exact(&mut status)?;
    if status.starts_with(b"HTTP/1.") && status[9] == b'2' {
        Ok(())
    } else {
        Err(io::Error::other(format!("it answered {}", String::from_utf8_lossy(&status[9..]))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::io::{BufRead as _, BufReader};
    use std::net::TcpListener;

    #[test]
    fn endpoints_are_read_as_opentelemetry_writes_them() {
        let at = |text: &str| Endpoint::parse(text).map(|to| format!("{} {} {}", to.host, to.port, to.path));
        assert_eq!(at("http://localhost:4318").unwrap(), "localhost 4318 /v1/traces");
        assert_eq!(at("http://localhost").unwrap(), "localhost 4318 /v1/traces");
        assert_eq!(at("http://[::1]:9/otel/").unwrap(), "::1 9 /otel/v1/traces");
        assert_eq!(at("http://[::1]").unwrap(), "::1 4318 /v1/traces");
        assert_eq!(at("http://h:1/v1/traces").unwrap(), "h 1 /v1/traces");
        assert_eq!(at("https://h"), Err(OtlpError::Scheme));
        assert_eq!(at("http://"), Err(OtlpError::Host));
        assert_eq!(at("http://h:x"), Err(OtlpError::Port));
        assert_eq!(at("http://h/a b\r\nX: y"), Err(OtlpError::Host));
    }

    /// Answers one request, and says what was posted.
    fn collector(status: &'static str) -> (String, JoinHandle<(String, Value)>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let (mut line, mut first, mut length) = (String::new(), String::new(), 0);
            loop {
                line.clear();
                reader.read_line(&mut line).unwrap();
                if first.is_empty() {
                    first = line.trim().to_owned();
                }
                if let Some(value) = line.strip_prefix("Content-Length: ") {
                    length = value.trim().parse().unwrap();
                }
                if line.trim().is_empty() {
                    break;
                }
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            reader.get_mut().write_all(format!("HTTP/1.1 {status}\r\n\r\n").as_bytes()).unwrap();
            (first, serde_json::from_slice(&body).unwrap())
        });
        (endpoint, thread)
    }

    #[test]
    fn spans_reach_a_collector_together() {
        let (endpoint, thread) = collector("200 OK");
        let otlp = Otlp::start(&endpoint, "1.2.3").unwrap();
        otlp.step(json!({"name": "a"}));
        otlp.step(json!({"name": "b"}));
        drop(otlp);
        let (line, body) = thread.join().unwrap();
        assert_eq!(line, "POST /v1/traces HTTP/1.1");
        let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
        assert_eq!(*spans, json!([{"name": "a"}, {"name": "b"}]), "{body}");
    }

    #[test]
    fn a_collector_that_is_gone_or_says_nothing_holds_nobody_up() {
        // A port that was free a moment ago, and one where nobody ever answers.
        let gone = TcpListener::bind("127.0.0.1:0").unwrap();
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = gone.local_addr().unwrap();
        drop(gone);
        for address in [address, silent.local_addr().unwrap()] {
            let otlp = Otlp::start(&format!("http://{address}"), "1").unwrap();
            for step in 0..5_000 {
                otlp.step(json!({ "name": step }));
            }
            assert!(otlp.dropped() > 0, "the queue is bounded");
        }
    }
}
