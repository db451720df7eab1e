//! The user's files, and nothing else: paths inside a root, reads, walks, text search, durable writes.
//!
//! Every path that reaches a file here was opened beneath a directory handle, so that neither `..`
//! nor a link, not even one swapped in at the last moment, leads outside. Knows no tool and no graph.

mod attributes;
pub mod durable;
pub mod glob;
pub mod grep;
pub mod ignored;
pub mod mount;
pub mod outside;
pub mod path;
pub mod policy;
pub mod read;
pub mod root;
pub mod sync;
pub mod walk;
pub mod watch;
pub mod write;

pub use mount::{Mount, MountError};
pub use path::{PathError, RelPath};
pub use root::Root;
