//! Fitting: weights by softmax regression on questions whose answers are known, constants by coordinate search.
//!
//! The weights maximise how likely the right files are when files are drawn by the exponential of their score. That
//! needs no derivative of recall, uses every rank and not only the first ten, and gives the same weights every time.

use std::sync::Arc;

use rayon::prelude::*;

use super::asked::Asked;
use super::closer::{FEATURES, POOL, features};
use super::evidence::{Evidence, best};
use super::signals::{FIRST, SIGNALS, Tuning};
use super::weights::Weights;
use crate::corpus::Corpus;
use crate::predict::{self, clues};
use crate::text::FileIx;

/// Candidates kept for a question: the best of each signal.
const PER_SIGNAL: usize = 60;
/// Steps of the descent; the weights do not move any more after them.
const STEPS: i32 = 300;
/// How far a weight moves in a step, at first.
const RATE: f64 = 0.05;
/// How much large weights cost.
const RIDGE: f64 = 1e-3;
/// A smaller gain is chance.
const MIN_GAIN: f64 = 5e-4;

/// A repository, ready to be asked again and again.
pub struct Case {
    pub corpus: Arc<Corpus>,
    pub questions: Vec<Known>,
    pub changes: Vec<KnownChange>,
}

/// A file that changed, and those that changed with it; nothing for one that the corpus does not have.
pub struct KnownChange {
    pub given: FileIx,
    pub with: Vec<Option<FileIx>>,
}

/// A question and the files that answer it; nothing for one that the corpus does not have.
pub struct Known {
    pub text: String,
    pub truth: Vec<Option<FileIx>>,
}

/// One question with the files worth ranking, and what each signal says of them.
struct Row<const N: usize> {
    /// One block of signals per candidate.
    features: Vec<[f32; N]>,
    is_truth: Vec<bool>,
    truth: usize,
}

type Rows<const N: usize> = Vec<Vec<Row<N>>>;

/// Recall@10 and MRR, each repository counting the same.
pub fn judge(cases: &[&Case], weights: &Weights, tuning: &Tuning) -> (f64, f64) {
    judged(&closer_rows(cases, weights, tuning), &weights.closer)
}

/// The weights that rank best with given constants.
pub fn fit(cases: &[&Case], tuning: &Tuning) -> Weights {
    let mut weights = Weights::default();
    weights.first = descend(&rows(cases, &weights, tuning), FIRST);
    weights.last = descend(&rows(cases, &weights, tuning), SIGNALS);
    weights.closer = descend(&closer_rows(cases, &weights, tuning), FEATURES);
    weights
}

/// Clues to what changes together, weighed so that they rank best.
pub fn fit_clues(cases: &[&Case]) -> [f32; predict::FEATURES] {
    descend(&clue_rows(cases), predict::FEATURES)
}

/// Recall@10 and MRR of predictions, each repository counting the same.
pub fn judge_clues(cases: &[&Case], weights: &[f32; predict::FEATURES]) -> (f64, f64) {
    judged(&clue_rows(cases), weights)
}

fn clue_rows(cases: &[&Case]) -> Rows<{ predict::FEATURES }> {
    let of = |case: &&Case| {
        let row = |change: &KnownChange| {
            let found = clues(&case.corpus, change.given);
            Row {
                is_truth: found.iter().map(|(file, _)| change.with.contains(&Some(*file))).collect(),
                features: found.into_iter().map(|(_, clues)| clues).collect(),
                truth: change.with.len(),
            }
        };
        case.changes.par_iter().map(row).collect()
    };
    cases.iter().map(of).collect()
}

