//! Claim: a sentence about the code, and what speaks for and against it.

mod alone;
mod judge;
mod rounds;
mod sentence;
mod ways;

pub use judge::{Evidence, Judged, Known, Past, judge};
pub use sentence::{Claim, Kind, PATTERNS, parse};
pub use ways::Order;

#[cfg(test)]
mod tests;
