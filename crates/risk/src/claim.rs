//! Claim: a sentence about the code, and what speaks for and against it.

mod alone;
mod judge;
mod sentence;

pub use judge::{Evidence, Judged, Known, Past, judge};
pub use sentence::{Claim, Kind, PATTERNS, parse};

#[cfg(test)]
mod tests;
