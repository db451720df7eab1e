//! `--fit`: weights (with `--tune` also constants) fitted on some repositories and judged on others.

use std::process::ExitCode;

use anyhow::Context as _;
use m1nd_recall::fuse::fit::{self, Case, Known, KnownChange};
use m1nd_recall::fuse::{Signal, Tuning, tables};
use m1nd_recall::predict;

use super::super::experiment::Experiment;
use crate::args::BenchRetrieval;

/// Parts the repositories are dealt into; each part is judged by weights fitted on the others.
const FOLDS: usize = 4;
pub fn run(args: &BenchRetrieval) -> anyhow::Result<ExitCode> {
    let mut cases = Vec::new();
    for repo in &args.repo {
        let dir = tempfile::tempdir().context("a temporary folder")?;
        let experiment = Experiment::lay_out(repo, args.commits.get(), &dir.path().join("snapshot"))?;
        let corpus = super::corpus(&super::runtime(&experiment.folder, &dir.path().join("home"))?)?;
        anstream::eprintln!("{}: {} questions", experiment.name, experiment.questions.len());
        let questions = experiment.questions.iter().map(|question| Known {
            text: question.text.clone(),
            truth: question.truth.iter().map(|path| corpus.text.file(path)).collect(),
        });
        let questions = questions.collect();
        let changes = experiment.changes.iter().filter_map(|change| {
            let with = change.with.iter().map(|path| corpus.text.file(path)).collect();
            Some(KnownChange { given: corpus.text.file(&change.given)?, with })
        });
        let changes = changes.collect();
        cases.push(Case { corpus, questions, changes });
    }
    let all: Vec<usize> = (0..cases.len()).collect();
    let tuning = Tuning { silent: silent(&args.without)?, ..Tuning::default() };
    clues(&cases, &all);
    let tuning = match args.tune {
        true => fit::tune(&some(&cases, &all), tuning, |name, tuning, (recall, mrr)| {
            anstream::eprintln!("{name}: recall@10 {recall:.4}, MRR {mrr:.4} with {tuning:?}");
        }),
        false => tuning,
    };
    let (recall, mrr) =
        held_out(&cases, &all, |fitted, judged| fit::judge(judged, &fit::fit(fitted, &tuning), &tuning));
    anstream::eprintln!("held out: recall@10 {recall:.4}, MRR {mrr:.4}");
    let weights = fit::fit(&some(&cases, &all), &tuning);
    let (recall, mrr) = fit::judge(&some(&cases, &all), &weights, &tuning);
    anstream::eprintln!("on all: recall@10 {recall:.4}, MRR {mrr:.4}");
    anstream::println!("{tuning:?}");
    anstream::print!("{}", tables(&weights));
    Ok(ExitCode::SUCCESS)
}

fn silent(names: &[String]) -> anyhow::Result<Vec<Signal>> {
    let known = || Signal::ALL.iter().map(|signal| signal.name()).collect::<Vec<_>>().join(", ");
    let parse = |name: &String| {
        Signal::parse(name).with_context(|| format!("no signal is called {name}; there are {}", known()))
    };
    names.iter().map(parse).collect()
}

/// The weights of clues to what changes together.
fn clues(cases: &[Case], all: &[usize]) {
    let (recall, mrr) =
        held_out(cases, all, |fitted, judged| fit::judge_clues(judged, &fit::fit_clues(fitted)));
    anstream::eprintln!("changes held out: recall@10 {recall:.4}, MRR {mrr:.4}");
    let weights = fit::fit_clues(&some(cases, all));
    anstream::print!("{}", predict::tables(&weights));
}

/// Recall@10 and MRR on each part of the repositories, judged by what was fitted on the others.
fn held_out(cases: &[Case], all: &[usize], judge: impl Fn(&[&Case], &[&Case]) -> (f64, f64)) -> (f64, f64) {
    let mut figures = Vec::new();
    for fold in 0..FOLDS.min(cases.len()) {
        let (judged, fitted): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&at| at % FOLDS == fold);
        if !fitted.is_empty() {
            figures.push(judge(&some(cases, &fitted), &some(cases, &judged)));
        }
    }
    let mean =
        |field: fn(&(f64, f64)) -> f64| figures.iter().map(field).sum::<f64>() / figures.len().max(1) as f64;
    (mean(|f| f.0), mean(|f| f.1))
}

fn some<'c>(cases: &'c [Case], chosen: &[usize]) -> Vec<&'c Case> {
    chosen.iter().map(|&at| &cases[at]).collect()
}
