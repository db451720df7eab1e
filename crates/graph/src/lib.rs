//! The code graph as data: what the nodes and edges are, how they are found, ranked, kept and carried over.
//!
//! Knows nothing of source files, languages or tools. Only `snapshot` touches the disk.

mod arena;
pub mod builder;
pub mod carry;
pub mod change;
mod column;
mod columns;
pub mod community;
pub mod delta;
pub mod evidence;
pub mod fixtures;
pub mod folder_files;
pub mod graph;
mod heirs;
pub mod ids;
pub mod json;
pub mod kind;
pub mod lookup;
mod members;
pub mod near;
pub mod node;
mod overloads;
pub mod pagerank;
pub mod patch;
mod promised;
mod reexported;
pub mod rewire;
pub mod scc;
pub mod snapshot;
pub mod spelling;
#[cfg(test)]
mod testing;
pub mod weights;

pub use builder::{EdgeSpec, GraphBuilder, Handle, NodeSpec};
pub use evidence::Evidence;
pub use graph::{Edge, Graph};
pub use ids::{EdgeIx, NodeIx, Str};
pub use kind::{EdgeKind, NodeKind};
pub use lookup::LookupError;
pub use node::{History, Node, NodeFlags};
