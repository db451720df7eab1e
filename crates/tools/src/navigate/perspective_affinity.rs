//! `perspective_affinity`: how near something is to where a walk stands.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_navigate::affinity;
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::navigate::Spot;
use m1nd_runtime::flows::navigate::perspectives;
use m1nd_runtime::flows::why::{self, WhyPath};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct PerspectiveAffinity;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
    /// What to compare with: id, path, path:line or name
    node_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Where you stand.
    focus: String,
    node: Spot,
    /// 0 to 1: 1 - (1 - chain)(1 - common_share).
    affinity: f64,
    /// Strength of the strongest chain of at most four relations.
    chain: f64,
    /// Neighbours that both have, of all that either has.
    common_share: f64,
    common: Vec<String>,
    common_total: usize,
    /// Relations between the node and the anchor, if it is near.
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor_hops: Option<u32>,
    /// The strongest chain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    path: Vec<WhyPath>,
    truncated: bool,
}

const MAX_COMMON: usize = 8;

impl Tool for PerspectiveAffinity {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_affinity",
        summary: "How near a node is to where a walk stands: the strongest chain, and the neighbours that both have.",
        intents: &["is this related", "how near", "affinity"],
        budget: Some(3_000),
        examples: &[Example {
            says: "main and where the walk stands",
            arguments: r#"{"perspective_id": "persp_1", "node_id": "main"}"#,
        }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let node = from_graph::find(ctx.workspace()?.root(), graph, "node_id", &input.node_id)?;
        let here = perspectives::open(ctx, &at, &input.perspective_id)?;
        let stands = graph.node_by_id(here.walk.focus());
        let (Some(found), Some(focus)) = (affinity(graph, &here.walk, node), stands) else {
            return Err(ctx.invalid("The walk stands nowhere."));
        };
        let path = if focus == node { Vec::new() } else { why::run(graph, focus, node, 4, 1).0 };
        let output = Output {
            focus: here.walk.focus().to_owned(),
            node: Spot::of(graph, node),
            affinity: round3(found.affinity),
            chain: round3(found.chain),
            common_share: round3(found.common_share),
            common: found.common.iter().take(MAX_COMMON).map(|&ix| graph.node(ix).id().to_owned()).collect(),
            common_total: found.common.len(),
            anchor_hops: found.anchor_hops,
            path,
            truncated: found.common.len() > MAX_COMMON,
        };
        let next = Guidance::next("view", output.node.at.clone(), "Read it.");
        Ok(Answer::of(output).candidates(1).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.common, excess) > 0 || drop_tail(&mut self.path, excess) > 0
    }
}
