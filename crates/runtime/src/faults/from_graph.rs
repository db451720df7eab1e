//! What the graph said, as advice.

use std::borrow::Cow;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_graph::{Graph, LookupError, Node, NodeIx, NodeKind};
use m1nd_ingest::{languages, overloads};
use m1nd_vfs::path::PathError;
use m1nd_vfs::{Root, read};
use serde_json::json;

use crate::flows::slice::MAX_FILE_BYTES;

use super::from_vfs::{self, GLOB, SEARCH};

/// The node that a caller names by id, path, `path:line`, qualified-name suffix or label.
pub fn find(root: &Root, graph: &Graph, argument: &str, name: &str) -> Result<NodeIx, Fault> {
    found(root, graph, argument, name, Graph::find_node)
}

/// The code that a name means.
pub fn find_code(root: &Root, graph: &Graph, argument: &str, name: &str) -> Result<NodeIx, Fault> {
    found(root, graph, argument, name, Graph::find_code)
}

fn found(
    root: &Root,
    graph: &Graph,
    argument: &str,
    name: &str,
    find: fn(&Graph, &str) -> Result<NodeIx, LookupError>,
) -> Result<NodeIx, Fault> {
    let name = name.trim();
    match within(root, name) {
        Ok(meant) => {
            let node = find(graph, &meant).map_err(|err| fault(root, graph, argument, err))?;
            Ok(overloaded(root, graph, &meant, node).unwrap_or(node))
        }
        // A route may look like an absolute path.
        Err(outside) => find(graph, name).map_err(|_| from_vfs::path("", argument, outside)),
    }
}

/// The function that a line belongs to on which one of its overloads is declared: the graph knows the function alone, and finds
/// the file or the class around it there.
fn overloaded(root: &Root, graph: &Graph, name: &str, found: NodeIx) -> Option<NodeIx> {
    let is_around = graph.node(found).kind() == NodeKind::File || graph.node(found).kind().is_type();
    let (path, line) = name.rsplit_once(':').filter(|_| is_around)?;
    let line = line.parse::<u32>().ok()?;
    let path = root.relative(path).ok()?;
    let file = read::text(root, &path, MAX_FILE_BYTES).ok()?;
    let whole = overloads::function_of(path.as_str(), file.text.as_bytes(), line)?;
    let node = graph.node_at(path.as_str(), whole)?;
    graph.node(node).kind().is_callable().then_some(node)
}

/// The graph counts the lines of what it read; of a file that was not parsed only the disk knows them.
fn no_such_line(root: &Root, argument: &str, path: &str, line: u32, lines: u32) -> Fault {
    let there = root.relative(path).ok().and_then(|path| read::text(root, &path, MAX_FILE_BYTES).ok());
    let there = there.map_or(u64::from(lines), |file| file.text.lines().count() as u64);
    if line > 0 && u64::from(line) <= there {
        let first = line.saturating_sub(10).max(1);
        return Fault::new(
            Code::NodeNotFound,
            format!("`{argument}`: {path} is not parsed, so no definition is known at line {line}."),
            Recovery::call(
                "Read the lines around it.",
                "view",
                json!({ "file_path": path, "offset": first, "limit": 40 }),
            ),
        );
    }
    Fault::new(
        Code::NodeNotFound,
        format!("`{argument}`: {path} has {there} lines; there is no line {line}."),
        Recovery::call(
            "See what is in the file, with the lines it stands on.",
            "outline",
            json!({ "file_path": path }),
        ),
    )
}

