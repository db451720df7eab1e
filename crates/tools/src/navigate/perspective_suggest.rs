//! `perspective_suggest`: the best way on.

use std::collections::BTreeMap;

use m1nd_contract::{Fault, Guidance, ProofState, fixed_size};
use m1nd_navigate::Route;
use m1nd_runtime::flows::navigate::Spot;
use m1nd_runtime::flows::navigate::perspectives::{self, RouteShown};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct PerspectiveSuggest;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Where you stand.
    focus: Spot,
    /// The best way to where the walk has not been.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggestion: Option<RouteShown>,
    #[serde(skip_serializing_if = "String::is_empty")]
    because: String,
    /// How many ways of each kind lead to where it has not been.
    unseen: BTreeMap<&'static str, usize>,
    route_set_version: u64,
}

impl Tool for PerspectiveSuggest {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_suggest",
        summary: "The best way on from where a walk stands to where it has not been, with the reason, and what else is unseen.",
        intents: &["where next", "suggest a route", "what have I not seen here"],
        examples: &[Example { says: "Of a walk", arguments: r#"{"perspective_id": "persp_1"}"# }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let here = perspectives::open(ctx, &at, &input.perspective_id)?;
        let (best, unseen) = perspectives::suggestion(&at.graph, &here);
        let focus = perspectives::stand(&at.graph, &here, perspectives::Page::default(), None).focus;
        let output = Output {
            focus,
            because: best.as_ref().map(because).unwrap_or_default(),
            suggestion: best.as_ref().map(|route| perspectives::shown(&at.graph, route)),
            unseen,
            route_set_version: here.routes.version,
        };
        let total: usize = output.unseen.values().sum();
        let next = match &output.suggestion {
            Some(route) => Guidance {
                next_suggested_tool: Some("perspective_follow"),
                next_suggested_target: Some(route.route_id.clone()),
                next_step_hint: None,
            },
            None => Guidance::hint("Everything around is seen; perspective_back goes back."),
        };
        Ok(Answer::of(output).candidates(total as u64).proof(ProofState::Triaging).next(next))
    }
}

/// The two factors that say most for it.
fn because(route: &Route) -> String {
    let factors = &route.factors;
    let mut parts = [
        (0.35 * factors.local_activation, "the relation is strong"),
        (0.15 * factors.path_coherence, "it goes on in the same way and place"),
        (0.20 * factors.anchor_relevance.unwrap_or_default(), "it stays near what the walk is about"),
        (0.10 * factors.continuity.unwrap_or_default(), "it has to do with the last places"),
    ];
    parts.sort_by(|a, b| b.0.total_cmp(&a.0));
    let said: Vec<&str> =
        parts.iter().filter(|(part, _)| *part > 0.0).take(2).map(|(_, said)| *said).collect();
    said.join(", and ")
}

fixed_size!(Output);
