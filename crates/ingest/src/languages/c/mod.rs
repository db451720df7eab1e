//! C: grammar, extraction, and resolution by includes, declarations and linkage.

mod extract;
mod rules;
#[cfg(test)]
mod tests;

pub use extract::extract;
pub(crate) use rules::CRules;

pub const NAME: &str = "c";
pub const EXTENSIONS: &[&str] = &["c", "h"];
