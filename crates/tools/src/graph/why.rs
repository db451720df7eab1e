//! `why`: how two nodes hang together.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_after;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::why::{self, WhyPath};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Why;

/// More chains would only be variations.
const MAX_PATHS: usize = 3;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Node id, path, path:line or name
    source: String,
    /// The same
    target: String,
    /// Longest chain (1-10)
    #[schemars(extend("default" = 6))]
    max_hops: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    source: String,
    target: String,
    /// Chains of relations: those that lead from one to the other first, strongest first, then coincidences.
    paths: Vec<WhyPath>,
    /// True when some nodes had too many relations to follow all.
    incomplete: bool,
    /// True when chains are missing from the answer.
    truncated: bool,
}

impl Tool for Why {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "why",
        summary: "How two pieces of code are connected: the strongest chains of calls, imports and types between them, then coincidences.",
        help: "A chain is as strong as the product of its steps, times 0.9 for each and half for each turn from with to against a relation, from a part up to what holds it, or from a type down to a part of it. A step from one of the two into what it holds counts 1. A step that is \
            only inferred among several candidates counts as one of them. `tie` tells chains that lead from one to the other (`leads`) from coincidences: a third has \
            to do with both (`shares`), or files changed together (`changes`); these count a tenth. `may run`: a call of a method may run one that overrides it.",
        intents: &["how is connected", "path between", "why related", "dependency chain"],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example {
            says: "How main comes to greet",
            arguments: r#"{"source": "main", "target": "greet"}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let max_hops = ctx.in_range("max_hops", input.max_hops, 1..=10)?.unwrap_or(6);
        let max_hops = usize::try_from(max_hops).unwrap_or(6);
        let at = ctx.graph_view()?;
        let root = ctx.workspace()?.root();
        let source = from_graph::find_code(root, &at.graph, "source", &input.source)?;
        let target = from_graph::find_code(root, &at.graph, "target", &input.target)?;
        if source == target {
            return Err(ctx.invalid("`source` and `target` name the same node."));
        }
        let (paths, incomplete) = why::run(&at.graph, source, target, max_hops, MAX_PATHS);
        let id = |node| at.graph.node(node).id().to_owned();
        let output = Output { source: id(source), target: id(target), paths, incomplete, truncated: false };
        let found = output.paths.len() as u64;
        let (proof, guidance) = match output.paths.first() {
            Some(path) => {
                let written = path.steps.iter().find_map(|step| step.at.clone());
                let view = written.map(|at| Guidance {
                    next_suggested_tool: Some("view"),
                    next_suggested_target: Some(at),
                    next_step_hint: None,
                });
                (ProofState::Proving, view.unwrap_or_default())
            }
            None => {
                let hint = format!(
                    "No chain of at most {max_hops} relations is known. Calls through frameworks or strings are not seen; search for the name as text."
                );
                let word = at.graph.node(target).label().to_owned();
                (ProofState::Blocked, Guidance::next("search", word, hint))
            }
        };
        Ok(Answer::of(output).candidates(found).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        // An answer that shows no path looks like one that found none.
        drop_after(&mut self.paths, 1, excess) > 0
    }
}
