//! Go: grammar, extraction, and resolution by modules, packages and receiver types.

mod build;
mod extract;
mod routes;
mod rules;
#[cfg(test)]
mod tests;
mod types;

use super::Language;

const NAME: &str = "go";

pub const LANGUAGES: &[Language] = &[Language {
    name: NAME,
    extensions: &["go"],
    file_names: &[],
    family: "go",
    grammar: || tree_sitter_go::LANGUAGE.into(),
    extract: extract::extract,
    rules: |program| Box::new(rules::GoRules::of(program)),
}];
