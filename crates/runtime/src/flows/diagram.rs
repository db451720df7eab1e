//! Diagram: a small picture of what surrounds a node, as text that renderers draw.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};

use super::survey::{Survey, is_within};

/// What the text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Mermaid,
    Dot,
}

/// A drawn piece of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    pub text: String,
    pub nodes: usize,
    pub edges: usize,
    /// Of those, edges that are only inferred; they are dashed.
    pub inferred: usize,
    /// Neighbours that did not fit.
    pub left_out: usize,
}

/// Longer labels are cut: a picture is not for reading signatures.
const MAX_LABEL: usize = 60;

struct Picture {
    /// Label and group of each node, in drawing order.
    nodes: Vec<(String, String)>,
    /// From, to, what, and whether only inferred.
    edges: BTreeMap<(usize, usize), (BTreeSet<&'static str>, bool)>,
    left_out: usize,
}

/// The node, what it uses and what uses it, nearest and most certain first. A file or folder is drawn as files.
pub fn around(graph: &Graph, center: NodeIx, max_nodes: usize, format: Format) -> Drawn {
    let node = graph.node(center);
    let picture = match node.kind() {
        NodeKind::Repository | NodeKind::Directory => {
            let scope = if node.kind() == NodeKind::Repository { "" } else { node.path() };
            folder(graph, scope, max_nodes)
        }
        NodeKind::File => file(graph, node.path(), max_nodes),
        _ => neighbours(graph, center, max_nodes),
    };
    let inferred = picture.edges.values().filter(|(_, inferred)| *inferred).count();
    Drawn {
        text: match format {
            Format::Mermaid => mermaid(&picture),
            Format::Dot => dot(&picture),
        },
        nodes: picture.nodes.len(),
        edges: picture.edges.len(),
        inferred,
        left_out: picture.left_out,
    }
}

fn neighbours(graph: &Graph, center: NodeIx, max_nodes: usize) -> Picture {
    let drawn =
        |kind: EdgeKind| !matches!(kind, EdgeKind::Contains | EdgeKind::CoChanges | EdgeKind::Imports);
    let mut chosen = vec![center];
    let mut seen = BTreeSet::from([center]);
    let mut left: BTreeSet<NodeIx> = BTreeSet::new();
    let mut at = 0;
    // Breadth first: the nearer ring is complete before the next one begins.
    while at < chosen.len() && chosen.len() < max_nodes {
        let here = chosen[at];
        at += 1;
        let mut next: Vec<_> = graph
            .outgoing(here)
            .chain(graph.incoming(here))
            .filter(|edge| drawn(edge.kind))
            .map(|edge| {
                let other = if edge.source == here { edge.target } else { edge.source };
                (edge.evidence.is_inferred(), std::cmp::Reverse(graph.node(other).pagerank()), other)
            })
            .collect();
        next.sort();
        for (_, _, other) in next {
            if seen.contains(&other) {
                continue;
            }
            if chosen.len() < max_nodes {
                seen.insert(other);
                chosen.push(other);
                left.remove(&other);
            } else {
                left.insert(other);
            }
        }
    }
    let position: BTreeMap<NodeIx, usize> = chosen.iter().copied().zip(0..).collect();
    let mut edges: BTreeMap<(usize, usize), (BTreeSet<&'static str>, bool)> = BTreeMap::new();
    for (&node, &from) in &position {
        for edge in graph.outgoing(node).filter(|edge| drawn(edge.kind) && edge.source != edge.target) {
            let Some(&to) = position.get(&edge.target) else { continue };
            let entry = edges.entry((from, to)).or_insert_with(|| (BTreeSet::new(), true));
            entry.0.insert(edge.kind.name());
            entry.1 &= edge.evidence.is_inferred();
        }
    }
    let nodes = chosen.iter().map(|&ix| {
        let node = graph.node(ix);
        let name = if node.qualified().is_empty() { node.label() } else { node.qualified() };
        (name.to_owned(), node.path().to_owned())
    });
    Picture { nodes: nodes.collect(), edges, left_out: left.len() }
}

fn folder(graph: &Graph, scope: &str, max_nodes: usize) -> Picture {
    let survey = Survey::of(graph);
    let mut members: Vec<usize> = (0..survey.files.len())
        .filter(|&at| {
            is_within(survey.files[at].path(), scope) && !survey.files[at].node.language().is_empty()
        })
        .collect();
    let total = members.len();
    // Files that much goes through say most about a folder.
    members.sort_by_key(|&at| {
        let file = &survey.files[at];
        (file.is_test(), std::cmp::Reverse(file.used_by + file.depends_on()), at)
    });
    members.truncate(max_nodes);
    members.sort_unstable();
    files(&survey, &members, total - members.len())
}

fn file(graph: &Graph, path: &str, max_nodes: usize) -> Picture {
    let survey = Survey::of(graph);
    let Some(center) = survey.files.iter().position(|file| file.path() == path) else {
        return Picture { nodes: Vec::new(), edges: BTreeMap::new(), left_out: 0 };
    };
    let mut near: Vec<(bool, std::cmp::Reverse<u32>, usize)> = Vec::new();
    for (&to, relation) in &survey.files[center].uses {
        let guessed = relation.inferred == relation.relations;
        near.push((guessed, std::cmp::Reverse(relation.relations), to as usize));
    }
    for (at, other) in survey.files.iter().enumerate() {
        if let Some(relation) = other.uses.get(&(center as u32)) {
            let guessed = relation.inferred == relation.relations;
            near.push((guessed, std::cmp::Reverse(relation.relations), at));
        }
    }
    near.sort();
    let mut members = vec![center];
    let mut left = BTreeSet::new();
    for (_, _, at) in near {
        if members.contains(&at) {
            continue;
        }
        if members.len() < max_nodes {
            members.push(at);
        } else {
            left.insert(at);
        }
    }
    files(&survey, &members, left.len())
}

fn files(survey: &Survey<'_>, members: &[usize], left_out: usize) -> Picture {
    let position: BTreeMap<usize, usize> = members.iter().copied().zip(0..).collect();
    let mut edges = BTreeMap::new();
    for (&at, &from) in &position {
        for (&to, relation) in &survey.files[at].uses {
            if let Some(&to) = position.get(&(to as usize)) {
                edges.insert((from, to), (BTreeSet::new(), relation.inferred == relation.relations));
            }
        }
    }
    let nodes = members.iter().map(|&at| {
        let path = survey.files[at].path();
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        (name.to_owned(), folder.to_owned())
    });
    Picture { nodes: nodes.collect(), edges, left_out }
}

fn mermaid(picture: &Picture) -> String {
    let mut text = String::from("flowchart LR\n");
    for (number, (group, members)) in groups(picture).iter().enumerate() {
        if !group.is_empty() {
            writeln!(text, "subgraph g{number}[\"{}\"]", for_mermaid(group))
                .expect("a string takes any text");
        }
        for &at in members {
            writeln!(text, "n{at}[\"{}\"]", for_mermaid(&picture.nodes[at].0))
                .expect("a string takes any text");
        }
        if !group.is_empty() {
            text.push_str("end\n");
        }
    }
    for ((from, to), (kinds, inferred)) in &picture.edges {
        let arrow = if *inferred { "-.->" } else { "-->" };
        let label = label_of(kinds);
        let label = if label.is_empty() { String::new() } else { format!("|{label}|") };
        writeln!(text, "n{from} {arrow}{label} n{to}").expect("a string takes any text");
    }
    text
}

fn dot(picture: &Picture) -> String {
    let mut text = String::from("digraph m1nd {\nrankdir=LR; node [shape=box];\n");
    for (number, (group, members)) in groups(picture).iter().enumerate() {
        if !group.is_empty() {
            writeln!(text, "subgraph cluster_{number} {{ label=\"{}\";", for_dot(group))
                .expect("a string takes any text");
        }
        for &at in members {
            writeln!(text, "n{at} [label=\"{}\"];", for_dot(&picture.nodes[at].0))
                .expect("a string takes any text");
        }
        if !group.is_empty() {
            text.push_str("}\n");
        }
    }
    for ((from, to), (kinds, inferred)) in &picture.edges {
        let style = if *inferred { ", style=dashed" } else { "" };
        writeln!(text, "n{from} -> n{to} [label=\"{}\"{style}];", label_of(kinds))
            .expect("a string takes any text");
    }
    text.push_str("}\n");
    text
}

/// `calls` goes without saying.
fn label_of(kinds: &BTreeSet<&'static str>) -> String {
    kinds.iter().copied().filter(|kind| *kind != "calls").collect::<Vec<_>>().join(", ")
}

fn groups(picture: &Picture) -> BTreeMap<&str, Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (_, group)) in picture.nodes.iter().enumerate() {
        groups.entry(group).or_default().push(at);
    }
    groups
}

/// Text from a repository must not end a label or begin something else.
fn for_mermaid(text: &str) -> String {
    let mut out = String::new();
    for c in cut(text).chars() {
        match c {
            '"' => out.push_str("#quot;"),
            '#' => out.push_str("#35;"),
            '<' => out.push_str("#lt;"),
            '>' => out.push_str("#gt;"),
            '&' => out.push_str("#amp;"),
            '`' => out.push_str("#96;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn for_dot(text: &str) -> String {
    let mut out = String::new();
    for c in cut(text).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_LABEL)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_inside_their_labels() {
        let hostile = "a\"] --> x; click n0 \"javascript:alert(1)\"\n\\";
        assert!(!for_mermaid(hostile).contains(['"', '\n']));
        assert_eq!(for_dot("a\"b\\"), "a\\\"b\\\\");
        assert_eq!(for_mermaid(&"é".repeat(200)).len(), MAX_LABEL);
    }
}
