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
    (Signal::Text, 1.03, 1.04),
    (Signal::Fields, 0.74, 0.75),
    (Signal::Symbol, 1.74, 1.72),
    (Signal::Names, 0.10, 0.10),
    (Signal::Name, 1.41, 1.36),
    (Signal::Folder, 1.08, 1.00),
    (Signal::Said, 1.14, 1.08),
    (Signal::Resembling, 1.19, 1.21),
    (Signal::Share, 0.94, 0.95),
    (Signal::Coverage, 0.87, 0.85),
    (Signal::SaidShare, 0.95, 0.97),
    (Signal::Nearest, 1.76, 1.71),
    (Signal::Churn, 1.21, 1.14),
    (Signal::Recency, 0.16, 0.19),
    (Signal::Size, -0.37, -0.45),
    (Signal::Test, -3.96, -3.88),
    (Signal::Beside, -0.32, -0.29),
    (Signal::Together, 0.00, 0.01),
    (Signal::Related, 0.00, 0.22),
    (Signal::Sibling, 0.00, 0.70),
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
