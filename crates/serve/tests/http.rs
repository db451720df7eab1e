//! Clients talk to a server over HTTP: both eras, refusals, and crowds.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use m1nd_serve::{HttpOptions, HttpServer, ServeError, Shutdown};
use serde_json::{Value, json};
use support::{call, surface};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

struct Server {
    address: SocketAddr,
    shutdown: Shutdown,
    thread: Option<std::thread::JoinHandle<()>>,
    _home: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let runtime = surface::runtime(home.path());
        let shutdown = Shutdown::new();
        let mut options = HttpOptions::new("127.0.0.1:0".parse().unwrap(), TOKEN);
        options.shutdown = shutdown.clone();
        let tokio = tokio::runtime::Runtime::new().unwrap();
        let server = tokio.block_on(HttpServer::bind(options)).unwrap();
        let address = server.address();
        let thread = std::thread::spawn(move || {
            tokio.block_on(server.run(runtime));
            tokio.shutdown_background();
        });
        Self { address, shutdown, thread: Some(thread), _home: home }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Sends one request on a connection of its own. `headers` are added to the usual ones, or
    /// replace them.
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let mut stream = self.connect();
        stream.write_all(self.text(method, headers, body).as_bytes()).unwrap();
        BufReader::new(stream)
    }

    fn text(&self, method: &str, headers: &[(&str, &str)], body: &str) -> String {
        let (host, bearer) = (self.address.to_string(), format!("Bearer {TOKEN}"));
        let usual = [
            ("Host", host.as_str()),
            ("Authorization", &bearer),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Connection", "close"),
        ];
        let mut text = format!("{method} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in usual {
            if !headers.iter().any(|(other, _)| *other == name) {
                text += &format!("{name}: {value}\r\n");
            }
        }
        for (name, value) in headers.iter().filter(|(_, value)| *value != "-") {
            text += &format!("{name}: {value}\r\n");
        }
        text + "\r\n" + body
    }

    fn status(&self, method: &str, headers: &[(&str, &str)], body: &str) -> u16 {
        Reply::read(self.send(method, headers, body)).status
    }

    /// A request of the era without sessions.
    fn ask(&self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let name = params["name"].as_str().unwrap_or("-").to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let headers = [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method), ("Mcp-Name", &name)];
        let reply = Reply::read(self.send("POST /mcp", &headers, &body));
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.message()
    }

    fn stop(&mut self) -> Duration {
        let since = Instant::now();
        self.shutdown.request();
        self.thread.take().unwrap().join().unwrap();
        since.elapsed()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shutdown.request();
    }
}

struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn read(mut from: BufReader<TcpStream>) -> Self {
        let head = head(&mut from);
        let mut body = String::new();
        from.read_to_string(&mut body).unwrap();
        Self { status: head[9..12].parse().unwrap(), head: head.to_ascii_lowercase(), body }
    }

    /// The answer in a body, which may be one JSON object or a stream of events.
    fn message(&self) -> Value {
        let mut objects = self.body.lines().filter_map(|line| {
            let line = line.strip_prefix("data: ").unwrap_or(line);
            line.starts_with('{').then(|| serde_json::from_str::<Value>(line).unwrap())
        });
        objects.find(|object| object.get("id").is_some()).unwrap()
    }

    fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

fn head(from: &mut BufReader<TcpStream>) -> String {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(from.read_line(&mut head).unwrap(), 0, "the connection closed after {head:?}");
    }
    head
}

fn initialize(version: &str) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}})
    .to_string()
}

#[test]
fn both_eras_are_served_on_one_endpoint() {
    let server = Server::start();
    let said = server.ask("tools/call", call("echo", json!({"text": "hi"})));
    assert_eq!(said["result"]["structuredContent"]["said"], "hi");
    assert_eq!(server.ask("server/discover", json!({}))["result"]["instructions"], "Call echo.");

    let opened = Reply::read(server.send("POST /mcp", &[], &initialize("2025-11-25")));
    assert_eq!(opened.message()["result"]["protocolVersion"], "2025-11-25");
    let session = opened.header("mcp-session-id").unwrap();
    let headers = [("Mcp-Session-Id", session), ("MCP-Protocol-Version", "2025-11-25")];
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(server.status("POST /mcp", &headers, note), 202);
    let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call("echo", json!({"text": "old"}))});
    let said = Reply::read(server.send("POST /mcp", &headers, &body.to_string()));
    assert_eq!(said.message()["result"]["structuredContent"]["said"], "old");

    let mut stream = server.send("GET /mcp", &[headers[0], headers[1], ("Accept", "text/event-stream")], "");
    assert!(head(&mut stream).starts_with("HTTP/1.1 200"));
    server.ask("tools/call", call("grow", json!({})));
    let mut line = String::new();
    while !line.contains("notifications/tools/list_changed") {
        line.clear();
        assert_ne!(stream.read_line(&mut line).unwrap(), 0);
    }
    assert_eq!(server.status("DELETE /mcp", &headers, ""), 204);
    assert_eq!(server.status("POST /mcp", &headers, &body.to_string()), 404);
}

