//! C: grammar, extraction, and resolution by includes, declarations and linkage.

mod extract;
mod rules;
#[cfg(test)]
mod tests;

use super::Language;

const NAME: &str = "c";

pub const LANGUAGES: &[Language] = &[Language {
    name: NAME,
    extensions: &["c", "h"],
    file_names: &[],
    family: "c",
    extract: extract::extract,
    rules: |program| Box::new(rules::CRules::of(program)),
}];
