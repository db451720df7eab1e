//! `surgical_context`: what must be known before a file or a definition is edited.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::editing::context::{self, Context, Request};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Saves, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct SurgicalContext;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File, or path:line for the definition there
    file_path: Option<String>,
    /// Definition, by id or name
    node_id: Option<String>,
    /// Steps to follow callers of callers (1-3)
    #[schemars(extend("default" = 1))]
    radius: Option<Int>,
    /// Find the tests that reach it
    #[schemars(extend("default" = true))]
    include_tests: Option<bool>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    context: Context,
}

impl Tool for SurgicalContext {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "surgical_context",
        summary: "Before editing a function or file: its source with sha256, its callers with their call sites, what it calls, its tests, risk and last commits, in one answer.",
        help: "A file of more than 150 lines is shown by its symbols; name a definition, or path:line, for source. \
            risk.score = 0.5 (1 - trust; 0.5 without history) + 0.25 (no test known) + 0.25 (callers / 20, at most 1).",
        intents: &["before editing", "context for change", "what do I need to edit", "edit function"],
        needs: Needs::Graph,
        budget: Some(12_000),
        fresh: true,
        lean: true,
        saves: Saves::Surgery,
        family: Family::Read,
        examples: &[Example { says: "A function", arguments: r#"{"node_id": "greet"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let radius = ctx.in_range("radius", input.radius, 1..=3)?.unwrap_or(1);
        let request = Request {
            file_path: input.file_path.as_deref(),
            node_id: input.node_id.as_deref(),
            radius: u32::try_from(radius).unwrap_or(1),
            with_tests: input.include_tests.unwrap_or(true),
        };
        let (target, context) = context::run(ctx, &ctx.graph_view()?, &request)?;
        let guidance = Guidance {
            next_suggested_tool: Some("validate_plan"),
            next_suggested_target: Some(target.path),
            next_step_hint: context.hint(),
        };
        let proof = if context.has_tests() { ProofState::ReadyToEdit } else { ProofState::Proving };
        let total = context.total();
        Ok(Answer::of(Output { context }).candidates(total.max(1)).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.context.shorten(excess)
    }
}
