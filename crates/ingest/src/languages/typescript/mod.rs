//! TypeScript, TSX and JavaScript: grammars, extraction, and resolution by modules, classes and types.

mod added;
mod commonjs;
mod configured;
mod definitions;
mod expressions;
mod extract;
pub(crate) mod given;
mod hooks;
mod library;
mod members;
mod modules;
mod names;
mod narrowed;
pub(super) mod newer;
mod patterns;
mod prototypes;
mod routes;
mod rules;
mod signatures;
#[cfg(test)]
mod tests;
mod types;

use std::time::Duration;

use super::Language;
use crate::facts::FileFacts;
use crate::walk::ParseError;

const TYPESCRIPT: &str = "typescript";
const TSX: &str = "tsx";
const JAVASCRIPT: &str = "javascript";

pub const LANGUAGES: &[Language] = &[
    script(TYPESCRIPT, &["ts", "mts", "cts"], typescript, extract_typescript),
    script(TSX, &["tsx"], tsx, extract_tsx),
    script(JAVASCRIPT, &["js", "mjs", "cjs", "jsx"], javascript, extract_javascript),
];

type Extract = fn(&str, &[u8], Duration) -> Result<FileFacts, ParseError>;

const fn script(
    name: &'static str,
    extensions: &'static [&'static str],
    grammar: fn() -> tree_sitter::Language,
    extract: Extract,
) -> Language {
    Language {
        name,
        extensions,
        file_names: &[],
        family: "script",
        grammar,
        extract,
        rules: |program| Box::new(rules::ScriptRules::of(program)),
    }
}

fn typescript() -> tree_sitter::Language {
    tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()
}

fn tsx() -> tree_sitter::Language {
    tree_sitter_typescript::LANGUAGE_TSX.into()
}

fn javascript() -> tree_sitter::Language {
    tree_sitter_javascript::LANGUAGE.into()
}

fn extract_typescript(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    extract::extract(TYPESCRIPT, typescript(), path, source, limit)
}

fn extract_tsx(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    extract::extract(TSX, tsx(), path, source, limit)
}

fn extract_javascript(path: &str, source: &[u8], limit: Duration) -> Result<FileFacts, ParseError> {
    extract::extract(JAVASCRIPT, javascript(), path, source, limit)
}
