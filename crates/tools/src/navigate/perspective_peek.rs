//! `perspective_peek`: the source at the end of a route, without going there.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::navigate::perspectives::{self, Picked};
use m1nd_runtime::flows::slice::{self, Wanted};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{READ, gone, version};

pub struct PerspectivePeek;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The walk
    perspective_id: String,
    /// One of its routes
    route_id: String,
    /// Lines to show (1-200)
    #[schemars(extend("default" = 30))]
    lines: Option<Int>,
    /// The one you have
    route_set_version: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    picked: Picked,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_line: Option<u64>,
    source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    truncated: bool,
}

impl Tool for PerspectivePeek {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "perspective_peek",
        summary: "The first lines of what is at the end of a route, without taking the step.",
        intents: &["peek", "look ahead", "read without going there"],
        budget: Some(4_000),
        family: m1nd_runtime::Family::Read,
        examples: &[Example {
            says: "A route",
            arguments: r#"{"perspective_id": "persp_1", "route_id": "rt_ac681f6009"}"#,
        }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("lines", input.lines, 1..=200)?.unwrap_or(30);
        let requested = version(ctx, input.route_set_version)?;
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let here = perspectives::open(ctx, &at, &input.perspective_id)?;
        let (route, picked) = perspectives::picked(ctx, graph, &here, &input.route_id, requested)?;
        let mut output =
            Output { picked, first_line: None, source: String::new(), sha256: None, truncated: false };
        let Some(route) = route else { return Ok(gone(output)) };
        let node = graph.node(route.target);
        let (first, last) = node.lines();
        let is_file = first > 0 || !node.language().is_empty();
        if is_file && !node.path().is_empty() {
            let first = u64::from(first.max(1));
            let all = if last == 0 { u64::MAX } else { u64::from(last) + 1 - first };
            let wanted =
                Wanted { path: node.path().to_owned(), offset: Some(first), limit: Some(limit.min(all)) };
            let slice = slice::read(ctx.workspace()?.root(), ctx.tool(), "route_id", &wanted)?;
            output.truncated = all > limit && slice.total_lines > first + limit - 1;
            output.first_line = Some(first);
            output.source = slice.lines.join("\n");
            output.sha256 = Some(slice.sha256);
        }
        let next = Guidance {
            next_suggested_tool: Some("perspective_follow"),
            next_suggested_target: Some(route.id.clone()),
            next_step_hint: None,
        };
        Ok(Answer::of(output).candidates(1).proof(ProofState::Proving).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let keep = self.source.len().saturating_sub(excess + 10);
        let keep = self.source[..self.source.floor_char_boundary(keep)].rfind('\n').unwrap_or(0);
        let had = self.source.len();
        self.source.truncate(keep);
        self.source.len() < had || self.picked.routes.pop().is_some()
    }
}
