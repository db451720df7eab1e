//! Associate: what goes with a question, from all sides, shown with where each part comes from.

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::engines::associate::{Associated, Noise, associate, holes};
use m1nd_recall::engines::merge::{Dimension, Merged};
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::plasticity::{Learned, teach};
use m1nd_recall::engines::resonance::resonate;
use m1nd_recall::engines::seeds::{Seed, seeds};
use m1nd_recall::report;
use m1nd_recall::text::Term;
use schemars::JsonSchema;
use serde::Serialize;

use super::ghosts::{GhostEdge, of_files};
use super::learned::{finds, of_nodes, primed, rescore, telling};
use crate::ctx::{Ctx, GraphView};
use crate::faults::{self, from_bring};
use crate::workspace::BringError;

/// Nodes that edges are taught by; further ones were hardly activated.
const TAUGHT: usize = 50;
/// Ghost edges and holes shown beside the activated nodes.
const MAX_ASIDES: usize = 3;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub query: &'a str,
    pub top_k: usize,
    pub dimensions: Vec<Dimension>,
    pub noise: Noise,
    pub ghosts: bool,
    pub holes: bool,
    pub learning: Learning,
}

/// Whether the question teaches the edges anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learning {
    On,
    Off,
}

/// A node the question names.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct SeedNode {
    pub node_id: String,
    pub score: f64,
    /// How it was found: exact, prefix, substring, tag or fuzzy.
    pub matched: &'static str,
}

/// A node that goes with the question.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ActiveNode {
    pub node_id: String,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub activation: f64,
    /// What each view says; silent ones are left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<Dimensions>,
    pub pagerank: f64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// File and lines.
    pub provenance: String,
}

#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Serialize)]
pub struct Dimensions {
    #[serde(skip_serializing_if = "is_zero")]
    pub structural: f64,
    #[serde(skip_serializing_if = "is_zero")]
    pub semantic: f64,
    #[serde(skip_serializing_if = "is_zero")]
    pub temporal: f64,
    #[serde(skip_serializing_if = "is_zero")]
    pub causal: f64,
}

/// What the question taught the edges.
#[derive(Clone, Copy, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
pub struct PlasticityReport {
    pub edges_strengthened: usize,
    pub edges_decayed: usize,
    /// Habits made or lost.
    pub ltp_events: usize,
    /// Nodes that an earlier question activated as well.
    pub priming_nodes: usize,
}

/// All that goes with a question.
#[derive(Clone, Debug)]
pub struct Answered {
    pub seeds: Vec<SeedNode>,
    pub activated: Vec<ActiveNode>,
    pub total: u64,
    pub ghosts: Vec<GhostEdge>,
    pub holes: Vec<String>,
    pub plasticity: Option<PlasticityReport>,
}

/// Asks, and then learns.
pub fn activate(ctx: &Ctx<'_>, at: &GraphView, request: &Request<'_>) -> Result<Answered, Fault> {
    let workspace = ctx.workspace()?;
    let graph = &at.graph;
    let names = workspace.names(graph);
    let mut found = associate(graph, &names, request.query, &request.dimensions, request.noise);
    apply_lessons(ctx, at, &names, request.query, &mut found)?;
    let total = found.activated.len() as u64;
    let holes = if request.holes { holes(&found, MAX_ASIDES) } else { Vec::new() };
    let plasticity = (request.learning == Learning::On).then(|| {
        let active: Vec<(NodeIx, f32)> =
            found.activated.iter().take(TAUGHT).map(|one| (one.node, one.activation)).collect();
        report(workspace.learn_from(graph, &active))
    });
    found.activated.truncate(request.top_k);
    let ghosts = if request.ghosts { ghosts_of(ctx, graph, &found)? } else { Vec::new() };
    Ok(Answered {
        seeds: found.seeds.iter().map(|seed| seed_node(graph, seed)).collect(),
        activated: found.activated.iter().map(|one| active_node(graph, one)).collect(),
        total,
        ghosts,
        holes: holes.into_iter().map(|node| graph.node(node).id().to_owned()).collect(),
        plasticity,
    })
}

/// Where waves from some nodes add up.
pub struct Resonance {
    /// The loudest first.
    pub nodes: Vec<ActiveNode>,
    /// Nodes that sound at all.
    pub total: u64,
    pub pulses: usize,
    /// Whether the pulses were used up before the waves ended.
    pub cut: bool,
}

/// Where waves from the named nodes add up: the loudest `top_k`.
pub fn resonance(
    ctx: &Ctx<'_>,
    at: &GraphView,
    starts: &[(NodeIx, f32)],
    top_k: usize,
) -> Result<Resonance, Fault> {
    let graph = &at.graph;
    let names = ctx.workspace()?.names(graph);
    let mut standing = resonate(&names, starts);
    standing.amplitudes.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let shown = standing.amplitudes.iter().take(top_k).map(|&(node, activation)| {
        let one = Merged { node, activation, dimensions: [0.0; 4] };
        active_node(graph, &one)
    });
    Ok(Resonance {
        nodes: shown.collect(),
        total: standing.amplitudes.len() as u64,
        pulses: standing.pulses,
        cut: standing.cut,
    })
}

