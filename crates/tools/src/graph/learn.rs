//! `learn`: tell m1nd which answers were right, for the next question like this one.

use m1nd_contract::{Fault, Guidance, fixed_size};
use m1nd_graph::NodeIx;
use m1nd_recall::text::terms_of_query;
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::{associate, ledger};
use m1nd_runtime::{Answer, Ctx, Effect, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Learn;

/// Judging more at once says nothing about any of them.
const MAX_NODES: usize = 50;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Correct,
    Wrong,
    Partial,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The question that was asked
    query: String,
    /// What the nodes were as answers
    feedback: Verdict,
    /// The nodes that are judged: ids, path:line or names
    node_ids: Vec<String>,
    /// How much it counts (0.01-1)
    #[schemars(extend("default" = 0.2))]
    strength: Option<f64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Edges among the nodes and what the question names that were moved.
    edges_adjusted: usize,
    /// Nodes that were judged.
    nodes_affected: usize,
    /// Files whose trust fell: those of wrong answers.
    trust_records_updated: usize,
    /// Always 0: tremor is made of changes, and an opinion changes nothing.
    tremor_observations_recorded: usize,
}

impl Tool for Learn {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "learn",
        summary: "Say which results of seek or activate were right or wrong: the same question and ones like it rank them so from now on.",
        help: "partial counts half. A wrong answer also counts against its file in trust, by strength (a fix in the history counts 1). Three times correct brings an answer to the top. A question is like the one that was judged when most of the telling words of each are in the other, or when they share some and find much the same; one word of several is not enough. Questions about other things are not touched.",
        intents: &["feedback", "was right", "was wrong", "teach", "improve ranking"],
        effect: Effect::Remember,
        needs: Needs::Graph,
        lean: true,
        examples: &[Example {
            says: "greet was what I looked for",
            arguments: r#"{"query": "say hello", "feedback": "correct", "node_ids": ["greet"]}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let strength = input.strength.unwrap_or(0.2);
        if !(0.01..=1.0).contains(&strength) {
            return Err(ctx.invalid("`strength` must be from 0.01 to 1."));
        }
        if terms_of_query(&input.query).is_empty() {
            return Err(ctx.invalid("`query` must have a word that says something: there is nothing in it by which a question like it could be known."));
        }
        if input.node_ids.is_empty() || input.node_ids.len() > MAX_NODES {
            return Err(ctx.invalid(format!("`node_ids` must name 1 to {MAX_NODES} nodes.")));
        }
        let at = ctx.graph_view()?;
        let root = ctx.workspace()?.root();
        let nodes: Result<Vec<NodeIx>, Fault> =
            input.node_ids.iter().map(|name| from_graph::find(root, &at.graph, "node_ids", name)).collect();
        let mut nodes = nodes?;
        nodes.sort_unstable();
        nodes.dedup();
        let amount = match input.feedback {
            Verdict::Correct => strength,
            Verdict::Partial => strength / 2.0,
            Verdict::Wrong => -strength,
        };
        let edges_adjusted = associate::learn(ctx, &at, &input.query, &nodes, amount as f32)?;
        let trust_records_updated = match input.feedback {
            Verdict::Wrong => ledger::tell(
                ctx,
                None,
                nodes.iter().map(|&node| at.graph.node(node).path()).collect(),
                strength,
            )?,
            Verdict::Correct | Verdict::Partial => 0,
        };
        let output = Output {
            edges_adjusted,
            nodes_affected: nodes.len(),
            trust_records_updated,
            tremor_observations_recorded: 0,
        };
        let guidance = Guidance {
            next_suggested_tool: Some("seek"),
            next_suggested_target: Some(input.query),
            next_step_hint: None,
        };
        Ok(Answer::of(output).next(guidance))
    }
}

fixed_size!(Output);
