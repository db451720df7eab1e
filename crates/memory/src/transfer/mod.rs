//! Taking a workspace out of a store and into another, so that nobody's memory is locked in.

mod export;
mod import;
mod markdown;
mod record;

pub use export::export_jsonl;
pub use import::import_jsonl;
pub use markdown::export_markdown;
pub use record::Counts;
