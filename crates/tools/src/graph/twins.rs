//! `twins`: functions that are copies of each other, also under other names.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::twins::{self, Request, TwinGroup};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Twins;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only copies of this function
    node_id: Option<String>,
    /// Folder or file that one of them lies in
    scope: Option<String>,
    /// 0.3-1; 1 is equal but for names and literals
    #[schemars(extend("default" = 0.8))]
    min_similarity: Option<f64>,
    /// Shortest function (3-1000)
    #[schemars(extend("default" = 6))]
    min_lines: Option<Int>,
    /// Max groups (1-200)
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Those that repeat most lines first.
    groups: Vec<TwinGroup>,
    /// Groups in all.
    total: u64,
    /// Functions that were compared.
    functions_compared: u64,
    /// True when groups are missing from the answer.
    truncated: bool,
}

impl Tool for Twins {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "twins",
        aliases: &["fingerprint"],
        summary: "Functions that are copies of each other, also with other names, in groups; most repeated lines first.",
        help: "Bodies are compared as tokens in which all names, numbers and texts look alike; similarity is the share of five tokens in a row that both have, and \
            names_shared tells copies from code that merely has the same shape. Tests are compared when the scope is a folder of tests or node_id is a test. Very \
            short functions (fewer than 40 tokens) are left out.",
        intents: &[
            "duplicate code",
            "near-duplicates",
            "copy and paste",
            "clones",
            "fingerprint",
            "refactor duplicates",
        ],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[
            Example { says: "Copies in a folder", arguments: r#"{"scope": "src"}"# },
            Example {
                says: "Copies of one function",
                arguments: r#"{"node_id": "greet", "min_similarity": 0.6}"#,
            },
        ],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let min_lines = ctx.in_range("min_lines", input.min_lines, 3..=1_000)?.unwrap_or(6);
        let min_similarity = input.min_similarity.unwrap_or(0.8);
        if !(0.3..=1.0).contains(&min_similarity) {
            return Err(ctx.invalid("`min_similarity` must be from 0.3 to 1."));
        }
        let root = ctx.workspace()?.root();
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let node = match &input.node_id {
            Some(name) => Some(from_graph::find_code(root, &at.graph, "node_id", name)?),
            None => None,
        };
        let min_lines = u32::try_from(min_lines).unwrap_or(6);
        let request = Request { scope, node, min_lines, min_similarity: min_similarity as f32 };
        let found = twins::twins(ctx, &at, &request)?;
        let total = found.groups.len() as u64;
        let mut groups = found.groups;
        groups.truncate(usize::try_from(limit).unwrap_or(20));
        let guidance = match groups.first() {
            Some(first) => Guidance {
                next_suggested_tool: Some("batch_view"),
                next_suggested_target: first.members.first().map(|twin| twin.at.clone()),
                next_step_hint: None,
            },
            None if found.asked_about == 0 => Guidance::hint(
                "There is nothing there to compare: no function of the project's own code that is long enough (`min_lines`, and 40 tokens). Tests are compared only when `scope` or `node_id` is one of them.",
            ),
            None => Guidance::hint(
                "No two functions are that much alike. A lower `min_similarity` or `min_lines` shows more; functions of fewer than 40 tokens are not compared.",
            ),
        };
        let truncated = total > groups.len() as u64;
        let output = Output { groups, total, functions_compared: found.compared as u64, truncated };
        let answer = Answer::of(output).candidates(total).scope(input.scope);
        Ok(answer.proof(ProofState::Triaging).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.groups, excess) > 0
    }
}
