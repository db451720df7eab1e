//! How much each signal counts: fitted, not chosen.
//!
//! `m1nd bench retrieval --fit --repo …` prints the table; `docs/benchmarks.md` names the repositories it was made on.

use super::signals::{SIGNALS, Signal};

/// One weight per signal, in the order of [`Signal::ALL`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// For choosing the files that the last signals start from.
    pub first: [f32; SIGNALS],
    pub last: [f32; SIGNALS],
}

const FITTED: [(Signal, f32, f32); SIGNALS] = [
    (Signal::Text, 0.97, 0.98),
    (Signal::Fields, 0.62, 0.62),
    (Signal::Symbol, 1.83, 1.81),
    (Signal::Names, 0.30, 0.30),
    (Signal::Name, 1.41, 1.36),
    (Signal::Folder, 1.10, 1.01),
    (Signal::Said, 1.13, 1.08),
    (Signal::Resembling, 1.18, 1.20),
    (Signal::Share, 0.94, 0.94),
    (Signal::Coverage, 0.75, 0.73),
    (Signal::SaidShare, 0.97, 0.99),
    (Signal::Nearest, 1.78, 1.74),
    (Signal::Churn, 1.20, 1.11),
    (Signal::Recency, 0.16, 0.19),
    (Signal::Size, -0.39, -0.47),
    (Signal::Test, -3.93, -3.86),
    (Signal::Beside, -0.26, -0.22),
    (Signal::Together, 0.00, 0.06),
    (Signal::Related, 0.00, 0.19),
    (Signal::Sibling, 0.00, 0.66),
];

impl Default for Weights {
    fn default() -> Self {
        Self { first: FITTED.map(|(_, first, _)| first), last: FITTED.map(|(_, _, last)| last) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_signals() {
        assert!(FITTED.iter().zip(Signal::ALL).all(|((fitted, ..), signal)| fitted == signal));
    }
}
