//! Stores for reasoning memory: SQLite for work, one in RAM for tests and for questions where nothing is stored.

mod ram;
mod sqlite;

pub use ram::RamStore;
pub use sqlite::{SqliteStore, problem_of, set_aside, sqlite_version};
