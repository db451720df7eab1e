//! Core: what every agent needs on every day.

mod batch_view;
mod glob;
mod health;
mod help;
mod search;
mod toolset_enable;
mod view;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<search::Search>(),
    entry::<glob::Glob>(),
    entry::<view::View>(),
    entry::<batch_view::BatchView>(),
    entry::<health::Health>(),
    entry::<help::Help>(),
    entry::<toolset_enable::ToolsetEnable>(),
];
