//! `m1nd bench`: m1nd measured on a repository of the user's, in one run, with what to compare it to.

mod edit;
mod experiment;
mod generate;
mod graph;
mod latency;
mod mission;
mod retrieval;
mod risk;
mod search;
mod serve;
mod session;

use std::process::ExitCode;
use std::time::Duration;

use crate::args::{BenchCommand, Global};

pub fn run(global: &Global, command: BenchCommand) -> anyhow::Result<ExitCode> {
    match command {
        BenchCommand::Search { repo, queries, runs, json } => search::run(global, &repo, queries, runs, json),
        BenchCommand::Graph(args) => graph::run(&args),
        BenchCommand::Retrieval(args) => retrieval::run(&args),
        BenchCommand::Risk { repo, latency: true, runs, json, .. } => latency::run(&repo, runs, json),
        BenchCommand::Risk { repo, commits, json, .. } => risk::run(&repo, commits.get(), json),
        BenchCommand::Mission { events, json } => mission::run(events, json),
        BenchCommand::Edit { repo, files, runs, json } => {
            edit::run(&edit::Options { repo: &repo, files, runs, json })
        }
        BenchCommand::Serve { repo, calls, runs, json } => serve::run(&repo, calls, runs, json),
    }
}

/// The middle one, in milliseconds with two decimals.
fn median_ms(mut times: Vec<Duration>) -> f64 {
    times.sort();
    let middle = times.get(times.len() / 2).copied().unwrap_or_default();
    (middle.as_secs_f64() * 100_000.0).round() / 100.0
}
