//! What a content says, read once for all who ask: when an edit is checked and when it was made.

use crate::classify::MAX_FILE_BYTES;
use crate::engine::{Known, Outcome, examine};
use crate::facts::FileFacts;

/// A content of a file, read.
#[derive(Clone, Debug)]
pub struct Said {
    pub(crate) path: String,
    pub(crate) known: Known,
}

impl Said {
    /// Nothing of contents that are too large to be read.
    pub fn of(path: &str, bytes: &[u8]) -> Option<Self> {
        let is_small = bytes.len() as u64 <= MAX_FILE_BYTES;
        let read = || examine(path, bytes, *blake3::hash(bytes).as_bytes());
        is_small.then(|| Self { path: path.to_owned(), known: read() })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Nothing where it was not parsed.
    pub(crate) fn facts(&self) -> Option<&FileFacts> {
        let is_parsed = matches!(self.known.outcome, Outcome::Indexed | Outcome::Partial(_));
        is_parsed.then_some(&self.known.facts.facts)
    }
}
