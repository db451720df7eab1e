//! `counterfactual`: what would be without some code?

use std::collections::BTreeMap;

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_risk::blast::insides;
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::impact;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Saves, Spec, Tool};
use m1nd_stdx::round::round2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Counterfactual;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What to do without: ids, paths or names
    node_ids: Vec<String>,
    /// Name what is affected at each step
    #[schemars(extend("default" = true))]
    include_cascade: Option<bool>,
}

/// What breaks at one distance.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Step {
    depth: u32,
    affected: u64,
    /// Some of them.
    nodes: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The nodes and all that is in them.
    removed: u64,
    cascade: Vec<Step>,
    /// What depends on the removed code, within six steps.
    total_affected: u64,
    /// What nothing but removed code leads to.
    orphaned: Vec<String>,
    orphaned_total: u64,
    /// How much less is reached from where programs begin; absent where no beginning is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pct_activation_lost: Option<f64>,
    truncated: bool,
}

/// Nodes that are named at each step.
const NAMED: usize = 12;
/// Orphans that are named.
const MAX_ORPHANS: usize = 40;
/// The removal of more is a rewrite.
const MAX_NODES: usize = 100;

impl Tool for Counterfactual {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "counterfactual",
        summary: "What breaks and what is left without users if this code were deleted: dependents by distance, orphans, share of the program no longer reached.",
        help: "Nothing is changed; the nodes and all that is in them are masked. cascade counts what depends on them, at its shortest distance. An orphan had users, and all of them are removed or orphans (tests do not count as users). \
            pct_activation_lost compares what is activated from entry points and from code that nothing leads to, each with 1, over at most 12 steps with the strengths that impact uses.",
        intents: &["what if I delete", "remove code", "dead after removal", "orphans"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "Without greet", arguments: r#"{"node_ids": ["greet"]}"# }],
        saves: Saves::Blast,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        if input.node_ids.is_empty() || input.node_ids.len() > MAX_NODES {
            return Err(ctx.invalid(format!("`node_ids` must name 1 to {MAX_NODES} nodes.")));
        }
        let at = ctx.graph_view()?;
        let root = ctx.workspace()?.root();
        let find = |name: &String| from_graph::find_code(root, &at.graph, "node_ids", name);
        let nodes = input.node_ids.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let handed = impact::handed(ctx, &at.graph, &insides(&at.graph, &nodes))?;
        let found = m1nd_risk::removal::remove(&at.graph, &handed, &nodes, 6);
        let id = |ix: m1nd_graph::NodeIx| at.graph.node(ix).id().to_owned();
        let mut steps: BTreeMap<u32, Step> = BTreeMap::new();
        for &(node, depth) in &found.affected {
            let step = steps.entry(depth).or_insert(Step { depth, affected: 0, nodes: Vec::new() });
            step.affected += 1;
            if input.include_cascade.unwrap_or(true) && step.nodes.len() < NAMED {
                step.nodes.push(id(node));
            }
        }
        let total = found.affected.len() as u64;
        let orphaned: Vec<String> = found.orphaned.iter().take(MAX_ORPHANS).map(|&ix| id(ix)).collect();
        let output = Output {
            removed: found.removed.len() as u64,
            cascade: steps.into_values().collect(),
            total_affected: total,
            orphaned_total: found.orphaned.len() as u64,
            truncated: found.orphaned.len() > orphaned.len(),
            orphaned,
            pct_activation_lost: (found.roots > 0).then(|| round2(found.activation_lost)),
        };
        let guidance = match (total, input.node_ids.first()) {
            (0, Some(name)) => Guidance::next(
                "callers",
                name.clone(),
                "Nothing is known to depend on it. See the leads before you delete it: calls through values and strings are not seen.",
            ),
            _ => Guidance::default(),
        };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Proving).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        if drop_tail(&mut self.orphaned, excess) > 0 {
            return true;
        }
        // Far effects matter less than near ones.
        self.cascade.iter_mut().rev().any(|step| drop_tail(&mut step.nodes, excess) > 0)
    }
}
