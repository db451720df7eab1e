//! Scores of a ranking: what was found, how early, how fast, in how many bytes.

use std::time::Duration;

use serde::Serialize;

/// Sums over questions.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    questions: usize,
    recall: [f64; 3],
    reciprocal: f64,
    times: Vec<Duration>,
    bytes: Vec<usize>,
}

/// Where recall is taken.
const CUTS: [usize; 3] = [1, 5, 10];

/// Means over questions.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Figures {
    pub recall_1: f64,
    pub recall_5: f64,
    pub recall_10: f64,
    pub mrr: f64,
    /// Median, in milliseconds.
    pub p50_ms: f64,
    /// Median.
    pub bytes: usize,
}

impl Tally {
    /// Counts one ranking, best first, against the files that should be in it.
    pub fn add<T: AsRef<str>>(&mut self, ranking: &[T], truth: &[String], time: Duration, bytes: usize) {
        self.questions += 1;
        let ranks = ranks(ranking, truth);
        for (sum, cut) in self.recall.iter_mut().zip(CUTS) {
            let found = ranks.iter().flatten().filter(|&&rank| rank <= cut).count();
            *sum += found as f64 / truth.len() as f64;
        }
        self.reciprocal += ranks.iter().flatten().min().map_or(0.0, |&rank| 1.0 / rank as f64);
        self.times.push(time);
        self.bytes.push(bytes);
    }

    pub fn figures(&self) -> Figures {
        let mean = |sum: f64| rounded(sum / self.questions.max(1) as f64);
        let mut bytes = self.bytes.clone();
        bytes.sort_unstable();
        Figures {
            recall_1: mean(self.recall[0]),
            recall_5: mean(self.recall[1]),
            recall_10: mean(self.recall[2]),
            mrr: mean(self.reciprocal),
            p50_ms: super::super::median_ms(self.times.clone()),
            bytes: bytes.get(bytes.len() / 2).copied().unwrap_or_default(),
        }
    }
}

/// The rank of each file of the truth, from 1; nothing where it is not in the ranking.
pub fn ranks<T: AsRef<str>>(ranking: &[T], truth: &[String]) -> Vec<Option<usize>> {
    let rank = |file: &String| ranking.iter().position(|found| found.as_ref() == file).map(|at| at + 1);
    truth.iter().map(rank).collect()
}

impl Figures {
    /// Each repository counts the same.
    pub fn macro_average(all: &[Self]) -> Self {
        let mean =
            |field: fn(&Self) -> f64| rounded(all.iter().map(field).sum::<f64>() / all.len().max(1) as f64);
        Self {
            recall_1: mean(|f| f.recall_1),
            recall_5: mean(|f| f.recall_5),
            recall_10: mean(|f| f.recall_10),
            mrr: mean(|f| f.mrr),
            p50_ms: mean(|f| f.p50_ms),
            bytes: (all.iter().map(|f| f.bytes).sum::<usize>() + all.len() / 2) / all.len().max(1),
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recall_counts_files_and_the_first_one_found_counts_for_its_rank() {
        let mut tally = Tally::default();
        let truth = ["b".to_owned(), "z".to_owned()];
        tally.add(&["a", "b", "c"], &truth, Duration::from_millis(2), 10);
        let figures = tally.figures();
        assert_eq!((figures.recall_1, figures.recall_5, figures.mrr), (0.0, 0.5, 0.5));
        assert_eq!((figures.p50_ms, figures.bytes), (2.0, 10));
    }
}
