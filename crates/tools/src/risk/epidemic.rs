//! `epidemic`: where a defect is likely to show next.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::epidemic::{Case, Coupling, Rates};
use m1nd_risk::ledger::COLD_START;
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::ledger::{self, Known};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_stdx::round::round4;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Epidemic;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Known-buggy files, or nodes in them; by default the least trusted twentieth, at most five
    #[serde(default)]
    node_ids: Vec<String>,
    /// Chance to infect over a coupling of 1, in a step (0-1)
    #[schemars(extend("default" = 0.3))]
    beta: Option<f64>,
    /// Chance to be mended, in a step (0-1)
    #[schemars(extend("default" = 0.3))]
    gamma: Option<f64>,
    /// 1-100
    #[schemars(extend("default" = 5))]
    steps: Option<Int>,
    /// Simulate so often (1-10000) instead of computing what is expected
    runs: Option<Int>,
    /// Of the dice of these runs
    #[schemars(extend("default" = 1))]
    seed: Option<Int>,
    /// 1-500
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

/// A file that is likely to have the defect's consequences.
#[derive(Debug, JsonSchema, Serialize)]
pub struct AtRisk {
    file_path: String,
    /// That it was infected within the steps.
    probability: f64,
    /// The file that it most likely came from.
    from: String,
    /// Between both, 0 to 1.
    coupling: f64,
}

/// What it began with.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Began {
    file_path: String,
    /// Where it was chosen for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    trust_score: Option<f64>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    seeds: Vec<Began>,
    /// The most likely first.
    at_risk: Vec<AtRisk>,
    /// Files with any chance of it.
    total: u64,
    /// How many files are expected to be infected, beside the seeds; this and the next two are absent without seeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected_infected: Option<f64>,
    /// How many each seed infects itself, on the mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    r0: Option<f64>,
    /// The step with the most infected files at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    peak_step: Option<u64>,
    /// Assumed, not measured: compare files by them, do not read probabilities as facts.
    assumed: Assumed,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    truncated: bool,
}

/// What the numbers rest on.
#[derive(Clone, Copy, Debug, JsonSchema, Serialize)]
pub struct Assumed {
    beta: f64,
    gamma: f64,
    steps: u32,
}

/// Where none are named, this share of the least trusted files,
const SEED_SHARE: usize = 20;
/// but no more than so many.
const SEEDS: usize = 5;
const MAX_SEEDS: usize = 100;

