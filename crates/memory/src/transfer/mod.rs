//! Taking a workspace out of a store and into another, so that nobody's memory is locked in.

mod embedded;
mod export;
mod import;
mod markdown;
mod record;
mod sound;

pub use export::export_jsonl;
pub use import::{exported_name, import};
pub use markdown::export_markdown;
pub use record::Counts;
