//! `perspective_inspect`: what a route is worth, and why.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::navigate::perspectives::{self, Picked};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{READ, gone, version};

pub struct PerspectiveInspect;

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

/// What the score is made of, each from 0 to 1.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Factors {
    local_activation: f64,
    path_coherence: f64,
    novelty: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    anchor_relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    continuity: Option<f64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    picked: Picked,
    #[serde(skip_serializing_if = "Option::is_none")]
    factors: Option<Factors>,
    #[serde(skip_serializing_if = "String::is_empty")]
    signature: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    doc: String,
    /// How the relation is known: precise, resolved or inferred.
    evidence: Vec<&'static str>,
    /// Where it is written.
    written_at: Vec<String>,
    /// How often the walk was there.
    visits: usize,
    /// Ways on from there.
    onward: usize,
    truncated: bool,
}

const MAX_LINES: usize = 10;
const MAX_DOC: usize = 300;

impl Tool for PerspectiveInspect {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_inspect",
        summary: "Why a route is scored as it is: the five factors, how the relation is known and where it is written, and what stands at its end.",
        intents: &["why this route", "explain a route", "what is at the end of a route"],
        budget: Some(3_000),
        examples: &[Example {
            says: "A route",
            arguments: r#"{"perspective_id": "persp_1", "route_id": "rt_ac681f6009"}"#,
        }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let requested = version(ctx, input.route_set_version)?;
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let here = perspectives::open(ctx, &at, &input.perspective_id)?;
        let (route, picked) = perspectives::picked(ctx, graph, &here, &input.route_id, requested)?;
        let mut output = Output {
            picked,
            factors: None,
            signature: String::new(),
            doc: String::new(),
            evidence: Vec::new(),
            written_at: Vec::new(),
            visits: 0,
            onward: 0,
            truncated: false,
        };
        let Some(route) = route else { return Ok(gone(output)) };
        let node = graph.node(route.target);
        output.factors = Some(Factors {
            local_activation: round3(route.factors.local_activation),
            path_coherence: round3(route.factors.path_coherence),
            novelty: round3(route.factors.novelty),
            anchor_relevance: route.factors.anchor_relevance.map(round3),
            continuity: route.factors.continuity.map(round3),
        });
        output.signature = node.signature().to_owned();
        output.doc = node.doc()[..node.doc().floor_char_boundary(MAX_DOC)].to_owned();
        (output.evidence, output.written_at) = perspectives::written(graph, &here, route);
        output.truncated = output.written_at.len() > MAX_LINES || node.doc().len() > MAX_DOC;
        output.written_at.truncate(MAX_LINES);
        output.visits = here.walk.visits(node.id());
        output.onward = graph.outgoing(route.target).count() + graph.incoming(route.target).count();
        let next = Guidance::next(
            "view",
            output.picked.route.as_ref().map_or_else(String::new, |one| one.spot.at.clone()),
            "Read it.",
        );
        Ok(Answer::of(output).candidates(1).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.written_at, excess) > 0
            || drop_tail(&mut self.picked.routes, excess) > 0
            || !std::mem::take(&mut self.doc).is_empty()
            || !std::mem::take(&mut self.signature).is_empty()
            || self.factors.take().is_some()
    }
}
