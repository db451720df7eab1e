//! `m1nd bench search`: the tool `search` against ripgrep, and whether both find the same lines.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use m1nd_runtime::flows::text_search::{self, Request};
use m1nd_runtime::workspace::BindingSource;
use m1nd_runtime::{Runtime, Silent};
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::grep::{Case, Pattern, Syntax};
use m1nd_vfs::policy;
use m1nd_vfs::walk::Reach;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::Global;
use crate::output::Reader;
use crate::wiring;

/// A word most repositories have thousands of, one they have some of, and one they have none of.
const DEFAULT_QUERIES: [&str; 3] = ["return", "deprecated", "zqxjkvwypf"];

#[derive(Debug, Serialize)]
struct Row {
    query: String,
    matches: usize,
    /// Whether both found the same lines of the same files.
    same_lines: bool,
    m1nd_ms: f64,
    ripgrep_ms: f64,
    ratio: f64,
    answer_bytes: usize,
}

pub fn run(
    global: &Global,
    repo: &Path,
    queries: Vec<String>,
    runs: usize,
    json: bool,
) -> anyhow::Result<ExitCode> {
    ensure!(runs > 0, "--runs must be at least 1");
    let version = Command::new("rg").arg("--version").output();
    let version = version.context("ripgrep (rg) is not installed, and there is nothing to compare with")?;
    let version = String::from_utf8_lossy(&version.stdout).lines().next().unwrap_or_default().to_owned();
    let runtime = wiring::runtime(&wiring::config(global)?)?;
    runtime.bind(repo, BindingSource::Environment)?;
    let queries = if queries.is_empty() { DEFAULT_QUERIES.map(str::to_owned).to_vec() } else { queries };
    let rows: Vec<Row> = queries
        .into_iter()
        .map(|query| measure(&runtime, repo, query, runs))
        .collect::<anyhow::Result<_>>()?;
    match Reader::of(json) {
        Reader::Program => {
            anstream::println!("{}", json!({ "against": version, "runs": runs, "rows": rows }))
        }
        Reader::Person => {
            anstream::println!("against {version}, median of {runs} runs each");
            for row in &rows {
                anstream::println!(
                    "{:<14} {:>7} matches  m1nd {:>8.2} ms  rg --json {:>8.2} ms  ratio {:.2}  same lines: {}  answer {} bytes",
                    row.query,
                    row.matches,
                    row.m1nd_ms,
                    row.ripgrep_ms,
                    row.ratio,
                    row.same_lines,
                    row.answer_bytes,
                );
            }
        }
    }
    let same = rows.iter().all(|row| row.same_lines);
    Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn measure(runtime: &Runtime, repo: &Path, query: String, runs: usize) -> anyhow::Result<Row> {
    let ask = || crate::commands::ask(runtime, "search", json!({ "query": query, "context_lines": 0 }));
    let grep = || {
        let output =
            Command::new("rg").args(["--json", "-i", "-F", "-e", &query, "."]).current_dir(repo).output();
        output.map(|output| output.stdout)
    };
    let ours = our_lines(runtime, &query)?;
    let theirs = their_lines(&grep()?);
    let answer_bytes = ask().text().len();
    // Taken in turns, so that a noisy moment hits both.
    let (mut m1nd, mut ripgrep) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        m1nd.push(timed(|| drop(ask())));
        let started = Instant::now();
        grep()?;
        ripgrep.push(started.elapsed());
    }
    let (m1nd_ms, ripgrep_ms) = (super::median_ms(m1nd), super::median_ms(ripgrep));
    Ok(Row {
        matches: ours.len(),
        same_lines: ours == theirs,
        ratio: (m1nd_ms / ripgrep_ms * 100.0).round() / 100.0,
        m1nd_ms,
        ripgrep_ms,
        answer_bytes,
        query,
    })
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

type Lines = BTreeSet<(String, u64)>;

fn our_lines(runtime: &Runtime, query: &str) -> anyhow::Result<Lines> {
    let workspace = runtime.workspace().context("the repository is bound")?;
    let pattern = Pattern::compile(query, Syntax::Literal, Case::Insensitive)?;
    let request = Request {
        pattern: &pattern,
        scope: None,
        glob: None,
        keep: usize::MAX,
        context: 0,
        reach: Reach::Usual,
        tracked: &[],
    };
    let found = text_search::run(workspace.root(), "search", &request, &CancelToken::new(), &Silent)
        .map_err(|fault| anyhow::anyhow!(fault.message))?;
    Ok(found.matches.into_iter().map(|found| (found.path.to_string(), found.line)).collect())
}

/// What ripgrep printed, less the files that m1nd withholds by name.
fn their_lines(output: &[u8]) -> Lines {
    output
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice::<Value>(line).ok())
        .filter(|message| message["type"] == "match")
        .filter_map(|message| {
            let path = message["data"]["path"]["text"].as_str()?.trim_start_matches("./").to_owned();
            let line = message["data"]["line_number"].as_u64()?;
            (!policy::is_withheld(&path)).then_some((path, line))
        })
        .collect()
}
