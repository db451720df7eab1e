//! Small graphs for tests, drawn as text.

use m1nd_graph::{EdgeKind, EdgeSpec, Evidence, Graph, GraphBuilder, NodeIx, NodeKind, NodeSpec};

/// Each line is `source kind target`; nodes are functions named as in the text, in the file `NAME.rs`; names
/// that end in `.rs` or `.md` are files, `Name` is a class and `Name.part` a method. `calls?3` is a guess among three.
pub(crate) fn graph(text: &str) -> Graph {
    let mut builder = GraphBuilder::new();
    for name in text.lines().flat_map(|line| line.split_whitespace().step_by(2)) {
        if builder.find(name).is_none() {
            builder.node(spec(name));
        }
    }
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [source, kind, target] = words[..] else { continue };
        let inhibitory = kind.starts_with('-');
        let (kind, among) = kind.split_once('?').unwrap_or((kind, ""));
        let evidence = match among.parse() {
            Ok(candidates) => Evidence::Inferred { candidates },
            Err(_) => Evidence::Resolved,
        };
        let kind = EdgeKind::parse(kind.trim_start_matches('-')).expect("a kind of edge");
        let ends = (builder.find(source).expect("added"), builder.find(target).expect("added"));
        let mut edge = EdgeSpec::new(ends.0, kind, ends.1, evidence);
        edge.inhibitory = inhibitory;
        builder.edge(edge);
    }
    builder.finish(1)
}

pub(crate) fn spec(name: &str) -> NodeSpec {
    let is_file = name.ends_with(".rs") || name.ends_with(".md");
    let method = name.split_once('.').filter(|_| !is_file).map(|(_, method)| method);
    let kind = match method {
        _ if is_file => NodeKind::File,
        Some(_) => NodeKind::Method,
        None if name.starts_with(char::is_uppercase) => NodeKind::Class,
        None => NodeKind::Function,
    };
    let mut spec = NodeSpec::new(kind, name, method.unwrap_or(name));
    spec.path = if is_file { name.to_owned() } else { format!("{name}.rs") };
    (spec.line_start, spec.line_end) = (1, 2);
    spec
}

pub(crate) fn at(graph: &Graph, name: &str) -> NodeIx {
    graph.node_by_id(name).expect("a node of the test")
}

/// `name value` for each, with two decimals.
pub(crate) fn shown(graph: &Graph, active: &[(NodeIx, f32)]) -> String {
    let each = active.iter().map(|&(node, value)| format!("{} {value:.2}", graph.node(node).id()));
    let mut each: Vec<String> = each.collect();
    each.sort();
    each.join(", ")
}
