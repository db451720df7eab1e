//! `m1nd bench serve`: how soon a server answers, and how much memory it takes.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::output::Reader;

pub fn run(repo: &Path, calls: usize, runs: usize, json: bool) -> anyhow::Result<ExitCode> {
    ensure!(runs > 0 && calls > 0, "--runs and --calls must be at least 1");
    let mut starts = Vec::new();
    for _ in 0..runs {
        starts.push(Session::start(repo)?.1);
    }
    let (mut session, _) = Session::start(repo)?;
    let after_initialize = session.memory()?;
    let mut answers = Vec::new();
    let mut memory = Vec::new();
    for n in 0..calls {
        let started = Instant::now();
        session.search(n)?;
        answers.push(started.elapsed());
        // After a tenth of the calls every cache is warm; growth is measured from there.
        if n == calls / 10 || n + 1 == calls {
            memory.push(session.memory()?);
        }
    }
    let report = json!({
        "initialize_ms": super::median_ms(starts),
        "rss_after_initialize_mb": megabytes(after_initialize),
        "searches": calls,
        "search_ms": super::median_ms(answers),
        "rss_warm_mb": memory.first().copied().map(megabytes),
        "rss_end_mb": memory.last().copied().map(megabytes),
    });
    match Reader::of(json) {
        Reader::Program => anstream::println!("{report}"),
        Reader::Person => crate::output::plain(&mut anstream::stdout().lock(), &report)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn megabytes(bytes: u64) -> f64 {
    (bytes as f64 / 104_857.6).round() / 10.0
}

/// A server process and its pipes; ended when dropped.
struct Session {
    server: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

/// A word that changes with each call, so that nothing can be answered from memory.
const WORDS: [&str; 8] = ["return", "import", "class", "error", "test", "value", "config", "parse"];

impl Session {
    /// A server that has answered `initialize`, and how long that took from the start of the process.
    fn start(repo: &Path) -> anyhow::Result<(Self, Duration)> {
        let started = Instant::now();
        let mut server = Command::new(std::env::current_exe()?)
            .args(["serve", "--workspace"])
            .arg(repo)
            .env_remove("M1ND_WORKSPACE_ROOT")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let stdin = server.stdin.take().context("the server has an input")?;
        let stdout = BufReader::new(server.stdout.take().context("the server has an output")?);
        let mut session = Self { server, stdin, stdout };
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

    fn search(&mut self, n: usize) -> anyhow::Result<()> {
        let query = format!("{} {}", WORDS[n % WORDS.len()], n / WORDS.len());
        let reply = self.ask(&json!({
            "jsonrpc": "2.0", "id": n + 1, "method": "tools/call",
            "params": {"name": "search", "arguments": {"agent_id": "bench", "query": query}},
        }))?;
        ensure!(reply["result"]["isError"] != true, "a search was refused: {reply}");
        Ok(())
    }

    fn ask(&mut self, request: &Value) -> anyhow::Result<Value> {
        writeln!(self.stdin, "{request}")?;
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        serde_json::from_str(&line).with_context(|| format!("the server answered {line:?}"))
    }

    /// Resident bytes of the server.
    fn memory(&self) -> anyhow::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.server.id()))
            .context("memory can only be measured on Linux")?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()).context("no VmRSS line")?;
        Ok(kilobytes.parse::<u64>()? * 1024)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Err(err) = self.server.kill().and_then(|()| self.server.wait()) {
            tracing::warn!(%err, "the measured server could not be ended");
        }
    }
}
