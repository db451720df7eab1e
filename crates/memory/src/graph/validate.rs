//! Whether every edge that a branch shows has both its nodes.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::key::EdgeKey;
use super::place::place;
use super::view::GraphView;
use crate::budget::{Budget, Fit, Item, fit, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, GraphNodeId, Relation, WorkspaceId};
use crate::page;
use crate::port::{self, KeyKind, Rows};
use crate::ports::Ports;
use crate::writer;

const DEFAULT_ERRORS: usize = 50;
const MAX_ERRORS: usize = 1_000;

/// Checks the graph of a `target`, or of a `branch` and `doc`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphValidateRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001; or give branch and doc
    #[serde(default)]
    pub target: Option<String>,
    /// An existing branch.
    #[serde(default)]
    pub branch: Option<String>,
    /// Graph document (the branch's only one)
    #[serde(default)]
    pub doc: Option<String>,
    /// The most errors to list (50, at most 1,000).
    #[serde(default)]
    pub max_errors: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphValidateOutput {
    pub branch: BranchName,
    pub doc: DocName,
    /// Whether there are no errors.
    pub ok: bool,
    pub stats: GraphStats,
    pub errors: Vec<ValidateError>,
    /// Whether there are more errors than are listed.
    pub truncated: bool,
}

/// Live nodes and edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GraphStats {
    pub nodes: usize,
    pub edges: usize,
}

/// An edge without one of its nodes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidateError {
    /// `dangling_edge`.
    pub code: String,
    pub key: EdgeKey,
    /// The node that is not there.
    pub missing: GraphNodeId,
}

impl Item for ValidateError {
    fn shorten(&mut self, _: usize) {}
}

pub fn validate(
    ports: &Ports<'_>,
    request: &GraphValidateRequest,
) -> Result<GraphValidateOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("max_errors", request.max_errors, DEFAULT_ERRORS, MAX_ERRORS)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let (target, branch, doc) =
            (request.target.as_deref(), request.branch.as_deref(), request.doc.as_deref());
        let place = place(rows, &ws, target, branch, doc)?;
        let view = GraphView::of(rows, &ws, &place.branch, &place.doc)?;
        let mut errors = Vec::new();
        let mut found = 0;
        let stats = dangling_edges(rows, &view, &mut |error| {
            found += 1;
            if errors.len() < limit {
                errors.push(error);
            }
        })?;
        let mut out = GraphValidateOutput {
            branch: place.branch,
            doc: place.doc,
            ok: found == 0,
            stats,
            errors: Vec::new(),
            truncated: false,
        };
        let trimmed = fit(&mut errors, budget.0.saturating_sub(json_size(&out))) == Fit::Trimmed;
        out.truncated = trimmed || found > errors.len();
        out.errors = errors;
        Ok(out)
    })
}

/// Tells each edge of a view that lacks one of its nodes, and counts what there is.
pub(crate) fn dangling_edges(
    rows: &dyn Rows,
    view: &GraphView,
    each: &mut dyn FnMut(ValidateError),
) -> Result<GraphStats, MemoryError> {
    let mut nodes: HashSet<String> = HashSet::new();
    view.keys(rows, KeyKind::Node, &mut |key| {
        nodes.insert(key.to_owned());
    })?;
    let mut stats = GraphStats { nodes: nodes.len(), edges: 0 };
    view.keys(rows, KeyKind::Edge, &mut |key| {
        stats.edges += 1;
        // The bar is reserved, so that it parts a key in one way only.
        let mut ends = key.split('|');
        let (Some(from), Some(rel), Some(to)) = (ends.next(), ends.next(), ends.next()) else { return };
        if let Some(missing) = [from, to].into_iter().find(|id| !nodes.contains(*id)) {
            each(dangling(from, rel, to, missing));
        }
    })?;
    Ok(stats)
}

fn dangling(from: &str, rel: &str, to: &str, missing: &str) -> ValidateError {
    let (from, to) = (GraphNodeId::stored(from), GraphNodeId::stored(to));
    let key = EdgeKey { from, rel: Relation::stored(rel), to };
    ValidateError { code: "dangling_edge".to_owned(), key, missing: GraphNodeId::stored(missing) }
}
