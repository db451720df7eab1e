//! Ledger: what the workspace's past says about its files.

use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeFlags};
use m1nd_ingest::history::{Reach, is_fix};
use m1nd_risk::ledger::{Change, Ledger};

use crate::ctx::Ctx;
use crate::faults;
use crate::workspace::KnownPast;

/// The ledger, and how much of the past it was made of.
pub struct Known {
    pub ledger: Ledger,
    pub commits: usize,
    /// Whether older commits are still being read.
    pub is_partial: bool,
}

pub fn of(ctx: &Ctx<'_>, graph: &Graph) -> Result<Known, Fault> {
    let past = ctx.workspace()?.past(ctx.cancel()).map_err(faults::stopped)?;
    let ledger = made(&past, graph);
    Ok(Known { ledger, commits: past.log.entries.len(), is_partial: past.reach == Reach::Part })
}

/// The ledger alone, kept for as long as neither graph nor history moves.
pub fn kept(ctx: &Ctx<'_>, graph: &Arc<Graph>) -> Result<Arc<Ledger>, Fault> {
    let workspace = ctx.workspace()?;
    let past = workspace.past(ctx.cancel()).map_err(faults::stopped)?;
    Ok(workspace.ledger(graph, &past, || made(&past, graph)))
}

fn made(past: &KnownPast, graph: &Graph) -> Ledger {
    let changes = past.log.entries.iter().map(|entry| {
        let subject = entry.message.lines().next().unwrap_or_default();
        Change { time_ms: entry.time.0, is_fix: is_fix(subject), files: &entry.files }
    });
    Ledger::of(changes, [], |path| is_program(graph, path))
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
