//! Tainted: the ways from where input comes in to dangerous calls, in the workspace.

use std::collections::BTreeMap;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_risk::taint::{self, Imported, Sink};

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
    let starts: Vec<NodeIx> = entries.particles.keys().copied().collect();
    let before = taint::reached(graph, &starts);
    let mut found = Tainted::default();
    let mut imported: BTreeMap<&str, Imported> = BTreeMap::new();
    // A file is an entry where a handler without a name stands among its statements.
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
        let source = match graph.node(node).kind() {
            NodeKind::File => words.statements(graph, path),
            _ => words.body(graph, node),
        };
        let Some(source) = source else { continue };
        for (sink, after) in taint::sinks(language, &source, &imported[path]) {
            let nodes = taint::way(&before, node);
            let mut boundaries: Vec<String> = Vec::new();
            for &step in &nodes {
                let names = words.body(graph, step).map(|body| taint::boundaries(&body)).unwrap_or_default();
                // A function is called what it is, which is no look at its input.
                let own = graph.node(step).label();
                boundaries.extend(names.into_iter().filter(|name| name != own));
            }
            let line = graph.node(node).lines().0 + u32::try_from(after).unwrap_or_default();
            found.paths.push(Path { sink, line, nodes, boundaries });
        }
    }
    found.paths.sort_by(|a, b| {
        let particles = |path: &Path| path.nodes.first().and_then(|entry| entries.particles.get(entry));
        let is_program = |path: &Path| particles(path).is_some_and(|&count| count == ONCE);
        let key = |path: &Path| (!path.boundaries.is_empty(), is_program(path), path.sink, path.nodes.len());
        key(a).cmp(&key(b)).then_with(|| a.nodes.cmp(&b.nodes))
    });
    Ok(found)
}
