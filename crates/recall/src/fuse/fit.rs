//! Fitting: weights and constants by coordinate search on questions whose answers are known.

use std::sync::Arc;

use rayon::prelude::*;

use super::signals::{Evidence, FIRST, SIGNALS, Tuning, best, weigh_terms};
use super::weights::Weights;
use crate::corpus::Corpus;
use crate::text::FileIx;

/// Candidates kept for a question: the best of each signal.
const PER_SIGNAL: usize = 60;
/// Steps a weight is moved by.
const STEPS: [f32; 8] = [0.0, 0.4, 0.7, 0.85, 1.15, 1.4, 2.0, 3.0];
/// What a weight that is 0 is tried as.
const FROM_ZERO: [f32; 4] = [0.03, 0.1, 0.3, -0.1];
/// A smaller gain is chance.
const MIN_GAIN: f64 = 1e-4;

/// A repository, ready to be asked again and again.
pub struct Case {
    pub corpus: Arc<Corpus>,
    pub questions: Vec<Asked>,
}

/// A question and the files that answer it; nothing for one that the corpus does not have.
pub struct Asked {
    pub text: String,
    pub truth: Vec<Option<FileIx>>,
}

/// One question with the files worth ranking, and what each signal says of them.
struct Row {
    /// One block of signals per candidate.
    features: Vec<[f32; SIGNALS]>,
    is_truth: Vec<bool>,
    truth: usize,
}

type Rows = Vec<Vec<Row>>;

/// Recall@10 and MRR, each repository counting the same.
pub fn judge(cases: &[&Case], weights: &Weights, tuning: &Tuning) -> (f64, f64) {
    judged(&rows(cases, weights, tuning), &weights.last)
}

/// The weights and constants that rank best.
pub fn fit(cases: &[&Case]) -> (Weights, Tuning) {
    let mut weights = Weights::default();
    let mut tuning = Tuning::default();
    for _ in 0..2 {
        let first = rows(cases, &weights, &tuning);
        weights.first = search(&first, weights.first, FIRST);
        let second = rows(cases, &weights, &tuning);
        weights.last = search(&second, weights.last, SIGNALS);
        tuning = tune(cases, &weights, tuning);
    }
    (weights, tuning)
}

/// Moves one constant at a time.
fn tune(cases: &[&Case], weights: &Weights, mut tuning: Tuning) -> Tuning {
    let mut best = worth(judged(&rows(cases, weights, &tuning), &weights.last));
    for (_, get) in TUNED {
        for step in [0.6, 0.8, 1.25, 1.6] {
            let mut tried = tuning.clone();
            *get(&mut tried) *= step;
            let now = worth(judged(&rows(cases, weights, &tried), &weights.last));
            if now > best + MIN_GAIN {
                best = now;
                tuning = tried;
            }
        }
    }
    tuning
}

type Constant = (&'static str, fn(&mut Tuning) -> &mut f32);

const TUNED: &[Constant] = &[
    ("name", |tuning| &mut tuning.fields[0]),
    ("signature", |tuning| &mut tuning.fields[1]),
    ("doc", |tuning| &mut tuning.fields[2]),
    ("prose", |tuning| &mut tuning.fields[3]),
    ("k1", |tuning| &mut tuning.fields_bm25.k1),
    ("b", |tuning| &mut tuning.fields_bm25.b),
    ("unit k1", |tuning| &mut tuning.unit_bm25.k1),
    ("unit b", |tuning| &mut tuning.unit_bm25.b),
    ("later lines", |tuning| &mut tuning.later_lines),
    ("power", |tuning| &mut tuning.power),
];

/// Moves one weight at a time until none helps.
fn search(rows: &Rows, mut weights: [f32; SIGNALS], count: usize) -> [f32; SIGNALS] {
    let mut best = worth(judged(rows, &weights));
    for _ in 0..6 {
        let before = best;
        for at in 0..count {
            let old = weights[at];
            let tries: Vec<f32> =
                if old == 0.0 { FROM_ZERO.to_vec() } else { STEPS.iter().map(|step| step * old).collect() };
            let mut kept = old;
            for tried in tries {
                weights[at] = tried;
                let now = worth(judged(rows, &weights));
                if now > best + MIN_GAIN {
                    best = now;
                    kept = tried;
                }
            }
            weights[at] = kept;
        }
        if best <= before + MIN_GAIN {
            break;
        }
    }
    weights
}

/// Early hits and found files count the same.
fn worth((recall, mrr): (f64, f64)) -> f64 {
    recall + mrr
}

/// What the signals say of the candidates of every question.
fn rows(cases: &[&Case], weights: &Weights, tuning: &Tuning) -> Rows {
    let of = |case: &&Case| {
        case.questions.par_iter().map(|question| row(&case.corpus, question, weights, tuning)).collect()
    };
    cases.iter().map(of).collect()
}

fn row(corpus: &Corpus, question: &Asked, weights: &Weights, tuning: &Tuning) -> Row {
    let terms = weigh_terms(corpus, &question.text, tuning);
    let mut evidence = Evidence::first(corpus, &terms, tuning);
    let first = evidence.weigh(&weights.first);
    evidence.second(corpus, &first, tuning);
    let truth: Vec<u32> = question.truth.iter().copied().flatten().collect();
    let mut candidates = truth.clone();
    for scores in &evidence.files {
        candidates.extend(best(scores, PER_SIGNAL));
    }
    candidates.sort_unstable();
    candidates.dedup();
    let features =
        candidates.iter().map(|&file| std::array::from_fn(|signal| evidence.files[signal][file as usize]));
    Row {
        features: features.collect(),
        is_truth: candidates.iter().map(|file| truth.contains(file)).collect(),
        truth: question.truth.len(),
    }
}

/// Recall@10 and MRR of weights on candidates.
fn judged(rows: &Rows, weights: &[f32; SIGNALS]) -> (f64, f64) {
    let of = |row: &Row| -> (f64, f64) {
        let scores: Vec<f32> = row
            .features
            .iter()
            .map(|signals| signals.iter().zip(weights).map(|(s, w)| s * w).sum())
            .collect();
        let rank = |at: usize| {
            let own = scores[at];
            1 + scores
                .iter()
                .enumerate()
                .filter(|&(other, &score)| score > own || score == own && other < at)
                .count()
        };
        let ranks: Vec<usize> = (0..scores.len()).filter(|&at| row.is_truth[at]).map(rank).collect();
        let found = ranks.iter().filter(|&&rank| rank <= 10).count();
        (found as f64 / row.truth as f64, ranks.iter().min().map_or(0.0, |&rank| 1.0 / rank as f64))
    };
    let of_repository = |rows: &Vec<Row>| -> (f64, f64) {
        let sums = rows.par_iter().map(of).collect::<Vec<_>>();
        let count = rows.len().max(1) as f64;
        (sums.iter().map(|s| s.0).sum::<f64>() / count, sums.iter().map(|s| s.1).sum::<f64>() / count)
    };
    let each: Vec<(f64, f64)> = rows.iter().map(of_repository).collect();
    let count = each.len().max(1) as f64;
    (each.iter().map(|s| s.0).sum::<f64>() / count, each.iter().map(|s| s.1).sum::<f64>() / count)
}
