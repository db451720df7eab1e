//! What a change reaches and what is likely to break. Pure: a graph and facts in, findings out.
//!
//! Every number has a definition that can be checked by hand on a small graph; what there is no data for is said, not
//! filled in.

pub mod antibody;
pub mod blast;
pub mod claim;
pub mod diff;
pub mod differential;
pub mod epidemic;
pub mod fixtures;
pub mod flow;
mod harness;
pub mod layers;
pub mod ledger;
pub mod owners;
pub mod panorama;
pub mod plan;
pub mod refactor;
pub mod removal;
pub mod signature;
pub mod taint;
#[cfg(test)]
mod testing;
pub mod trace;
pub mod trend;
pub mod types;
