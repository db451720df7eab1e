//! A server as a host starts it, to be measured.

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

/// A server process and its pipes; ended when dropped.
pub(super) struct Session {
    server: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    calls: u64,
}

impl Session {
    /// A server that has answered `initialize`, and how long that took from the start of the process.
    pub(super) fn start(repo: &Path, more: &[&OsStr]) -> anyhow::Result<(Self, Duration)> {
        let started = Instant::now();
        let mut server = Command::new(std::env::current_exe()?)
            .args(["serve", "--workspace"])
            .arg(repo)
            .args(more)
            .env_remove("M1ND_WORKSPACE_ROOT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = server.stdin.take().context("the server has an input")?;
        let stdout = BufReader::new(server.stdout.take().context("the server has an output")?);
        let mut session = Self { server, stdin, stdout, calls: 0 };
        session.ask(&json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "m1nd-bench", "version": "1"},
            },
        }))?;
        let took = started.elapsed();
        writeln!(session.stdin, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok((session, took))
    }

    /// What a tool answers.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        self.calls += 1;
        let params = json!({"name": tool, "arguments": arguments});
        let request = json!({"jsonrpc": "2.0", "id": self.calls, "method": "tools/call", "params": params});
        let reply = self.ask(&request)?;
        ensure!(reply["result"]["isError"] != true, "a call of {tool} was refused: {reply}");
        Ok(reply["result"]["structuredContent"].clone())
    }

    fn ask(&mut self, request: &Value) -> anyhow::Result<Value> {
        writeln!(self.stdin, "{request}")?;
        loop {
            let mut line = String::new();
            ensure!(self.stdout.read_line(&mut line)? > 0, "the server ended");
            let reply: Value =
                serde_json::from_str(&line).with_context(|| format!("the server answered {line:?}"))?;
            // What it says without being asked is not the answer.
            if reply["id"] == request["id"] {
                return Ok(reply);
            }
        }
    }

    /// A number of bytes that the system says of the server, such as `VmRSS:`.
    pub(super) fn memory(&self, field: &str) -> anyhow::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id()))
            .context("memory can only be measured on Linux")?;
        let line = status.lines().find_map(|line| line.strip_prefix(field));
        let kilobytes = line.and_then(|line| line.split_whitespace().next());
        Ok(kilobytes.with_context(|| format!("the system does not say {field}"))?.parse::<u64>()? * 1024)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Err(err) = self.server.kill().and_then(|()| self.server.wait()) {
            tracing::warn!(%err, "the measured server could not be ended");
        }
    }
}
