//! Coverage: what the graph knows of a file and of the workspace, so that "nothing found" says what it rests on.

use std::collections::BTreeMap;

use m1nd_graph::{Graph, NodeFlags, NodeKind};
use m1nd_ingest::classify::MAX_FILE_BYTES;
use m1nd_ingest::engine::{Outcome, outcome_of};
use m1nd_ingest::languages;
use m1nd_vfs::read::ReadError;
use m1nd_vfs::{PathError, RelPath, Root, policy, read};
use schemars::JsonSchema;
use serde::Serialize;

use crate::workspace::WorkspaceView;

/// How much of the workspace the graph knows.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Files of languages that are read.
    files_indexed: u64,
    /// Files with parts missing, and files that could not be read.
    files_incomplete: u64,
    /// Files that are no code: only their names are known, and what a question is the first to ask of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_unsupported: Option<u64>,
    /// Calls in the workspace whose target could not be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved_references: Option<u64>,
}

/// Of the whole workspace; the graph itself knows most of it.
pub fn of_workspace(view: &WorkspaceView, graph: &Graph) -> Coverage {
    let files = || graph.nodes().filter(|node| node.kind() == NodeKind::File && !node.language().is_empty());
    let partial = files().filter(|node| node.flags().has(NodeFlags::PARTIAL)).count() as u64;
    let failed = view.report().map_or(0, |report| report.files_failed);
    Coverage {
        files_indexed: files().count() as u64,
        files_incomplete: partial + failed,
        files_unsupported: None,
        unresolved_references: view.report().map(|report| report.unresolved_references),
    }
}

/// The same for a question of words.
pub fn of_words(view: &WorkspaceView, graph: &Graph) -> Coverage {
    let others = graph.nodes().filter(|node| node.kind() == NodeKind::File && node.language().is_empty());
    Coverage {
        files_unsupported: Some(others.count() as u64),
        unresolved_references: None,
        ..of_workspace(view, graph)
    }
}

/// Files by language.
pub fn languages(graph: &Graph) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for node in graph.nodes().filter(|node| node.kind() == NodeKind::File && !node.language().is_empty()) {
        *counts.entry(node.language().to_owned()).or_default() += 1;
    }
    counts
}

/// Why a file has nothing, or not everything, in the graph; nothing when it is wholly read.
pub fn gap(root: &Root, graph: Option<&Graph>, path: &RelPath) -> Option<String> {
    let name = path.as_str();
    let known = graph.and_then(|graph| Some(graph.node(graph.node_by_path(name)?)));
    if known.is_none() && policy::is_withheld(name) {
        return Some(format!("{name} looks like a file of keys or passwords, which m1nd does not read."));
    }
    let size = root.size_and_time(path).ok()?.0;
    if size > MAX_FILE_BYTES {
        return Some(format!(
            "{name} was skipped: it has {size} bytes, and files over {MAX_FILE_BYTES} are not parsed."
        ));
    }
    let bytes = match read::bytes(root, path, MAX_FILE_BYTES) {
        Ok(bytes) => bytes,
        Err(ReadError::NotAFile { .. }) => {
            return Some(format!("{name} is a pipe, socket or device, which m1nd does not open."));
        }
        Err(ReadError::Path(err @ PathError::Io { .. })) => {
            return Some(format!("{err}; nothing in it is known."));
        }
        Err(_) => return None,
    };
    let said = match outcome_of(name, &bytes) {
        Outcome::Indexed if known.is_none() && graph.is_some() => {
            format!("{name} is not in the graph: an ignore file or a hidden folder keeps it out.")
        }
        Outcome::Indexed if known.is_some_and(|known| known.language().is_empty()) => {
            format!(
                "{name} was left out: several processes ended while they read it. `m1nd ingest` tries it again."
            )
        }
        Outcome::Indexed => return None,
        Outcome::Partial(reason) => {
            format!(
                "{name} is known in part ({}): what lies in the damaged places is missing.",
                reason.name()
            )
        }
        Outcome::Skipped(reason) => format!("{name} was skipped: {}.", reason.name()),
        Outcome::Unsupported => {
            let names: Vec<&str> = languages::all().map(|language| language.name).collect();
            format!("{name} is in no language that is parsed ({}).", names.join(", "))
        }
        Outcome::Failed(reason) => format!("{name} could not be parsed: {}.", reason.name()),
    };
    Some(said)
}
