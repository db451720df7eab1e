//! Moved files: imports that a file brought along to a place from which they lead nowhere.

use m1nd_graph::{EdgeKind, Graph};
use m1nd_risk::plan::Severity;

use super::users::User;
use super::{Edited, Finding};

/// Lines that are shown of each.
const MAX_PLACES: usize = super::lines::MAX_PLACES;

/// One finding for each renamed file with lines that imported something where it was and find nothing where it is.
pub fn astray(before: &Graph, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited {
        let Some(was) = one.file.was.as_deref() else { continue };
        let Some(user) = User::of(graph, edited, was) else { continue };
        let imports = before.nodes_in(was).flat_map(|node| before.outgoing(node));
        let imports = imports.filter(|edge| edge.kind == EdgeKind::Imports && !edge.evidence.is_inferred());
        let lines = imports.flat_map(|edge| edge.lines.iter().copied());
        let mut left: Vec<u32> = lines
            .filter_map(|line| user.line(line))
            .filter(|&line| user.leads_to(line).next().is_none())
            .collect();
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
