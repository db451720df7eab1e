//! From source files to a graph: extraction per language, resolution across files, assembly.
//!
//! Reads no disk of its own: callers hand in paths and bytes.

pub mod assemble;
pub mod facts;
pub mod languages;
pub mod manifest;
pub mod resolve;
pub mod scip;
mod sheet;
#[cfg(test)]
mod testing;
mod walk;

pub use assemble::assemble;
pub use facts::FileFacts;
pub use manifest::Manifest;
pub use resolve::resolve;
pub use walk::ParseError;
