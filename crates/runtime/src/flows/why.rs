//! Why: the strongest chains of relations between two nodes, each step with what it rests on.

use m1nd_graph::{EdgeKind, Evidence, Graph, NodeIx};
use m1nd_recall::engines::paths::{Chain, STEP, Tie, between};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::Serialize;

/// One step of a chain.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Step {
    pub from: String,
    /// Read from left to right: calls, called by, imports …
    pub relation: &'static str,
    pub to: String,
    /// 1 for a step from one of the two ends into what it holds.
    pub strength: f64,
    /// precise, resolved, inferred, or history.
    pub evidence: &'static str,
    /// Where it is written: path:line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// One chain.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct WhyPath {
    /// `leads`: one comes to the other by calls, imports or types. Coincidences: `shares`, both have to do with a third; `changes`,
    /// their files changed together.
    pub tie: &'static str,
    /// The product of its steps; turns weaken it.
    pub strength: f64,
    pub hops: usize,
    pub steps: Vec<Step>,
}

/// The strongest chains, and whether some relations were too many to follow.
pub fn run(
    graph: &Graph,
    source: NodeIx,
    target: NodeIx,
    max_hops: usize,
    most: usize,
) -> (Vec<WhyPath>, bool) {
    let found = between(graph, source, target, max_hops, most);
    let mut cut = found.cut;
    let mut paths: Vec<WhyPath> = found.chains.iter().map(|chain| path(graph, chain)).collect();
    if !found.chains.iter().any(|chain| chain.tie == Tie::Leads) {
        let (over, is_cut) = through_bases(graph, source, target, max_hops - 1);
        cut |= is_cut;
        paths.splice(0..0, over);
        paths.truncate(most);
    }
    (paths, cut)
}

/// What a call of a method counts for one that overrides it.
const DISPATCH: f32 = 0.9;

/// Chains to a method that one of the two overrides: a call of it may run the other.
fn through_bases(graph: &Graph, source: NodeIx, target: NodeIx, max_hops: usize) -> (Vec<WhyPath>, bool) {
    let id = |node: NodeIx| graph.node(node).id().to_owned();
    let step = |from: NodeIx, relation: &'static str, to: NodeIx| Step {
        from: id(from),
        relation,
        to: id(to),
        strength: round3(DISPATCH),
        evidence: "inferred",
        at: None,
    };
    let ends = graph.overridden(target).into_iter().map(|base| (source, base, true));
    let starts = graph.overridden(source).into_iter().map(|base| (base, target, false));
    let mut cut = false;
    let mut paths: Vec<WhyPath> = Vec::new();
    let direct = match () {
        () if graph.overridden(target).contains(&source) => Some(step(source, "may run", target)),
        () if graph.overridden(source).contains(&target) => Some(step(source, "may run for", target)),
        () => None,
    };
    paths.extend(direct.map(|step| WhyPath {
        tie: "leads",
        strength: round3(DISPATCH * STEP),
        hops: 1,
        steps: vec![step],
    }));
    for (from, to, at_end) in ends.chain(starts).filter(|(from, to, _)| from != to) {
        if max_hops == 0 {
            break;
        }
        let found = between(graph, from, to, max_hops, 1);
        cut |= found.cut;
        // Only a call of the base may run what overrides it.
        let leads = found.chains.iter().filter(|chain| {
            let base = if at_end { chain.hops.last() } else { chain.hops.first() };
            let is_call =
                base.is_some_and(|hop| graph.edge(hop.edge).kind == EdgeKind::Calls && hop.along == at_end);
            chain.tie == Tie::Leads && is_call
        });
        paths.extend(leads.map(|chain| {
            let mut path = path(graph, chain);
            if at_end {
                path.steps.push(step(to, "may run", target));
            } else {
                path.steps.insert(0, step(source, "may run for", from));
            }
            WhyPath { strength: round3(chain.strength * DISPATCH * STEP), hops: path.steps.len(), ..path }
        }));
    }
    paths.sort_by(|a, b| b.strength.total_cmp(&a.strength).then_with(|| a.hops.cmp(&b.hops)));
    (paths, cut)
}

fn path(graph: &Graph, chain: &Chain) -> WhyPath {
    let steps: Vec<Step> = chain
        .hops
        .iter()
        .map(|hop| {
            let edge = graph.edge(hop.edge);
            let (from, to) = if hop.along { (edge.source, edge.target) } else { (edge.target, edge.source) };
            let id = |node: NodeIx| graph.node(node).id().to_owned();
            let written = edge.best_line();
            Step {
                from: id(from),
                relation: relation(edge.kind, hop.along),
                to: id(to),
                strength: round3(hop.strength(graph)),
                evidence: evidence(edge.kind, edge.evidence),
                at: written.map(|line| format!("{}:{line}", graph.node(edge.source).path())),
            }
        })
        .collect();
    let tie = match chain.tie {
        Tie::Leads => "leads",
        Tie::Shares => "shares",
        Tie::Changes => "changes",
    };
    WhyPath { tie, strength: round3(chain.strength), hops: steps.len(), steps }
}

fn evidence(kind: EdgeKind, evidence: Evidence) -> &'static str {
    if kind == EdgeKind::CoChanges { "history" } else { evidence.name() }
}

fn relation(kind: EdgeKind, along: bool) -> &'static str {
    match (kind, along) {
        (EdgeKind::Contains, false) => "is in",
        (EdgeKind::Imports, false) => "imported by",
        (EdgeKind::Calls, false) => "called by",
        (EdgeKind::Inherits, false) => "inherited by",
        (EdgeKind::Implements, false) => "implemented by",
        (EdgeKind::References, false) => "referenced by",
        (EdgeKind::Tests, false) => "tested by",
        (EdgeKind::CoChanges, _) => "changes with",
        (EdgeKind::Routes, false) => "routed by",
        (EdgeKind::Configures, false) => "configured by",
        (EdgeKind::Documents, false) => "documented by",
        (EdgeKind::BindsTo, false) => "bound by",
        (EdgeKind::DependsOn, false) => "depended on by",
        (EdgeKind::Supports, false) => "supported by",
        (EdgeKind::Blocks, false) => "blocked by",
        (kind, true) => kind.name(),
    }
}
