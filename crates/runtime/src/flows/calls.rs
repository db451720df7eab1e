//! Calls: who calls a node, or what it calls, with the line of source that says so.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Edge, EdgeKind, Evidence, Graph, NodeIx};
use m1nd_vfs::Root;
use m1nd_vfs::read::{self, TextFile};
use schemars::JsonSchema;
use serde::Serialize;

use super::slice::MAX_FILE_BYTES;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Who calls the node.
    Callers,
    /// What the node calls.
    Callees,
}

/// One relation, at one place.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Call {
    /// The node at the other end.
    pub node_id: String,
    /// Its name.
    pub label: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// File that holds the call.
    pub file_path: String,
    /// Line of the call.
    pub line: u32,
    /// That line of source.
    pub source: String,
    /// How it is known: precise, resolved or inferred.
    pub evidence: &'static str,
    /// For inferred calls: how many nodes the name fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<u32>,
    /// Where what a type calls was asked for: its member that makes the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where callers of a type were asked for: its member that is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
}

/// Whether a member of a class is what makes one of it.
fn makes(graph: &Graph, member: NodeIx, class: NodeIx) -> bool {
    let member = graph.node(member);
    match (member.language(), member.label()) {
        ("ruby", label) => label == "initialize",
        ("swift", label) => label == "init",
        (_, "__init__" | "__new__" | "constructor" | "__construct") => true,
        (_, label) => label == graph.node(class).label(),
    }
}

/// All calls in one direction: certain ones first, of a type those of itself before those of its members, then by place.
pub fn find(root: &Root, graph: &Graph, node: NodeIx, direction: Direction) -> Vec<Call> {
    let mut found: Vec<(Rank, Call)> = Vec::new();
    let mut files = Files::of(root);
    let inside = inside(graph, node);
    let edges: Vec<Edge<'_>> = match direction {
        // What the members of a type call of each other is nobody's call of the type; what calls itself is.
        Direction::Callers => {
            let incoming = inside.iter().flat_map(|&ix| graph.incoming(ix));
            incoming.filter(|edge| edge.target == node || !inside.contains(&edge.source)).collect()
        }
        Direction::Callees => inside.iter().flat_map(|&ix| graph.outgoing(ix)).collect(),
    };
    // Who makes one of a class calls the class and what makes it, in one call.
    let own: BTreeSet<(NodeIx, u32)> = edges
        .iter()
        .filter(|edge| edge.kind == EdgeKind::Calls && edge.target == node)
        .flat_map(|edge| edge.lines.iter().map(|&line| (edge.source, line)))
        .collect();
    let is_told = |edge: &Edge<'_>, line: u32| {
        direction == Direction::Callers
            && edge.target != node
            && makes(graph, edge.target, node)
            && own.contains(&(edge.source, line))
    };
    for edge in edges.iter().filter(|edge| edge.kind == EdgeKind::Calls) {
        let other = graph.node(match direction {
            Direction::Callers => edge.source,
            Direction::Callees => edge.target,
        });
        // A call is written in its source's file.
        let path = graph.node(edge.source).path();
        // One line may be certain and the next a guess.
        for (line, evidence) in edge.sites().filter(|&(line, _)| !is_told(edge, line)) {
            let candidates = match evidence {
                Evidence::Inferred { candidates } => Some(u32::from(candidates)),
                _ => None,
            };
            let call = Call {
                node_id: other.id().to_owned(),
                label: other.label().to_owned(),
                kind: other.kind().name(),
                file_path: path.to_owned(),
                line,
                source: files.line(path, line),
                evidence: evidence.name(),
                candidates,
                by: (direction == Direction::Callees && edge.source != node)
                    .then(|| graph.node(edge.source).id().to_owned()),
                member: (direction == Direction::Callers && edge.target != node)
                    .then(|| graph.node(edge.target).label().to_owned()),
            };
            found.push(((evidence.is_inferred(), call.member.is_some(), path.to_owned(), line), call));
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.node_id.cmp(&b.1.node_id)));
    found.into_iter().map(|(_, call)| call).collect()
}

/// A node and, where it is a type, everything in it: what a type does is what its members do, and who calls them calls it.
fn inside(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let mut found = vec![node];
    let mut at = 0;
    while graph.node(node).kind().is_type() && at < found.len() {
        let members = graph.members(found[at]).into_iter().filter(|ix| !found.contains(ix));
        found.extend(members.collect::<Vec<NodeIx>>());
        at += 1;
    }
    found
}

