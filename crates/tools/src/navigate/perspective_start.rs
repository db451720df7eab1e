//! `perspective_start`: begin a walk through the code.

use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_navigate::Mode;
use m1nd_runtime::flows::navigate::perspectives::{self, Page, Stand};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct PerspectiveStart;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    #[default]
    Anchored,
    Local,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Where to begin: id, path, path:line or name
    node_id: Option<String>,
    /// What you look for; without node_id the walk begins at what it finds first
    query: Option<String>,
    /// anchored keeps near the start, local goes by the query
    #[serde(default)]
    #[schemars(extend("default" = "anchored"))]
    mode: Wanted,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    stand: Stand,
}

impl Tool for PerspectiveStart {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_start",
        summary: "Begin a walk through the code at a node or at what a question finds: where you stand, and scored routes to what is related.",
        help: "A route's score is the weighted mean of what is known of: local activation 0.35 (how strongly the relation binds), novelty 0.20, anchor relevance 0.20 (nearness to the start; in local mode words of the query), \
            path coherence 0.15 (the same kind of way, the same folders), continuity 0.10 (relations with the last nodes). Walks are yours alone, outlive the server, and end after 30 days without a step; 20 may be open.",
        intents: &["explore", "walk through the code", "navigate", "look around a function"],
        budget: Some(3_000),
        examples: &[Example { says: "At a function", arguments: r#"{"node_id": "greet"}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let mode = match input.mode {
            Wanted::Anchored => Mode::Anchored,
            Wanted::Local => Mode::Local,
        };
        let here = perspectives::start(ctx, &at, input.node_id.as_deref(), input.query.as_deref(), mode)?;
        let stand = perspectives::stand(&at.graph, &here, Page::default(), None);
        let total = stand.total_routes as u64;
        let next =
            Guidance::next("perspective_suggest", stand.perspective_id.clone(), "Ask for the best way on.");
        Ok(Answer::of(Output { stand }).candidates(total).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.stand.shorten(excess, 0)
    }
}
