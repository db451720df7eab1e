//! Rust: grammar, extraction, and resolution by crates, modules, impls and types.

mod attributes;
mod constants;
mod crates;
mod expressions;
mod extract;
mod library;
mod macros;
pub(crate) mod open;
mod packages;
mod patterns;
mod readable;
mod routes;
mod rules;
mod tables;
mod types;
mod uses;
mod visible;

use super::Language;

const NAME: &str = "rust";

pub const LANGUAGES: &[Language] = &[Language {
    name: NAME,
    extensions: &["rs"],
    file_names: &[],
    family: "rust",
    grammar: || tree_sitter_rust::LANGUAGE.into(),
    extract: extract::extract,
    rules: |program| Box::new(rules::RustRules::of(program)),
}];

#[cfg(test)]
mod pointers;
#[cfg(test)]
mod tests;
