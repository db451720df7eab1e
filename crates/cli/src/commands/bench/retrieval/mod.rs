//! `m1nd bench retrieval`: from a sentence to the right files, measured on a repository's own history.
//!
//! Each later commit's message is a question, the files it touched are the answer, and nothing after the snapshot can be
//! seen by what is asked.

mod ablation;
mod baselines;
mod fit;
mod latency;
mod score;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use m1nd_graph::Graph;
use m1nd_recall::corpus::Corpus;
use m1nd_recall::fuse::Signal;
use m1nd_recall::{predict, seek};
use m1nd_runtime::workspace::BindingSource;
use m1nd_runtime::{BuildInfo, Runtime, Settings};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::SystemClock;
use serde_json::{Value, json};

use super::experiment::{Experiment, Question};
use crate::args::{BUILD_HASH, BenchRetrieval, VERSION};
use crate::output::Reader;
use score::{Figures, Tally, ranks};

/// The tool, asked for files through the whole pipeline.
const SEEK: &str = "seek";
/// The same for nodes that go with a question; their files count.
const ACTIVATE: &str = "activate";

/// The engine that says what else changes with a file.
const PREDICT: &str = "predict";
/// Files that it is asked for.
const PREDICTED: usize = 10;

/// One repository, measured.
struct Measured {
    experiment: Experiment,
    figures: Vec<(&'static str, Figures)>,
    /// The same for what changes together.
    companions: Vec<(&'static str, Figures)>,
    misses: Vec<Value>,
}

pub fn run(args: &BenchRetrieval) -> anyhow::Result<ExitCode> {
    if args.fit {
        return fit::run(args);
    }
    if args.latency {
        return latency::run(args);
    }
    if args.ablate {
        return ablation::run(args);
    }
    let mut all = Vec::new();
    for repo in &args.repo {
        let dir = tempfile::tempdir().context("a temporary folder")?;
        let snapshot = dir.path().join("snapshot");
        let experiment = Experiment::lay_out(repo, args.commits.get(), &snapshot)?;
        let runtime = runtime(&experiment.folder, &dir.path().join("home"))?;
        let corpus = corpus(&runtime)?;
        let measured = measure(experiment, &runtime, &corpus, args.explain)?;
        if Reader::of(args.json) == Reader::Person {
            show(&measured);
        }
        all.push(measured);
    }
    let average = average(&all, |measured| &measured.figures);
    let together = self::average(&all, |measured| &measured.companions);
    match Reader::of(args.json) {
        Reader::Person if all.len() > 1 => {
            rows("macro average", &average);
            rows("macro average, changed together", &together);
        }
        Reader::Person => {}
        Reader::Program => anstream::println!("{}", as_json(&all, &average, &together)),
    }
    Ok(ExitCode::SUCCESS)
}

/// A runtime bound to a folder, with all of it read.
pub(super) fn runtime(folder: &std::path::Path, home: &std::path::Path) -> anyhow::Result<Runtime> {
    let settings = Settings {
        home: home.to_owned(),
        runtime_root: Some(home.join("state")),
        toolsets: Default::default(),
        read_only: false,
        verify_commands: Vec::new(),
        build: BuildInfo { version: VERSION, hash: BUILD_HASH },
    };
    let runtime = Runtime::new(m1nd_tools::surface(), settings, Arc::new(SystemClock::new()), None);
    runtime.bind(folder, BindingSource::Flag)?;
    let reply = crate::commands::ask_to_the_end(&runtime, "ingest", json!({}));
    anyhow::ensure!(!reply.is_error, "the folder was not read: {}", reply.text());
    Ok(runtime)
}

/// What `seek` asks.
fn corpus(runtime: &Runtime) -> anyhow::Result<Arc<Corpus>> {
    let workspace = runtime.workspace().context("the snapshot is bound")?;
    let view = workspace.view();
    let graph = view.graph().context("the snapshot has a graph")?;
    let corpus = workspace.corpus(&view, graph, &CancelToken::new());
    corpus.map_err(|_| anyhow::anyhow!("the work was stopped"))
}

/// The files that the tool names, asked as an agent asks it, and the bytes of its answer.
fn ask_seek(runtime: &Runtime, query: &str) -> (Vec<String>, usize) {
    let reply =
        crate::commands::ask(runtime, SEEK, json!({ "query": query, "group_by": "file", "top_k": 10 }));
    let files = reply.body["files"].as_array().into_iter().flatten();
    let paths = files.filter_map(|file| file["file_path"].as_str()).map(str::to_owned).collect();
    (paths, reply.text().len())
}

/// The files of the nodes that go with a question, and the bytes of the answer.
fn activate(runtime: &Runtime, query: &str) -> (Vec<String>, usize) {
    let arguments = json!({ "query": query, "top_k": 100, "learn": false, "max_chars": 60_000 });
    let reply = crate::commands::ask(runtime, ACTIVATE, arguments);
    let mut paths: Vec<String> = Vec::new();
    for node in reply.body["activated"].as_array().into_iter().flatten() {
        let place = node["provenance"].as_str().unwrap_or_default();
        let path = place.rsplit_once(':').map_or(place, |(path, _)| path);
        if !paths.iter().any(|known| known == path) {
            paths.push(path.to_owned());
        }
    }
    (paths, reply.text().len())
}

fn measure(
    experiment: Experiment,
    runtime: &Runtime,
    corpus: &Corpus,
    explain: bool,
) -> anyhow::Result<Measured> {
    let view = runtime.workspace().context("the snapshot is bound")?.view();
    let graph = Arc::clone(view.graph().context("the snapshot has a graph")?);
    let mut tallies: Vec<(&'static str, Tally)> =
        [SEEK, ACTIVATE].into_iter().chain(baselines::NAMES).map(|name| (name, Tally::default())).collect();
    let mut misses = Vec::new();
    for question in &experiment.questions {
        for (name, tally) in &mut tallies {
            let started = Instant::now();
            let (found, bytes) = match *name {
                SEEK => ask_seek(runtime, &question.text),
                ACTIVATE => activate(runtime, &question.text),
                _ => {
                    let found = baselines::ranked(corpus, name, &question.text);
                    (found.into_iter().map(str::to_owned).collect(), 0)
                }
            };
            tally.add(&found, &question.truth, started.elapsed(), bytes);
            if explain && *name == SEEK {
                misses.extend(missed(corpus, &graph, question, &found));
            }
        }
    }
    let figures = tallies.into_iter().map(|(name, tally)| (name, tally.figures())).collect();
    let companions = companions(&experiment, corpus);
    Ok(Measured { experiment, figures, companions, misses })
}

/// Given one file that a later commit touched, where are the others?
fn companions(experiment: &Experiment, corpus: &Corpus) -> Vec<(&'static str, Figures)> {
    let measure = |name: &'static str| {
        let mut tally = Tally::default();
        for change in &experiment.changes {
            let Some(given) = corpus.text.file(&change.given) else { continue };
            let started = Instant::now();
            let found: Vec<&str> = if name == PREDICT {
                let found = predict::predict(corpus, given, &predict::CLUE_WEIGHTS, PREDICTED);
                found.iter().map(|companion| corpus.text.path(companion.file)).collect()
            } else {
                baselines::companions(corpus, &experiment.named, name, given)
            };
            tally.add(&found, &change.with, started.elapsed(), 0);
        }
        (name, tally.figures())
    };
    [PREDICT, baselines::RAW_COUNTS, baselines::COUNTS, baselines::FOLDER].map(measure).into()
}

/// For a file that is not among the first ten: where `seek` has it further down, and where each signal alone would have put it.
fn missed(corpus: &Corpus, graph: &Graph, question: &Question, found: &[String]) -> Vec<Value> {
    let missed = question.truth.iter().zip(ranks(found, &question.truth));
    let missed: Vec<_> = missed.filter(|(_, rank)| rank.is_none()).collect();
    if missed.is_empty() {
        return Vec::new();
    }
    let asked = seek::Question {
        query: &question.text,
        elsewhere: &[],
        top_k: usize::MAX,
        graph: seek::Graphed::Yes,
        min_score: 0.0,
        tests: seek::Tests::After,
    };
    let ranking = seek::Found::of(corpus, graph, &asked, |_| true);
    let rows = missed.into_iter().map(|(path, _)| {
        let file = corpus.text.file(path);
        let mut signals = json!({});
        for &signal in Signal::ALL {
            let scores = &ranking.evidence().files[signal as usize];
            signals[signal.name()] = json!(file.and_then(|file| place_in(scores, file)));
        }
        json!({
            "commit": question.commit,
            "query": question.text.lines().next().unwrap_or_default(),
            "file": path,
            "rank": file.and_then(|file| ranking.place(file)),
            "signals": signals,
            "first": found.iter().take(3).collect::<Vec<_>>(),
        })
    });
    rows.collect()
}

/// The rank of a file by one signal, equal ones in the order that a ranking has them; nothing where the signal is silent.
fn place_in(scores: &[f32], file: u32) -> Option<usize> {
    let own = scores[file as usize];
    let before = |&(at, score): &(usize, &f32)| *score > own || *score == own && at < file as usize;
    (own > 0.0).then(|| scores.iter().enumerate().filter(before).count() + 1)
}

type Table = [(&'static str, Figures)];

fn average(
    all: &[Measured],
    table: impl Fn(&Measured) -> &Vec<(&'static str, Figures)>,
) -> Vec<(&'static str, Figures)> {
    let Some(first) = all.first() else { return Vec::new() };
    let of = |at: usize| all.iter().map(|measured| table(measured)[at].1).collect::<Vec<_>>();
    let names = table(first).iter().map(|(name, _)| *name).enumerate();
    names.map(|(at, name)| (name, Figures::macro_average(&of(at)))).collect()
}

fn show(measured: &Measured) {
    let experiment = &measured.experiment;
    let questions = experiment.questions.len();
    rows(
        &format!("{} at {:.12}, {questions} later commits", experiment.name, experiment.snapshot),
        &measured.figures,
    );
    rows(&format!("  changed together, {} files given", experiment.changes.len()), &measured.companions);
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

fn rows(title: &str, figures: &[(impl AsRef<str>, Figures)]) {
    anstream::println!("{title}");
    for (name, f) in figures {
        anstream::println!(
            "  {:<28} recall@1 {:.3}  @5 {:.3}  @10 {:.3}  MRR {:.3}  p50 {:.2} ms  {} bytes",
            name.as_ref(),
            f.recall_1,
            f.recall_5,
            f.recall_10,
            f.mrr,
            f.p50_ms,
            f.bytes
        );
    }
}

fn as_json(all: &[Measured], average: &Table, together: &Table) -> Value {
    let table = |figures: &Table| -> Value {
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
            "files_given": experiment.changes.len(),
            "changed_together": table(&measured.companions),
        });
        if !measured.misses.is_empty() {
            row["misses"] = json!(measured.misses);
        }
        row
    });
    json!({
        "repositories": repositories.collect::<Vec<_>>(),
        "macro_average": table(average),
        "macro_average_changed_together": table(together),
    })
}

#[cfg(test)]
mod tests {
    use super::place_in;

    #[test]
    fn equal_files_have_different_places_and_silent_ones_none() {
        let scores = [0.5, 0.0, 0.5, 1.0];
        assert_eq!([0, 1, 2, 3].map(|file| place_in(&scores, file)), [Some(2), None, Some(3), Some(1)]);
    }
}
