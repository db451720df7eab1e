//! Small graphs written as text, for the tests of this crate.

use proptest::prelude::*;

use crate::{EdgeKind, EdgeSpec, Evidence, Graph, GraphBuilder, Handle, NodeKind, NodeSpec};

/// Lines of `source kind target`; every name becomes a function of its own file.
pub(crate) fn graph(text: &str) -> Graph {
    let mut builder = GraphBuilder::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let source = named(&mut builder, words[0]);
        let target = named(&mut builder, words[2]);
        let kind = EdgeKind::parse(words[1]).expect("a kind of edge");
        builder.edge(EdgeSpec::new(source, kind, target, Evidence::Resolved));
    }
    builder.finish(1)
}

fn named(builder: &mut GraphBuilder, name: &str) -> Handle {
    let path = format!("src/{name}.rs");
    let mut spec = NodeSpec::new(NodeKind::Function, format!("function::{path}::{name}"), name);
    spec.qualified = name.to_owned();
    spec.path = path;
    spec.line_start = 1;
    spec.line_end = 9;
    builder.node(spec)
}

/// Nodes and edges in some order, as a builder would be given them.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub nodes: Vec<NodeSpec>,
    pub edges: Vec<(usize, usize, EdgeKind, Evidence, u32)>,
}

impl Parts {
    pub(crate) fn build(&self) -> Graph {
        let mut builder = GraphBuilder::new();
        let handles: Vec<Handle> = self.nodes.iter().map(|node| builder.node(node.clone())).collect();
        for &(source, target, kind, evidence, line) in &self.edges {
            builder.edge(EdgeSpec::new(handles[source], kind, handles[target], evidence).at_line(line));
        }
        builder.finish(7)
    }
}

/// Any small graph: odd names, several nodes a file, repeated edges.
pub(crate) fn parts() -> impl Strategy<Value = Parts> {
    let node = ("[a-cö]{0,3}", 0..4_u8, 0..30_u32, 0..30_u32, prop::option::of(0..5_u32), "[xy ]{0,2}");
    prop::collection::vec(node, 1..12).prop_flat_map(|raw| {
        let nodes: Vec<NodeSpec> = raw
            .into_iter()
            .enumerate()
            .map(|(at, (label, file, start, len, commits, tag))| {
                let kind = NodeKind::ALL[at % NodeKind::ALL.len()];
                let mut spec = NodeSpec::new(kind, format!("{}::f{file}::{label}{at}", kind.name()), label);
                spec.path = format!("dir{}/f{file}", file % 2);
                spec.qualified = format!("outer.{}", spec.label);
                spec.line_start = start;
                spec.line_end = start + len;
                spec.tags = if tag.is_empty() { Vec::new() } else { vec![tag] };
                spec.history = commits.map(|commits| crate::History {
                    changed_at: m1nd_stdx::clock::UnixMs(i64::from(commits) - 2),
                    commits,
                    ..Default::default()
                });
                spec
            })
            .collect();
        let count = nodes.len();
        let evidence = prop_oneof![
            Just(Evidence::Precise),
            Just(Evidence::Resolved),
            (0..4_u16).prop_map(|candidates| Evidence::Inferred { candidates }),
        ];
        let edge = (0..count, 0..count, 0..EdgeKind::ALL.len(), evidence, 0..9_u32)
            .prop_map(|(source, target, kind, how, line)| (source, target, EdgeKind::ALL[kind], how, line));
        prop::collection::vec(edge, 0..30).prop_map(move |edges| Parts { nodes: nodes.clone(), edges })
    })
}

proptest! {
    #[test]
    fn the_order_of_building_does_not_show(parts in parts(), seed in any::<u64>()) {
        let mut other = parts.clone();
        let count = other.nodes.len();
        let turn = (seed as usize) % count;
        other.nodes.rotate_left(turn);
        for edge in &mut other.edges {
            edge.0 = (edge.0 + count - turn) % count;
            edge.1 = (edge.1 + count - turn) % count;
        }
        other.edges.reverse();
        prop_assert_eq!(parts.build(), other.build());
    }

    #[test]
    fn a_graph_taken_apart_and_built_again_is_equal(parts in parts()) {
        let graph = parts.build();
        prop_assert_eq!(GraphBuilder::from_graph(&graph).finish(1), graph);
    }

    #[test]
    fn every_edge_is_found_from_both_ends_and_only_once(parts in parts()) {
        let graph = parts.build();
        let forward: usize = graph.nodes().map(|n| graph.outgoing(n.ix()).len()).sum();
        let backward: usize = graph.nodes().map(|n| graph.incoming(n.ix()).len()).sum();
        prop_assert_eq!((forward, backward), (graph.edge_count(), graph.edge_count()));
        for edge in graph.edges() {
            prop_assert_eq!(graph.edge_between(edge.source, edge.kind, edge.target), Some(edge.ix));
            prop_assert!(graph.incoming(edge.target).any(|e| e.ix == edge.ix));
            prop_assert!(edge.lines.is_sorted_by(|a, b| a < b));
        }
        for &(from, to, kind, _, line) in &parts.edges {
            let (source, target) = (from, to);
            let source = graph.node_by_id(&parts.nodes[source].id).expect("a source");
            let target = graph.node_by_id(&parts.nodes[target].id).expect("a target");
            let edge = graph.edge(graph.edge_between(source, kind, target).expect("an edge"));
            let there = parts.edges.iter().filter(|other| (other.0, other.1, other.2, other.4) == (from, to, kind, line));
            let best = there.map(|other| other.3).reduce(Evidence::strongest);
            let known = edge.sites().find(|(at, _)| *at == line).map(|(_, evidence)| evidence);
            prop_assert!(line == 0 || known == best);
        }
    }
}