/// Where else calls of a node may come from.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Lead {
    /// base: calls of the method it overrides or implements (of Go, in an interface whose methods its type all has); class: it is a constructor, and its class is made so often;
    /// variant: the same for another build, which calls are taken to mean; value: it is handed on there; read: a member of that name is taken there and not called; route: it answers one; name: a call of that name whose target is not known.
    pub via: &'static str,
    /// The method, the user, the route or the caller.
    pub node_id: String,
    /// For base, class and variant: how many calls that one has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
    /// For the others: where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Leads beyond this are a search of their own.
const MAX_LEADS: usize = 8;

/// Calls that may reach a node without naming it.
pub fn leads(graph: &Graph, node: NodeIx) -> Vec<Lead> {
    let mut found = Vec::new();
    let lead = |via, ix: NodeIx| {
        let calls = graph.incoming(ix).filter(|edge| edge.kind == EdgeKind::Calls);
        let calls = calls.map(|edge| edge.lines.len().max(1) as u64).sum();
        Lead { via, node_id: graph.node(ix).id().to_owned(), calls: Some(calls), at: None }
    };
    found.extend(graph.overridden(node).into_iter().map(|base| lead("base", base)));
    found.extend(graph.promised(node).into_iter().map(|base| lead("base", base)));
    found.extend(constructed(graph, node).map(|class| lead("class", class)));
    found.extend(variants(graph, node).into_iter().map(|other| lead("variant", other)));
    if graph.node(node).kind().is_callable() {
        for edge in graph.incoming(node) {
            let via = match edge.kind {
                EdgeKind::References => "value",
                EdgeKind::Routes => "route",
                _ => continue,
            };
            let user = graph.node(edge.source);
            let at = edge.lines.first().map(|line| format!("{}:{line}", user.path()));
            found.push(Lead { via, node_id: user.id().to_owned(), calls: None, at });
        }
    }
    found.truncate(MAX_LEADS);
    found
}

/// The class of a constructor: where several could be meant, `new` is known to make the class, not by which of them.
fn constructed(graph: &Graph, node: NodeIx) -> Option<NodeIx> {
    let owner = graph.owner(node)?;
    let label = graph.node(node).label();
    let is_constructor = label == "constructor" || label == graph.node(owner).label();
    let is_called = graph.incoming(owner).any(|edge| edge.kind == EdgeKind::Calls);
    (is_constructor && is_called && graph.node(node).kind().is_callable()).then_some(owner)
}

/// What a package of Go defines under the same name for builds that exclude this one, and calls lead to.
fn variants(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    let asked = graph.node(node);
    if asked.language() != "go" || !asked.kind().is_callable() {
        return Vec::new();
    }
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let named = graph.nodes_by_label(asked.label()).iter().map(|&at| NodeIx(at));
    let is_variant = |other: &NodeIx| {
        let (found, is_called) =
            (graph.node(*other), graph.incoming(*other).any(|edge| edge.kind == EdgeKind::Calls));
        is_called
            && found.path() != asked.path()
            && found.qualified() == asked.qualified()
            && (found.language(), found.kind()) == (asked.language(), asked.kind())
            && folder(found.path()) == folder(asked.path())
    };
    named.filter(is_variant).collect()
}

type Rank = (bool, bool, String, u32);

/// Files are read once for all the lines that are shown of them.
pub(super) struct Files<'a> {
    root: &'a Root,
    texts: BTreeMap<String, Option<TextFile>>,
}

/// Longer source lines are cut: the place is what matters.
const MAX_SOURCE_BYTES: usize = 160;

impl<'a> Files<'a> {
    pub(super) fn of(root: &'a Root) -> Self {
        Self { root, texts: BTreeMap::new() }
    }

    /// A file and its text; nothing where it cannot be read as text.
    pub(super) fn file(&mut self, path: &str) -> Option<&TextFile> {
        let root = self.root;
        let file = self.texts.entry(path.to_owned()).or_insert_with(|| {
            let path = root.relative(path).ok()?;
            read::text(root, &path, MAX_FILE_BYTES).ok()
        });
        file.as_ref()
    }

    pub(super) fn line(&mut self, path: &str, line: u32) -> String {
        let at = usize::try_from(line).unwrap_or_default().saturating_sub(1);
        let line = self.file(path).and_then(|file| file.text.lines().nth(at)).unwrap_or_default().trim();
        line[..line.floor_char_boundary(MAX_SOURCE_BYTES)].to_owned()
    }
}
