//! Call list: callers or callees of a named node, as an answer, with what an empty one rests on.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance};
use schemars::JsonSchema;
use serde::Serialize;

use super::calls::{self, Call, Direction};
use crate::ctx::Ctx;
use crate::faults::from_graph;
use crate::workspace::WorkspaceView;

/// The calls of one node in one direction.
#[derive(Debug, JsonSchema, Serialize)]
pub struct CallList {
    /// The node that was asked about.
    node_id: String,
    /// The calls: certain ones first, then by place.
    calls: Vec<Call>,
    /// Calls in all, also beyond the limit.
    total: u64,
    /// How many of them are only inferred from a name.
    inferred: u64,
    /// True when calls are missing from the answer.
    truncated: bool,
    /// What an empty answer rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Coverage>,
}

/// How much of the workspace the graph knows.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Coverage {
    /// Files of languages that are read.
    files_indexed: u64,
    /// Files with parts missing, and files that could not be read.
    files_incomplete: u64,
    /// Calls in the workspace whose target could not be told.
    unresolved_references: u64,
}

pub fn run(
    ctx: &Ctx<'_>,
    name: &str,
    direction: Direction,
    limit: u64,
) -> Result<(CallList, Guidance), Fault> {
    let at = ctx.graph_view()?;
    let node = from_graph::find(&at.graph, "node_id", name)?;
    let mut found = calls::find(ctx.workspace()?.root(), &at.graph, node, direction);
    let total = found.len() as u64;
    let inferred = found.iter().filter(|call| call.candidates.is_some()).count() as u64;
    found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let guidance = match found.first() {
        Some(first) => Guidance {
            next_suggested_tool: Some("view"),
            next_suggested_target: Some(format!("{}:{}", first.file_path, first.line)),
            next_step_hint: None,
        },
        None => Guidance::hint(
            "No call is known. A call through a value, a macro or a name built at run time is not seen; search for the name to be sure.",
        ),
    };
    let list = CallList {
        node_id: at.graph.node(node).id().to_owned(),
        truncated: total > found.len() as u64,
        rests_on: found.is_empty().then(|| coverage(&at.view)).flatten(),
        calls: found,
        total,
        inferred,
    };
    Ok((list, guidance))
}

fn coverage(view: &WorkspaceView) -> Option<Coverage> {
    let report = view.report()?;
    Some(Coverage {
        files_indexed: report.languages.values().sum(),
        files_incomplete: report.files_partial.values().sum::<u64>() + report.files_failed,
        unresolved_references: report.unresolved_references,
    })
}

impl CallList {
    pub fn total(&self) -> u64 {
        self.total
    }

    pub fn shorten(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.calls, excess) > 0
    }
}