#[test]
fn nothing_is_served_to_strangers_on_any_route() {
    let server = Server::start();
    for route in ["POST /mcp", "GET /mcp", "GET /", "DELETE /mcp", "OPTIONS /mcp", "POST /none"] {
        let refused = Reply::read(server.send(route, &[("Authorization", "-")], "{}"));
        assert_eq!(refused.status, 401, "{route}");
        assert_eq!(refused.header("www-authenticate"), Some("bearer realm=\"m1nd\""));
        for (header, status) in [
            (("Authorization", "Bearer 0123456789abcdef"), 401),
            (("Authorization", "Basic 0123456789abcdef0123456789abcdef"), 401),
            (("Host", "evil.example"), 403),
            (("Origin", "https://evil.example"), 403),
            (("Origin", "null"), 403),
        ] {
            assert_eq!(server.status(route, &[header], "{}"), status, "{route} {header:?}");
        }
    }
    let url = format!("POST /mcp?token={TOKEN}");
    assert_eq!(server.status(&url, &[("Authorization", "-")], "{}"), 401);
    assert_eq!(server.status("GET /none", &[], ""), 404);
}

#[test]
fn what_is_no_message_is_answered_as_json_rpc_says() {
    let server = Server::start();
    for (body, code) in [
        ("{", -32700),
        ("7", -32600),
        ("[]", -32600),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
    ] {
        let reply = Reply::read(server.send("POST /mcp", &[], body));
        assert_eq!((reply.status, &reply.message()["error"]["code"]), (400, &json!(code)), "{body}");
    }
}

#[test]
fn large_bodies_are_refused_with_or_without_a_length() {
    let server = Server::start();
    let block = "x".repeat(1 << 20);
    let head_of = |line: &str| server.text("POST /mcp", &[], "").replace("Content-Length: 0", line);
    for (line, chunked) in [("Content-Length: 41943040", false), ("Transfer-Encoding: chunked", true)] {
        let mut stream = server.connect();
        stream.write_all(head_of(line).as_bytes()).unwrap();
        for _ in 0..40 {
            // A client that writes everything before it reads gets its answer too.
            match chunked {
                true => write!(stream, "{:x}\r\n{block}\r\n", block.len()).unwrap(),
                false => stream.write_all(block.as_bytes()).unwrap(),
            }
        }
        if chunked {
            stream.write_all(b"0\r\n\r\n").unwrap();
        }
        assert!(head(&mut BufReader::new(stream)).starts_with("HTTP/1.1 413"), "{line}");
    }
    let mut stream = server.connect();
    let polite = head_of("Content-Length: 41943040\r\nExpect: 100-continue");
    stream.write_all(polite.as_bytes()).unwrap();
    assert!(head(&mut BufReader::new(stream)).starts_with("HTTP/1.1 413"));
    assert_eq!(server.ask("tools/call", call("echo", json!({"text": "on"})))["result"]["isError"], false);
}

#[test]
fn slow_clients_do_not_hold_up_good_ones() {
    let server = Server::start();
    let slow: Vec<_> = (0..400)
        .map(|n| {
            let mut stream = server.connect();
            let text = server.text("POST /mcp", &[], "{}");
            // Some stop in the head, some in the body.
            let part = if n % 2 == 0 { 40 } else { text.len() - 1 };
            stream.write_all(&text.as_bytes()[..part]).unwrap();
            stream
        })
        .collect();
    let since = Instant::now();
    let said = server.ask("tools/call", call("echo", json!({"text": "quick"})));
    assert_eq!(said["result"]["isError"], false);
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    drop(slow);
}

#[test]
fn a_client_that_goes_away_cancels_its_call() {
    let server = Server::start();
    let mut params = call("wait", json!({"ms": 60_000}));
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
    let headers =
        [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", "wait")];
    // More than there are seats: if one stayed taken, the last call would wait for a minute.
    for _ in 0..100 {
        let stream = server.send("POST /mcp", &headers, &body);
        drop(stream);
    }
    let since = Instant::now();
    assert_eq!(server.ask("tools/call", call("echo", json!({})))["result"]["isError"], false);
    assert!(since.elapsed() < Duration::from_secs(3), "{:?}", since.elapsed());
}

#[test]
fn a_signal_ends_the_server_within_two_seconds() {
    for (tool, ms) in [("wait", 300), ("stubborn", 30_000)] {
        let mut server = Server::start();
        let opened = Reply::read(server.send("POST /mcp", &[], &initialize("2025-06-18")));
        let session = opened.header("mcp-session-id").unwrap().to_owned();
        let body = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call(tool, json!({"ms": ms}))});
        let stream = server.send("POST /mcp", &[("Mcp-Session-Id", &session)], &body.to_string());
        std::thread::sleep(Duration::from_millis(100));
        let took = server.stop();
        assert!(took < Duration::from_millis(1_900), "{tool} {took:?}");
        if tool == "wait" {
            assert_eq!(Reply::read(stream).message()["result"]["isError"], false);
        }
    }
}

#[test]
fn other_machines_are_let_in_only_when_asked_for() {
    let tokio = tokio::runtime::Runtime::new().unwrap();
    let mut options = HttpOptions::new("0.0.0.0:0".parse().unwrap(), TOKEN);
    let refused = tokio.block_on(HttpServer::bind(options.clone()));
    assert!(matches!(refused, Err(ServeError::NotLoopback { .. })));
    options.allow_remote = true;
    assert!(tokio.block_on(HttpServer::bind(options)).is_ok());
    let options = HttpOptions::new("127.0.0.1:0".parse().unwrap(), "short");
    let weak = tokio.block_on(HttpServer::bind(options));
    assert!(matches!(weak, Err(ServeError::WeakToken { .. })));
}
