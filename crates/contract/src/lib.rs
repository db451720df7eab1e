//! The words that every answer shares. Knows no tool, no transport and no engine.

pub mod arg;
pub mod budget;
pub mod envelope;
pub mod fault;
pub mod header;
pub mod schema;

pub use budget::{Budget, Trim};
pub use envelope::{Guidance, ProofState};
pub use fault::{Code, Fault, Recovery};
pub use header::{Caller, ContractForm, Header};
