//! `--ablate`: what each signal of `seek` is worth, and what the engines of `activate` would add to it.
//!
//! Signals are switched off one at a time, with the weights as they are. Engines are added by the places they give files, as
//! strongly as suits these very questions best: one that gains nothing even so is of no use to the ranking.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::corpus::Corpus;
use m1nd_recall::engines::associate::{Noise, associate};
use m1nd_recall::engines::merge::Dimension;
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::resonance::resonate;
use m1nd_recall::engines::seeds::seeds;
use m1nd_recall::fuse::{self, Signal, Tuning, Weights, best};
use m1nd_recall::text::FileIx;
use serde_json::{Value, json};

use super::super::experiment::Experiment;
use super::rows;
use super::score::{Figures, Tally};
use crate::args::BenchRetrieval;
use crate::output::Reader;

/// Files of each ranking that are looked at.
const DEPTH: usize = 60;
/// From this place on, a place counts half of the first.
const HALF_PLACE: f32 = 5.0;
/// How strongly an engine is added, as a share of the ranking itself.
const SHARES: [f32; 4] = [0.03, 0.1, 0.3, 1.0];

/// An engine that could speak for files.
#[derive(Clone, Copy)]
enum Engine {
    Associate(&'static [Dimension], Noise),
    Resonance,
}

const ENGINES: [(&str, Engine); 8] = [
    ("activate", Engine::Associate(&Dimension::ALL, Noise::Cancelled)),
    ("activate without xlr", Engine::Associate(&Dimension::ALL, Noise::Kept)),
    ("structural", Engine::Associate(&[Dimension::Structural], Noise::Kept)),
    ("structural with xlr", Engine::Associate(&[Dimension::Structural], Noise::Cancelled)),
    ("semantic", Engine::Associate(&[Dimension::Semantic], Noise::Kept)),
    ("temporal", Engine::Associate(&[Dimension::Temporal], Noise::Kept)),
    ("causal", Engine::Associate(&[Dimension::Causal], Noise::Kept)),
    ("resonance", Engine::Resonance),
];

/// One repository, ready to be asked.
struct Asked {
    experiment: Experiment,
    corpus: Arc<Corpus>,
    graph: Arc<Graph>,
    names: Arc<Names>,
}

type Rows = Vec<(String, Figures)>;

pub fn run(args: &BenchRetrieval) -> anyhow::Result<ExitCode> {
    let mut tables: Vec<Rows> = Vec::new();
    for repo in &args.repo {
        let dir = tempfile::tempdir().context("a temporary folder")?;
        let experiment = Experiment::lay_out(repo, args.commits.get(), &dir.path().join("snapshot"))?;
        let runtime = super::runtime(&experiment.folder, &dir.path().join("home"))?;
        let corpus = super::corpus(&runtime)?;
        let workspace = runtime.workspace().context("the snapshot is bound")?;
        let graph = Arc::clone(workspace.view().graph().context("the snapshot has a graph")?);
        let names = workspace.names(&graph);
        anstream::eprintln!("{}: {} questions", experiment.name, experiment.questions.len());
        let asked = Asked { experiment, corpus, graph, names };
        tables.push(of_signals(&asked).into_iter().chain(of_engines(&asked)).collect());
    }
    let Some(first) = tables.first() else { return Ok(ExitCode::SUCCESS) };
    let average = first.iter().enumerate().map(|(at, (name, _))| {
        let all: Vec<Figures> = tables.iter().map(|rows| rows[at].1).collect();
        (name.clone(), Figures::macro_average(&all))
    });
    let average: Rows = average.collect();
    match Reader::of(args.json) {
        Reader::Person => rows("macro average", &average),
        Reader::Program => {
            let row = |(name, figures): &(String, Figures)| (name.clone(), json!(figures));
            let table = |rows: &Rows| Value::Object(rows.iter().map(row).collect());
            let each: Vec<Value> = tables.iter().map(table).collect();
            anstream::println!("{}", json!({ "repositories": each, "macro_average": table(&average) }));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The ranking whole, without the closer look, and without each signal.
fn of_signals(asked: &Asked) -> Rows {
    let whole = Weights::default();
    let unlooked = Weights { closer: closer_like_last(&whole), ..whole.clone() };
    let silent = |signals: &[Signal]| Tuning { silent: signals.to_vec(), ..Tuning::default() };
    let mut rows = vec![
        ("seek".to_owned(), figures(asked, |query| ranked(asked, query, &whole, &silent(&[])))),
        (
            "without the closer look".to_owned(),
            figures(asked, |query| ranked(asked, query, &unlooked, &silent(&[]))),
        ),
    ];
    for &signal in Signal::ALL {
        let tuning = silent(&[signal]);
        let found = figures(asked, |query| ranked(asked, query, &whole, &tuning));
        rows.push((format!("without {}", signal.name()), found));
    }
    rows
}

/// A closer look that says what the first one said.
fn closer_like_last(weights: &Weights) -> [f32; fuse::FEATURES] {
    let mut closer = [0.0; fuse::FEATURES];
    closer.iter_mut().zip(weights.last).for_each(|(closer, last)| *closer = last);
    closer
}

/// Each engine alone, and added to the ranking.
fn of_engines(asked: &Asked) -> Rows {
    let mut rows = Vec::new();
    for (name, engine) in ENGINES {
        rows.push((format!("{name} alone"), figures(asked, |query| spoken(asked, query, engine))));
        let (weights, tuning) = (Weights::default(), Tuning::default());
        let pairs: Vec<(Vec<FileIx>, Vec<FileIx>)> = asked
            .experiment
            .questions
            .iter()
            .map(|question| {
                let ranking = ranked(asked, &question.text, &weights, &tuning);
                (ranking, spoken(asked, &question.text, engine))
            })
            .collect();
        for share in SHARES {
            let mut at = 0;
            let found = figures(asked, |_| {
                at += 1;
                let (ranking, engine) = &pairs[at - 1];
                added(asked, ranking, engine, share)
            });
            rows.push((format!("seek + {share} x {name}"), found));
        }
    }
    rows
}

/// Files in the order of the places that two rankings give them.
fn added(asked: &Asked, ranking: &[FileIx], engine: &[FileIx], share: f32) -> Vec<FileIx> {
    let mut sums = vec![0.0; asked.corpus.text.files().len()];
    for (files, share) in [(ranking, 1.0), (engine, share)] {
        for (place, &file) in files.iter().enumerate() {
            sums[file as usize] += share / (1.0 + place as f32 / HALF_PLACE);
        }
    }
    best(&sums, DEPTH)
}

fn ranked(asked: &Asked, query: &str, weights: &Weights, tuning: &Tuning) -> Vec<FileIx> {
    let ranking = fuse::rank(&asked.corpus, query, weights, tuning, |_, _, score| score.max(0.0));
    best(&ranking.scores, DEPTH)
}

/// Files by the strongest node that an engine finds in each; tests are left out, as the ranking would.
fn spoken(asked: &Asked, query: &str, engine: Engine) -> Vec<FileIx> {
    let (graph, names) = (&asked.graph, &asked.names);
    let active: Vec<(NodeIx, f32)> = match engine {
        Engine::Associate(dimensions, noise) => {
            let found = associate(graph, names, query, dimensions, noise);
            found.activated.iter().map(|one| (one.node, one.activation)).collect()
        }
        Engine::Resonance => {
            let mut starts: Vec<(NodeIx, f32)> =
                seeds(graph, names, query).iter().map(|seed| (seed.node, seed.score)).collect();
            starts.sort_unstable_by_key(|&(node, _)| node);
            resonate(names, &starts).amplitudes
        }
    };
    let mut scores = vec![0.0_f32; asked.corpus.text.files().len()];
    for (node, seen) in active {
        let path = graph.node(node).path();
        if let Some(file) =
            asked.corpus.text.file(path).filter(|_| super::super::experiment::is_product(path))
        {
            scores[file as usize] = scores[file as usize].max(seen);
        }
    }
    best(&scores, DEPTH)
}

fn figures(asked: &Asked, mut answer: impl FnMut(&str) -> Vec<FileIx>) -> Figures {
    let mut tally = Tally::default();
    for question in &asked.experiment.questions {
        let started = Instant::now();
        let found = answer(&question.text);
        let time = started.elapsed();
        let paths: Vec<&str> = found.iter().map(|&file| asked.corpus.text.path(file)).collect();
        tally.add(&paths, &question.truth, time, 0);
    }
    tally.figures()
}
