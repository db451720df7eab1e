//! What a content says, read once for all who ask: when an edit is checked and when it was made.

use crate::classify::MAX_FILE_BYTES;
use crate::engine::{Known, Outcome, examine};
use crate::facts::FileFacts;
use crate::syntax::{self, SyntaxError, Unchecked};
use crate::walk::{Kept, parsing_on, parsing_once};

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

    /// The same, with the syntax errors that it brings in place of what was there before; it is parsed once for both.
    pub fn checked(
        path: &str,
        before: Option<&[u8]>,
        now: &[u8],
    ) -> (Option<Self>, Result<Vec<SyntaxError>, Unchecked>) {
        parsing_once(|| {
            let errors = introduced(path, before, now);
            (Self::of(path, now), errors)
        })
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether a parse was tried and came to nothing.
    pub(crate) fn is_unreadable(&self) -> bool {
        matches!(self.known.outcome, Outcome::Failed(_))
    }

    /// Nothing where it was not parsed.
    pub(crate) fn facts(&self) -> Option<&FileFacts> {
        let is_parsed = matches!(self.known.outcome, Outcome::Indexed | Outcome::Partial(_));
        is_parsed.then_some(&self.known.facts.facts)
    }
}

/// A content that was looked through for errors, and is still to be read.
pub struct Parsed {
    kept: Kept,
}

impl std::fmt::Debug for Parsed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Parsed").finish_non_exhaustive()
    }
}

/// Whether trees stay in memory until the content is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trees {
    Kept,
    /// They are made again.
    Dropped,
}

impl Parsed {
    /// The syntax errors that a content brings in place of what was there before.
    pub fn look(
        path: &str,
        before: Option<&[u8]>,
        now: &[u8],
        trees: Trees,
    ) -> (Self, Result<Vec<SyntaxError>, Unchecked>) {
        let (errors, kept) = parsing_on(Kept::default(), || introduced(path, before, now));
        let kept = if trees == Trees::Kept { kept } else { kept.without_trees() };
        (Self { kept }, errors)
    }

    /// What it says.
    pub fn read(self, path: &str, bytes: &[u8]) -> Option<Said> {
        parsing_on(self.kept, || Said::of(path, bytes)).0
    }
}

/// What is as it was brings nothing.
fn introduced(path: &str, before: Option<&[u8]>, now: &[u8]) -> Result<Vec<SyntaxError>, Unchecked> {
    if before == Some(now) { Ok(Vec::new()) } else { syntax::introduced(path, before, now) }
}

#[cfg(all(test, feature = "lang-python", feature = "lang-c"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_parsed_once_says_what_it_says_parsed_twice() {
        for (path, before, now) in [
            ("a.py", "def f():\n    return 1\n", "def f():\n    return g(1)\n\nclass A: ...\n"),
            ("a.py", "def f():\n    return 1\n", "def f(:\n    return 1\n"),
            ("a.py", "def f(:\n    return 1\n", "def f(:\n    return 2\n"),
            (
                "a.c",
                "int f(void) { return 1; }\n",
                "int f(void) {\n#ifdef A\n if (1) {\n#else\n if (2) {\n#endif\n return g(1); } return 2; }\n",
            ),
            ("a.json", "{}", "{"),
            ("a.txt", "a", "b"),
        ] {
            let (said, errors) = Said::checked(path, Some(before.as_bytes()), now.as_bytes());
            assert_eq!(errors, syntax::introduced(path, Some(before.as_bytes()), now.as_bytes()), "{now}");
            let alone = Said::of(path, now.as_bytes());
            let told = |said: Option<Said>| said.map(|said| format!("{:?}", said.known));
            assert_eq!(told(said), told(alone.clone()), "{now}");
            for trees in [Trees::Kept, Trees::Dropped] {
                let (parsed, again) = Parsed::look(path, Some(before.as_bytes()), now.as_bytes(), trees);
                assert_eq!(again, errors, "{now}");
                assert_eq!(told(parsed.read(path, now.as_bytes())), told(alone.clone()), "{now}");
            }
        }
    }
}
