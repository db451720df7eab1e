//! `warmup`: say what you are about to work on.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::associate;
use m1nd_runtime::flows::warmup::{self, PrimedNode};
use m1nd_runtime::{Answer, Ctx, Effect, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Warmup;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What you are about to do
    task_description: String,
    /// 0-1
    #[schemars(extend("default" = 0.15))]
    boost_strength: Option<f64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// What is lifted, most first.
    primed: Vec<PrimedNode>,
    /// How many there are.
    priming_nodes: u64,
    /// True when some are missing from the answer.
    truncated: bool,
}

impl Tool for Warmup {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "warmup",
        summary: "Say what you are about to work on: your later seek and activate questions about it rank its code higher.",
        help: "Only for the calling agent, only for questions at least half of whose words are in the description, and only until the next warmup or the end of the \
            server. Nothing is found that would not be found without it, and other questions are answered as before. boost_strength 0 takes it back.",
        intents: &["prime", "warm up", "prepare for a task", "about to work on"],
        effect: Effect::Configure,
        needs: Needs::Graph,
        budget: Some(3_000),
        fresh: true,
        lean: true,
        examples: &[Example {
            says: "Before working on greetings",
            arguments: r#"{"task_description": "greet people in their own language"}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let boost = input.boost_strength.unwrap_or(0.15);
        if !(0.0..=1.0).contains(&boost) {
            return Err(ctx.invalid("`boost_strength` must be from 0 to 1."));
        }
        if !input.task_description.chars().any(char::is_alphanumeric) {
            return Err(ctx.invalid("`task_description` must have at least one word."));
        }
        let at = ctx.graph_view()?;
        let primed = warmup::warm_up(ctx, &at, &input.task_description, boost as f32)?;
        let priming_nodes = primed.len() as u64;
        let (proof, guidance) = match primed.first() {
            Some(first) => {
                let view = Guidance {
                    next_suggested_tool: Some("view"),
                    next_suggested_target: Some(associate::first_line(&first.at)),
                    next_step_hint: None,
                };
                (ProofState::Triaging, view)
            }
            None if boost == 0.0 => (
                ProofState::Triaging,
                Guidance::hint("Nothing is lifted any more: your questions are answered as before."),
            ),
            None => (
                ProofState::Blocked,
                Guidance::hint(
                    "Nothing in the code fits the description, so nothing is lifted. Name what the code calls it.",
                ),
            ),
        };
        let output = Output { primed, priming_nodes, truncated: false };
        Ok(Answer::of(output).candidates(priming_nodes).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.primed, excess) > 0
    }
}
