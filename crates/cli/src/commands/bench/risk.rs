//! `m1nd bench risk`: are the files that are called risky those that later commits mend?
//!
//! Files are ranked by what was known at an earlier commit. The highest tenth of a good ranking holds more of the files that later
//! fixes touched than a tenth of all files would: that many times more is its lift.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use m1nd_ingest::history::is_fix;
use m1nd_recall::corpus::Corpus;
use m1nd_risk::ledger::{Change, Ledger};
use m1nd_risk::panorama::{self, Findings};
use m1nd_runtime::flows::planned::MAX_GAPS;
use m1nd_runtime::flows::predicted;
use m1nd_stdx::cancel::CancelToken;
use serde_json::{Value, json};

use super::experiment::{Experiment, is_product};
use super::retrieval;
use crate::output::Reader;

/// A commit of more files is no plan.
const MAX_PLAN: usize = 20;
/// Draws for the interval.
const DRAWS: usize = 2_000;

/// One ranking, judged.
struct Judged {
    name: &'static str,
    lift: f64,
    /// Where 95 of 100 draws lie.
    interval: (f64, f64),
}

pub fn run(repos: &[PathBuf], commits: usize, json: bool) -> anyhow::Result<ExitCode> {
    let mut all = Vec::new();
    for repo in repos {
        let dir = tempfile::tempdir().context("a temporary folder")?;
        let experiment = Experiment::before(repo, commits, &dir.path().join("snapshot"))?;
        let runtime = retrieval::runtime(&experiment.folder, &dir.path().join("home"))?;
        let workspace = runtime.workspace().context("the snapshot is bound")?;
        let view = workspace.view();
        let graph = view.graph().context("the snapshot has a graph")?;
        let past =
            workspace.past(&CancelToken::new()).map_err(|_| anyhow::anyhow!("the work was stopped"))?;
        let changes = past.log.entries.iter().map(|entry| Change {
            time_ms: entry.time.0,
            is_fix: is_fix(entry.message.lines().next().unwrap_or_default()),
            files: &entry.files,
        });
        let ledger = Ledger::of(changes, [], [], is_product);
        let layers = workspace.layers(graph);
        let modules = panorama::panorama(graph, &ledger, &layers, &Findings::default(), is_product);
        let ranked: Vec<&str> = modules.iter().map(|one| graph.node(one.node).path()).collect();
        let by = |count: fn(&m1nd_risk::ledger::Record) -> u32| {
            let mut files = ranked.clone();
            files.sort();
            files.sort_by_key(|path| std::cmp::Reverse(ledger.record(path).map_or(0, count)));
            files
        };
        let known: BTreeSet<&str> = ranked.iter().copied().collect();
        let fixes = experiment
            .later
            .iter()
            .filter(|commit| is_fix(commit.message.lines().next().unwrap_or_default()));
        let fixes: Vec<_> = fixes.collect();
        let mended: BTreeSet<&str> = fixes
            .iter()
            .flat_map(|commit| commit.modified.iter().map(String::as_str))
            .filter(|path| known.contains(path))
            .collect();
        let rankings = [
            ("panoramic", ranked.clone()),
            ("most changed", by(|record| record.changes)),
            ("most fixed", by(|record| record.fixes)),
        ];
        let judged: Vec<Judged> = rankings.iter().map(|(name, files)| judge(name, files, &mended)).collect();
        let corpus = workspace.corpus(&view, graph, &CancelToken::new());
        let corpus = corpus.map_err(|_| anyhow::anyhow!("the work was stopped"))?;
        let plans = plans(&experiment, &corpus);
        let shown = as_json(&experiment, ranked.len(), fixes.len(), mended.len(), &judged, plans);
        if Reader::of(json) == Reader::Person {
            show(&shown);
        }
        all.push(shown);
    }
    if Reader::of(json) == Reader::Program {
        anstream::println!("{}", json!({ "repositories": all }));
    }
    Ok(ExitCode::SUCCESS)
}

/// Later commits of three files and more, each without one of its files: how many there are, and of how many the missing one is
/// among the gaps.
fn plans(experiment: &Experiment, corpus: &Corpus) -> (usize, usize) {
    let (mut asked, mut found) = (0, 0);
    for (nth, commit) in experiment.later.iter().enumerate() {
        let files: Vec<&str> = commit
            .modified
            .iter()
            .map(String::as_str)
            .filter(|path| corpus.text.file(path).is_some())
            .collect();
        if !(3..=MAX_PLAN).contains(&files.len()) {
            continue;
        }
        let missing = files[nth % files.len()];
        let given: Vec<&str> = files.iter().copied().filter(|path| *path != missing).collect();
        asked += 1;
        let gaps = predicted::of(corpus, &given);
        found += usize::from(gaps.iter().take(MAX_GAPS).any(|one| one.path == missing));
    }
    (asked, found)
}

fn judge(name: &'static str, files: &[&str], mended: &BTreeSet<&str>) -> Judged {
    let count = files.len().div_ceil(10);
    let top: BTreeSet<&str> = files.iter().take(count).copied().collect();
    let hits: Vec<bool> = mended.iter().map(|path| top.contains(path)).collect();
    let chance = count as f64 / files.len().max(1) as f64;
    let lift = |found: usize| found as f64 / hits.len().max(1) as f64 / chance;
    let mut draws: Vec<f64> = Vec::with_capacity(DRAWS);
    // The same draws every time.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    for _ in 0..DRAWS {
        let mut found = 0;
        for _ in 0..hits.len() {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            found += usize::from(hits[(state % hits.len() as u64) as usize]);
        }
        draws.push(lift(found));
    }
    draws.sort_by(f64::total_cmp);
    let at = |share: f64| draws.get((share * DRAWS as f64) as usize).copied().unwrap_or_default();
    Judged { name, lift: lift(hits.iter().filter(|&&hit| hit).count()), interval: (at(0.025), at(0.975)) }
}

fn as_json(
    experiment: &Experiment,
    files: usize,
    fixes: usize,
    mended: usize,
    judged: &[Judged],
    plans: (usize, usize),
) -> Value {
    let round = |value: f64| (value * 100.0).round() / 100.0;
    let row = |one: &Judged| json!({ "ranking": one.name, "lift": round(one.lift), "interval": [round(one.interval.0), round(one.interval.1)] });
    json!({
        "repository": experiment.name,
        "snapshot": experiment.snapshot,
        "files": files,
        "later_commits": experiment.later.len(),
        "later_fixes": fixes,
        "mended_files": mended,
        "plans": plans.0,
        "plans_whose_gap_is_found": plans.1,
        "rankings": judged.iter().map(row).collect::<Vec<_>>(),
    })
}

fn show(shown: &Value) {
    anstream::println!(
        "{}: {} files at {}; {} later commits, {} of them fixes, touched {} of the files",
        shown["repository"].as_str().unwrap_or_default(),
        shown["files"],
        &shown["snapshot"].as_str().unwrap_or_default()[..10],
        shown["later_commits"],
        shown["later_fixes"],
        shown["mended_files"],
    );
    anstream::println!(
        "  of {} later commits without one of their files, the missing one is among the gaps of {}",
        shown["plans"],
        shown["plans_whose_gap_is_found"],
    );
    for row in shown["rankings"].as_array().into_iter().flatten() {
        anstream::println!(
            "  {:<14} lift of the highest tenth {:>5} (95 %: {} to {})",
            row["ranking"].as_str().unwrap_or_default(),
            row["lift"],
            row["interval"][0],
            row["interval"][1],
        );
    }
}
