//! Compare: the files that a graph was made from, against those on disk now.

use std::collections::BTreeSet;

use m1nd_graph::NodeKind;
use m1nd_ingest::scan;
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_vfs::Root;

use super::host::Host;
use super::view::WorkspaceView;

/// What is not the same, each in the order of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    pub files_on_disk: u64,
    pub files_in_graph: u64,
    /// On disk and not in the graph.
    pub missing: Vec<String>,
    /// In the graph and not on disk.
    pub gone: Vec<String>,
    /// Written since the graph was made, by size, time or content.
    pub changed: Vec<String>,
    /// Files whose content was compared with what was read.
    pub compared: u64,
}

pub(super) fn differences(
    root: &Root,
    view: &WorkspaceView,
    host: &Host,
    cancel: &CancelToken,
) -> Result<Differences, Stop> {
    let (listing, _) = scan::list(root, cancel)?;
    let known: BTreeSet<&str> = view
        .graph()
        .map(|graph| {
            let files = graph.nodes().filter(|node| node.kind() == NodeKind::File);
            files.map(|node| node.path()).collect()
        })
        .unwrap_or_default();
    let mut found = Differences {
        files_on_disk: listing.len() as u64,
        files_in_graph: known.len() as u64,
        ..Differences::default()
    };
    let mut left = known.clone();
    let mut alike = Vec::new();
    for file in &listing {
        left.remove(file.path.as_str());
        if !known.contains(file.path.as_str()) {
            found.missing.push(file.path.clone());
        } else if !view.looks_like(&file.path, file.size, file.modified_ns) {
            found.changed.push(file.path.clone());
        } else {
            alike.push(file.path.clone());
        }
    }
    if view.imported_from().is_none() {
        let (rewritten, compared) = host.rewritten(root, &alike, cancel)?;
        found.changed.extend(rewritten);
        found.changed.sort();
        found.compared = compared;
    }
    found.gone = left.into_iter().map(str::to_owned).collect();
    Ok(found)
}
