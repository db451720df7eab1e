//! Scan: places of a suspicious shape, judged by what the graph knows about them.

mod graphs;
mod shapes;

use std::collections::BTreeMap;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeFlags, NodeIx, NodeKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::turbulence::is_product;
use crate::ctx::Ctx;

/// What is looked for.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    ErrorHandling,
    ResourceCleanup,
    ApiSurface,
    StateMutation,
    Concurrency,
    AuthBoundary,
    TestCoverage,
    DependencyInjection,
}

impl Pattern {
    pub const ALL: [Self; 8] = [
        Self::ErrorHandling,
        Self::ResourceCleanup,
        Self::ApiSurface,
        Self::StateMutation,
        Self::Concurrency,
        Self::AuthBoundary,
        Self::TestCoverage,
        Self::DependencyInjection,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::ErrorHandling => "error_handling",
            Self::ResourceCleanup => "resource_cleanup",
            Self::ApiSurface => "api_surface",
            Self::StateMutation => "state_mutation",
            Self::Concurrency => "concurrency",
            Self::AuthBoundary => "auth_boundary",
            Self::TestCoverage => "test_coverage",
            Self::DependencyInjection => "dependency_injection",
        }
    }
}

/// What the graph and the text around say of a place.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Confirmed,
    Mitigated,
    FalsePositive,
}

/// One place.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub status: Status,
    /// path:line
    pub at: String,
    pub node_id: String,
    /// What was seen, and what speaks for or against it.
    pub what: String,
    /// How many nodes rest on the place directly; what it is ordered by.
    pub used_by: u32,
}

/// What was found of one pattern.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Confirmed ones first, then those that more rests on.
    pub findings: Vec<Finding>,
    /// Files that were looked at.
    pub files: usize,
    /// Languages in which the pattern is not known, with their files.
    pub not_supported: BTreeMap<String, usize>,
    /// Why nothing can be said.
    pub no_data: Option<&'static str>,
    /// Files that were not looked at because time was up.
    pub not_read: usize,
}

/// Looks for one pattern in the files of the product that `within` admits.
pub fn scan(
    ctx: &Ctx<'_>,
    graph: &Graph,
    pattern: Pattern,
    within: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Found, Fault> {
    let mut found = match pattern {
        Pattern::ErrorHandling => shapes::errors(ctx, graph, within)?,
        Pattern::ResourceCleanup => shapes::resources(ctx, graph, within)?,
        Pattern::Concurrency => shapes::concurrency(ctx, graph, within)?,
        Pattern::StateMutation => shapes::state(ctx, graph, within)?,
        Pattern::AuthBoundary => graphs::auth(ctx, graph, within)?,
        Pattern::ApiSurface => graphs::api(graph, within),
        Pattern::TestCoverage => graphs::untested(graph, within),
        Pattern::DependencyInjection => graphs::injection(ctx, graph, within)?,
    };
    if found.files == 0 && found.findings.is_empty() && found.no_data.is_none() {
        found.no_data = Some(
            "no_data: no file of the product here is in a language in which this pattern is known. Such files would provide it.",
        );
    }
    found.findings.sort_by(|a, b| {
        a.status.cmp(&b.status).then(b.used_by.cmp(&a.used_by)).then_with(|| a.at.cmp(&b.at))
    });
    Ok(found)
}

impl Found {
    pub fn count(&self, status: Status) -> u64 {
        self.findings.iter().filter(|one| one.status == status).count() as u64
    }
}

/// Files of the product with code.
fn files<'g>(graph: &'g Graph, within: &'g (dyn Fn(&str) -> bool + Sync)) -> Vec<NodeIx> {
    let is_code = |node: &m1nd_graph::Node<'_>| {
        node.kind() == NodeKind::File
            && !node.language().is_empty()
            && is_product(node)
            && !node.flags().has(NodeFlags::GENERATED)
            && !node.flags().has(NodeFlags::VENDORED)
            && within(node.path())
    };
    graph.nodes().filter(is_code).map(|node| node.ix()).collect()
}

fn finding(graph: &Graph, node: NodeIx, line: u32, status: Status, what: String) -> Finding {
    let there = graph.node(node);
    let used_by = graph.incoming(node).filter(|edge| m1nd_risk::blast::DEPENDS.contains(&edge.kind)).count();
    Finding {
        status,
        at: format!("{}:{line}", there.path()),
        node_id: there.id().to_owned(),
        what,
        used_by: u32::try_from(used_by).unwrap_or(u32::MAX),
    }
}
