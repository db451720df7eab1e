//! What the graph said, as advice.

use std::borrow::Cow;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Graph, LookupError, NodeIx};
use m1nd_vfs::Root;
use serde_json::json;

use super::from_vfs::SEARCH;

/// The node that a caller names by id, path, `path:line`, qualified-name suffix or label.
pub fn find(root: &Root, graph: &Graph, argument: &str, name: &str) -> Result<NodeIx, Fault> {
    graph.find_node(&within(root, name)).map_err(|err| fault(argument, err))
}

/// The code that a name means.
pub fn find_code(root: &Root, graph: &Graph, argument: &str, name: &str) -> Result<NodeIx, Fault> {
    graph.find_code(&within(root, name)).map_err(|err| fault(argument, err))
}

/// A name that begins with an absolute path of the workspace, with the path as the graph has it.
fn within<'n>(root: &Root, name: &'n str) -> Cow<'n, str> {
    let name = name.trim();
    if !name.starts_with('/') {
        return Cow::Borrowed(name);
    }
    // What comes after the path: a line, or a name in it.
    let ends = name.match_indices(':').map(|(at, _)| at).chain([name.len()]);
    for end in ends {
        if let Ok(path) = root.locate(&name[..end]) {
            return Cow::Owned(format!("{}{}", path.as_str(), &name[end..]));
        }
    }
    Cow::Borrowed(name)
}

fn fault(argument: &str, err: LookupError) -> Fault {
    match err {
        LookupError::NotFound { name } if name.is_empty() => Fault::new(
            Code::InvalidParams,
            format!("`{argument}` is empty."),
            Recovery::call(
                "See what is there; each name in it can be asked for.",
                "outline",
                json!({ "file_path": "." }),
            ),
        ),
        LookupError::NotFound { name } => {
            let shown = &name[..name.floor_char_boundary(120)];
            let word = shown.rsplit([':', '.', '/']).find(|part| !part.is_empty()).unwrap_or(shown);
            Fault::new(
                Code::NodeNotFound,
                format!("`{argument}`: no node is named {shown:?}."),
                Recovery::call(
                    "Search for the name; each match carries the id of the node around it.",
                    SEARCH,
                    json!({ "query": if word.is_empty() { shown } else { word } }),
                ),
            )
        }
        LookupError::NoSuchLine { path, line, lines } => Fault::new(
            Code::NodeNotFound,
            format!("`{argument}`: {path} has {lines} lines; there is no line {line}."),
            Recovery::call(
                "See what is in the file, with the lines it stands on.",
                "outline",
                json!({ "file_path": path }),
            ),
        ),
        LookupError::Ambiguous { name, total, candidates } => Fault::new(
            Code::AmbiguousNode,
            format!("`{argument}`: {total} nodes are named {:?}.", &name[..name.floor_char_boundary(120)]),
            Recovery::hint("Call again with one of the ids in detail.candidates."),
        )
        .with_detail(json!({ "candidates": candidates, "total": total })),
    }
}
