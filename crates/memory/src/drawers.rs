//! Drawers: what an agent keeps for itself between calls, by kind and key, as text that only its owner reads.

use crate::error::StoreError;

/// Whose things, and of which kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Drawer<'a> {
    pub kind: &'a str,
    /// Empty for what the whole workspace shares.
    pub agent: &'a str,
}

/// One thing in a drawer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thing {
    pub key: String,
    /// Grows with every change.
    pub version: u64,
    pub updated_ms: i64,
    pub body: String,
}

/// How many things a drawer holds, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    pub most: usize,
    /// Things of this kind that nobody touched for so long are thrown away when something is added.
    pub idle_ms: Option<i64>,
}

/// What became of something new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Added {
    Kept(Thing),
    /// The drawer is full.
    Full,
}

/// Several processes may hold the same drawers.
pub trait Drawers {
    /// Adds one thing. `make` is given the next number of this drawer, which is never given twice, and says key and body.
    fn add(
        &self,
        drawer: Drawer<'_>,
        room: Room,
        now_ms: i64,
        make: &mut dyn FnMut(u64) -> (String, String),
    ) -> Result<Added, StoreError>;

    fn get(&self, drawer: Drawer<'_>, key: &str) -> Result<Option<Thing>, StoreError>;

    /// Replaces a thing if it is still at the version that is given; says whether it was.
    fn replace(&self, drawer: Drawer<'_>, thing: &Thing, now_ms: i64) -> Result<bool, StoreError>;

    /// Those that were touched last, first.
    fn list(&self, drawer: Drawer<'_>) -> Result<Vec<Thing>, StoreError>;

    /// How many things of a kind all agents have.
    fn count(&self, kind: &str) -> Result<usize, StoreError>;

    /// Whether it was there.
    fn remove(&self, drawer: Drawer<'_>, key: &str) -> Result<bool, StoreError>;
}
