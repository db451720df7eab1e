//! `perspective_close`: end a walk.

use m1nd_contract::{Fault, Guidance, fixed_size};
use m1nd_navigate::Walk;
use m1nd_runtime::flows::navigate::perspectives;
use m1nd_runtime::{Answer, Ctx, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct PerspectiveClose;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    perspective_id: String,
    /// True.
    closed: bool,
    /// Nodes that it came to.
    steps: usize,
}

impl Tool for PerspectiveClose {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_close",
        summary: "End a walk. What is worth keeping of it goes into a trail first (trail_save).",
        intents: &["close a walk", "end perspective", "done exploring"],
        needs: Needs::Nothing,
        fresh: false,
        examples: &[Example { says: "A walk", arguments: r#"{"perspective_id": "persp_2"}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let shelf = perspectives::shelf(ctx)?;
        let walk: Walk = shelf.get("perspective_id", &input.perspective_id)?;
        shelf.remove("perspective_id", &input.perspective_id)?;
        let output = Output { perspective_id: walk.id, closed: true, steps: walk.steps.len() };
        Ok(Answer::of(output).next(Guidance::hint("perspective_list shows what is still open.")))
    }
}

fixed_size!(Output);
