//! Two real programs, a host's settings, a server that is replaced and killed: what the tools of recovery say of it.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

fn command(program: &Path, home: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("M1ND_") {
            command.env_remove(name);
        }
    }
    command
        .args(arguments)
        .current_dir(home.join("repo"))
        .env("HOME", home)
        .env("M1ND_HOME", home.join("state"))
        .env("PATH", home.join("a"))
        .env_remove("XDG_CONFIG_HOME");
    command
}

struct Server {
    child: Child,
    into: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Server {
    fn start(program: &Path, home: &Path) -> Self {
        let mut child = command(program, home, &["serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let into = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, into, from };
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        server.ask("initialize", params).unwrap();
        server
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, String> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        writeln!(self.into, "{request}").map_err(|err| err.to_string())?;
        let mut line = String::new();
        match self.from.read_line(&mut line) {
            Ok(0) => Err("Connection closed".to_owned()),
            Ok(_) => Ok(serde_json::from_str(&line).unwrap()),
            Err(err) => Err(err.to_string()),
        }
    }

    fn call(&mut self, tool: &str) -> Result<Value, String> {
        let reply = self.ask("tools/call", json!({"name": tool, "arguments": {"agent_id": "a"}}))?;
        Ok(reply["result"]["structuredContent"].clone())
    }
}

/// Two programs that differ by a byte at the end, in folders of their own.
fn two_programs(home: &Path) -> (PathBuf, PathBuf) {
    let real = assert_cmd::cargo::cargo_bin!("m1nd");
    let place = |folder: &str| {
        fs::create_dir_all(home.join(folder)).unwrap();
        let path = home.join(folder).join("m1nd");
        fs::copy(real, &path).unwrap();
        path
    };
    let (one, two) = (place("a"), place("b"));
    fs::File::options().append(true).open(&two).unwrap().write_all(b"\n").unwrap();
    (one, two)
}

#[test]
fn what_a_host_would_start_is_held_against_what_answers_until_the_connection_ends() {
    let dir = TempDir::new().unwrap();
    let home = dir.path();
    m1nd_testkit::lay_out(&home.join("repo"), "//- a.py\ndef a(): ...\n");
    fs::create_dir(home.join("repo/.git")).unwrap();
    let (one, two) = two_programs(home);
    let entry = json!({"mcpServers": {"m1nd": {"command": two.to_str().unwrap(), "args": ["serve"]}}});
    fs::create_dir(home.join(".cursor")).unwrap();
    fs::write(home.join(".cursor/mcp.json"), entry.to_string()).unwrap();
    let mut server = Server::start(&one, home);

    let check = server.call("update_check").unwrap();
    assert_eq!(check["status"], "mixed", "{check}");
    assert_eq!(check["on_path"][0]["is_this_one"], true, "{check}");
    assert_eq!(check["hosts"][0]["binary"], "another", "{check}");
    let said = String::from_utf8(command(&two, home, &["--version"]).output().unwrap().stdout).unwrap();
    assert_eq!(
        format!("m1nd {}", check["hosts"][0]["version"].as_str().unwrap()),
        said.trim(),
        "read from its bytes"
    );
    let doctor = command(&one, home, &["doctor", "--json"]).output().unwrap();
    assert!(String::from_utf8(doctor.stdout).unwrap().contains("starts another program"));

    fs::rename(&two, &one).unwrap();
    let check = server.call("update_check").unwrap();
    assert_eq!(
        (&check["status"], &check["on_disk"]["state"]),
        (&json!("stale_process"), &json!("replaced")),
        "{check}"
    );
    let test = server.call("trust_selftest").unwrap();
    assert!(
        ["stale_binding_suspected", "needs_ingest"].contains(&test["verdict"].as_str().unwrap()),
        "{test}"
    );

    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let error = server.call("health").unwrap_err();
    let saw = json!({"error_text": error, "agent_id": "a"}).to_string();
    let book = command(&one, home, &["call", "recovery_playbook", "--json", &saw]).output().unwrap();
    let book: Value = serde_json::from_slice(&book.stdout).unwrap();
    let found = book["diagnoses"].as_array().unwrap();
    // The entry's program was moved away, too.
    assert!(found.iter().all(|found| found["diagnosis"] == "dead_transport") && found.len() == 2, "{book}");
    assert!(book["non_claims"].to_string().contains("does not say that a host was rebound"), "{book}");
}
