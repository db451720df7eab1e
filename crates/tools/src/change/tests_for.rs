//! `tests_for`: tests that run a piece of code.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::impact::{self, Direction, TestHit};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct TestsFor;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Node id, path, path:line or name
    node_id: String,
    /// Longest chain of calls (1-10)
    #[schemars(extend("default" = 4))]
    max_hops: Option<Int>,
    /// 1-500
    #[schemars(extend("default" = 50))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    node_id: String,
    /// Those that call it directly first.
    tests: Vec<TestHit>,
    /// Such tests in all.
    total: u64,
    /// How many call it directly.
    direct: u64,
    truncated: bool,
}

impl Tool for TestsFor {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "tests_for",
        summary: "Tests that reach a function, class or file through calls, nearest first: what to run after changing it.",
        help: "A test is what the language's own convention says. What stands inside a test, runs before it (setUp and its like) or is a fixture that it names as a parameter counts as run by it. Tests that reach the code only through a framework or a process of its own are not seen.",
        intents: &["which tests cover", "tests for function", "what to run", "is it tested"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "By name", arguments: r#"{"node_id": "greet"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let max_hops = ctx.in_range("max_hops", input.max_hops, 1..=10)?.unwrap_or(4);
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(50);
        let at = ctx.graph_view()?;
        let max_hops = u32::try_from(max_hops).unwrap_or(4);
        let found = impact::run(ctx, &at, Some(&input.node_id), None, Direction::Forward, max_hops)?;
        let mut tests = found.tests(&at.graph);
        let total = tests.len() as u64;
        let direct = tests.iter().filter(|test| test.hop_distance == 1).count() as u64;
        tests.truncate(usize::try_from(limit).unwrap_or(50));
        let node_id = found.sources.first().map(|&ix| at.graph.node(ix).id().to_owned()).unwrap_or_default();
        let (proof, guidance) = match tests.first() {
            Some(first) => {
                let view = Guidance {
                    next_suggested_tool: Some("view"),
                    next_suggested_target: Some(first.at.clone()),
                    next_step_hint: None,
                };
                (ProofState::Proving, view)
            }
            None => {
                let hint = format!(
                    "No test is known to reach it within {max_hops} steps. Tests may reach it through a framework or a program's command line; search for its name in the tests."
                );
                let name = found.sources.first().map(|&ix| at.graph.node(ix).label().to_owned());
                (ProofState::Blocked, Guidance::next("search", name.unwrap_or_default(), hint))
            }
        };
        let truncated = total > tests.len() as u64;
        let output = Output { node_id, tests, total, direct, truncated };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.tests, excess) > 0
    }
}
