//! `missing`: what most siblings have and one lacks.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::associate;
use m1nd_runtime::flows::missing::{self, MissingPart};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Missing;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Names or words to look around
    query: String,
    /// How strongly the query must reach siblings (0-1)
    #[schemars(extend("default" = 0.3))]
    min_sibling_activation: Option<f64>,
    /// Max holes (1-100)
    #[schemars(extend("default" = 15))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Those that say most first.
    structural_holes: Vec<MissingPart>,
    /// Holes in all.
    total: u64,
    /// True when holes are missing from the answer.
    truncated: bool,
}

impl Tool for Missing {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "missing",
        summary: "What most siblings have and one lacks, around a query: the handler without the check, the class without the method.",
        help: "Siblings are of one kind in one file or class, share a base type, are the methods that types of one base have under one name, or functions of one folder \
            whose names begin alike. A hole needs 60 % of them to have a call, reference, import, base or method, and the query to reach two of those, the one that lacks it, or the base. It is a lead, not a defect: some siblings differ on purpose.",
        intents: &["what is missing", "forgotten call", "structural holes", "inconsistent siblings"],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        family: Family::Retrieve,
        examples: &[Example { says: "What is missing around greet", arguments: r#"{"query": "greet"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=100)?.unwrap_or(15);
        let least = input.min_sibling_activation.unwrap_or(0.3);
        if !(0.0..=1.0).contains(&least) {
            return Err(ctx.invalid("`min_sibling_activation` must be from 0 to 1."));
        }
        if !input.query.chars().any(char::is_alphanumeric) {
            return Err(ctx.invalid("`query` must have at least one word."));
        }
        let at = ctx.graph_view()?;
        let (mut structural_holes, reached) = missing::missing(ctx, &at, &input.query, least as f32)?;
        let total = structural_holes.len() as u64;
        structural_holes.truncate(usize::try_from(limit).unwrap_or(15));
        let (proof, guidance) = match structural_holes.first() {
            Some(first) => {
                let view = Guidance {
                    next_suggested_tool: Some("view"),
                    next_suggested_target: Some(associate::first_line(&first.at)),
                    next_step_hint: None,
                };
                (ProofState::Triaging, view)
            }
            None if reached == 0 => {
                let hint = "No name in the code resembles these words. Use seek, which also reads bodies, comments and commits.";
                (ProofState::Blocked, Guidance::next("seek", input.query.clone(), hint))
            }
            None => {
                let hint = "The siblings of what the query reaches have the same relations. Lower `min_sibling_activation` to look further around.";
                (ProofState::Triaging, Guidance::hint(hint))
            }
        };
        let truncated = total > structural_holes.len() as u64;
        let output = Output { structural_holes, total, truncated };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.structural_holes, excess) > 0
    }
}