/// Moves one constant at a time; `tried` hears of each that helps. Every other repository is judged by weights fitted on
/// the rest, so that a constant is not chosen for what it fits.
pub fn tune(cases: &[&Case], mut tuning: Tuning, mut tried: impl FnMut(&str, &Tuning, (f64, f64))) -> Tuning {
    let worth = |tuning: &Tuning| {
        let half = |odd: usize| -> Vec<&Case> {
            cases.iter().enumerate().filter(|(at, _)| at % 2 == odd).map(|(_, &case)| case).collect()
        };
        let (one, other) = (half(0), half(1));
        let first = judge(&one, &fit(&other, tuning), tuning);
        let second = judge(&other, &fit(&one, tuning), tuning);
        let (recall, mrr) = ((first.0 + second.0) / 2.0, (first.1 + second.1) / 2.0);
        (recall + mrr, (recall, mrr))
    };
    let mut best = worth(&tuning).0;
    for (name, get) in TUNED {
        for step in [0.5, 2.0] {
            let mut other = tuning.clone();
            *get(&mut other) *= step;
            let (now, figures) = worth(&other);
            if now > best + MIN_GAIN {
                best = now;
                tuning = other;
                tried(name, &tuning, figures);
            }
        }
    }
    tuning
}

type Constant = (&'static str, fn(&mut Tuning) -> &mut f32);

const TUNED: &[Constant] = &[
    ("scope", |tuning| &mut tuning.scope),
    ("quoted", |tuning| &mut tuning.quoted),
    ("identifiers", |tuning| &mut tuning.identifiers),
    ("later lines", |tuning| &mut tuning.later_lines),
    ("power", |tuning| &mut tuning.power),
    ("unit b", |tuning| &mut tuning.unit_bm25.b),
    ("unit k1", |tuning| &mut tuning.unit_bm25.k1),
    ("name", |tuning| &mut tuning.fields[0]),
    ("signature", |tuning| &mut tuning.fields[1]),
    ("doc", |tuning| &mut tuning.fields[2]),
    ("prose", |tuning| &mut tuning.fields[3]),
    ("b", |tuning| &mut tuning.fields_bm25.b),
];

/// Adam, over all questions at once; every repository counts the same.
fn descend<const N: usize>(rows: &Rows<N>, count: usize) -> [f32; N] {
    let all: Vec<(&Row<N>, f64)> = rows
        .iter()
        .flat_map(|of| of.iter().map(move |row| (row, 1.0 / (of.len() * rows.len()) as f64)))
        .filter(|(row, _)| row.is_truth.contains(&true))
        .collect();
    let (mut weights, mut mean, mut square) = ([0.0; N], [0.0; N], [0.0; N]);
    for step in 1..=STEPS {
        // Summed in the order of questions, so that threads do not change the outcome.
        let parts: Vec<[f64; N]> = all
            .par_iter()
            .map(|(row, share)| gradient(row, &weights, count).map(|slope| slope * share))
            .collect();
        for at in 0..count {
            let slope = parts.iter().map(|part| part[at]).sum::<f64>() + RIDGE * weights[at];
            mean[at] = 0.9 * mean[at] + 0.1 * slope;
            square[at] = 0.999 * square[at] + 0.001 * slope * slope;
            let (first, second) =
                (mean[at] / (1.0 - 0.9_f64.powi(step)), square[at] / (1.0 - 0.999_f64.powi(step)));
            weights[at] -= RATE * first / (second.sqrt() + 1e-8);
        }
    }
    weights.map(|weight| weight as f32)
}

fn gradient<const N: usize>(row: &Row<N>, weights: &[f64; N], count: usize) -> [f64; N] {
    let score = |signals: &[f32; N]| -> f64 {
        signals[..count].iter().zip(weights).map(|(&signal, weight)| f64::from(signal) * weight).sum()
    };
    let scores: Vec<f64> = row.features.iter().map(score).collect();
    let most = scores.iter().copied().fold(f64::MIN, f64::max);
    let sum: f64 = scores.iter().map(|score| (score - most).exp()).sum();
    let right = row.is_truth.iter().filter(|is| **is).count() as f64;
    let mut slope = [0.0; N];
    for ((signals, score), is_truth) in row.features.iter().zip(scores).zip(&row.is_truth) {
        let wanted = if *is_truth { 1.0 / right } else { 0.0 };
        let off = (score - most).exp() / sum - wanted;
        for (slope, &signal) in slope[..count].iter_mut().zip(signals) {
            *slope += off * f64::from(signal);
        }
    }
    slope
}

/// What the signals say of the candidates of every question.
fn rows(cases: &[&Case], weights: &Weights, tuning: &Tuning) -> Rows<SIGNALS> {
    asked(cases, weights, tuning, |evidence, truth| {
        let mut candidates: Vec<FileIx> = truth.to_vec();
        for scores in &evidence.files {
            candidates.extend(best(scores, PER_SIGNAL));
        }
        candidates.sort_unstable();
        candidates.dedup();
        let of = |&file: &FileIx| std::array::from_fn(|at| evidence.files[at][file as usize]);
        let features = candidates.iter().map(of).collect();
        (candidates, features)
    })
}

/// What describes the files of every question that are looked at closer.
fn closer_rows(cases: &[&Case], weights: &Weights, tuning: &Tuning) -> Rows<FEATURES> {
    asked(cases, weights, tuning, |evidence, _| {
        let pool = best(&evidence.weigh(&weights.last), POOL);
        let features = features(evidence, &pool);
        (pool, features)
    })
}

/// Asks every question; `describe` chooses files, the right ones being given, and describes them.
fn asked<const N: usize>(
    cases: &[&Case],
    weights: &Weights,
    tuning: &Tuning,
    describe: impl Fn(&Evidence, &[FileIx]) -> (Vec<FileIx>, Vec<[f32; N]>) + Sync,
) -> Rows<N> {
    let row = |corpus: &Corpus, question: &Known| {
        let mut evidence = Evidence::first(corpus, &Asked::of(corpus, &question.text, tuning), tuning);
        let first = evidence.weigh(&weights.first);
        evidence.second(corpus, &first, tuning);
        let truth: Vec<FileIx> = question.truth.iter().copied().flatten().collect();
        let (files, features) = describe(&evidence, &truth);
        let is_truth = files.iter().map(|file| truth.contains(file)).collect();
        Row { features, is_truth, truth: question.truth.len() }
    };
    let of = |case: &&Case| case.questions.par_iter().map(|question| row(&case.corpus, question)).collect();
    cases.iter().map(of).collect()
}

/// Recall@10 and MRR of weights on candidates.
fn judged<const N: usize>(rows: &Rows<N>, weights: &[f32; N]) -> (f64, f64) {
    let of = |row: &Row<N>| -> (f64, f64) {
        let score = |signals: &[f32; N]| signals.iter().zip(weights).map(|(s, w)| s * w).sum();
        let scores: Vec<f32> = row.features.iter().map(score).collect();
        let rank = |at: usize| {
            let own = scores[at];
            let is_before = |(other, &score): (usize, &f32)| score > own || score == own && other < at;
            1 + scores.iter().enumerate().filter(|&(other, score)| is_before((other, score))).count()
        };
        let ranks: Vec<usize> = (0..scores.len()).filter(|&at| row.is_truth[at]).map(rank).collect();
        let found = ranks.iter().filter(|&&rank| rank <= 10).count();
        (found as f64 / row.truth as f64, ranks.iter().min().map_or(0.0, |&rank| 1.0 / rank as f64))
    };
    let mean = |of: &[(f64, f64)]| -> (f64, f64) {
        let count = of.len().max(1) as f64;
        (of.iter().map(|s| s.0).sum::<f64>() / count, of.iter().map(|s| s.1).sum::<f64>() / count)
    };
    let each = |rows: &Vec<Row<N>>| mean(&rows.par_iter().map(of).collect::<Vec<_>>());
    mean(&rows.iter().map(each).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signal_that_tells_right_from_wrong_gets_the_weight() {
        let mut right = [0.0; SIGNALS];
        right[2] = 1.0;
        let mut wrong = [0.0; SIGNALS];
        wrong[5] = 1.0;
        let row =
            || Row { features: vec![wrong, right, wrong], is_truth: vec![false, true, false], truth: 1 };
        let rows = vec![vec![row(), row()], vec![row()]];
        assert_eq!(judged(&rows, &[1.0; SIGNALS]), (1.0, 0.5));
        let weights = descend(&rows, SIGNALS);
        assert!(weights[2] > 1.0 && weights[5] < -0.5 && weights[0] == 0.0, "{weights:?}");
        assert_eq!(judged(&rows, &weights), (1.0, 1.0));
    }
}
