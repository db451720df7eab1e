//! TypeScript, TSX and JavaScript: grammars, extraction, and resolution by modules, classes and types.

mod definitions;
mod expressions;
mod extract;
mod library;
mod members;
mod modules;
mod names;
mod patterns;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use std::time::Duration;

use crate::facts::FileFacts;
use crate::walk::ParseError;

pub(crate) use rules::ScriptRules;

pub const TYPESCRIPT: &str = "typescript";
pub const TSX: &str = "tsx";
pub const JAVASCRIPT: &str = "javascript";

pub const TYPESCRIPT_EXTENSIONS: &[&str] = &["ts", "mts", "cts"];
pub const TSX_EXTENSIONS: &[&str] = &["tsx"];
pub const JAVASCRIPT_EXTENSIONS: &[&str] = &["js", "mjs", "cjs", "jsx"];

pub fn extract_typescript(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    extract::extract(TYPESCRIPT, tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(), path, source, limit)
}

pub fn extract_tsx(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    extract::extract(TSX, tree_sitter_typescript::LANGUAGE_TSX.into(), path, source, limit)
}

pub fn extract_javascript(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    extract::extract(JAVASCRIPT, tree_sitter_javascript::LANGUAGE.into(), path, source, limit)
}
