//! A host on the other end of two pipes, as text.

#![allow(dead_code, reason = "each test file uses its own part")]

pub mod surface;

use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use m1nd_runtime::Runtime;
use m1nd_serve::{Ended, Shutdown, StdioOptions, serve_pipes};
use serde_json::{Value, json};

/// A server over pipes, and the host's ends of them.
pub struct Host {
    pub to: Option<PipeWriter>,
    pub from: BufReader<PipeReader>,
    pub shutdown: Shutdown,
    pub runtime: Arc<Runtime>,
    server: std::thread::JoinHandle<Ended>,
    _home: tempfile::TempDir,
}

impl Host {
    /// A server that has seen nothing yet.
    pub fn fresh() -> Self {
        let home = tempfile::tempdir().unwrap();
        let runtime = surface::runtime(home.path());
        let (theirs_in, to) = std::io::pipe().unwrap();
        let (from, theirs_out) = std::io::pipe().unwrap();
        let shutdown = Shutdown::new();
        let options = StdioOptions { shutdown: shutdown.clone(), watch_parent: false };
        let served = Arc::clone(&runtime);
        let server = std::thread::spawn(move || {
            let tokio = tokio::runtime::Runtime::new().unwrap();
            let ended = tokio.block_on(serve_pipes(served, options, theirs_in, theirs_out));
            tokio.shutdown_background();
            ended.unwrap()
        });
        Self { to: Some(to), from: BufReader::new(from), shutdown, runtime, server, _home: home }
    }

    /// A server after the handshake of a revision.
    pub fn speaking(version: &str) -> Self {
        Self::with_capabilities(version, json!({}))
    }

    pub fn with_capabilities(version: &str, capabilities: Value) -> Self {
        let mut host = Self::fresh();
        let reply = host.ask(
            "init",
            "initialize",
            json!({
                "protocolVersion": version,
                "capabilities": capabilities,
                "clientInfo": {"name": "test", "version": "0"},
            }),
        );
        assert_eq!(reply["result"]["protocolVersion"], version);
        host.tell("notifications/initialized", json!({}));
        host
    }

    pub fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let to = self.to.as_mut().expect("the input is open");
        to.write_all(bytes.as_ref()).unwrap();
    }

    pub fn line(&mut self, message: &Value) {
        self.write(format!("{message}\n"));
    }

    pub fn tell(&mut self, method: &str, params: Value) {
        self.line(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    pub fn send(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id: Value = id.into();
        self.line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// The next message, whatever it is.
    pub fn next(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|err| panic!("{err} in {line:?}"))
    }

    /// Sends a request and waits for its answer, past everything else.
    pub fn ask(&mut self, id: impl Into<Value>, method: &str, params: Value) -> Value {
        let id: Value = id.into();
        self.send(id.clone(), method, params);
        self.answer_to(id)
    }

    pub fn answer_to(&mut self, id: impl Into<Value>) -> Value {
        let id: Value = id.into();
        loop {
            let message = self.next();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    pub fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
        self.ask(id, "tools/call", call(tool, arguments))
    }

    /// Reads one `Content-Length` frame.
    pub fn next_frame(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.from.read_line(&mut line).unwrap();
            match line.trim().strip_prefix("Content-Length: ") {
                Some(value) => length = value.parse().unwrap(),
                None if line == "\r\n" => break,
                None => panic!("{line:?} is no header"),
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// Closes the input and returns what still came, how the server ended and how long it took.
    pub fn close(mut self) -> (String, Ended, Duration) {
        self.to = None;
        let since = Instant::now();
        let mut rest = String::new();
        self.from.read_to_string(&mut rest).unwrap();
        let ended = self.server.join().unwrap();
        (rest, ended, since.elapsed())
    }

    /// Asks for the end and returns what still came and how long it took.
    pub fn stop(mut self) -> (String, Duration) {
        let since = Instant::now();
        self.shutdown.request();
        let mut rest = String::new();
        self.from.read_to_string(&mut rest).unwrap();
        assert_eq!(self.server.join().unwrap(), Ended::Asked);
        (rest, since.elapsed())
    }
}

pub fn call(tool: &str, arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["agent_id"] = json!("tester");
    json!({"name": tool, "arguments": arguments})
}

pub fn request(id: impl Into<Value>, method: &str) -> String {
    let id: Value = id.into();
    json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string()
}
