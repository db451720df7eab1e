//! Flows: work that needs more than one engine, or an engine and an effect. One file each.

pub mod call_list;
pub mod calls;
pub mod file_list;
pub mod ingest;
pub mod numbered;
pub mod outline;
pub mod places;
pub mod sight;
pub mod slice;
pub mod text_search;
