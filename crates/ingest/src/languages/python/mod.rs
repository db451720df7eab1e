//! Python: grammar, extraction, and resolution by packages, classes and annotations.

mod annotations;
pub(crate) mod answers;
mod bindings;
mod definitions;
mod expressions;
mod extract;
mod fixtures;
mod imports;
mod library;
mod modules;
mod narrowed;
pub(super) mod parse;
mod routes;
mod rules;
#[cfg(test)]
mod tests;

use super::Language;

const NAME: &str = "python";

pub const LANGUAGES: &[Language] = &[Language {
    name: NAME,
    extensions: &["py", "pyi"],
    file_names: &[],
    family: "python",
    grammar: || tree_sitter_python::LANGUAGE.into(),
    extract: extract::extract,
    rules: |program| Box::new(rules::PythonRules::of(program)),
}];
