//! Tainted: the ways from where input comes in to dangerous calls, in the workspace.

use std::collections::BTreeMap;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_risk::taint::{self, Imported, Sink};

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
    /// Calls on the way whose names say that they look at input.
    pub boundaries: Vec<String>,
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
        let mut on_the_way: Vec<String> = Vec::new();
        for (&step, &next) in steps {
            on_the_way.extend(handlers.boundaries(&mut words, step, Some(next)));
        }
        for piece in handlers.pieces(&mut words, node) {
            for (sink, after) in taint::sinks(language, &piece.source, &imported[path]) {
                let own = if piece.is_merged { Vec::new() } else { taint::boundaries(&piece.given) };
                // A function is called what it is, which is no look at its input.
                let is_other = |name: &String| name != graph.node(node).label();
                let boundaries = on_the_way.iter().cloned().chain(own.into_iter().filter(is_other)).collect();
                let line = piece.line + u32::try_from(after).unwrap_or_default();
                found.paths.push(Path { sink, line, nodes: nodes.clone(), boundaries });
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
