//! Before: the graph of what a change is compared with, made when somebody asks for it.

use std::cell::OnceCell;
use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::Graph;
use m1nd_ingest::history::HistoryError;

use crate::ctx::Ctx;
use crate::faults;
use crate::workspace::Texts;

/// What a change began with.
pub enum Began {
    Commit(String),
    /// Today's files, but for these.
    With(Texts),
    Known(Arc<Graph>),
    Unknown,
}

/// The state that a change began with.
pub struct Before<'c> {
    ctx: &'c Ctx<'c>,
    began: Began,
    graph: OnceCell<Option<Arc<Graph>>>,
}

impl<'c> Before<'c> {
    pub fn of(ctx: &'c Ctx<'c>, began: Began) -> Self {
        Self { ctx, began, graph: OnceCell::new() }
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
        let ctx = self.ctx;
        let (workspace, clock) = (ctx.workspace()?, ctx.runtime().clock());
        let made = match &self.began {
            Began::Unknown => return Ok(None),
            Began::Known(graph) => return Ok(Some(Arc::clone(graph))),
            Began::Commit(commit) => {
                let found = workspace.graph_at(commit, clock, ctx.cancel());
                found.map(|found| found.map(|revision| revision.graph))
            }
            Began::With(texts) => workspace.graph_with(texts, clock, ctx.cancel()).map(Some),
        };
        match made {
            Ok(found) => Ok(found),
            Err(HistoryError::Stopped(stop)) => Err(faults::stopped(stop)),
            Err(err) => {
                tracing::debug!(%err, "no graph of the base");
                Ok(None)
            }
        }
    }
}
