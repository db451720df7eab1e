//! `heuristics_surface`: why a node is called risky.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::layering::ViolationShown;
use m1nd_runtime::flows::why_risky::{self, Factor, Fix, Match};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct HeuristicsSurface;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File, or a node in it
    node_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    file_path: String,
    /// As `panoramic` gives it.
    combined_risk: f64,
    /// 1 for the riskiest.
    rank: u64,
    /// Files that were ranked.
    of: u64,
    /// What adds most first.
    factors: Vec<Factor>,
    /// Newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<Fix>,
    /// Such commits in all.
    fixes_total: u64,
    /// Edges that go upward.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    violations: Vec<ViolationShown>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    antibody_matches: Vec<Match>,
    truncated: bool,
}

/// Older fixes say less.
const FIXES: usize = 8;

impl Tool for HeuristicsSurface {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "heuristics_surface",
        summary: "Why a file is called risky: every factor of panoramic with its number, and the commits, edges and patterns it is made of.",
        help: "adds are the parts of combined_risk, of is the most each can add. fixes are commits whose first line says fix, bug, regression or revert. Subjects are quoted from the repository.",
        intents: &["why is this risky", "explain risk score", "risk factors"],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "One file", arguments: r#"{"node_id": "src/main.rs"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let node = from_graph::find(ctx.workspace()?.root(), graph, "node_id", &input.node_id)?;
        let file = graph.node_by_path(graph.node(node).path());
        let why = file.map(|file| why_risky::of(ctx, graph, file)).transpose()?.flatten();
        let Some(mut why) = why else {
            return Err(ctx.invalid(format!("`node_id`: {:?} is in no file of code.", input.node_id)));
        };
        let fixes_total = why.fixes.len();
        why.fixes.truncate(FIXES);
        let file_path = graph.node(why.file).path().to_owned();
        let most = why.factors.first().map_or("trust", |factor| factor.factor);
        let guidance = match most {
            "layers" => Guidance::next("layers", file_path.clone(), "See the edges that go upward."),
            "antibodies" => {
                Guidance::next("antibody_scan", file_path.clone(), "See what looks like a known bug.")
            }
            _ => Guidance::next("tests_for", file_path.clone(), "See what tests it before changing it."),
        };
        let output = Output {
            truncated: fixes_total > why.fixes.len(),
            file_path,
            combined_risk: why.combined,
            rank: why.rank as u64,
            of: why.files as u64,
            factors: why.factors,
            fixes: why.fixes,
            fixes_total: fixes_total as u64,
            violations: why.violations,
            antibody_matches: why.matches,
        };
        Ok(Answer::of(output).proof(ProofState::Proving).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.antibody_matches, excess) > 0
            || drop_tail(&mut self.violations, excess) > 0
            || drop_tail(&mut self.fixes, excess) > 0
            || drop_tail(&mut self.factors, excess) > 0
    }
}
