//! Tainted: the ways from where input comes in to dangerous calls, in the workspace.

use std::collections::BTreeMap;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_risk::taint::{self, Imported, Sink};

use super::guards::{Before, Guards, Place};
use super::handlers::Handlers;
use super::immunity::Words;
use super::turbulence::{Entries, ONCE, is_product};
use crate::ctx::Ctx;
use crate::faults;

/// A way to a dangerous call.
#[derive(Clone, Debug)]
pub struct Path {
    pub sink: Sink,
    /// The line of the call, in the last node's file.
    pub line: u32,
    /// The entry first.
    pub nodes: Vec<NodeIx>,
    /// Calls on every way to it whose names say that they look at input.
    pub boundaries: Vec<String>,
    /// The same on some ways, or in an order that is not known.
    pub perhaps: Vec<String>,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Tainted {
    /// Without a boundary first; then those from what others start before those from programs, the worst kind, the shortest way.
    pub paths: Vec<Path>,
    /// Functions that entries reach.
    pub reached: usize,
    /// Languages in which dangerous calls are not known, and how many such functions were reached.
    pub unknown: BTreeMap<String, usize>,
}

/// Looks at every function that entries reach.
pub fn trace(ctx: &Ctx<'_>, graph: &Graph, entries: &Entries) -> Result<Tainted, Fault> {
    let mut words = Words::of(ctx.workspace()?.root());
    let mut handlers = Handlers::of(graph, entries);
    let mut guards = Guards::default();
    let starts: Vec<NodeIx> = entries.particles.keys().copied().collect();
    let before = taint::reached(graph, &starts);
    let mut found = Tainted::default();
    let mut imported: BTreeMap<&str, Imported> = BTreeMap::new();
    // A file is an entry where a handler without a name stands in it.
    let is_looked_at = |ix: &&NodeIx| {
        let node = graph.node(**ix);
        let has_handlers = node.kind() == NodeKind::File && entries.particles.contains_key(*ix);
        (node.kind().is_callable() || has_handlers) && is_product(&node)
    };
    for &node in before.keys().filter(is_looked_at) {
        if let Some(stop) = ctx.cancel().stop() {
            return Err(faults::stopped(stop));
        }
        found.reached += 1;
        let language = graph.node(node).language();
        if !taint::knows(language) {
            *found.unknown.entry(language.to_owned()).or_default() += 1;
            continue;
        }
        let path = graph.node(node).path();
        if !imported.contains_key(path) {
            let known = words.text(path).map(|text| Imported::of(language, text)).unwrap_or_default();
            imported.insert(path, known);
        }
        let nodes = taint::way(&before, node);
        // What the functions before this one look at: a call from a handler without a name is guarded by what that handler has.
        let steps = nodes.iter().zip(nodes.iter().skip(1));
        let mut on_the_way = Before::default();
        for (&step, &next) in steps {
            on_the_way.add(handlers.boundaries(&mut words, &mut guards, step, next));
        }
        let own = match graph.node(node).kind() {
            NodeKind::File => "",
            _ => graph.node(node).label(),
        };
        for piece in handlers.pieces(&mut words, node) {
            for call in taint::sinks(language, &piece.source, &imported[path]) {
                let line = piece.line + u32::try_from(call.after).unwrap_or_default();
                let mut before = on_the_way.clone();
                if let Some(part) = &piece.part {
                    let place = Place::Line(line, &call.name);
                    before.add(guards.before(&mut words, path, part, own, &place));
                }
                found.paths.push(Path {
                    sink: call.sink,
                    line,
                    nodes: nodes.clone(),
                    boundaries: before.always,
                    perhaps: before.perhaps,
                });
            }
        }
    }
    found.paths.sort_by(|a, b| {
        let particles = |path: &Path| path.nodes.first().and_then(|entry| entries.particles.get(entry));
        let is_program = |path: &Path| particles(path).is_some_and(|&count| count == ONCE);
        let key = |path: &Path| (!path.boundaries.is_empty(), is_program(path), path.sink, path.nodes.len());
        key(a).cmp(&key(b)).then_with(|| a.nodes.cmp(&b.nodes)).then_with(|| a.line.cmp(&b.line))
    });
    Ok(found)
}
