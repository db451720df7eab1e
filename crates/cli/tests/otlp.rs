//! Steps of missions go to a collector when the user names one, and to nobody else.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use tempfile::TempDir;

struct Desk {
    dir: TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        m1nd_testkit::lay_out(&dir.path().join("repo"), "//- a.py\ndef a(): ...\n");
        fs::create_dir(dir.path().join("repo/.git")).unwrap();
        fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    fn call(&self, variables: &[(&str, &str)], tool: &str, arguments: Value) -> Value {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("m1nd"));
        for (name, _) in std::env::vars_os() {
            if ["M1ND_", "OTEL_"].iter().any(|start| name.to_string_lossy().starts_with(start)) {
                command.env_remove(name);
            }
        }
        let output = command
            .args(["call", tool, "--json", &arguments.to_string()])
            .current_dir(self.dir.path().join("repo"))
            .env("M1ND_HOME", self.dir.path().join("home"))
            .env("HOME", self.dir.path())
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A mission with one step that is told with the given settings.
    fn play(&self, variables: &[(&str, &str)]) -> String {
        let begun = self.call(variables, "mission_start", json!({"goal": "find it", "mode": "bug_hunt"}));
        let id = begun["mission_id"].as_str().unwrap().to_owned();
        let step = json!({"mission_id": id, "event_type": "test_run", "target": "cargo test",
            "evidence_class": "test_run", "outcome": "failed", "duration_ms": 20, "agent_confidence": 0.5});
        self.call(variables, "mission_event", step);
        id
    }
}

/// Takes one request.
fn collector() -> (String, JoinHandle<Value>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let mut reader = BufReader::new(listener.accept().unwrap().0);
        let (mut line, mut length) = (String::new(), 0);
        while reader.read_line(&mut line).unwrap() > 2 {
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.trim().parse().unwrap();
            }
            line.clear();
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").unwrap();
        serde_json::from_slice(&body).unwrap()
    });
    (endpoint, thread)
}

#[test]
fn a_step_becomes_a_span_with_the_fields_of_the_flight_recorder() {
    for variable in ["M1ND_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", "config.toml"] {
        let desk = Desk::new();
        let (endpoint, thread) = collector();
        let id = if variable == "config.toml" {
            fs::write(desk.dir.path().join("home/config.toml"), format!("otlp_endpoint = \"{endpoint}\"\n"))
                .unwrap();
            desk.play(&[])
        } else {
            desk.play(&[(variable, &endpoint)])
        };
        let body = thread.join().unwrap();
        let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
        assert_eq!(span["name"], "run test_run", "{body}");
        assert_eq!(
            (span["traceId"].as_str().unwrap().len(), span["spanId"].as_str().unwrap().len()),
            (32, 16)
        );
        let nanos = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
        assert_eq!(nanos("endTimeUnixNano") - nanos("startTimeUnixNano"), 20_000_000);
        let attributes = span["attributes"].as_array().unwrap();
        let value =
            |key: &str| attributes.iter().find(|one| one["key"] == key).map(|one| one["value"].clone());
        assert_eq!(value("m1nd.mission_id"), Some(json!({"stringValue": id})));
        assert_eq!(value("m1nd.target"), Some(json!({"stringValue": "cargo test"})));
        assert_eq!(value("m1nd.direct_evidence_count"), Some(json!({"intValue": "1"})));
        assert_eq!(value("m1nd.confidence_after"), Some(json!({"doubleValue": 0.5})));
    }
}

#[test]
fn a_collector_that_is_dead_or_cannot_be_used_fails_no_call() {
    let desk = Desk::new();
    let gone = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", gone.local_addr().unwrap());
    drop(gone);
    desk.play(&[("M1ND_OTLP_ENDPOINT", &endpoint)]);
    desk.play(&[("M1ND_OTLP_ENDPOINT", "https://example.invalid")]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    desk.play(&[("M1ND_OTLP_ENDPOINT", &format!("http://{}", silent.local_addr().unwrap()))]);
}

#[test]
fn nobody_hears_of_it_unless_the_user_said_so() {
    let desk = Desk::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    fs::write(desk.dir.path().join("repo/m1nd.toml"), format!("otlp_endpoint = \"{endpoint}\"\n")).unwrap();
    desk.play(&[]);
    desk.play(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint), ("M1ND_OTLP_ENDPOINT", "off")]);
    desk.play(&[("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint), ("OTEL_SDK_DISABLED", "true")]);
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}
