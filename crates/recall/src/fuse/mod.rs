//! Fusion: what each source of evidence says about a file, and how much each counts.

mod asked;
mod closer;
mod evidence;
pub mod fit;
mod signals;
mod weights;

pub use asked::Asked;
pub(crate) use closer::places;
pub use closer::{CLEAR, FEATURES, PLACED, POOL, TRUSTED, features, without};
pub(crate) use evidence::normalise;
pub use evidence::{Evidence, best};
pub use signals::{FIRST, HABITS, SIGNALS, Signal, Tuning};
pub use weights::{Weights, tables};

use crate::corpus::Corpus;
use crate::text::FileIx;

/// The files of a corpus, scored for one question.
#[derive(Clone, Debug)]
pub struct Ranking {
    pub evidence: Evidence,
    /// Nothing for files that do not count.
    pub scores: Vec<f32>,
}

/// Scores every file that counts and every unit for a question. `shown` turns the sum of a file's signals into its score.
pub fn rank(
    corpus: &Corpus,
    query: &str,
    weights: &Weights,
    tuning: &Tuning,
    shown: impl Fn(&Evidence, FileIx, f32) -> f32,
) -> Ranking {
    let asked = Asked::of(corpus, query, tuning);
    let mut evidence = Evidence::first(corpus, &asked, tuning);
    let first = evidence.weigh(&weights.first);
    evidence.second(corpus, &first, tuning);
    let mut scores = evidence.weigh(&weights.last);
    scores.iter_mut().enumerate().for_each(|(at, score)| *score = shown(&evidence, at as FileIx, *score));
    look_closer(&evidence, &weights.closer, &mut scores);
    Ranking { evidence, scores }
}

/// Puts the best files in their last order. The scores stay, and change hands: a score says how well the files of its place
/// fit, whatever decided between them.
fn look_closer(evidence: &Evidence, weights: &[f32; FEATURES], scores: &mut [f32]) {
    let pool = best(scores, POOL);
    let sum = |row: &[f32; FEATURES]| row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    let sums: Vec<f32> = features(evidence, &pool).iter().map(sum).collect();
    let mut order: Vec<usize> = (0..pool.len()).collect();
    order.sort_by(|&a, &b| sums[b].total_cmp(&sums[a]).then_with(|| pool[a].cmp(&pool[b])));
    let given: Vec<f32> = pool.iter().map(|&file| scores[file as usize]).collect();
    for (place, nth) in order.into_iter().enumerate() {
        scores[pool[nth] as usize] = given[place];
    }
}
