//! Stores for reasoning memory: SQLite for work, one in RAM for tests and for questions where nothing is stored.

mod ram;
mod sqlite;

pub use ram::RamStore;
pub use sqlite::{SqliteStore, problem_of, set_aside, sqlite_version};

/// The layout of what is stored, the same for every store.
const SCHEMA_VERSION: u32 = 9;
