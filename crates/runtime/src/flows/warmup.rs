//! Warmup: what an agent is about to work on lifts the answers to its questions about that.

use m1nd_contract::Fault;
use m1nd_recall::feedback::Primed;
use m1nd_recall::seek::Graphed;
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::Serialize;

use super::seek::{self, Request};
use crate::ctx::{Ctx, GraphView};

/// Nodes that a task lifts.
const MAX_PRIMED: usize = 30;

/// A node that is lifted.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct PrimedNode {
    pub node_id: String,
    pub at: String,
    /// What is added to its score, as a share of the best answer's.
    pub boost: f64,
}

/// Finds what a task is about, and lifts it from now on for this agent.
pub fn warm_up(ctx: &Ctx<'_>, at: &GraphView, task: &str, boost: f32) -> Result<Vec<PrimedNode>, Fault> {
    let workspace = ctx.workspace()?;
    let agent = ctx.header().caller.name();
    // What was said before must not lift what is found now.
    workspace.prime(agent, None);
    if boost == 0.0 {
        return Ok(Vec::new());
    }
    let request = Request {
        query: task,
        top_k: MAX_PRIMED,
        scope: None,
        kinds: Vec::new(),
        min_score: 0.1,
        graph: Graphed::Yes,
    };
    let found = seek::symbols(ctx, at, &request)?.results;
    let best = found.first().map_or(1.0, |first| first.score.max(f64::MIN_POSITIVE));
    let nodes: Vec<PrimedNode> = found
        .into_iter()
        .map(|one| PrimedNode {
            at: format!("{}:{}-{}", one.file_path, one.line_start, one.line_end),
            boost: round3(f64::from(boost) * one.score / best),
            node_id: one.node_id,
        })
        .collect();
    let lifts = nodes.iter().map(|node| (node.node_id.clone(), node.boost as f32));
    workspace.prime(agent, (!nodes.is_empty()).then(|| Primed::of(task, lifts)));
    Ok(nodes)
}
