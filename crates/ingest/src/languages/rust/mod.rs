//! Rust: grammar, extraction, and resolution by crates, modules, impls and types.

mod attributes;
mod crates;
mod expressions;
mod extract;
mod library;
mod macros;
mod patterns;
mod readable;
mod rules;
mod tables;
mod types;
mod uses;

pub use extract::extract;
pub(crate) use rules::RustRules;

pub const NAME: &str = "rust";
pub const EXTENSIONS: &[&str] = &["rs"];

#[cfg(test)]
mod tests;
