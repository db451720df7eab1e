//! Fusion: what each source of evidence says about a file, and how much each counts.

pub mod fit;
mod signals;
mod weights;

pub(crate) use signals::normalise;
pub use signals::{Evidence, FIRST, HABITS, SIGNALS, Signal, Tuning, best, weigh_terms};
pub use weights::Weights;

use crate::corpus::Corpus;

/// The files of a corpus, scored for one question.
#[derive(Clone, Debug)]
pub struct Ranking {
    pub evidence: Evidence,
    pub scores: Vec<f32>,
}

/// Scores every file and every unit for a question.
pub fn rank(corpus: &Corpus, query: &str, weights: &Weights, tuning: &Tuning) -> Ranking {
    let terms = weigh_terms(corpus, query, tuning);
    let mut evidence = Evidence::first(corpus, &terms, tuning);
    let first = evidence.weigh(&weights.first);
    evidence.second(corpus, &first, tuning);
    let scores = evidence.weigh(&weights.last);
    Ranking { evidence, scores }
}
