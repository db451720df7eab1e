//! Go: grammar, extraction, and resolution by modules, packages and receiver types.

mod extract;
mod rules;
#[cfg(test)]
mod tests;
mod types;

pub use extract::extract;
pub(crate) use rules::GoRules;

pub const NAME: &str = "go";
pub const EXTENSIONS: &[&str] = &["go"];
