//! Why: the strongest chains of relations between two nodes, each step with what it rests on.

use m1nd_graph::{EdgeKind, Evidence, Graph, NodeIx};
use m1nd_recall::engines::paths::{Chain, Tie, between};
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
    (found.chains.iter().map(|chain| path(graph, chain)).collect(), found.cut)
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
