//! A closer look at the best files: what tells them from each other, not from all the rest.
//!
//! Among files that all fit, scores say less than places: whether a file is the first or the fifth by a signal. And how far
//! habits and relations can be trusted depends on the question: where no file has its words, what changes often is the
//! better guess.

use super::evidence::Evidence;
use super::signals::{SIGNALS, Signal};
use crate::text::FileIx;

/// How many of the best files are looked at again.
pub const POOL: usize = 60;

/// Signals by which a file's place among the best counts.
pub const PLACED: [Signal; 19] = [
    Signal::Text,
    Signal::Fields,
    Signal::Symbol,
    Signal::Names,
    Signal::Name,
    Signal::Said,
    Signal::Resembling,
    Signal::Share,
    Signal::Nearest,
    Signal::Churn,
    Signal::Together,
    Signal::Related,
    Signal::Tested,
    Signal::Exercised,
    Signal::Phrase,
    Signal::SymbolPhrase,
    Signal::SymbolName,
    Signal::Widely,
    Signal::Closely,
];

/// What tells how clear a question is: the highest share that any file has.
pub const CLEAR: [Signal; 4] = [Signal::Share, Signal::Nearest, Signal::SaidShare, Signal::Coverage];

/// Signals that are trusted more or less, the clearer a question is.
pub const TRUSTED: [Signal; 8] = [
    Signal::Text,
    Signal::Symbol,
    Signal::Name,
    Signal::Said,
    Signal::Resembling,
    Signal::Churn,
    Signal::Together,
    Signal::Related,
];

/// How many numbers describe a file in the closer look.
pub const FEATURES: usize = SIGNALS + PLACED.len() + CLEAR.len() * TRUSTED.len();

/// From this place on, a place counts half of the first.
const HALF_PLACE: f32 = 5.0;

/// What describes each file of the pool.
pub fn features(evidence: &Evidence, pool: &[FileIx]) -> Vec<[f32; FEATURES]> {
    let mut rows = vec![[0.0; FEATURES]; pool.len()];
    let value = |signal: Signal, file: FileIx| evidence.files[signal as usize][file as usize];
    for (row, &file) in rows.iter_mut().zip(pool) {
        for &signal in Signal::ALL {
            row[signal as usize] = value(signal, file);
        }
    }
    for (at, &signal) in PLACED.iter().enumerate() {
        for (nth, place) in places(pool.len(), |nth| value(signal, pool[nth])) {
            rows[nth][SIGNALS + at] = place;
        }
    }
    for (at, &clear) in CLEAR.iter().enumerate() {
        let clearness = pool.iter().map(|&file| value(clear, file)).fold(0.0, f32::max);
        let start = SIGNALS + PLACED.len() + at * TRUSTED.len();
        for (row, &file) in rows.iter_mut().zip(pool) {
            for (trusted, &signal) in row[start..start + TRUSTED.len()].iter_mut().zip(&TRUSTED) {
                *trusted = clearness * value(signal, file);
            }
        }
    }
    rows
}

/// What a place is worth, 1 for the highest value, for each of `count` that has a value; equal ones in their order.
pub(crate) fn places(count: usize, value: impl Fn(usize) -> f32) -> impl Iterator<Item = (usize, f32)> {
    let mut order: Vec<usize> = (0..count).filter(|&nth| value(nth) > 0.0).collect();
    order.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
    order.into_iter().enumerate().map(|(place, nth)| (nth, 1.0 / (1.0 + place as f32 / HALF_PLACE)))
}

/// Takes the weight of a signal out of the closer look, wherever it counts.
pub fn without(weights: &mut [f32; FEATURES], signal: Signal) {
    weights[signal as usize] = 0.0;
    let placed = PLACED.iter().position(|&placed| placed == signal).map(|at| SIGNALS + at);
    let trusted = TRUSTED.iter().position(|&trusted| trusted == signal).into_iter().flat_map(|at| {
        (0..CLEAR.len()).map(move |clear| SIGNALS + PLACED.len() + clear * TRUSTED.len() + at)
    });
    placed.into_iter().chain(trusted).for_each(|at| weights[at] = 0.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence() -> Evidence {
        let mut files = vec![vec![0.0; 3]; SIGNALS];
        files[Signal::Text as usize] = vec![0.5, 1.0, 0.0];
        files[Signal::Nearest as usize] = vec![0.25, 0.0, 0.5];
        Evidence { files, units: Vec::new() }
    }

    #[test]
    fn places_and_trust_are_as_a_person_counts_them() {
        let rows = features(&evidence(), &[0, 1, 2]);
        let placed = |signal| SIGNALS + PLACED.iter().position(|&placed| placed == signal).unwrap();
        let by_text: Vec<f32> = rows.iter().map(|row| row[placed(Signal::Text)]).collect();
        assert_eq!(by_text, [1.0 / 1.2, 1.0, 0.0], "second, first, and not at all");
        let trust = SIGNALS
            + PLACED.len()
            + CLEAR.iter().position(|&clear| clear == Signal::Nearest).unwrap() * TRUSTED.len();
        let text: Vec<f32> = rows.iter().map(|row| row[trust]).collect();
        assert_eq!(text, [0.25, 0.5, 0.0], "the nearest commit has half of the question's words");
    }

    #[test]
    fn a_signal_taken_out_counts_nowhere() {
        let mut weights = [1.0; FEATURES];
        without(&mut weights, Signal::Text);
        let sum = |evidence: &Evidence| -> f32 {
            let rows = features(evidence, &[0, 1, 2]);
            rows.iter().flat_map(|row| row.iter().zip(&weights).map(|(value, weight)| value * weight)).sum()
        };
        let mut silent = evidence();
        silent.files[Signal::Text as usize] = vec![0.0; 3];
        assert_eq!(sum(&evidence()), sum(&silent));
    }
}
