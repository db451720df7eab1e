//! Moved files: imports that a file brought along to a place from which they lead nowhere.

use m1nd_graph::{EdgeKind, Graph};
use m1nd_risk::plan::Severity;

use super::gone_files::{Moved, targets};
use super::{Edited, Finding};

/// Lines that are shown of each.
const MAX_PLACES: usize = 5;

/// One finding for each renamed file with lines that imported something where it was and find nothing where it is.
pub fn astray(before: &Graph, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited {
        let (Some(was), Some(_)) = (one.file.was.as_deref(), graph.node_by_path(&one.file.path)) else {
            continue;
        };
        let moved = Moved::of(one.texts.0.as_deref(), one.texts.1.as_deref());
        let now = targets(graph, &one.file.path);
        let imports = before.nodes_in(was).flat_map(|node| before.outgoing(node));
        let imports = imports.filter(|edge| edge.kind == EdgeKind::Imports && !edge.evidence.is_inferred());
        let lines = imports.flat_map(|edge| edge.lines.iter().copied());
        let mut left: Vec<u32> =
            lines.filter_map(|line| moved.line(line)).filter(|line| !now.contains_key(line)).collect();
        left.sort_unstable();
        left.dedup();
        let Some(first) = left.first() else { continue };
        let imports = if left.len() == 1 { "import leads" } else { "imports lead" };
        found.push(Finding {
            kind: "broken_import",
            severity: Severity::Critical.name(),
            at: format!("{}:{first}", one.file.path),
            message: format!(
                "{was} is called {} now, and {} {imports} nowhere from there",
                one.file.path,
                left.len()
            ),
            places: left.iter().take(MAX_PLACES).map(|line| format!("{}:{line}", one.file.path)).collect(),
        });
    }
    found
}
