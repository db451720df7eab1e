//! Parted: how a file can be taken apart, and who says where it is.

use m1nd_graph::{Graph, NodeIx, folder_files};
use m1nd_ingest::{imported, scan};
use m1nd_risk::refactor::{self, Plan};
use m1nd_vfs::Root;

/// The plan for a file, with the users that name it.
pub fn plan(root: &Root, graph: &Graph, file: NodeIx) -> Plan {
    let home = graph.node(file).path();
    refactor::plan(graph, file, |user, name| takes_from(root, user, name, home))
}

/// Whether a file imports a name from the file at `home`, by what its imports say; nothing where they do not tell.
fn takes_from(root: &Root, user: &str, name: &str, home: &str) -> Option<bool> {
    let bytes = scan::read(root, user).ok()?;
    let bound = imported::bound(user, &bytes, name)?;
    let module = folder_files::word(home);
    let says = |part: &String| part.split(['/', '.']).any(|word| word == module);
    // From beside it a folder need not be named.
    let is_said = |source: &imported::Source| module.is_empty() || source.module.iter().any(says);
    (!bound.imports.is_empty()).then(|| bound.imports.iter().any(is_said))
}
