//! Layering: the layers of the files, as answers show them.

use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::layers::{Layers, Violation};
use schemars::JsonSchema;
use serde::Serialize;

use super::survey::is_within;
use crate::ctx::Ctx;

/// An edge that goes against the layers.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct ViolationShown {
    /// upward, cycle or skipped_layers.
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub from: String,
    pub to: String,
    /// Where it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// In how many places.
    pub places: u32,
}

/// The layers of the files below a folder; those of the whole workspace are made once for each graph.
pub fn of(ctx: &Ctx<'_>, graph: &Arc<Graph>, folder: &str) -> Result<Arc<Layers>, Fault> {
    match folder {
        "" => Ok(ctx.workspace()?.layers(graph)),
        folder => Ok(Arc::new(ctx.workspace()?.layers_within(graph, |path| is_within(path, folder)))),
    }
}

pub fn violation(graph: &Graph, one: &Violation) -> ViolationShown {
    let path = |ix: NodeIx| graph.node(ix).path().to_owned();
    ViolationShown {
        kind: one.breach.name(),
        at: one.line.map(|line| format!("{}:{line}", graph.node(one.from).path())),
        from: path(one.from),
        to: path(one.to),
        places: one.places,
    }
}

/// What most of the files have in common, as a name.
pub fn name(graph: &Graph, files: &[NodeIx]) -> String {
    let mut folders: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for &ix in files {
        let path = graph.node(ix).path();
        *folders.entry(path.rsplit_once('/').map_or(".", |(folder, _)| folder)).or_default() += 1;
    }
    let most = folders.into_iter().max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(a.0)));
    most.map_or_else(String::new, |(folder, _)| folder.to_owned())
}
