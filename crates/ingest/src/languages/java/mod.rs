//! Java: grammar, extraction, and resolution by packages, classes and declared types.

mod extract;
mod rules;
#[cfg(test)]
mod tests;
mod types;

pub use extract::extract;
pub(crate) use rules::JavaRules;

pub const NAME: &str = "java";
pub const EXTENSIONS: &[&str] = &["java"];
