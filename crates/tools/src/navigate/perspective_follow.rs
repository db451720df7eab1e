//! `perspective_follow`: take a step.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::navigate::perspectives::{self, Page, Stand};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{WRITE, gone, version};

pub struct PerspectiveFollow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
    /// One of its routes
    route_id: String,
    /// The one you have
    route_set_version: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// False where the route was one of an outdated set and is gone: nothing moved.
    followed: bool,
    #[serde(flatten)]
    stand: Stand,
}

impl Tool for PerspectiveFollow {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_follow",
        summary: "Take a step of a walk along one of its routes; answers with where you stand then and the routes from there.",
        intents: &["go there", "follow a route", "next step of a walk"],
        budget: Some(3_000),
        examples: &[Example {
            says: "To what greet stands in",
            arguments: r#"{"perspective_id": "persp_1", "route_id": "rt_ac681f6009"}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let requested = version(ctx, input.route_set_version)?;
        let at = ctx.graph_view()?;
        let (here, taken) =
            perspectives::follow(ctx, &at, &input.perspective_id, &input.route_id, requested)?;
        // What the caller has is the set before the step.
        let mut stand = perspectives::stand(&at.graph, &here, Page::default(), None);
        (stand.stale, stand.requested_version) = (taken.stale, requested.filter(|_| taken.stale));
        let total = stand.total_routes as u64;
        if !taken.moved {
            return Ok(gone(Output { followed: false, stand }).candidates(total));
        }
        let next = Guidance::next("view", stand.focus.at.clone(), "Read where you stand.");
        let output = Output { followed: true, stand };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.stand.shorten(excess, 0)
    }
}
