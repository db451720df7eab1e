//! Path patterns as people write them: `*.rs` at any depth, `src/**`, `!tests/`.

use globset::{GlobBuilder, GlobMatcher};

use crate::path::RelPath;

/// One compiled pattern.
#[derive(Clone, Debug)]
pub struct PathGlob {
    matcher: GlobMatcher,
    excludes: bool,
}

/// Why a pattern does not compile.
#[derive(Debug, thiserror::Error)]
pub enum GlobError {
    #[error("the pattern is empty")]
    Empty,
    #[error("the pattern is longer than {MAX_PATTERN_BYTES} bytes")]
    TooLong,
    #[error("{0}")]
    Syntax(String),
}

/// Patterns beyond this are not written by hand, and compile slowly.
const MAX_PATTERN_BYTES: usize = 1_000;

impl PathGlob {
    /// A pattern without a slash matches names at any depth; one with a slash is relative to the
    /// root; a trailing slash means everything below; a leading `!` turns the pattern around.
    pub fn parse(pattern: &str) -> Result<Self, GlobError> {
        let (excludes, pattern) = match pattern.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        if pattern.trim().is_empty() {
            return Err(GlobError::Empty);
        }
        if pattern.len() > MAX_PATTERN_BYTES {
            return Err(GlobError::TooLong);
        }
        let below = if pattern.ends_with('/') { "**" } else { "" };
        let anchored = pattern.trim_start_matches("./");
        let full = match anchored.strip_prefix('/') {
            Some(rest) => format!("{rest}{below}"),
            None if anchored.trim_end_matches('/').contains('/') => format!("{anchored}{below}"),
            None => format!("**/{anchored}{below}"),
        };
        let glob = GlobBuilder::new(&full)
            .literal_separator(true)
            .build()
            .map_err(|err| GlobError::Syntax(err.kind().to_string()))?;
        Ok(Self { matcher: glob.compile_matcher(), excludes })
    }

    pub fn admits(&self, path: &RelPath) -> bool {
        self.admits_str(path.as_str())
    }

    /// The same for a path that is relative to some folder below the root.
    pub fn admits_str(&self, path: &str) -> bool {
        self.matcher.is_match(path) != self.excludes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(pattern: &str, path: &str) -> bool {
        PathGlob::parse(pattern).unwrap().admits(&crate::path::normalise(path).unwrap())
    }

    #[test]
    fn patterns_mean_what_people_expect() {
        assert!(admits("*.rs", "a/b/c.rs"));
        assert!(admits("*.rs", "c.rs"));
        assert!(!admits("/*.rs", "a/c.rs"));
        assert!(admits("src/**/*.rs", "src/c.rs"));
        assert!(!admits("src/*.rs", "src/a/c.rs"));
        assert!(admits("tests/", "a/tests/x.py"));
        assert!(admits("src/api/", "src/api/v1/x.py"));
        assert!(admits("*.{ts,tsx}", "a.tsx"));
        assert!(!admits("!*.md", "README.md"));
        assert!(admits("!*.md", "main.rs"));
    }

    #[test]
    fn bad_patterns_say_why() {
        let said = |pattern: &str| PathGlob::parse(pattern).unwrap_err().to_string();
        assert_eq!(said(""), "the pattern is empty");
        assert!(said("a[").contains("unclosed character class"));
    }
}
