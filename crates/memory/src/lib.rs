//! Reasoning memory: entries, branches, knowledge graphs, merges, conflicts, cards and tasks.
//!
//! Pure rules over a [`port::Store`]. This crate opens no file, reads no clock and knows no SQL.

pub mod anchors;
pub mod branch;
pub mod brief;
mod budget;
pub mod claims;
pub mod commits;
pub mod drawers;
pub mod error;
pub mod graph;
pub mod ids;
pub mod notes;
pub mod page;
pub mod port;
mod ports;
pub mod search;
mod secrets;
pub mod stale;
pub mod target;
pub mod tasks;
pub mod text;
pub mod think;
pub mod transfer;
pub mod workspace;
mod writer;

pub use budget::{DEFAULT_BUDGET, MAX_BUDGET};
pub use error::{MemoryError, StoreError};
pub use ports::Ports;
pub use secrets::refuse as refuse_secrets;
