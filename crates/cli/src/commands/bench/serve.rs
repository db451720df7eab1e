//! `m1nd bench serve`: how soon a server answers, and how much memory it takes.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::ensure;
use serde_json::json;

use super::session::Session;
use crate::output::Reader;

/// A word that changes with each call, so that nothing can be answered from memory.
const WORDS: [&str; 8] = ["return", "import", "class", "error", "test", "value", "config", "parse"];

pub fn run(repo: &Path, calls: usize, runs: usize, json: bool) -> anyhow::Result<ExitCode> {
    ensure!(runs > 0 && calls > 0, "--runs and --calls must be at least 1");
    let mut starts = Vec::new();
    for _ in 0..runs {
        starts.push(Session::start(repo, &[])?.1);
    }
    let (mut session, _) = Session::start(repo, &[])?;
    let after_initialize = session.memory("VmRSS:")?;
    let mut answers = Vec::new();
    let mut memory = Vec::new();
    for n in 0..calls {
        let started = Instant::now();
        let query = format!("{} {}", WORDS[n % WORDS.len()], n / WORDS.len());
        session.call("search", &json!({"agent_id": "bench", "query": query}))?;
        answers.push(started.elapsed());
        // After a tenth of the calls every cache is warm; growth is measured from there.
        if n == calls / 10 || n + 1 == calls {
            memory.push(session.memory("VmRSS:")?);
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
