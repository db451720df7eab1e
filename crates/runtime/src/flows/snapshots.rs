//! Snapshots: a graph by name, now or then, and what differs between two of them.

use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::Graph;
use m1nd_ingest::history::{HistoryError, RangeError};
use m1nd_memory::text::timestamp;
use m1nd_risk::differential::{Differential, compared, differential};
use m1nd_vfs::root::Kind;
use schemars::JsonSchema;
use serde::Serialize;

use super::changed;
use crate::ctx::{Ctx, GraphView};
use crate::faults::{from_bring, from_graph, from_vfs};
use crate::pipeline::Step;

/// The word for the workspace's own graph.
pub const CURRENT: &str = "current";

/// One side of a comparison.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Side {
    /// current, export or revision.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Files of a revision that had to be parsed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files_parsed: Option<u64>,
    /// Without folders.
    pub nodes: u64,
    /// Without what holds what, and what changed together.
    pub edges: u64,
}

/// A graph under the name that somebody gave.
struct Named {
    side: Side,
    graph: Arc<Graph>,
    /// Today's graph without compilers' indexes, which no revision has.
    plain: Option<Arc<Graph>>,
}

/// Two sides and what differs.
pub struct Compared {
    pub sides: [Side; 2],
    pub found: Differential,
}

/// Compares two snapshots. Only what lies in the focus counts, if one is given.
pub fn compare(ctx: &Ctx<'_>, names: [(&'static str, &str); 2], focus: &[String]) -> Result<Compared, Fault> {
    let at = ctx.graph_view()?;
    let root = ctx.workspace()?.root();
    let mut sides = Vec::with_capacity(2);
    for (nth, (argument, name)) in names.into_iter().enumerate() {
        ctx.report(Step { done: nth as u64, total: Some(3), message: format!("{argument} is being read") });
        sides.push(named(ctx, &at, argument, name)?);
    }
    ctx.report(Step { done: 2, total: Some(3), message: "the graphs are being compared".to_owned() });
    let plain: Option<Arc<Graph>> = sides.iter().find_map(|side| side.plain.clone());
    let graph = |side: &Named| match (&plain, side.side.kind) {
        (Some(plain), CURRENT) => Arc::clone(plain),
        _ => Arc::clone(&side.graph),
    };
    let (old, new) = (graph(&sides[0]), graph(&sides[1]));
    let mut places: Vec<String> = Vec::new();
    for name in focus {
        // What is there on one side only is still in the focus.
        let node = match (from_graph::find(root, &new, "focus_nodes", name), old.find_node(name)) {
            (Ok(ix), _) => new.node(ix),
            (Err(_), Ok(ix)) => old.node(ix),
            (Err(fault), Err(_)) => return Err(fault),
        };
        places.push(node.id().to_owned());
    }
    let counts = |id: &str| places.is_empty() || places.iter().any(|place| is_inside(id, place));
    let found = differential(&old, &new, counts);
    let [mut one, mut other] = [sides.remove(0).side, sides.remove(0).side];
    // Sizes of what is compared: what came and went is the difference between them.
    for (side, graph) in [(&mut one, &old), (&mut other, &new)] {
        let (nodes, edges) = compared(graph);
        (side.nodes, side.edges) = (nodes as u64, edges as u64);
    }
    Ok(Compared { sides: [one, other], found })
}

/// Whether an id is that of the place or of something in it: a file holds what is named with its path, a class its members.
fn is_inside(id: &str, place: &str) -> bool {
    let below = |id: &str| id.split_once("::").map_or(id, |(_, rest)| rest).to_owned();
    let (inner, outer) = (below(id), below(place));
    inner == outer || inner.strip_prefix(outer.as_str()).is_some_and(|rest| rest.starts_with(['/', '.', ':']))
}

fn named(ctx: &Ctx<'_>, at: &GraphView, argument: &'static str, name: &str) -> Result<Named, Fault> {
    let workspace = ctx.workspace()?;
    let root = workspace.root();
    let of = |kind, graph: &Graph| Side {
        kind,
        commit: None,
        date: None,
        files_parsed: None,
        nodes: graph.node_count() as u64,
        edges: graph.edge_count() as u64,
    };
    let name = name.trim();
    if name == CURRENT {
        return Ok(Named { side: of(CURRENT, &at.graph), graph: Arc::clone(&at.graph), plain: None });
    }
    match root.locate(name) {
        Ok(path) if matches!(root.kind(&path), Ok(Kind::File)) => {
            let graph = workspace.exported(&path).map_err(|err| from_bring::fault(ctx.tool(), err))?;
            return Ok(Named { side: of("export", &graph), graph: Arc::new(graph), plain: None });
        }
        Err(err) if name.starts_with(['/', '~']) || name.contains("../") || name.ends_with(".json") => {
            return Err(from_vfs::path(ctx.tool(), argument, err));
        }
        _ => {}
    }
    let found = workspace.graph_at(name, ctx.runtime().clock(), ctx.cancel());
    let refused = |err: HistoryError| changed::refused(ctx, argument, &RangeError::History(err));
    let Some(revision) = found.map_err(refused)? else {
        let name = name[..name.floor_char_boundary(100)].to_owned();
        return Err(changed::refused(ctx, argument, &RangeError::Unknown { name }));
    };
    let side = Side {
        commit: Some(revision.commit.chars().take(12).collect()),
        date: Some(timestamp(revision.time).chars().take(10).collect()),
        files_parsed: Some(revision.files_parsed),
        ..of("revision", &revision.graph)
    };
    Ok(Named { side, graph: revision.graph, plain: revision.today })
}

#[cfg(test)]
mod tests {
    use super::is_inside;

    #[test]
    fn members_and_files_below_are_inside() {
        assert!(is_inside("method::a/b.py::C.m", "class::a/b.py::C"));
        assert!(is_inside("function::a/b.py::f", "file::a/b.py"));
        assert!(is_inside("file::a/b.py", "directory::a"));
        assert!(!is_inside("class::a/b.py::Car", "class::a/b.py::C"));
        assert!(!is_inside("file::ab.py", "directory::a"));
    }
}
