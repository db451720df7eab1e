//! Call list: callers or callees of a named node, as an answer, with what an empty one rests on.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance};
use m1nd_graph::NodeIx;
use schemars::JsonSchema;
use serde::Serialize;

use super::calls::{self, Call, Direction, Lead};
use super::coverage::{self, Coverage};
use crate::ctx::{Ctx, GraphView};
use crate::faults::from_graph;

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
    /// Where more calls may come from: the method it overrides, places that hand it on, routes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    leads: Vec<Lead>,
    /// What an empty answer rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Coverage>,
}

pub fn run(
    ctx: &Ctx<'_>,
    name: &str,
    direction: Direction,
    limit: u64,
) -> Result<(CallList, Guidance), Fault> {
    let at = ctx.graph_view()?;
    let node = from_graph::find_code(&at.graph, "node_id", name)?;
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
        None if is_place(&at, node) => Guidance::hint(
            "That is a file or a folder, and only calls at the top level of a file are its own. Ask outline for what is inside, then ask about that.",
        ),
        None => Guidance::hint(format!(
            "{}No call is known. A call through a value, a macro or a name built at run time is not seen; search for the name to be sure.",
            gap(ctx, &at, node)?
        )),
    };
    let list = CallList {
        node_id: at.graph.node(node).id().to_owned(),
        truncated: total > found.len() as u64,
        leads: match direction {
            Direction::Callers => calls::leads(&at.graph, node),
            Direction::Callees => Vec::new(),
        },
        rests_on: found.is_empty().then(|| coverage::of_workspace(&at.view, &at.graph)),
        calls: found,
        total,
        inferred,
    };
    Ok((list, guidance))
}

fn is_place(at: &GraphView, node: NodeIx) -> bool {
    let kind = at.graph.node(node).kind();
    !kind.is_callable() && !kind.is_type()
}

/// Why the node's own file may hold more than the graph knows.
fn gap(ctx: &Ctx<'_>, at: &GraphView, node: NodeIx) -> Result<String, Fault> {
    let root = ctx.workspace()?.root();
    let path = root.relative(at.graph.node(node).path()).ok();
    let gap = path.and_then(|path| coverage::gap(root, Some(&at.graph), &path));
    Ok(gap.map_or_else(String::new, |gap| format!("{gap} ")))
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
