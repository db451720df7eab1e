//! `layers`: which files stand above which.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::layering::{self, ViolationShown};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct LayersTool;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder to keep to
    scope: Option<String>,
    /// Also edges that pass over three layers or more
    #[schemars(extend("default" = false))]
    include_skips: Option<bool>,
    /// Violations (1-500)
    #[schemars(extend("default" = 30))]
    limit: Option<Int>,
}

/// One layer.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Layer {
    /// 0 is the lowest.
    level: u64,
    /// The folder that most of its files are in.
    name: String,
    files: u64,
    /// Some of them, those that most leads to first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    examples: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    layers: Vec<Layer>,
    /// Files that many on several layers use.
    utilities: Vec<String>,
    violations: Vec<ViolationShown>,
    /// Violations by type.
    upward: u64,
    cycle_edges: u64,
    skips: u64,
    /// Circles of files, with their sizes.
    cycles: u64,
    largest_cycle: u64,
    /// True when the stack is higher than eight layers and was squeezed.
    squeezed: bool,
    /// Set when nothing can be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    truncated: bool,
}

const EXAMPLES: usize = 4;
const MAX_UTILITIES: usize = 10;

impl Tool for LayersTool {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "layers",
        summary: "The layers that the files form by what they depend on, and what goes against them: upward edges and cycles, with file and line.",
        help: "Files in a circle count as one; what depends on nothing is layer 0, everything else one above the highest it depends on, at most 8 (higher stacks are squeezed). Only certain imports, calls, base types and references count; \
            test code is left out, and so are files of a circle that one imports for types alone (TYPE_CHECKING, import type). In a circle files are put in the order in which least goes backwards; what goes backwards is upward, the rest cycle. A utility has 8 users on 3 layers and uses at most 2 files itself.",
        intents: &["architecture layers", "layer violations", "circular imports", "dependency cycles"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Orient,
        examples: &[Example { says: "The layers", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(30);
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let found = layering::of(ctx, graph, &scope)?;
        let count =
            |kind: &str| found.violations.iter().filter(|one| one.breach.name() == kind).count() as u64;
        let skips = input.include_skips.unwrap_or(false);
        let shown = found.violations.iter().filter(|one| skips || one.breach.name() != "skipped_layers");
        let mut violations: Vec<ViolationShown> = shown.map(|one| layering::violation(graph, one)).collect();
        let total = violations.len() as u64;
        violations.truncate(usize::try_from(limit).unwrap_or(30));
        let path = |&ix: &m1nd_graph::NodeIx| graph.node(ix).path().to_owned();
        let layer = |(level, files): (usize, &Vec<m1nd_graph::NodeIx>)| {
            let mut by_rank = files.clone();
            by_rank.sort_by(|a, b| graph.node(*b).pagerank().cmp(&graph.node(*a).pagerank()).then(a.cmp(b)));
            Layer {
                level: level as u64,
                name: layering::name(graph, files),
                files: files.len() as u64,
                examples: by_rank.iter().take(EXAMPLES).map(path).collect(),
            }
        };
        let output = Output {
            layers: found.layers.iter().enumerate().map(layer).collect(),
            utilities: found.utilities.iter().take(MAX_UTILITIES).map(path).collect(),
            upward: count("upward"),
            cycle_edges: count("cycle"),
            skips: count("skipped_layers"),
            cycles: found.cycles.len() as u64,
            largest_cycle: found.cycles.first().map_or(0, |files| files.len() as u64),
            squeezed: found.is_squeezed,
            no_data: found.layers.is_empty().then_some(
                "no_data: no file here is known to depend on another. More files, or a language whose imports are followed, would provide it.",
            ),
            truncated: total > violations.len() as u64 || found.utilities.len() > MAX_UTILITIES,
            violations,
        };
        let guidance = match output.violations.iter().find_map(|one| one.at.clone()) {
            Some(at) => Guidance {
                next_suggested_tool: Some("view"),
                next_suggested_target: Some(at),
                next_step_hint: None,
            },
            None if output.layers.is_empty() => Guidance::hint(
                "No file is known to depend on another here: one file, or a language whose imports are not followed.",
            ),
            None => Guidance::hint("Nothing goes against the layers."),
        };
        let mut guidance = guidance.with_rest(
            output.violations.len(),
            total,
            "a higher one (to 500) shows more, `scope` a part",
        );
        if found.utilities.len() > MAX_UTILITIES {
            guidance.add(&format!("{MAX_UTILITIES} of {} utilities are named.", found.utilities.len()));
        }
        let proof = if output.no_data.is_some() { ProofState::Triaging } else { ProofState::Proving };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.violations, excess) > 0
            || drop_tail(&mut self.utilities, excess) > 0
            || self.layers.iter_mut().any(|layer| drop_tail(&mut layer.examples, excess) > 0)
            || drop_tail(&mut self.layers, excess) > 0
    }
}
