//! Handlers: functions without a name that answer routes, told apart where they stand in one file.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_ingest::course::Part;
use m1nd_ingest::inline::{self, Inline};

use super::guards::{Before, Guards, Place};
use super::immunity::Words;
use super::turbulence::Entries;

/// A part of a node's source that runs as one.
pub(super) struct Piece {
    pub source: String,
    /// Its first line.
    pub line: u32,
    /// What of the file runs in order, with what is given beside it, as checks before a handler are. Nothing where several things
    /// that run apart may be in it: then nothing in it guards the rest.
    pub part: Option<Part>,
}

/// The handlers of each file that is an entry because of them.
pub(super) struct Handlers<'g> {
    graph: &'g Graph,
    files: BTreeSet<NodeIx>,
    known: BTreeMap<String, Vec<Inline>>,
}

impl<'g> Handlers<'g> {
    pub fn of(graph: &'g Graph, entries: &Entries) -> Self {
        let is_file = |node: &NodeIx| graph.node(*node).kind() == NodeKind::File;
        let files = entries.particles.keys().copied().filter(is_file).collect();
        Self { graph, files, known: BTreeMap::new() }
    }

    /// What of a node is looked at, each part by itself.
    pub fn pieces(&mut self, words: &mut Words<'_>, node: NodeIx) -> Vec<Piece> {
        let graph = self.graph;
        let path = graph.node(node).path();
        let handlers = self.in_file(words, path).to_vec();
        let Some(text) = words.text(path).map(str::to_owned) else { return Vec::new() };
        if graph.node(node).kind() != NodeKind::File {
            let (first, _) = graph.node(node).lines();
            let rest = without(&text, &handlers);
            let source = lines_of(&rest, graph.node(node).lines());
            let (_, last) = graph.node(node).lines();
            return vec![Piece { source, line: first, part: Some(Part::Lines(first, last)) }];
        }
        let mut pieces: Vec<Piece> = handlers
            .iter()
            .map(|one| {
                let source = text[one.given.clone()].to_owned();
                Piece { source, line: one.line, part: Some(Part::Given(one.given.clone())) }
            })
            .collect();
        let statements = words.statements(graph, path).unwrap_or_default();
        // Lines are kept, so that places outside handlers stay what they are.
        let outside = without(&text, &handlers);
        let is_outside =
            |(own, rest): (&str, &str)| if own.is_empty() { String::new() } else { rest.to_owned() };
        let source: Vec<String> = statements.lines().zip(outside.lines()).map(is_outside).collect();
        pieces.push(Piece { source: source.join("\n"), line: 1, part: None });
        pieces
    }

    /// Calls that look at input before a call of `next`: those of the handlers that call it, if all of them do so, and otherwise
    /// those of the function.
    pub fn boundaries(
        &mut self,
        words: &mut Words<'_>,
        guards: &mut Guards,
        node: NodeIx,
        next: NodeIx,
    ) -> Before {
        let graph = self.graph;
        let (path, own) = (graph.node(node).path(), graph.node(node).label());
        let handlers = self.in_file(words, path).to_vec();
        let Some(text) = words.text(path).map(str::to_owned) else { return Before::default() };
        let edge = graph.edge_between(node, EdgeKind::Calls, next);
        let lines: Vec<u32> = edge.map(|edge| graph.edge(edge).lines.to_vec()).unwrap_or_default();
        let label = graph.node(next).label();
        let around: Vec<&Inline> =
            handlers.iter().filter(|one| lines.iter().any(|&line| covers(&text, one, line))).collect();
        if !around.is_empty() {
            let mut all = Before::default();
            let mut is_open = false;
            for one in around {
                let inside: Vec<u32> =
                    lines.iter().copied().filter(|&line| covers(&text, one, line)).collect();
                let part = Part::Given(one.given.clone());
                let found = guards.before(words, path, &part, "", &Place::Calls(label, &inside));
                is_open |= found.always.is_empty();
                all.always.extend(found.always);
                all.perhaps.extend(found.perhaps);
            }
            if is_open {
                all.perhaps.append(&mut all.always);
            }
            return all;
        }
        // What a file does may be anything that stands in it, and what makes a thing stands in its type.
        if graph.node(node).kind() == NodeKind::File || lines.is_empty() {
            return Before::default();
        }
        let (first, last) = graph.node(node).lines();
        guards.before(words, path, &Part::Lines(first, last), own, &Place::Calls(label, &lines))
    }

    /// The handlers of a file, none within another.
    fn in_file(&mut self, words: &mut Words<'_>, path: &str) -> &[Inline] {
        let graph = self.graph;
        let is_entry = graph.node_by_path(path).is_some_and(|file| self.files.contains(&file));
        self.known.entry(path.to_owned()).or_insert_with(|| {
            let Some(text) = words.text(path).filter(|_| is_entry) else { return Vec::new() };
            let routes = graph.nodes_in(path).filter(|&ix| {
                graph.node(ix).kind() == NodeKind::Route
                    && graph.targets(ix, EdgeKind::Routes).next().is_none()
            });
            let routes: Vec<(u32, u32)> = routes.map(|ix| graph.node(ix).lines()).collect();
            let is_of_route =
                |one: &Inline| routes.iter().any(|&(first, last)| (first..=last).contains(&one.line));
            let mut found: Vec<Inline> = Vec::new();
            for one in inline::functions(path, text.as_bytes()).into_iter().filter(is_of_route) {
                let is_inner = found.last().is_some_and(|outer| one.given.end <= outer.given.end);
                if !is_inner && text.get(one.given.clone()).is_some() {
                    found.push(one);
                }
            }
            found
        })
    }
}

/// Whether a line of a text lies in what is given to a call.
fn covers(text: &str, one: &Inline, line: u32) -> bool {
    let inside = text[one.given.clone()].matches('\n').count();
    let last = one.line.saturating_add(u32::try_from(inside).unwrap_or(u32::MAX));
    (one.line..=last).contains(&line)
}

/// A text with what is given to some calls left empty; its lines stay where they are.
fn without(text: &str, handlers: &[Inline]) -> String {
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for one in handlers {
        rest.push_str(&text[at..one.given.start]);
        rest.extend(text[one.given.clone()].chars().filter(|&letter| letter == '\n'));
        at = one.given.end;
    }
    rest.push_str(&text[at..]);
    rest
}

fn lines_of(text: &str, (first, last): (u32, u32)) -> String {
    let wanted = (last.saturating_sub(first) as usize).saturating_add(1);
    let lines = text.lines().skip(first.saturating_sub(1) as usize).take(wanted);
    lines.collect::<Vec<_>>().join("\n")
}
