//! Flows: work that needs more than one engine, or an engine and an effect. One file each.

pub mod file_list;
pub mod numbered;
pub mod slice;
pub mod text_search;
