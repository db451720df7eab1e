//! What a search looks for, compiled once.

use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ast;

/// How the text of a pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Literal,
    /// A regular expression that matches within one line.
    Regex,
    /// A regular expression in which `.` matches line ends too.
    RegexAcrossLines,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Sensitive,
    Insensitive,
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    matcher: RegexMatcher,
    spans_lines: bool,
}

/// Why a pattern does not compile.
#[derive(Debug, thiserror::Error)]
pub enum PatternError {
    #[error("the query is empty")]
    Empty,
    #[error("the query has {bytes} bytes, more than {MAX_PATTERN_BYTES}")]
    TooLong { bytes: usize },
    /// `at` is a byte offset into the pattern.
    #[error("{what} at offset {at}")]
    Syntax { what: String, at: usize },
    #[error("{what}")]
    Unsupported { what: String },
}

/// Longer patterns compile to more memory than a search is worth.
const MAX_PATTERN_BYTES: usize = 10_000;

/// Bytes that a compiled pattern may take, and its caches.
const MAX_COMPILED_BYTES: usize = 16 << 20;

impl Pattern {
    pub fn compile(text: &str, syntax: Syntax, case: Case) -> Result<Self, PatternError> {
        if text.is_empty() {
            return Err(PatternError::Empty);
        }
        if text.len() > MAX_PATTERN_BYTES {
            return Err(PatternError::TooLong { bytes: text.len() });
        }
        if syntax != Syntax::Literal {
            check(text)?;
        }
        // A literal that contains a line end can only match across lines.
        let spans_lines =
            syntax == Syntax::RegexAcrossLines || syntax == Syntax::Literal && text.contains('\n');
        let mut builder = RegexMatcherBuilder::new();
        builder
            .multi_line(true)
            .case_insensitive(case == Case::Insensitive)
            .fixed_strings(syntax == Syntax::Literal)
            .size_limit(MAX_COMPILED_BYTES)
            .dfa_size_limit(MAX_COMPILED_BYTES);
        if spans_lines {
            builder.dot_matches_new_line(syntax == Syntax::RegexAcrossLines);
        } else {
            builder.line_terminator(Some(b'\n'));
        }
        let matcher =
            builder.build(text).map_err(|err| PatternError::Unsupported { what: err.to_string() })?;
        Ok(Self { matcher, spans_lines })
    }

    /// Whether a text holds it.
    pub fn is_in(&self, text: &str) -> bool {
        // Only a matcher that can fail has an error, and this one cannot.
        self.matcher.is_match(text.as_bytes()).unwrap_or(false)
    }

    pub(super) fn matcher(&self) -> &RegexMatcher {
        &self.matcher
    }

    pub(super) fn spans_lines(&self) -> bool {
        self.spans_lines
    }
}

/// Parses alone, for an error that knows its place.
fn check(text: &str) -> Result<(), PatternError> {
    let syntax = |what: String, at: usize| PatternError::Syntax { what, at };
    let parsed = ast::parse::Parser::new()
        .parse(text)
        .map_err(|err| syntax(err.kind().to_string(), err.span().start.offset))?;
    regex_syntax::hir::translate::TranslatorBuilder::new()
        .utf8(false)
        .build()
        .translate(text, &parsed)
        .map_err(|err| syntax(err.kind().to_string(), err.span().start.offset))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str, syntax: Syntax) -> String {
        Pattern::compile(text, syntax, Case::Sensitive).map_or_else(|err| err.to_string(), |_| "ok".into())
    }

    #[test]
    fn a_bad_regex_names_the_place() {
        assert_eq!(said("foo(bar", Syntax::Regex), "unclosed group at offset 3");
        assert_eq!(said(r"\p{Nope}", Syntax::Regex), "Unicode property not found at offset 0");
        assert_eq!(said("", Syntax::Literal), "the query is empty");
    }

    #[test]
    fn a_regex_that_would_eat_the_memory_is_refused() {
        assert!(said("(((a{100}){100}){100}){100}", Syntax::Regex).contains("limit"));
    }

    #[test]
    fn regex_characters_in_a_literal_are_only_characters() {
        assert_eq!(said("foo(bar[", Syntax::Literal), "ok");
        assert_eq!(said("two\nlines", Syntax::Literal), "ok");
    }
}
