//! Small graphs for tests, drawn as text.

use m1nd_graph::{EdgeKind, EdgeSpec, Evidence, Graph, GraphBuilder, NodeKind, NodeSpec};

/// Each line is `source kind target`; every name is a function in the file `NAME.rs`.
pub(crate) fn graph(text: &str) -> Graph {
    let mut builder = GraphBuilder::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [source, kind, target] = words[..] else { continue };
        let [source, target] = [source, target].map(|name| match builder.find(name) {
            Some(known) => known,
            None => {
                let mut spec = NodeSpec::new(NodeKind::Function, name, name);
                spec.path = format!("{name}.rs");
                (spec.line_start, spec.line_end) = (1, 2);
                builder.node(spec)
            }
        });
        let kind = EdgeKind::parse(kind).expect("a kind of edge");
        builder.edge(EdgeSpec::new(source, kind, target, Evidence::Resolved));
    }
    builder.finish(1)
}
