//! `perspective_list`: the walks that are open.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_navigate::Walk;
use m1nd_runtime::flows::navigate::perspectives;
use m1nd_runtime::{Answer, Ctx, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct PerspectiveList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    perspective_id: String,
    focus: String,
    /// Set where that is not in the graph any more: the walk goes on from the nearest place that is.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    focus_gone: bool,
    anchor: String,
    steps: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<String>,
    touched_ms: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Touched last, first.
    perspectives: Vec<Row>,
    total: u64,
    truncated: bool,
}

impl Tool for PerspectiveList {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_list",
        summary: "Your open walks, with where each stands.",
        intents: &["my walks", "open perspectives", "list perspectives"],
        needs: Needs::Nothing,
        fresh: false,
        budget: Some(4_000),
        examples: &[Example { says: "All", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, _: Input) -> Result<Answer<Output>, Fault> {
        let walks: Vec<(Walk, i64)> = perspectives::shelf(ctx)?.all()?;
        let total = walks.len() as u64;
        let view = ctx.workspace()?.view();
        let is_gone = |id: &str| view.graph().is_some_and(|graph| graph.node_by_id(id).is_none());
        let row = |(walk, touched_ms): (Walk, i64)| Row {
            focus_gone: is_gone(walk.focus()),
            focus: walk.focus().to_owned(),
            steps: walk.steps.len(),
            perspective_id: walk.id,
            anchor: walk.anchor,
            query: walk.query,
            name: walk.name,
            parent_id: walk.parent,
            touched_ms,
        };
        let output = Output { perspectives: walks.into_iter().map(row).collect(), total, truncated: false };
        let next = match output.perspectives.first() {
            Some(first) => {
                Guidance::next("perspective_routes", first.perspective_id.clone(), "Go on with the last one.")
            }
            None => Guidance::hint("No walk is open; perspective_start begins one."),
        };
        Ok(Answer::of(output).candidates(total).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.perspectives, excess) > 0
    }
}
