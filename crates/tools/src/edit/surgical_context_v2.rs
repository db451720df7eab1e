//! `surgical_context_v2`: the same with the lines of connected files that matter.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::editing::connected::{self, Connected};
use m1nd_runtime::flows::editing::context::{self, Context, Request};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Saves, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct SurgicalContextV2;

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
    /// Files to show lines of (0-20)
    #[schemars(extend("default" = 5))]
    max_connected_files: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    context: Context,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    /// Files with callers, tests and callees: those that an edit touches most first.
    connected: Vec<Connected>,
    /// Such files in all; missing when there is none.
    #[serde(skip_serializing_if = "is_none")]
    connected_total: u64,
}

impl Tool for SurgicalContextV2 {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "surgical_context_v2",
        summary: "Everything for an edit in one call: as surgical_context, plus the lines that matter of the files with callers, tests and callees, ranked, each with its sha256.",
        help: "connected is ranked by certain calls (4 each), calls in tests (3), lines that name it and definitions that are called (2 each) and guesses by name (1). \
            Callers whose lines are shown there have no source of their own.",
        intents: &[
            "context for multi-file edit",
            "callers with source",
            "refactor context",
            "before editing",
        ],
        needs: Needs::Graph,
        budget: Some(16_000),
        fresh: true,
        lean: true,
        saves: Saves::Surgery,
        family: Family::Read,
        examples: &[Example {
            says: "A function and two files around it",
            arguments: r#"{"node_id": "greet", "max_connected_files": 2}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let radius = ctx.in_range("radius", input.radius, 1..=3)?.unwrap_or(1);
        let most = ctx.in_range("max_connected_files", input.max_connected_files, 0..=20)?.unwrap_or(5);
        let request = Request {
            file_path: input.file_path.as_deref(),
            node_id: input.node_id.as_deref(),
            radius: u32::try_from(radius).unwrap_or(1),
            with_tests: input.include_tests.unwrap_or(true),
        };
        let at = ctx.graph_view()?;
        let (target, mut context) = context::run(ctx, &at, &request)?;
        let most = usize::try_from(most).unwrap_or(5);
        let (connected, connected_total) =
            connected::files(ctx.workspace()?.root(), &at.graph, &target, &context.user_lines(), most);
        context.leave_to(&connected);
        let guidance = Guidance {
            next_suggested_tool: Some("validate_plan"),
            next_suggested_target: Some(target.path),
            next_step_hint: context.hint(),
        };
        let proof = if context.has_tests() { ProofState::ReadyToEdit } else { ProofState::Proving };
        let total = context.total();
        let output = Output { context, connected, connected_total };
        Ok(Answer::of(output).candidates(total.max(1)).proof(proof).next(guidance))
    }
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

/// Connected files that stay while lists can be shorter.
const LEAST: usize = 3;

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.context.mark_truncated();
        // What is asked about, its callers and its tests matter more than lines of other files.
        self.connected.len() > LEAST && self.drop_connected()
            || self.context.shorten_lists(excess)
            || self.drop_connected()
            || self.context.shorten(excess)
    }
}

impl Output {
    fn drop_connected(&mut self) -> bool {
        let Some(dropped) = self.connected.pop() else { return false };
        self.context.take_from(&dropped);
        true
    }
}
