//! Workspaces written as text, and their graphs printed as text, for the tests of this crate.

use std::time::Duration;

use m1nd_graph::{EdgeKind, Graph};

use crate::{FileFacts, Manifest, assemble, languages, resolve};

/// Files from a text in which each starts with a line `//- path`.
pub(crate) fn files(fixture: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in fixture.lines() {
        if let Some(path) = line.trim().strip_prefix("//- ") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, text)) = files.last_mut() {
            text.push_str(line);
            text.push('\n');
        }
    }
    files
}

pub(crate) fn facts(fixture: &str) -> (Vec<FileFacts>, Vec<Manifest>) {
    let mut facts = Vec::new();
    let mut manifests = Vec::new();
    for (path, text) in files(fixture) {
        if Manifest::is_one(&path, &text) {
            manifests.push(Manifest { path, text });
        } else if let Some(language) = languages::of_path(&path) {
            facts.push((language.extract)(&path, text.as_bytes(), Duration::from_secs(10)).expect("facts"));
        }
    }
    facts.sort_by(|a, b| a.path.cmp(&b.path));
    (facts, manifests)
}

pub(crate) fn graph(fixture: &str) -> Graph {
    let (facts, manifests) = facts(fixture);
    let files: Vec<&FileFacts> = facts.iter().collect();
    assemble("fixture", &files, &resolve(&files, &manifests), 1)
}

/// Edges of some kinds, one a line: `caller -> target @lines`, with `?n` where n targets were possible.
pub(crate) fn edges(graph: &Graph, kinds: &[EdgeKind]) -> String {
    let short = |ix| {
        let node = graph.node(ix);
        match node.qualified() {
            "" => node.path().to_owned(),
            name => {
                // Overloads are told apart by the number their id ends in.
                let ordinal = node.id().rsplit_once(name).map_or("", |(_, ordinal)| ordinal);
                format!("{} {name}{ordinal}", node.path())
            }
        }
    };
    let mut lines = Vec::new();
    for edge in graph.edges().filter(|edge| kinds.contains(&edge.kind)) {
        let doubt = match edge.evidence {
            m1nd_graph::Evidence::Inferred { candidates } => format!(" ?{candidates}"),
            _ => String::new(),
        };
        let kind = if kinds.len() > 1 { format!(" {}", edge.kind.name()) } else { String::new() };
        // A line that is known less well than the edge says so itself.
        let sites: Vec<String> = edge
            .sites()
            .map(|(line, evidence)| match evidence {
                m1nd_graph::Evidence::Inferred { candidates } if evidence != edge.evidence => {
                    format!("{line} ?{candidates}")
                }
                _ => line.to_string(),
            })
            .collect();
        let (source, target) = (short(edge.source), short(edge.target));
        lines.push(format!("{source}{kind} -> {target} @[{}]{doubt}", sites.join(", ")));
    }
    lines.sort();
    if lines.is_empty() { "none\n".to_owned() } else { lines.join("\n") + "\n" }
}

/// Call edges as text.
pub(crate) fn calls(fixture: &str) -> String {
    edges(&graph(fixture), &[EdgeKind::Calls])
}

/// Imports, bases and contracts as text.
pub(crate) fn imports_and_bases(fixture: &str) -> String {
    edges(&graph(fixture), &[EdgeKind::Imports, EdgeKind::Inherits, EdgeKind::Implements, EdgeKind::Tests])
}

/// Definitions, one a line: id, lines, signature, first line of the document, marks.
pub(crate) fn definitions(fixture: &str) -> String {
    let graph = graph(fixture);
    let mut lines = Vec::new();
    for node in graph.nodes().filter(|node| !node.qualified().is_empty()) {
        let (from, to) = node.lines();
        let doc = node.doc().lines().next().map_or(String::new(), |doc| format!(" | {doc}"));
        let entry = if node.flags().has(m1nd_graph::NodeFlags::ENTRY_POINT) { " (entry)" } else { "" };
        lines.push(format!("{} {from}-{to} `{}`{doc}{entry}", node.id(), node.signature()));
    }
    lines.sort();
    lines.join("\n") + "\n"
}

/// Routes, one a line: method and pattern, file, line, and what answers.
pub(crate) fn routes(fixture: &str) -> String {
    let graph = graph(fixture);
    let mut lines = Vec::new();
    for node in graph.nodes().filter(|node| node.kind() == m1nd_graph::NodeKind::Route) {
        let answers = graph.outgoing(node.ix()).filter(|edge| edge.kind == EdgeKind::Routes);
        let answers: Vec<String> = answers.map(|edge| graph.node(edge.target).id().to_owned()).collect();
        lines.push(format!("{} {}:{} -> {}", node.label(), node.path(), node.lines().0, answers.join(", ")));
    }
    lines.sort();
    lines.join("\n") + "\n"
}

/// What belongs to the types of a name, one a line.
pub(crate) fn members(fixture: &str, of: &str) -> String {
    let graph = graph(fixture);
    let mut lines = Vec::new();
    for node in graph.nodes().filter(|node| node.label() == of && node.kind().is_type()) {
        let members = graph.members(node.ix()).into_iter().map(|ix| graph.node(ix).id().to_owned());
        lines.push(format!("{}: {}", node.path(), members.collect::<Vec<_>>().join(", ")));
    }
    lines.join("\n") + "\n"
}

/// Files and functions where programs begin, one a line.
pub(crate) fn entries(fixture: &str) -> String {
    let graph = graph(fixture);
    let entries = graph.nodes().filter(|node| node.flags().has(m1nd_graph::NodeFlags::ENTRY_POINT));
    let mut lines: Vec<&str> = entries.map(|node| node.id()).collect();
    lines.sort_unstable();
    lines.join("\n") + "\n"
}
