//! Java: grammar, extraction, and resolution by packages, classes and declared types.

mod extract;
pub(crate) mod given;
mod mapped;
mod nameless;
mod rules;
mod tested;
#[cfg(test)]
mod tests;
mod types;

use super::Language;

const NAME: &str = "java";

pub const LANGUAGES: &[Language] = &[Language {
    name: NAME,
    extensions: &["java"],
    file_names: &[],
    family: "java",
    grammar: || tree_sitter_java::LANGUAGE.into(),
    extract: extract::extract,
    rules: |program| Box::new(rules::JavaRules::of(program)),
}];
