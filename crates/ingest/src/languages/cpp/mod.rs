//! C++: grammar, extraction, and resolution by includes, namespaces, classes and types.

mod declarators;
mod definitions;
mod extract;
pub(super) mod header;
mod homes;
mod library;
mod opened;
mod rules;
mod test_cases;
#[cfg(test)]
mod tests;
mod types;

use super::Language;

pub(super) use extract::extract;
pub(crate) use rules::CppRules;

const NAME: &str = "cpp";

pub const LANGUAGES: &[Language] = &[Language {
    name: NAME,
    extensions: &[
        "cc", "cpp", "cxx", "c++", "C", "hpp", "hh", "hxx", "h++", "ipp", "inl", "tcc", "tpp", "cu", "cuh",
    ],
    file_names: &[],
    family: "c",
    grammar: || tree_sitter_cpp::LANGUAGE.into(),
    extract,
    rules: |program| Box::new(CppRules::of(program)),
}];
