//! `perspective_compare`: two walks side by side.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_navigate::{Walk, compare};
use m1nd_runtime::flows::navigate::{Spot, perspectives};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct PerspectiveCompare;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A walk
    perspective_id: String,
    /// Another
    other_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Steps that both took from the start.
    common_steps: usize,
    /// Nodes that both came to, newest first.
    shared: Vec<String>,
    only_first: Vec<String>,
    only_second: Vec<String>,
    /// Relations between where they stand, if they are near.
    #[serde(skip_serializing_if = "Option::is_none")]
    apart: Option<u32>,
    /// Where one of them stands, if that is not in the graph any more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    focus_gone: Vec<String>,
    /// Neighbours of both that neither has seen.
    meeting: Vec<String>,
    truncated: bool,
}

impl Tool for PerspectiveCompare {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_compare",
        summary: "What two walks have in common: nodes of both and of each, how far apart they stand, and where they could meet.",
        intents: &["compare walks", "compare perspectives", "what do they share"],
        budget: Some(4_000),
        examples: &[Example {
            says: "A walk and its branch",
            arguments: r#"{"perspective_id": "persp_1", "other_id": "persp_2"}"#,
        }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let shelf = perspectives::shelf(ctx)?;
        let first: Walk = shelf.get("perspective_id", &input.perspective_id)?;
        let second: Walk = shelf.get("other_id", &input.other_id)?;
        let found = compare(&at.graph, &first, &second);
        let mut focus_gone: Vec<String> = [&first, &second]
            .into_iter()
            .map(|walk| walk.focus().to_owned())
            .filter(|focus| at.graph.node_by_id(focus).is_none())
            .collect();
        focus_gone.dedup();
        let next = match found.meeting.first() {
            Some(node) => {
                let spot = at.graph.node_by_id(node).map(|ix| Spot::of(&at.graph, ix).at);
                Guidance::next("view", spot.unwrap_or_else(|| node.clone()), "Read where they could meet.")
            }
            None if !focus_gone.is_empty() => Guidance::next(
                "perspective_routes",
                if at.graph.node_by_id(first.focus()).is_none() {
                    first.id.clone()
                } else {
                    second.id.clone()
                },
                "Where it stands is gone; its routes begin at the nearest place that is there.",
            ),
            None => Guidance::hint("They do not meet one step from here."),
        };
        let output = Output {
            common_steps: found.common_steps,
            shared: found.shared,
            only_first: found.only_first,
            only_second: found.only_second,
            apart: found.apart,
            focus_gone,
            meeting: found.meeting,
            truncated: false,
        };
        Ok(Answer::of(output).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.meeting, excess) > 0
            || drop_tail(&mut self.only_second, excess) > 0
            || drop_tail(&mut self.only_first, excess) > 0
            || drop_tail(&mut self.shared, excess) > 0
    }
}
