//! Change: what a change reaches, what goes with it, and what history and failures say about it.

mod tests_for;
mod trace;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[entry::<tests_for::TestsFor>(), entry::<trace::Trace>()];
