//! What the graph said, as advice.

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Graph, LookupError, NodeIx};
use serde_json::json;

use super::from_vfs::SEARCH;

/// The node that a caller names by id, path, `path:line`, qualified-name suffix or label.
pub fn find(graph: &Graph, argument: &str, name: &str) -> Result<NodeIx, Fault> {
    graph.find_node(name).map_err(|err| fault(argument, err))
}

/// The code that a name means.
pub fn find_code(graph: &Graph, argument: &str, name: &str) -> Result<NodeIx, Fault> {
    graph.find_code(name).map_err(|err| fault(argument, err))
}

fn fault(argument: &str, err: LookupError) -> Fault {
    match err {
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
        LookupError::Ambiguous { name, total, candidates } => Fault::new(
            Code::AmbiguousNode,
            format!("`{argument}`: {total} nodes are named {:?}.", &name[..name.floor_char_boundary(120)]),
            Recovery::hint("Call again with one of the ids in detail.candidates."),
        )
        .with_detail(json!({ "candidates": candidates, "total": total })),
    }
}
