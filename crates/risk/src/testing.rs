//! Small graphs for tests, drawn as text.

use m1nd_graph::{EdgeKind, EdgeSpec, Evidence, Graph, GraphBuilder, NodeFlags, NodeIx, NodeKind, NodeSpec};

/// Each line is `source kind target`, with `?3` after it for a guess among three. Nodes are functions of the file `NAME.rs`;
/// names that end in `.rs` are files, those that begin with `test_` are tests, those that begin with a capital are classes. What
/// stands before a dot is no part of the label.
pub(crate) fn graph(text: &str) -> Graph {
    let mut builder = GraphBuilder::new();
    for line in text.lines() {
        for name in line.split_whitespace().step_by(2).take(2) {
            if builder.find(name).is_none() {
                builder.node(spec(name));
            }
        }
    }
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [source, kind, target, ref guess @ ..] = words[..] else { continue };
        let kind = EdgeKind::parse(kind).expect("a kind of edge");
        let evidence = match guess.first().and_then(|guess| guess.strip_prefix('?')) {
            Some(count) => Evidence::Inferred { candidates: count.parse().expect("a number") },
            None => Evidence::Resolved,
        };
        let ends = (builder.find(source).expect("added"), builder.find(target).expect("added"));
        builder.edge(EdgeSpec::new(ends.0, kind, ends.1, evidence).at_line(1));
    }
    builder.finish(1)
}

fn spec(name: &str) -> NodeSpec {
    let kind = match name {
        _ if name.ends_with(".rs") => NodeKind::File,
        _ if name.starts_with("test_") => NodeKind::Test,
        _ if name.starts_with(char::is_uppercase) => NodeKind::Class,
        _ => NodeKind::Function,
    };
    let label = if kind == NodeKind::File { name } else { name.rsplit('.').next().unwrap_or(name) };
    let mut spec = NodeSpec::new(kind, name, label);
    spec.qualified = name.to_owned();
    spec.path = if kind == NodeKind::File { name.to_owned() } else { format!("{name}.rs") };
    (spec.line_start, spec.line_end) = (1, 2);
    spec.language = "rust".to_owned();
    if kind == NodeKind::Test {
        spec.flags = NodeFlags::TEST_CODE;
    }
    spec
}

pub(crate) fn at(graph: &Graph, name: &str) -> NodeIx {
    graph.node_by_id(name).expect("a node of the test")
}
