//! How much each signal counts.

use super::signals::SIGNALS;

/// One weight per signal, in the order of [`super::Signal::ALL`].
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// For choosing the files that the last signals start from.
    pub first: [f32; SIGNALS],
    pub last: [f32; SIGNALS],
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            first: [0.5, 0.5, 0.3, 0.2, 0.3, 0.1, 0.4, 0.4, 0.1, 0.05, 0.0, -0.3, -0.1, 0.0, 0.0, 0.0],
            last: [0.5, 0.5, 0.3, 0.2, 0.3, 0.1, 0.4, 0.4, 0.1, 0.05, 0.0, -0.3, -0.1, 0.15, 0.1, 0.1],
        }
    }
}
