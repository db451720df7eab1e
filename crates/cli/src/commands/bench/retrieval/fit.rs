//! `--fit`: weights and constants by coordinate search, judged on repositories they were not fitted on.

use std::process::ExitCode;

use anyhow::Context as _;
use m1nd_recall::fuse::Signal;
use m1nd_recall::fuse::fit::{self, Asked, Case};

use super::experiment::Experiment;
use crate::args::BenchRetrieval;

/// Parts the repositories are dealt into; each part is judged by weights fitted on the others.
const FOLDS: usize = 4;
pub fn run(args: &BenchRetrieval) -> anyhow::Result<ExitCode> {
    let mut cases = Vec::new();
    for repo in &args.repo {
        let dir = tempfile::tempdir().context("a temporary folder")?;
        let experiment = Experiment::lay_out(repo, args.commits, &dir.path().join("snapshot"))?;
        let corpus = super::corpus(&experiment, &dir.path().join("home"))?;
        anstream::eprintln!("{}: {} questions", experiment.name, experiment.questions.len());
        let questions = experiment.questions.iter().map(|question| Asked {
            text: question.text.clone(),
            truth: question.truth.iter().map(|path| corpus.text.file(path)).collect(),
        });
        let questions = questions.collect();
        cases.push(Case { corpus, questions });
    }
    let all: Vec<usize> = (0..cases.len()).collect();
    let mut held_out = Vec::new();
    for fold in 0..FOLDS.min(cases.len()) {
        let (judged, fitted): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&at| at % FOLDS == fold);
        if fitted.is_empty() {
            continue;
        }
        let (weights, tuning) = fit::fit(&some(&cases, &fitted));
        let (recall, mrr) = fit::judge(&some(&cases, &judged), &weights, &tuning);
        anstream::eprintln!("fold {fold}: recall@10 {recall:.4}, MRR {mrr:.4}");
        held_out.push((recall, mrr));
    }
    let mean = |field: fn(&(f64, f64)) -> f64| {
        held_out.iter().map(field).sum::<f64>() / held_out.len().max(1) as f64
    };
    anstream::eprintln!("held out: recall@10 {:.4}, MRR {:.4}", mean(|f| f.0), mean(|f| f.1));
    let (weights, tuning) = fit::fit(&some(&cases, &all));
    let (recall, mrr) = fit::judge(&some(&cases, &all), &weights, &tuning);
    anstream::eprintln!("on all: recall@10 {recall:.4}, MRR {mrr:.4}");
    anstream::println!("{weights:?}\n{tuning:?}");
    for &signal in Signal::ALL {
        let at = signal as usize;
        anstream::println!("{:<11} {:>7.3} {:>7.3}", signal.name(), weights.first[at], weights.last[at]);
    }
    Ok(ExitCode::SUCCESS)
}

fn some<'c>(cases: &'c [Case], chosen: &[usize]) -> Vec<&'c Case> {
    chosen.iter().map(|&at| &cases[at]).collect()
}
