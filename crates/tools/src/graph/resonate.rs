//! `resonate`: where waves from a place in the code add up.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::associate::{self, ActiveNode};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Resonate;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Words that name where to start
    query: Option<String>,
    /// Or the node: id, path, path:line or name
    node_id: Option<String>,
    /// Max nodes (1-100)
    #[schemars(extend("default" = 20))]
    top_k: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Nodes by how loud they are.
    resonant: Vec<ActiveNode>,
    /// Pulses that ran.
    pulses: usize,
    /// True when the pulses were used up before the waves ended.
    budget_exhausted: bool,
    /// True when nodes are missing from the answer.
    truncated: bool,
}

impl Tool for Resonate {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "resonate",
        summary: "Send waves along the relations from a node or the names in a query, and show where they add up: the core of what it belongs to.",
        help: "Waves come back from dead ends turned round, and hubs throw part of them back, so what many short ways share is loud and passages are quiet.",
        intents: &["resonance", "standing wave", "core of a cluster"],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        family: Family::Retrieve,
        examples: &[Example { says: "Around a function", arguments: r#"{"node_id": "greet", "top_k": 5}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let top_k = ctx.clamp("top_k", input.top_k, 20, 1..=100);
        let at = ctx.graph_view()?;
        let starts = match (&input.query, &input.node_id) {
            (Some(query), None) => associate::starts(ctx, &at, query)?,
            (None, Some(name)) => {
                let root = ctx.workspace()?.root();
                vec![(from_graph::find_code(root, &at.graph, "node_id", name)?, 1.0)]
            }
            _ => return Err(ctx.invalid("Give `query`, or `node_id`; not both.")),
        };
        let found = associate::resonance(ctx, &at, &starts, top_k)?;
        let (resonant, total) = (found.nodes, found.total);
        let guidance = match resonant.first() {
            Some(_) => Guidance::default(),
            None => {
                let hint = "No name in the code resembles these words; seek also reads bodies and commits.";
                Guidance::next("seek", input.query.clone().unwrap_or_default(), hint)
            }
        };
        let proof = if resonant.is_empty() { ProofState::Blocked } else { ProofState::Triaging };
        let shown = resonant.len() as u64;
        let output =
            Output { resonant, pulses: found.pulses, budget_exhausted: found.cut, truncated: total > shown };
        Ok(Answer::of(output).candidates(shown).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.resonant, excess) > 0
    }
}
