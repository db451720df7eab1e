//! Verify: whether the graph says what the files say, checked name by name and call by call.

use std::collections::BTreeMap;

use m1nd_graph::{Edge, EdgeKind, Graph, Node, NodeKind};
use m1nd_ingest::scan;
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_vfs::{Root, read};

use super::survey::is_within;
use super::texts::words;

/// What was checked against the text, and what the text does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    pub definitions: u64,
    /// Definitions whose lines do not hold their name.
    pub misplaced: Vec<String>,
    pub calls: u64,
    /// Calls of names that their line does not hold but their file does: through an alias, or over several lines.
    pub renamed: u64,
    /// Calls of names that their file does not hold at all.
    pub unsaid: Vec<String>,
}

/// Checks every definition and call of the files in `scope`. A file that changed or went away since the graph
/// was made is somebody else's finding and is passed over: `is_same` says which are not.
pub fn check(
    graph: &Graph,
    root: &Root,
    scope: &str,
    is_same: impl Fn(&str) -> bool,
    cancel: &CancelToken,
) -> Result<Checked, Stop> {
    let mut checked = Checked::default();
    let mut texts: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for node in graph.nodes().filter(|node| node.kind() == NodeKind::File) {
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
        let path = node.path();
        if node.language().is_empty() || !is_within(path, scope) || !is_same(path) {
            continue;
        }
        let text = scan::read(root, path).ok().and_then(|bytes| read::decode(&bytes));
        let Some((text, _)) = text else { continue };
        texts.insert(path, text.lines().map(str::to_owned).collect());
    }
    for node in graph.nodes().filter(|node| has_name(*node)) {
        let Some(lines) = texts.get(node.path()) else { continue };
        checked.definitions += 1;
        let (first, last) = node.lines();
        let body = lines.get(first as usize - 1..(last as usize).min(lines.len())).unwrap_or_default();
        if !body.iter().any(|line| says(line, node.label())) {
            checked.misplaced.push(node.id().to_owned());
        }
    }
    for edge in graph.edges().filter(|edge| edge.kind == EdgeKind::Calls) {
        let source = graph.node(edge.source);
        let Some(lines) = texts.get(source.path()) else { continue };
        for &line in edge.lines {
            checked.calls += 1;
            let text = lines.get(line as usize - 1).map_or("", String::as_str);
            if says_call(graph, &edge, text) {
                continue;
            }
            let target = graph.node(edge.target);
            if lines.iter().any(|line| says(line, target.label())) {
                checked.renamed += 1;
            } else {
                checked.unsaid.push(format!("{}:{line} -> {}", source.path(), target.id()));
            }
        }
    }
    Ok(checked)
}

fn has_name(node: Node<'_>) -> bool {
    let kind = node.kind();
    (kind.is_callable() || kind.is_type()) && node.lines().0 > 0 && is_word(node.label())
}

fn says(line: &str, name: &str) -> bool {
    line.contains(name) && words(line).any(|word| word == name || word.trim_start_matches("r#") == name)
}

fn is_word(label: &str) -> bool {
    words(label).next() == Some(label)
}

/// A constructor is called by the name of its type or of one below it.
fn says_call(graph: &Graph, edge: &Edge<'_>, line: &str) -> bool {
    let target = graph.node(edge.target);
    let owner = graph.parent(edge.target).map(|ix| graph.node(ix));
    says(line, target.label())
        || owner.is_some_and(|owner| owner.kind().is_type() && says(line, owner.label()))
        || matches!(target.label(), "__init__" | "__new__" | "__call__" | "constructor" | "new" | "default")
        || !is_word(target.label())
}
