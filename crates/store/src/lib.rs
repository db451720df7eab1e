//! Stores for reasoning memory: SQLite for work, one in memory for tests.

mod ram;
mod sqlite;

pub use ram::RamStore;
pub use sqlite::{SqliteStore, set_aside, sqlite_version};