/// A name that begins with a path of the workspace, however it is spelled, with the path as the graph has it.
fn within<'n>(root: &Root, name: &'n str) -> Result<Cow<'n, str>, PathError> {
    let is_relative = name.split(['/', ':']).any(|part| matches!(part, "." | ".."));
    if !name.starts_with('/') && !is_relative {
        return Ok(Cow::Borrowed(name));
    }
    // What comes after the path: a line, or a name in it. What comes before may be a kind.
    let start = name.find("::").map_or(0, |at| if name[..at].contains(['/', '.']) { 0 } else { at + 2 });
    let (before, rest) = name.split_at(start);
    let ends = rest.match_indices(':').map(|(at, _)| at).chain([rest.len()]);
    let mut outside = None;
    for end in ends {
        match root.relative(&rest[..end]) {
            Ok(path) => {
                let path = root.locate(&rest[..end]).unwrap_or(path);
                return Ok(Cow::Owned(format!("{before}{}{}", path.as_str(), &rest[end..])));
            }
            Err(err @ PathError::Outside { .. }) => outside = outside.or(Some(err)),
            Err(_) => {}
        }
    }
    outside.map_or(Ok(Cow::Borrowed(name)), Err)
}

/// What finds the thing that a name was meant for.
fn recovery(graph: &Graph, name: &str) -> (String, Recovery) {
    let shown = &name[..name.floor_char_boundary(120)];
    let inner = name.split_once("::").filter(|(kind, _)| NodeKind::parse(kind).is_some());
    let place = inner.map_or(name, |(_, rest)| rest);
    let path = place.split(':').next().unwrap_or(place);
    if !path.is_empty() && graph.node_by_path(path).is_some() {
        let rest = shown.split_once(path).map_or("", |(_, rest)| rest.trim_start_matches(':'));
        let why = format!("{path} is there, but nothing in it is named {rest:?}.");
        let hint = "See what is in the file, with the lines it stands on.";
        return (why, Recovery::call(hint, "outline", json!({ "file_path": path })));
    }
    let why = format!("No node is named {shown:?}.");
    let word = place.rsplit([':', '.', '/', '#']).find(|part| part.contains(char::is_alphabetic));
    let is_path = path.contains('/')
        || (path == place && is_called_as_file(path))
        || (path == place && path.rsplit_once('.').is_some_and(|(_, end)| is_ending(graph, end)));
    match word {
        None => {
            let hint = "See what is there; each name in it can be asked for.";
            (why, Recovery::call(hint, "outline", json!({ "file_path": "." })))
        }
        Some(_) if is_path => {
            let file = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
            let hint = "Look for the file at any depth.";
            (why, Recovery::call(hint, GLOB, json!({ "pattern": from_vfs::name_pattern(file) })))
        }
        Some(word) => {
            let near = graph.nearest_labels(&word[..word.floor_char_boundary(120)], 3);
            let why = match near.is_empty() {
                true => why,
                false => format!("{why} Names like it: {}.", near.join(", ")),
            };
            let hint = "Search for the name; each match carries the id of the node around it.";
            (why, Recovery::call(hint, SEARCH, json!({ "query": word })))
        }
    }
}

/// Whether a name ends as files of a language do, though none may be here.
fn is_called_as_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, _)| !stem.is_empty()) && languages::of_path(name).is_some()
}

/// Whether some file of the graph ends so.
fn is_ending(graph: &Graph, ending: &str) -> bool {
    let is_file = |node: &Node<'_>| node.kind() == NodeKind::File;
    let ends = |node: Node<'_>| node.path().rsplit_once('.').is_some_and(|(_, end)| end == ending);
    graph.nodes().filter(is_file).any(ends)
}

fn fault(root: &Root, graph: &Graph, argument: &str, err: LookupError) -> Fault {
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
            let (why, recovery) = recovery(graph, &name);
            Fault::new(Code::NodeNotFound, format!("`{argument}`: {why}"), recovery)
        }
        LookupError::NoSuchLine { path, line, lines } => no_such_line(root, argument, &path, line, lines),
        LookupError::Ambiguous { name, total, candidates } => Fault::new(
            Code::AmbiguousNode,
            format!("`{argument}`: {total} nodes are named {:?}.", &name[..name.floor_char_boundary(120)]),
            Recovery::hint("Call again with one of the ids in detail.candidates."),
        )
        .with_detail(json!({ "candidates": candidates, "total": total })),
    }
}