/// The nodes that a question names, in the order of nodes.
pub fn starts(ctx: &Ctx<'_>, at: &GraphView, query: &str) -> Result<Vec<(NodeIx, f32)>, Fault> {
    let names = ctx.workspace()?.names(&at.graph);
    let found = seeds(&at.graph, &names, query);
    let mut starts: Vec<(NodeIx, f32)> = found.iter().map(|seed| (seed.node, seed.score)).collect();
    starts.sort_unstable_by_key(|&(node, _)| node);
    Ok(starts)
}

/// Writes down what is thought of some nodes as answers to a question, and moves the edges among them and what the
/// question names. Says how many edges moved.
pub fn learn(
    ctx: &Ctx<'_>,
    at: &GraphView,
    query: &str,
    nodes: &[NodeIx],
    amount: f32,
) -> Result<usize, Fault> {
    let workspace = ctx.workspace()?;
    let query = &*report::said(query);
    let ids: Vec<&str> = nodes.iter().map(|&node| at.graph.node(node).id()).collect();
    let corpus = workspace.corpus(&at.view, &at.graph, ctx.cancel()).map_err(faults::stopped)?;
    workspace
        .add_lessons(query, &finds(&corpus, &at.graph, query), &ids, amount)
        .map_err(|err| from_bring::fault(ctx.tool(), BringError::Io(err)))?;
    let mut among: Vec<NodeIx> = starts(ctx, at, query)?.into_iter().map(|(node, _)| node).collect();
    among.extend(nodes);
    among.sort_unstable();
    among.dedup();
    Ok(teach(&at.graph, &among, amount))
}

fn apply_lessons(
    ctx: &Ctx<'_>,
    at: &GraphView,
    names: &Names,
    query: &str,
    found: &mut Associated,
) -> Result<(), Fault> {
    let weight = |term: Term| if names.with_term(term).is_empty() { 1.0 } else { names.idf(term) };
    let (workspace, graph) = (ctx.workspace()?, &at.graph);
    let opinions = if workspace.lessons().is_empty() {
        Vec::new()
    } else {
        let corpus = workspace.corpus(&at.view, graph, ctx.cancel()).map_err(faults::stopped)?;
        of_nodes(workspace, graph, query, telling(&corpus), || Ok(finds(&corpus, graph, query)))?
    };
    let primed = primed(ctx, workspace, graph, query, weight);
    if opinions.is_empty() && primed.is_empty() {
        return Ok(());
    }
    for &(node, opinion) in &opinions {
        if opinion > 0.0 && !found.activated.iter().any(|one| one.node == node) {
            found.activated.push(Merged { node, activation: 0.0, dimensions: [0.0; 4] });
        }
    }
    let told = m1nd_recall::engines::value;
    let opinion = |one: &Merged| told(&opinions, one.node) + told(&primed, one.node);
    rescore(&mut found.activated, |one| &mut one.activation, opinion);
    found.activated.sort_by(|a, b| b.activation.total_cmp(&a.activation).then(a.node.cmp(&b.node)));
    Ok(())
}

fn ghosts_of(ctx: &Ctx<'_>, graph: &Graph, found: &Associated) -> Result<Vec<GhostEdge>, Fault> {
    let paths = found.activated.iter().map(|one| graph.node(one.node).path());
    let mut files: Vec<NodeIx> = paths.filter_map(|path| graph.node_by_path(path)).collect();
    files.sort_unstable();
    files.dedup();
    let mut ghosts = of_files(graph, &ctx.past()?.log.entries, &files, 1);
    ghosts.truncate(MAX_ASIDES);
    Ok(ghosts)
}

fn seed_node(graph: &Graph, seed: &Seed) -> SeedNode {
    SeedNode {
        node_id: graph.node(seed.node).id().to_owned(),
        score: rounded(seed.score, 2),
        matched: seed.level.name(),
    }
}

fn active_node(graph: &Graph, one: &Merged) -> ActiveNode {
    let node = graph.node(one.node);
    let (start, end) = node.lines();
    let [structural, semantic, temporal, causal] = one.dimensions.map(|seen| rounded(seen, 2));
    let silent = one.dimensions == [0.0; 4];
    ActiveNode {
        node_id: node.id().to_owned(),
        label: node.label().to_owned(),
        kind: node.kind().name(),
        activation: rounded(one.activation, 3),
        dimensions: (!silent).then_some(Dimensions { structural, semantic, temporal, causal }),
        pagerank: rounded(node.pagerank().get(), 5),
        tags: node.tags().map(str::to_owned).collect(),
        provenance: if start > 0 { format!("{}:{start}-{end}", node.path()) } else { node.path().to_owned() },
    }
}

/// The place to look at first: `path:line` of `path:first-last`.
pub fn first_line(place: &str) -> String {
    let lines = place.rsplit_once(':').and_then(|(path, lines)| Some((path, lines.split_once('-')?.0)));
    lines.map_or_else(|| place.to_owned(), |(path, first)| format!("{path}:{first}"))
}

fn report(learned: Learned) -> PlasticityReport {
    PlasticityReport {
        edges_strengthened: learned.strengthened,
        edges_decayed: learned.decayed,
        ltp_events: learned.habits,
        priming_nodes: learned.primed,
    }
}

fn rounded(value: f32, decimals: i32) -> f64 {
    let scale = 10_f64.powi(decimals);
    (f64::from(value) * scale).round() / scale
}

fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn a_hyphen_in_a_path_is_no_range_of_lines() {
        assert_eq!(first_line("src/my-cart.ts:3-9"), "src/my-cart.ts:3");
        assert_eq!(first_line("docs/how-to.md"), "docs/how-to.md");
    }
}
