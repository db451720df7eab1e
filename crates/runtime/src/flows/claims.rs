//! Claims: a sentence about the code, judged, and what would be without some of it.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::NodeIx;
use m1nd_risk::claim::{self, Claim, Judged, PATTERNS};
use serde_json::json;

use crate::ctx::{Ctx, GraphView};
use crate::faults::from_graph;

/// A judged claim.
pub struct Hypothesis {
    pub claim: Claim,
    pub one: NodeIx,
    pub other: Option<NodeIx>,
    pub judged: Judged,
}

/// Reads a claim, finds what it names, and weighs what speaks for and against it.
pub fn judge(
    ctx: &Ctx<'_>,
    at: &GraphView,
    text: &str,
    max_hops: u32,
    budget: usize,
) -> Result<Hypothesis, Fault> {
    let claim = claim::parse(text).ok_or_else(|| not_understood(ctx))?;
    let root = ctx.workspace()?.root();
    let find = |name: &str| from_graph::find_code(root, &at.graph, "claim", name);
    let one = find(&claim.one)?;
    let other = claim.other.as_deref().map(find).transpose()?;
    if other == Some(one) {
        return Err(ctx.invalid("`claim`: both names mean the same node."));
    }
    let judged = claim::judge(&at.graph, claim.kind, one, other, max_hops, budget);
    Ok(Hypothesis { claim, one, other, judged })
}

fn not_understood(ctx: &Ctx<'_>) -> Fault {
    Fault::new(
        Code::InvalidParams,
        "`claim` is none of the sentences that can be judged, so nothing was judged.".to_owned(),
        Recovery::call(
            "Say it as one of detail.patterns, with names of code for A and B: no other words around them.",
            ctx.tool(),
            json!({ "claim": "A depends on B" }),
        ),
    )
    .with_detail(json!({ "patterns": PATTERNS }))
}
