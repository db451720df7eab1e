//! What a content says, read once for all who ask: when an edit is checked and when it was made.

use crate::classify::MAX_FILE_BYTES;
use crate::engine::{Known, Outcome, examine};
use crate::facts::FileFacts;
use crate::syntax::{self, SyntaxError, Unchecked};
use crate::walk::parsing_once;

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
        let is_same = before == Some(now);
        parsing_once(|| {
            let errors = if is_same { Ok(Vec::new()) } else { syntax::introduced(path, before, now) };
            (Self::of(path, now), errors)
        })
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
            assert_eq!(told(said), told(alone), "{now}");
        }
    }
}
