//! Flows: work that needs more than one engine, or an engine and an effect. One file each.

pub mod associate;
pub mod audit;
pub mod brought;
pub mod call_list;
pub mod calls;
pub mod coverage;
pub mod diagram;
pub mod file_list;
pub mod findings;
pub mod ghosts;
pub mod ingest;
mod learned;
pub mod metrics;
pub mod missing;
pub mod numbered;
pub mod outline;
pub mod places;
pub mod seek;
pub mod sight;
pub mod slice;
pub mod survey;
pub mod text_search;
pub mod texts;
pub mod twins;
pub mod unattributed;
pub mod verify;
pub mod why;
