//! Before: the graph of what a change is compared with, made when somebody asks for it.

use std::cell::OnceCell;
use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::Graph;
use m1nd_ingest::history::HistoryError;

use crate::ctx::Ctx;
use crate::faults;

/// The state that a change began with.
pub struct Before<'c> {
    ctx: &'c Ctx<'c>,
    /// Nothing where only a diff is known.
    commit: Option<String>,
    graph: OnceCell<Option<Arc<Graph>>>,
}

impl<'c> Before<'c> {
    pub fn of(ctx: &'c Ctx<'c>, commit: Option<String>) -> Self {
        Self { ctx, commit, graph: OnceCell::new() }
    }

    /// Nothing where it cannot be made.
    pub fn graph(&self) -> Result<Option<Arc<Graph>>, Fault> {
        if let Some(known) = self.graph.get() {
            return Ok(known.clone());
        }
        let made = self.made()?;
        Ok(self.graph.get_or_init(|| made).clone())
    }

    fn made(&self) -> Result<Option<Arc<Graph>>, Fault> {
        let Some(commit) = &self.commit else { return Ok(None) };
        let ctx = self.ctx;
        match ctx.workspace()?.graph_at(commit, ctx.runtime().clock(), ctx.cancel()) {
            Ok(found) => Ok(found.map(|revision| revision.graph)),
            Err(HistoryError::Stopped(stop)) => Err(faults::stopped(stop)),
            Err(err) => {
                tracing::debug!(%err, "no graph of the base");
                Ok(None)
            }
        }
    }
}
