//! From source files to a graph: extraction per language, resolution across files, assembly.
//!
//! Extraction, resolution and assembly are pure; only `scan` (through vfs) and `history` read a disk.

mod affected;
pub mod answered;
pub mod assemble;
pub mod classify;
mod comments;
mod compact;
mod constants;
pub mod course;
pub mod engine;
pub mod everything;
pub mod facts;
pub mod given;
pub mod history;
pub mod imported;
pub mod inline;
mod interface;
pub mod languages;
mod layout;
mod literals;
pub mod manifest;
pub mod mentions;
mod mounts;
pub mod overloads;
mod patch;
mod reads;
pub mod report;
pub mod resolve;
pub mod revision;
mod routers;
mod said;
pub mod scan;
pub mod scip;
mod sheet;
mod spread;
pub mod state;
mod stored;
pub mod structures;
pub mod syntax;
#[cfg(test)]
mod testing;
pub mod valued;
mod walk;

pub use assemble::assemble;
pub use comments::code_of_line;
pub use engine::{Ingest, Ingested, Listed, Outcome};
pub use facts::FileFacts;
pub use manifest::Manifest;
pub use report::Report;
pub use resolve::resolve;
pub use said::{Parsed, Said, Trees};
pub use walk::ParseError;
