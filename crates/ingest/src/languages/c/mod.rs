//! C: grammar, extraction, and resolution by includes, declarations and linkage.

pub(super) mod branches;
mod extract;
pub(super) mod includes;
mod library;
pub(super) mod macros;
pub(super) mod parse;
mod readable;
pub(super) mod rules;
#[cfg(test)]
mod tests;
pub(super) mod text;

use std::time::Duration;

use super::Language;
use crate::facts::FileFacts;
use crate::resolve::program::Program;
use crate::resolve::rules::Rules;
use crate::walk::ParseError;

const NAME: &str = "c";

pub const LANGUAGES: &[Language] = &[Language {
    name: NAME,
    extensions: &["c", "h"],
    file_names: &[],
    family: "c",
    grammar: || tree_sitter_c::LANGUAGE.into(),
    extract: read,
    rules: make_rules,
}];

/// A header may be C++ by what it says.
fn read(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    #[cfg(feature = "lang-cpp")]
    if path.ends_with(".h") && super::cpp::header::is_cpp(source) {
        return super::cpp::extract(path, source, limit);
    }
    extract::extract(path, source, limit)
}

/// With C++ in the build its rules hold for both, so that each can call the other.
#[cfg(feature = "lang-cpp")]
fn make_rules(program: &Program<'_>) -> Box<dyn Rules> {
    Box::new(super::cpp::CppRules::of(program))
}

#[cfg(not(feature = "lang-cpp"))]
fn make_rules(program: &Program<'_>) -> Box<dyn Rules> {
    Box::new(rules::CRules::of(program))
}
