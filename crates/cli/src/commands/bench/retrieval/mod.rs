//! `m1nd bench retrieval`: from a sentence to the right files, measured on a repository's own history.
//!
//! Each later commit's message is a question, the files it touched are the answer, and nothing after the snapshot can be
//! seen by what is asked.

mod baselines;
mod experiment;
mod fit;
mod score;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use m1nd_recall::corpus::Corpus;
use m1nd_recall::fuse::{self, Signal, Tuning, Weights, best};
use m1nd_runtime::workspace::{BindingSource, Reuse, Workspace};
use m1nd_runtime::{BuildInfo, Settings};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use serde_json::{Value, json};

use crate::args::{BUILD_HASH, BenchRetrieval, VERSION};
use crate::output::Reader;
use experiment::Experiment;
use score::{Figures, Tally, ranks};

/// The engine behind `seek`, asked for files.
const SEEK: &str = "seek";

/// One repository, measured.
struct Measured {
    experiment: Experiment,
    figures: Vec<(&'static str, Figures)>,
    misses: Vec<Value>,
}

pub fn run(args: &BenchRetrieval) -> anyhow::Result<ExitCode> {
    if args.fit {
        return fit::run(args);
    }
    let mut all = Vec::new();
    for repo in &args.repo {
        let dir = tempfile::tempdir().context("a temporary folder")?;
        let snapshot = dir.path().join("snapshot");
        let experiment = Experiment::lay_out(repo, args.commits, &snapshot)?;
        let corpus = corpus(&experiment, &dir.path().join("home"))?;
        let measured = measure(experiment, &corpus, args.explain);
        if Reader::of(args.json) == Reader::Person {
            show(&measured);
        }
        all.push(measured);
    }
    let average = average(&all);
    match Reader::of(args.json) {
        Reader::Person if all.len() > 1 => rows("macro average", &average),
        Reader::Person => {}
        Reader::Program => anstream::println!("{}", as_json(&all, &average)),
    }
    Ok(ExitCode::SUCCESS)
}

/// What a server would know of the snapshot.
fn corpus(experiment: &Experiment, home: &std::path::Path) -> anyhow::Result<Arc<Corpus>> {
    let settings = Settings {
        home: home.to_owned(),
        runtime_root: Some(home.join("state")),
        toolsets: Default::default(),
        read_only: false,
        build: BuildInfo { version: VERSION, hash: BUILD_HASH },
    };
    let workspace = Workspace::open(&experiment.folder, BindingSource::Flag, &settings)?;
    let (clock, cancel) = (SystemClock::new(), CancelToken::new());
    workspace.ingest(Reuse::Nothing, &clock, &cancel).map_err(|_| anyhow::anyhow!("the work was stopped"))?;
    let view = workspace.view();
    let graph = view.graph().context("the snapshot has a graph")?;
    workspace.corpus(&view, graph, &cancel).map_err(|_| anyhow::anyhow!("the work was stopped"))
}

fn measure(experiment: Experiment, corpus: &Corpus, explain: bool) -> Measured {
    let mut tallies: Vec<(&'static str, Tally)> =
        [SEEK].into_iter().chain(baselines::NAMES).map(|name| (name, Tally::default())).collect();
    let (weights, tuning) = (Weights::default(), Tuning::default());
    let mut misses = Vec::new();
    for question in &experiment.questions {
        for (name, tally) in &mut tallies {
            let started = Instant::now();
            let found: Vec<&str> = if *name == SEEK {
                let ranking = fuse::rank(corpus, &question.text, &weights, &tuning);
                best(&ranking.scores, 100).into_iter().map(|file| corpus.text.path(file)).collect()
            } else {
                baselines::ranked(corpus, name, &question.text)
            };
            let time = started.elapsed();
            tally.add(&found, &question.truth, time, 0);
            if explain && *name == SEEK {
                misses.extend(missed(corpus, question, &found, &weights, &tuning));
            }
        }
    }
    let figures = tallies.into_iter().map(|(name, tally)| (name, tally.figures())).collect();
    Measured { experiment, figures, misses }
}

/// For a file that is not among the first ten: where each signal alone would have put it.
fn missed(
    corpus: &Corpus,
    question: &experiment::Question,
    found: &[&str],
    weights: &Weights,
    tuning: &Tuning,
) -> Vec<Value> {
    let missed = question.truth.iter().zip(ranks(found, &question.truth));
    let missed: Vec<_> = missed.filter(|(_, rank)| rank.is_none_or(|rank| rank > 10)).collect();
    if missed.is_empty() {
        return Vec::new();
    }
    let ranking = fuse::rank(corpus, &question.text, weights, tuning);
    let rows = missed.into_iter().map(|(path, rank)| {
        let file = corpus.text.file(path);
        let mut signals = json!({});
        for &signal in Signal::ALL {
            let scores = &ranking.evidence.files[signal as usize];
            signals[signal.name()] = json!(file.and_then(|file| place_in(scores, file)));
        }
        json!({
            "commit": question.commit,
            "query": question.text.lines().next().unwrap_or_default(),
            "file": path,
            "rank": rank,
            "signals": signals,
            "first": found.iter().take(3).collect::<Vec<_>>(),
        })
    });
    rows.collect()
}

/// The rank of a file by one signal; nothing where the signal is silent.
fn place_in(scores: &[f32], file: u32) -> Option<usize> {
    let own = scores[file as usize];
    (own > 0.0).then(|| scores.iter().filter(|&&score| score > own).count() + 1)
}

fn average(all: &[Measured]) -> Vec<(&'static str, Figures)> {
    let Some(first) = all.first() else { return Vec::new() };
    let of = |at: usize| all.iter().map(|measured| measured.figures[at].1).collect::<Vec<_>>();
    first.figures.iter().enumerate().map(|(at, (name, _))| (*name, Figures::macro_average(&of(at)))).collect()
}

fn show(measured: &Measured) {
    let experiment = &measured.experiment;
    let questions = experiment.questions.len();
    rows(
        &format!("{} at {:.12}, {questions} later commits", experiment.name, experiment.snapshot),
        &measured.figures,
    );
    for miss in &measured.misses {
        anstream::println!(
            "  missed {} ({}): {}\n    {}",
            miss["file"],
            miss["rank"],
            miss["query"],
            miss["signals"]
        );
    }
}

fn rows(title: &str, figures: &[(&'static str, Figures)]) {
    anstream::println!("{title}");
    for (name, f) in figures {
        anstream::println!(
            "  {name:<18} recall@1 {:.3}  @5 {:.3}  @10 {:.3}  MRR {:.3}  p50 {:.2} ms  {} bytes",
            f.recall_1,
            f.recall_5,
            f.recall_10,
            f.mrr,
            f.p50_ms,
            f.bytes
        );
    }
}

fn as_json(all: &[Measured], average: &[(&'static str, Figures)]) -> Value {
    let table = |figures: &[(&'static str, Figures)]| -> Value {
        let rows = figures.iter().map(|(name, figures)| ((*name).to_owned(), json!(figures)));
        Value::Object(rows.collect())
    };
    let repositories = all.iter().map(|measured| {
        let experiment = &measured.experiment;
        let mut row = json!({
            "repository": experiment.name,
            "snapshot": experiment.snapshot,
            "head": experiment.head,
            "questions": experiment.questions.len(),
            "figures": table(&measured.figures),
        });
        if !measured.misses.is_empty() {
            row["misses"] = json!(measured.misses);
        }
        row
    });
    json!({ "repositories": repositories.collect::<Vec<_>>(), "macro_average": table(average) })
}
