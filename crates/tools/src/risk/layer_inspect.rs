//! `layer_inspect`: one layer and what crosses its borders.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::layering::{self, ViolationShown};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct LayerInspect;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// 0 is the lowest
    level: Int,
    /// Folder that layers are made of
    scope: Option<String>,
    /// Files (1-500)
    #[schemars(extend("default" = 50))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    level: u64,
    name: String,
    /// Its files, those that most leads to first.
    files: Vec<String>,
    total: u64,
    /// Edges from its files that go against the layers.
    violations: Vec<ViolationShown>,
    violations_total: u64,
    truncated: bool,
}

impl Tool for LayerInspect {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "layer_inspect",
        summary: "The files of one layer, and the edges from them that go against the layers.",
        help: "Levels are those that `layers` shows for the same scope.",
        intents: &["files of layer", "inspect layer"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "The lowest", arguments: r#"{"level": 0}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(50);
        let scope = ctx.scope(input.scope.as_deref())?;
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let found = layering::of(ctx, graph, &scope)?;
        let level = usize::try_from(input.level.0).ok();
        // A workspace without dependencies has one layer with nothing in it.
        let files = level.and_then(|level| found.layers.get(level)).cloned();
        let Some(mut files) = files.or_else(|| (found.layers.is_empty() && level == Some(0)).then(Vec::new))
        else {
            let top = found.layers.len().saturating_sub(1);
            return Err(ctx.invalid(format!("`level` must be from 0 to {top}: so many layers are there.")));
        };
        files.sort_by(|a, b| graph.node(*b).pagerank().cmp(&graph.node(*a).pagerank()).then(a.cmp(b)));
        let own = found.violations.iter().filter(|one| files.contains(&one.from));
        let violations: Vec<ViolationShown> = own.map(|one| layering::violation(graph, one)).collect();
        let (total, violations_total) = (files.len() as u64, violations.len() as u64);
        let name = layering::name(graph, &files);
        files.truncate(usize::try_from(limit).unwrap_or(50));
        let guidance = match files.first() {
            Some(&first) => Guidance::next(
                "outline",
                graph.node(first).path().to_owned(),
                "See what is in the file that most leads to.",
            ),
            None => Guidance::hint("No file is known to depend on another here."),
        };
        let guidance =
            guidance.with_rest(files.len(), total, "a higher one (to 500) shows more, `scope` a part");
        let output = Output {
            level: level.unwrap_or_default() as u64,
            name,
            truncated: total > files.len() as u64,
            files: files.iter().map(|&ix| graph.node(ix).path().to_owned()).collect(),
            total,
            violations,
            violations_total,
        };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Proving).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.violations, excess) > 0 || drop_tail(&mut self.files, excess) > 0
    }
}
