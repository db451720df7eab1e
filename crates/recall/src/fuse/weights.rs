//! How much each signal counts: fitted, not chosen.
//!
//! `m1nd bench retrieval --fit --repo …` prints the table; `docs/benchmarks.md` names the repositories it was made on.

use super::closer::{CLEAR, FEATURES, PLACED, TRUSTED};
use super::signals::{SIGNALS, Signal};

/// Weights of signals, in the order of [`Signal::ALL`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// For choosing the files that the last signals start from.
    pub first: [f32; SIGNALS],
    /// For choosing the files that are looked at closer.
    pub last: [f32; SIGNALS],
    /// For their order: signals, then places by [`PLACED`], then [`TRUSTED`] signals for each of [`super::CLEAR`].
    pub closer: [f32; FEATURES],
}

const FITTED: [(Signal, f32, f32, f32); SIGNALS] = [
    (Signal::Text, 0.75, 0.73, 0.55),
    (Signal::Fields, 0.53, 0.53, 0.24),
    (Signal::Symbol, 1.61, 1.59, 1.16),
    (Signal::Names, 0.35, 0.32, 0.15),
    (Signal::SymbolName, -0.09, -0.09, -0.41),
    (Signal::SymbolCoverage, 1.57, 1.58, 1.71),
    (Signal::Phrase, 0.73, 0.73, 0.40),
    (Signal::SymbolPhrase, 0.28, 0.25, 0.07),
    (Signal::Name, 1.44, 1.32, 0.70),
    (Signal::Folder, 1.07, 1.01, 0.95),
    (Signal::Said, 0.97, 0.92, 0.28),
    (Signal::Resembling, 0.88, 0.85, 0.50),
    (Signal::Widely, -0.01, -0.04, -0.60),
    (Signal::Closely, 0.23, 0.25, 0.06),
    (Signal::Share, 0.60, 0.54, 0.42),
    (Signal::Coverage, 0.55, 0.55, 0.32),
    (Signal::SaidShare, 1.12, 1.14, 0.71),
    (Signal::Nearest, 1.76, 1.74, 0.76),
    (Signal::Churn, 1.43, 1.43, 0.97),
    (Signal::Recency, 0.35, 0.37, 0.21),
    (Signal::Size, -0.21, -0.27, -0.25),
    (Signal::Touched, -0.58, -0.57, -1.10),
    (Signal::Ties, -0.19, -0.52, -0.64),
    (Signal::Test, -4.04, -3.91, -3.94),
    (Signal::Beside, -0.68, -0.63, -0.72),
    (Signal::Together, 0.00, -0.03, -0.16),
    (Signal::Related, 0.00, 0.30, 0.03),
    (Signal::Sibling, 0.00, 0.52, 0.41),
    (Signal::Tested, 0.00, 0.28, 0.22),
    (Signal::Exercised, 0.00, 0.29, -0.11),
];

const PLACES: [(Signal, f32); PLACED.len()] = [
    (Signal::Text, 0.10),
    (Signal::Fields, 0.11),
    (Signal::Symbol, 0.81),
    (Signal::Names, 0.43),
    (Signal::Name, 0.84),
    (Signal::Said, 0.17),
    (Signal::Resembling, 0.67),
    (Signal::Share, 0.10),
    (Signal::Nearest, 0.26),
    (Signal::Churn, 0.45),
    (Signal::Together, 0.03),
    (Signal::Related, 0.34),
    (Signal::Tested, 0.00),
    (Signal::Exercised, 0.44),
    (Signal::Phrase, 0.53),
    (Signal::SymbolPhrase, -0.05),
    (Signal::SymbolName, 0.06),
    (Signal::Widely, 0.53),
    (Signal::Closely, 0.19),
];

const TRUST: [(Signal, [f32; CLEAR.len()]); TRUSTED.len()] = [
    (Signal::Text, [0.47, -0.67, -1.10, 0.21]),
    (Signal::Symbol, [0.50, -1.30, -1.46, 0.45]),
    (Signal::Name, [-0.48, -0.20, -0.39, 0.08]),
    (Signal::Said, [-0.10, 0.48, 0.74, -0.04]),
    (Signal::Resembling, [-0.28, 0.96, 0.74, -0.46]),
    (Signal::Churn, [0.17, 0.95, 0.61, 0.18]),
    (Signal::Together, [-0.31, 0.63, 0.04, -0.06]),
    (Signal::Related, [0.03, -0.16, -0.57, 0.14]),
];

impl Default for Weights {
    fn default() -> Self {
        let mut closer = [0.0; FEATURES];
        let places = PLACES.iter().map(|&(_, weight)| weight);
        let trust = (0..CLEAR.len()).flat_map(|clear| TRUST.iter().map(move |(_, weights)| weights[clear]));
        let all = FITTED.iter().map(|&(.., weight)| weight).chain(places).chain(trust);
        closer.iter_mut().zip(all).for_each(|(closer, weight)| *closer = weight);
        Self { first: FITTED.map(|(_, first, ..)| first), last: FITTED.map(|(_, _, last, _)| last), closer }
    }
}

/// The tables of this file, as source text.
pub fn tables(weights: &Weights) -> String {
    let of_signal = |(at, signal): (usize, &Signal)| {
        let (first, last, closer) = (weights.first[at], weights.last[at], weights.closer[at]);
        format!("    (Signal::{signal:?}, {first:.2}, {last:.2}, {closer:.2}),\n")
    };
    let of_place = |(at, signal): (usize, &Signal)| {
        format!("    (Signal::{signal:?}, {:.2}),\n", weights.closer[SIGNALS + at])
    };
    let of_trust = |(at, signal): (usize, &Signal)| {
        let start = SIGNALS + PLACED.len() + at;
        let of = |clear: usize| format!("{:.2}", weights.closer[start + clear * TRUSTED.len()]);
        let weights: Vec<String> = (0..CLEAR.len()).map(of).collect();
        format!("    (Signal::{signal:?}, [{}]),\n", weights.join(", "))
    };
    let signals: String = Signal::ALL.iter().enumerate().map(of_signal).collect();
    let places: String = PLACED.iter().enumerate().map(of_place).collect();
    let trust: String = TRUSTED.iter().enumerate().map(of_trust).collect();
    format!("{signals}\n{places}\n{trust}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_in_the_order_of_the_signals() {
        assert!(FITTED.iter().zip(Signal::ALL).all(|((fitted, ..), signal)| fitted == signal));
        assert!(PLACES.iter().zip(&PLACED).all(|((fitted, _), signal)| fitted == signal));
        assert!(TRUST.iter().zip(&TRUSTED).all(|((fitted, _), signal)| fitted == signal));
    }

    #[test]
    fn the_tables_are_written_as_they_are_read() {
        let text = tables(&Weights::default());
        let source = include_str!("weights.rs");
        assert!(text.lines().all(|line| source.contains(line)), "{text}");
    }
}
