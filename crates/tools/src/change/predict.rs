//! `predict`: what else changes when this does.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::predicted;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Saves, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Predict;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Node id, path or name that changes
    changed_node: Option<String>,
    /// The same for several
    changed_nodes: Option<Vec<String>>,
    /// 1-100
    #[schemars(extend("default" = 10))]
    top_k: Option<Int>,
    /// Say how lately they changed together
    #[schemars(extend("default" = true))]
    include_velocity: Option<bool>,
}

/// A file that is likely to change, too.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Prediction {
    node_id: String,
    label: String,
    /// How often such a prediction came true on other repositories; absent where the history is too short to say.
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    /// How fresh their newest common change is, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    velocity: Option<f64>,
    reason: String,
    /// Where several files change: the one that speaks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    because_of: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The files that change.
    changed: Vec<String>,
    /// Likeliest first.
    predictions: Vec<Prediction>,
    total: u64,
    /// Commits that are known.
    commits: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<String>,
    truncated: bool,
}

/// More changed files are a rewrite.
const MAX_CHANGED: usize = 100;

impl Tool for Predict {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "predict",
        summary: "Which other files will have to change with this one, from common changes in git history and from the code: tests, users, names.",
        help: "confidence is calibrated: predictions of a confidence came true in that share of the cases on repositories that nothing was fitted on (docs/benchmarks.md). With several changed files it is that of the one that \
            speaks most for it, and the order is by all of them together. Files count, not functions: commits do not tell more. Only files with code are named: not documents, changelogs, lock files or settings.",
        intents: &["what else changes", "co-change", "files that change together", "did I forget a file"],
        needs: Needs::Graph,
        budget: Some(4_000),
        fresh: true,
        lean: true,
        saves: Saves::Blast,
        family: Family::Relate,
        examples: &[Example { says: "By path", arguments: r#"{"changed_node": "src/lib.rs"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let top_k = ctx.clamp("top_k", input.top_k, 10, 1..=100);
        let names: Vec<&String> =
            input.changed_node.iter().chain(input.changed_nodes.iter().flatten()).collect();
        if names.is_empty() || names.len() > MAX_CHANGED {
            return Err(
                ctx.invalid(format!("Name 1 to {MAX_CHANGED} nodes with `changed_node` or `changed_nodes`."))
            );
        }
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let root = ctx.workspace()?.root();
        let argument = if input.changed_node.is_some() { "changed_node" } else { "changed_nodes" };
        let find = |name: &&String| from_graph::find(root, graph, argument, name);
        let nodes = names.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let changed = predicted::files_of(graph, &nodes);
        let found = predicted::companions(ctx, &at, &changed)?;
        let commits = ctx.past()?.log.entries.len() as u64;
        let (total, several) = (found.len() as u64, changed.len() > 1);
        let no_data = predicted::no_data(ctx)?;
        let velocity = input.include_velocity.unwrap_or(true) && no_data.is_none();
        let shown = |one: predicted::Prediction| {
            let node = graph.node_by_path(&one.path).map(|ix| graph.node(ix));
            Prediction {
                node_id: node.map_or_else(|| one.path.clone(), |node| node.id().to_owned()),
                label: node.map_or_else(String::new, |node| node.label().to_owned()),
                confidence: no_data.is_none().then(|| round3(one.confidence)),
                velocity: velocity.then(|| round3(one.velocity)),
                reason: one.reason,
                because_of: several.then_some(one.because_of),
            }
        };
        let predictions: Vec<Prediction> = found.into_iter().take(top_k).map(shown).collect();
        let (proof, guidance) = match predictions.first() {
            Some(first) => {
                let hint = "See how the likeliest hangs together with it.";
                (ProofState::Triaging, Guidance::next("impact", first.node_id.clone(), hint))
            }
            None => {
                let hint = "Nothing is known to change with it: no history, and nothing in the code that speaks for a file. Folders and files without code have no predictions.";
                (ProofState::Blocked, Guidance::hint(hint))
            }
        };
        let output = Output {
            changed: changed.into_iter().map(str::to_owned).collect(),
            truncated: total > predictions.len() as u64,
            predictions,
            total,
            commits,
            no_data,
        };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.predictions, excess) > 0 || drop_tail(&mut self.changed, excess) > 0
    }
}
