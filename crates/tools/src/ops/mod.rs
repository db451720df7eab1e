//! Ops: what this session did, and what it spared.

mod report;
mod savings;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[entry::<report::Report>(), entry::<savings::Savings>()];
