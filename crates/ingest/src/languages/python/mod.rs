//! Python: grammar, extraction, and resolution by packages, classes and annotations.

mod annotations;
mod bindings;
mod definitions;
mod expressions;
mod extract;
mod imports;
mod library;
mod modules;
mod rules;
#[cfg(test)]
mod tests;

pub use extract::extract;
pub(crate) use rules::PythonRules;

pub const NAME: &str = "python";
pub const EXTENSIONS: &[&str] = &["py", "pyi"];
