//! Fixtures that go: who asks for one by its name and is given none of that name any more.

use m1nd_graph::fixtures::{Fixture, GIVES, asks_for};
use m1nd_graph::{EdgeKind, Graph, NodeIx};

use crate::harness::{Reach, class_of};

/// What pytest gives itself.
const BUILT_IN: [&str; 20] = [
    "cache",
    "capfd",
    "capfdbinary",
    "caplog",
    "capsys",
    "capsysbinary",
    "capteesys",
    "doctest_namespace",
    "monkeypatch",
    "pytestconfig",
    "pytester",
    "record_property",
    "record_testsuite_property",
    "record_xml_attribute",
    "recwarn",
    "request",
    "testdir",
    "tmp_path",
    "tmp_path_factory",
    "tmpdir",
];

/// Who asks for what a node of `before` gave, and finds nothing of that name in `after`: the name, and the node of `after` that asks.
pub fn without(before: &Graph, after: &Graph, gave: NodeIx) -> Vec<(String, NodeIx)> {
    let node = before.node(gave);
    let mut found = Vec::new();
    for name in node.tags().filter_map(|tag| tag.strip_prefix(GIVES)) {
        let gives = |tag: &str| tag.strip_prefix(GIVES) == Some(name);
        let stays = after.node_by_id(node.id()).is_some_and(|now| after.node(now).tags().any(gives));
        // One that is made of another of its name leaves that one.
        if stays || asks_for(node, name) || BUILT_IN.contains(&name) {
            continue;
        }
        let Some(Fixture { given_by, asked_by }) = before.fixture(name) else { continue };
        let reach = Reach::of(before, node, class_of(before, gave));
        let others = given_by.iter().copied().filter(|&other| other != gave);
        let nearer: Vec<(NodeIx, Reach<'_>)> = others
            .map(|other| (other, Reach::of(before, before.node(other), class_of(before, other))))
            .filter(|(_, other)| other.is_within(before, &reach))
            .collect();
        for &asker in asked_by.iter().filter(|&&asker| asker != gave && reach.knows(before, asker)) {
            let is_given_another =
                |(other, place): &(NodeIx, Reach<'_>)| *other != asker && place.knows(before, asker);
            if nearer.iter().any(is_given_another) {
                continue;
            }
            let Some(now) = after.node_by_id(before.node(asker).id()) else { continue };
            if asks_for(after.node(now), name) && !is_given(after, name, now) {
                found.push((name.to_owned(), now));
            }
        }
    }
    found
}

/// Whether something of a name may be given to who asks. Where a file imports a fixture it is known to others than those of its
/// own file.
fn is_given(graph: &Graph, name: &str, asker: NodeIx) -> bool {
    let Some(Fixture { given_by, .. }) = graph.fixture(name) else { return false };
    let is_imported = |ix: NodeIx| graph.incoming(ix).any(|edge| edge.kind == EdgeKind::Imports);
    given_by.iter().copied().filter(|&other| other != asker).any(|other| {
        let node = graph.node(other);
        Reach::of(graph, node, class_of(graph, other)).knows(graph, asker)
            || is_imported(other)
            || graph.node_by_path(node.path()).is_some_and(is_imported)
    })
}
