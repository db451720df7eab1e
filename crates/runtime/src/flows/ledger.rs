//! Ledger: what the workspace's past says about its files.

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeFlags};
use m1nd_ingest::history::{Reach, is_fix};
use m1nd_risk::ledger::{Change, Ledger};

use crate::ctx::Ctx;
use crate::faults;

/// The ledger, and how much of the past it was made of.
pub struct Known {
    pub ledger: Ledger,
    pub commits: usize,
    /// Whether older commits are still being read.
    pub is_partial: bool,
}

pub fn of(ctx: &Ctx<'_>, graph: &Graph) -> Result<Known, Fault> {
    let past = ctx.workspace()?.past(ctx.cancel()).map_err(faults::stopped)?;
    let entries = &past.log.entries;
    let change = |entry: &'_ m1nd_ingest::history::LogEntry| {
        let subject = entry.message.lines().next().unwrap_or_default();
        (entry.time.0, is_fix(subject))
    };
    let changes = entries.iter().map(|entry| {
        let (time_ms, is_fix) = change(entry);
        Change { time_ms, is_fix, files: &entry.files }
    });
    let ledger = Ledger::of(changes, [], |path| is_program(graph, path));
    Ok(Known { ledger, commits: entries.len(), is_partial: past.reach == Reach::Part })
}

/// Whether a path is a file of the program itself.
fn is_program(graph: &Graph, path: &str) -> bool {
    let node = graph.node_by_path(path).map(|ix| graph.node(ix));
    node.is_some_and(|node| !node.language().is_empty() && !node.flags().has(NodeFlags::TEST_CODE))
}

impl Known {
    /// What there is to say where nothing is known.
    pub fn no_data(&self) -> Option<&'static str> {
        match self.commits {
            0 => Some("no_data: there is no git history here. Commits would provide it."),
            _ => None,
        }
    }
}