impl Tool for Epidemic {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "epidemic",
        summary: "Where a defect shows next: an infection from known-buggy files over what depends on them and what changes with them.",
        help: "SIR by steps: an infected file infects a coupled one with probability beta*coupling, then is mended with probability gamma. coupling = 1-(1-relation)(1-together): relation is the share of a file's dependencies that lead to the infected one, \
            each place counting its strength (call 0.9, inherit 0.8, import 0.5 ...; a guess is a part of a place); together is the share of the infected file's commits that changed the other too, as if it had two more. Tests, examples and benchmarks are left out. \
            Without runs, what is expected is computed along each way, so that no file is infected back by one that it infected (exact without circles; with circles it is brought to the number of files that up to 20000 fixed runs give); with runs, seeded simulations are counted. beta and gamma are assumptions: the order of files means more than the numbers.",
        intents: &["where will the bug spread", "bug propagation", "which files are next", "infection"],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[
            Example { says: "From the least trusted files", arguments: "{}" },
            Example {
                says: "From one file, simulated",
                arguments: r#"{"node_ids": ["src/main.rs"], "runs": 100}"#,
            },
        ],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(20);
        let steps = ctx.in_range("steps", input.steps, 1..=100)?.unwrap_or(5) as u32;
        let runs = ctx.in_range("runs", input.runs, 1..=10_000)?;
        let (beta, gamma) = (input.beta.unwrap_or(0.3), input.gamma.unwrap_or(0.3));
        if !(0.0..=1.0).contains(&beta) || !(0.0..=1.0).contains(&gamma) {
            return Err(ctx.invalid("`beta` and `gamma` must be from 0 to 1."));
        }
        if input.node_ids.len() > MAX_SEEDS {
            return Err(ctx.invalid(format!("`node_ids` takes at most {MAX_SEEDS} files.")));
        }
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let coupling = Coupling::of(graph);
        let (seeds, no_data) = if input.node_ids.is_empty() {
            let known = ledger::of(ctx, graph)?;
            let seeds = least_trusted(graph, &coupling, &known);
            let nothing =
                "no_data: no file is known to have had more defects than others. Name files in node_ids.";
            let no_data = seeds.is_empty().then(|| known.no_data().unwrap_or(nothing));
            (seeds, no_data)
        } else {
            (named(ctx, graph, &coupling, &input.node_ids)?, None)
        };
        let rates = Rates { beta, gamma, steps };
        let files: Vec<NodeIx> = seeds.iter().map(|&(file, _)| file).collect();
        let outbreak = match runs {
            Some(runs) => {
                let seed = input.seed.map_or(1, |seed| seed.0 as u64);
                coupling.simulate(&files, &rates, runs as u32, seed)
            }
            None => coupling.expect(&files, &rates),
        };
        let total = outbreak.cases.len() as u64;
        let shown = outbreak.cases.iter().take(usize::try_from(limit).unwrap_or(20));
        let at_risk: Vec<AtRisk> = shown.map(|case| at_risk(graph, case)).collect();
        let peak = outbreak
            .curve
            .iter()
            .enumerate()
            .fold((0, 0.0), |best, (step, &ill)| if ill > best.1 { (step, ill) } else { best });
        let guidance = match at_risk.first() {
            Some(first) => Guidance::next(
                "tests_for",
                first.file_path.clone(),
                "See whether tests would show it in the likeliest file.",
            ),
            None if seeds.is_empty() => {
                Guidance::hint("Name the files that are known to be buggy in node_ids.")
            }
            None if coupling.leads_on(&files) => {
                Guidance::hint("Nothing was infected at these rates. Raise beta, steps or runs.")
            }
            None => Guidance::hint("No file of the program depends on these or changes with them."),
        };
        let began = !seeds.is_empty();
        let path = |file: NodeIx| graph.node(file).path().to_owned();
        let guidance = guidance.with_rest(at_risk.len(), total, "a higher one (to 500) shows more");
        let output = Output {
            truncated: total > at_risk.len() as u64,
            seeds: seeds
                .into_iter()
                .map(|(file, trust)| Began { file_path: path(file), trust_score: trust.map(round4) })
                .collect(),
            at_risk,
            total,
            expected_infected: began.then(|| round4(outbreak.expected)),
            r0: began.then(|| round4(outbreak.r0)),
            peak_step: began.then_some(peak.0 as u64),
            assumed: Assumed { beta, gamma, steps },
            no_data,
        };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

fn at_risk(graph: &Graph, case: &Case) -> AtRisk {
    AtRisk {
        file_path: graph.node(case.file).path().to_owned(),
        probability: round4(case.probability),
        from: graph.node(case.from).path().to_owned(),
        coupling: round4(case.coupling),
    }
}

/// Files with more defects than the mean.
fn least_trusted(graph: &Graph, coupling: &Coupling, known: &Known) -> Vec<(NodeIx, Option<f64>)> {
    let mut files: Vec<(f64, f64, NodeIx)> = Vec::new();
    for node in graph.nodes().filter(|node| coupling.knows(node.ix())) {
        let (trust, record) = (known.ledger.trust(node.path()), known.ledger.record(node.path()));
        if let Some((trust, record)) = trust.zip(record).filter(|(trust, _)| trust.score < COLD_START) {
            files.push((trust.score, -record.weight, node.ix()));
        }
    }
    files.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then(a.2.cmp(&b.2)));
    let count = (coupling.files() / SEED_SHARE).clamp(1, SEEDS);
    files.into_iter().take(count).map(|(score, _, file)| (file, Some(score))).collect()
}

fn named(
    ctx: &Ctx<'_>,
    graph: &Graph,
    coupling: &Coupling,
    names: &[String],
) -> Result<Vec<(NodeIx, Option<f64>)>, Fault> {
    let root = ctx.workspace()?.root();
    let mut files = Vec::new();
    for name in names {
        let node = from_graph::find(root, graph, "node_ids", name)?;
        let file = graph.node_by_path(graph.node(node).path()).filter(|&file| coupling.knows(file));
        let Some(file) = file else {
            return Err(ctx.invalid(format!(
                "`node_ids`: {name:?} is in no file of the program (tests do not count)."
            )));
        };
        files.push((file, None));
    }
    files.sort_unstable_by_key(|&(file, _)| file);
    files.dedup_by_key(|(file, _)| *file);
    Ok(files)
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.at_risk, excess) > 0 || drop_tail(&mut self.seeds, excess) > 0
    }
}
