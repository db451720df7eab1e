//! `perspective_back`: take steps back.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::navigate::perspectives::{self, Page, Stand};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct PerspectiveBack;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
    /// How many (1-256)
    #[schemars(extend("default" = 1))]
    steps: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    stand: Stand,
}

impl Tool for PerspectiveBack {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_back",
        summary: "Take steps of a walk back; past places that are no longer in the code.",
        intents: &["go back", "undo a step", "previous place"],
        budget: Some(3_000),
        examples: &[Example { says: "One step", arguments: r#"{"perspective_id": "persp_2"}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let steps = ctx.in_range("steps", input.steps, 1..=256)?.unwrap_or(1);
        let at = ctx.graph_view()?;
        let steps = usize::try_from(steps).unwrap_or(1);
        let here = perspectives::back(ctx, &at, &input.perspective_id, steps)?;
        let stand = perspectives::stand(&at.graph, &here, Page::default(), None);
        let total = stand.total_routes as u64;
        let next =
            Guidance::next("perspective_suggest", stand.perspective_id.clone(), "Ask for another way on.");
        Ok(Answer::of(Output { stand }).candidates(total).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.stand.shorten(excess, 0)
    }
}
