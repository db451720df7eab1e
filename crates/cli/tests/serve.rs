//! The server as a host starts it: the real program, real pipes, real signals.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// What the contract allows a server to take for its end.
const PATIENCE: Duration = Duration::from_secs(5);

struct Machine {
    dir: TempDir,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        m1nd_testkit::lay_out(&dir.path().join("repo"), "//- a.txt\nneedle\n");
        fs::create_dir(dir.path().join("repo/.git")).unwrap();
        Self { dir }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("m1nd"));
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("M1ND_") {
                command.env_remove(name);
            }
        }
        command
            .args(arguments)
            .current_dir(self.dir.path().join("repo"))
            .env("M1ND_HOME", self.home())
            .env("HOME", self.dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn home(&self) -> std::path::PathBuf {
        self.dir.path().join("home")
    }

    /// A stdio server that has answered `initialize`.
    fn serve(&self, arguments: &[&str]) -> (Child, BufReader<ChildStdout>) {
        let mut server = self.command(&[&["serve"], arguments].concat()).spawn().unwrap();
        let mut stdout = BufReader::new(server.stdout.take().unwrap());
        let reply = ask(
            &mut server,
            &mut stdout,
            &json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
            }}),
        );
        assert_eq!(reply["result"]["serverInfo"]["name"], "m1nd");
        (server, stdout)
    }
}

fn ask(server: &mut Child, stdout: &mut BufReader<ChildStdout>, request: &Value) -> Value {
    writeln!(server.stdin.as_mut().unwrap(), "{request}").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    serde_json::from_str(&line).unwrap_or_else(|err| panic!("{err}: {line:?}"))
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

fn ended(server: &mut Child) -> ExitStatus {
    let started = Instant::now();
    loop {
        if let Some(status) = server.try_wait().unwrap() {
            return status;
        }
        assert!(started.elapsed() < PATIENCE, "the server did not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(server: &Child, name: &str) {
    let done = Command::new("kill").args([&format!("-{name}"), &server.id().to_string()]).status().unwrap();
    assert!(done.success());
}

#[test]
fn a_call_answers_with_the_same_body_as_the_command_line() {
    let machine = Machine::new();
    let (mut server, mut stdout) = machine.serve(&[]);
    let reply = ask(&mut server, &mut stdout, &call("glob", json!({"agent_id": "cli", "pattern": "*"})));
    let result = &reply["result"];
    assert_eq!(
        serde_json::from_str::<Value>(result["content"][0]["text"].as_str().unwrap()).unwrap(),
        result["structuredContent"]
    );
    let output = machine.command(&["call", "glob", "--pattern", "*"]).output().unwrap();
    let mut printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut served = result["structuredContent"].clone();
    for body in [&mut printed, &mut served] {
        body.as_object_mut().unwrap().retain(|name, _| name != "elapsed_ms" && name != "freshness");
    }
    assert_eq!(printed, served);
}

#[test]
fn the_server_ends_when_its_input_closes() {
    let (mut server, _stdout) = Machine::new().serve(&[]);
    drop(server.stdin.take());
    assert!(ended(&mut server).success());
}

#[test]
fn the_server_ends_on_signals_and_says_nothing_but_protocol() {
    for name in ["TERM", "INT"] {
        let (mut server, mut stdout) = Machine::new().serve(&[]);
        signal(&server, name);
        assert!(ended(&mut server).success(), "SIG{name}");
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "");
        let mut errors = String::new();
        server.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert_eq!(errors, "", "nothing on stderr without -v");
    }
}

#[test]
fn the_server_ends_when_its_parent_dies_although_its_input_stays_open() {
    let machine = Machine::new();
    let pipe = machine.dir.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    // Opened for reading and writing, so that the server's input never ends.
    let mut held = fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let answers = machine.dir.path().join("answers");
    let binary = assert_cmd::cargo::cargo_bin!("m1nd");
    let script = format!(
        "{} serve < {} > {} & echo $!; exec sleep 60",
        binary.display(),
        pipe.display(),
        answers.display()
    );
    let mut shell = Command::new("sh")
        .args(["-c", &script])
        .current_dir(machine.dir.path().join("repo"))
        .env("M1ND_HOME", machine.home())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(shell.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let server: u32 = line.trim().parse().unwrap();
    let alive = || Path::new(&format!("/proc/{server}/exe")).exists();
    assert!(alive());
    writeln!(held, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "ping"})).unwrap();
    let started = Instant::now();
    while fs::metadata(&answers).map_or(0, |meta| meta.len()) == 0 {
        assert!(started.elapsed() < PATIENCE, "the server did not answer");
        std::thread::sleep(Duration::from_millis(20));
    }
    shell.kill().unwrap();
    shell.wait().unwrap();
    let started = Instant::now();
    while alive() {
        assert!(started.elapsed() < PATIENCE, "the server outlived its parent");
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(held);
}

#[test]
fn a_server_whose_workspace_is_gone_starts_and_says_why() {
    let machine = Machine::new();
    let (mut server, mut stdout) = machine.serve(&["--workspace", "/no/such/folder"]);
    let reply = ask(&mut server, &mut stdout, &call("search", json!({"agent_id": "a", "query": "x"})));
    let error = &reply["result"]["structuredContent"]["error"];
    assert_eq!(error["code"], "wrong_workspace_binding");
    assert!(error["message"].as_str().unwrap().contains("/no/such/folder"));
}

#[test]
fn state_is_private_and_the_repository_is_untouched() {
    let machine = Machine::new();
    let (mut server, mut stdout) = machine.serve(&[]);
    ask(&mut server, &mut stdout, &call("search", json!({"agent_id": "a", "query": "needle"})));
    drop(server.stdin.take());
    ended(&mut server);
    let mut folders = vec![machine.home()];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            let wanted = if meta.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(meta.permissions().mode() & 0o777, wanted, "{}", entry.path().display());
            if meta.is_dir() {
                folders.push(entry.path());
            } else {
                files += 1;
            }
        }
    }
    assert!(files >= 2, "an identity and a log");
    let names: Vec<_> =
        fs::read_dir(machine.dir.path().join("repo")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn http_needs_the_token_and_refuses_strangers() {
    let machine = Machine::new();
    let mut server = machine.command(&["serve", "--http", "127.0.0.1:0"]).spawn().unwrap();
    let mut stderr = BufReader::new(server.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let address = line.trim().rsplit_once("http://").unwrap().1.trim_end_matches("/mcp").to_owned();
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    let token_file = line.trim().rsplit_once(" in ").unwrap().1.to_owned();
    assert_eq!(fs::metadata(&token_file).unwrap().permissions().mode() & 0o777, 0o600);
    let token = fs::read_to_string(&token_file).unwrap();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
    .to_string();
    let post = |host: &str, headers: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u16>().unwrap()
    };
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert_eq!(post(&address, &bearer), 200);
    assert_eq!(post(&address, ""), 401);
    assert_eq!(post(&address, "Authorization: Bearer wrong-wrong-wrong\r\n"), 401);
    assert_eq!(post("evil.example", &bearer), 403);
    assert_eq!(post(&address, &format!("{bearer}Origin: http://evil.example\r\n")), 403);
    assert_eq!(post(&address, &format!("{bearer}Origin: null\r\n")), 403);
    signal(&server, "TERM");
    assert!(ended(&mut server).success());
}

#[test]
fn an_address_that_others_can_reach_must_be_allowed() {
    let output = Machine::new().command(&["serve", "--http", "0.0.0.0:0"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--allow-remote"));
}
