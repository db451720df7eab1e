//! Namesakes: what else has a name, or answers to it.

use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::languages;

/// Nodes of a name in a family of languages; documents and whatever else is in no language have none.
pub fn namesakes<'g>(graph: &'g Graph, name: &str, family: &'g str) -> impl Iterator<Item = NodeIx> + 'g {
    let of_family = move |ix: &NodeIx| {
        let spoken = graph.node(*ix).language();
        languages::all().any(|language| language.name == spoken && language.family == family)
    };
    graph.nodes_by_label(name).iter().map(|&ix| NodeIx(ix)).filter(of_family)
}

/// Whether a module of Python answers for names that it does not have.
pub fn answers_for_any(graph: &Graph, path: &str) -> bool {
    path.ends_with(".py") && graph.nodes_in(path).any(|ix| graph.node(ix).qualified() == "__getattr__")
}
