//! Harness: who runs test code that nothing calls: the test around it, the tests it is set up for, those that ask for it by name.

use std::ops::RangeInclusive;

use m1nd_graph::fixtures::{Fixture, GIVES, SETS_UP};
use m1nd_graph::{Edge, EdgeKind, Graph, Node, NodeFlags, NodeIx, NodeKind};

use crate::blast::is_test;

/// Run before or after each test of their class, whatever the language.
const OF_CLASS: [&str; 12] = [
    "setUp",
    "tearDown",
    "setUpClass",
    "tearDownClass",
    "setUpTestData",
    "asyncSetUp",
    "asyncTearDown",
    "setup_method",
    "teardown_method",
    "setup_class",
    "teardown_class",
    "SetUp",
];
/// The same for all tests of a file.
const OF_FILE: [&str; 6] = [
    "setUpModule",
    "tearDownModule",
    "setup_module",
    "teardown_module",
    "setup_function",
    "teardown_function",
];
/// Classes below a class that are looked through.
const MAX_HEIRS: usize = 200;
/// More tests than these are not named by any answer.
const MOST: usize = 500;

/// What runs a node of test code, beyond its callers.
pub(crate) fn run_by(graph: &Graph, ix: NodeIx) -> Vec<NodeIx> {
    let node = graph.node(ix);
    let (is_callable, is_type) = (node.kind().is_callable(), node.kind().is_type());
    if !node.flags().has(NodeFlags::TEST_CODE) || !(is_callable || is_type) || is_test(graph, ix) {
        return Vec::new();
    }
    let around = graph.parent(ix).filter(|&around| {
        let kind = graph.node(around).kind();
        kind.is_callable() || kind.is_type() || kind == NodeKind::Test
    });
    let mut found: Vec<NodeIx> = around.into_iter().collect();
    if !is_callable {
        return found;
    }
    match around.filter(|&around| graph.node(around).kind().is_type()) {
        Some(class) if OF_CLASS.contains(&node.label()) => found.extend(tests_of_class(graph, class)),
        None if OF_FILE.contains(&node.label()) => found.extend(tests_of_file(graph, node.path())),
        class if node.flags().has(NodeFlags::FOR_ALL_TESTS) => {
            found.extend(asking(graph, node, class));
            match (class, folder_of(node.path())) {
                (Some(class), _) => found.extend(tests_of_class(graph, class)),
                (None, Some(folder)) => {
                    found.extend(graph.nodes_below(folder).filter(|&other| is_test(graph, other)).take(MOST));
                }
                (None, None) => found.extend(tests_of_file(graph, node.path())),
            }
            found.sort_unstable();
            found.dedup();
        }
        class => found.extend(asking(graph, node, class)),
    }
    found.truncate(MOST);
    found
}

/// The tests that a relation is for which is written in a file and not in one of its definitions: a hook on these lines is run for
/// them.
pub(crate) fn set_up_by(graph: &Graph, edge: &Edge<'_>) -> Vec<NodeIx> {
    let file = graph.node(edge.source);
    if file.kind() != NodeKind::File || !file.flags().has(NodeFlags::TEST_CODE) {
        return Vec::new();
    }
    let hooks = file.tags().filter_map(|tag| {
        let (own, block) = tag.strip_prefix(SETS_UP)?.split_once(':')?;
        let own = lines(own)?;
        edge.lines.iter().any(|line| own.contains(line)).then(|| lines(block))?
    });
    let blocks: Vec<RangeInclusive<u32>> = hooks.collect();
    if blocks.is_empty() {
        return Vec::new();
    }
    let is_in = |test: &NodeIx| {
        let start = graph.node(*test).lines().0;
        blocks.iter().any(|block| block.contains(&start))
    };
    tests_of_file(graph, file.path()).filter(is_in).take(MOST).collect()
}

fn lines(text: &str) -> Option<RangeInclusive<u32>> {
    let (first, last) = text.split_once('-')?;
    Some(first.parse().ok()?..=last.parse().ok()?)
}

fn tests_of_file(graph: &Graph, path: &str) -> impl Iterator<Item = NodeIx> {
    graph.nodes_in(path).filter(|&ix| is_test(graph, ix))
}

/// The tests of a class and of those that inherit from it.
fn tests_of_class(graph: &Graph, class: NodeIx) -> Vec<NodeIx> {
    let classes = with_heirs(graph, class).into_iter();
    let members = classes.flat_map(|class| graph.targets(class, EdgeKind::Contains).collect::<Vec<_>>());
    members.filter(|&member| is_test(graph, member)).collect()
}

fn with_heirs(graph: &Graph, class: NodeIx) -> Vec<NodeIx> {
    let (mut classes, mut at) = (vec![class], 0);
    while at < classes.len() && classes.len() < MAX_HEIRS {
        let heirs: Vec<NodeIx> = graph.sources(classes[at], EdgeKind::Inherits).collect();
        let new: Vec<NodeIx> = heirs.into_iter().filter(|heir| !classes.contains(heir)).collect();
        classes.extend(new);
        at += 1;
    }
    classes
}

/// What asks for a fixture by its name: it is found by nothing else. One of a class is known in it and in its heirs, one of a
/// `conftest.py` in all of the folder, any other in its file.
fn asking(graph: &Graph, node: Node<'_>, class: Option<NodeIx>) -> Vec<NodeIx> {
    let mut found = Vec::new();
    for name in node.tags().filter_map(|tag| tag.strip_prefix(GIVES)) {
        let Some(Fixture { given_by, asked_by }) = graph.fixture(name) else { continue };
        let reach = Reach::of(graph, node, class);
        let others = given_by.iter().filter(|&&other| other != node.ix()).map(|&other| graph.node(other));
        let nearer: Vec<(NodeIx, Reach<'_>)> = others
            .map(|other| (other.ix(), Reach::of(graph, other, class_of(graph, other.ix()))))
            .filter(|(_, other)| other.is_within(graph, &reach))
            .collect();
        for &asker in asked_by.iter().filter(|&&asker| asker != node.ix() && reach.knows(graph, asker)) {
            // Who has the same name gives another one on, made of this.
            let is_given_another =
                |(other, place): &(NodeIx, Reach<'_>)| *other != asker && place.knows(graph, asker);
            if nearer.iter().any(is_given_another) {
                continue;
            }
            match graph.node(asker).kind() {
                kind if kind.is_type() => found.extend(tests_of_class(graph, asker)),
                NodeKind::File => found.extend(tests_of_file(graph, graph.node(asker).path())),
                _ => found.push(asker),
            }
            if found.len() >= MOST {
                return found;
            }
        }
    }
    found
}

/// The type that holds a node.
pub(crate) fn class_of(graph: &Graph, ix: NodeIx) -> Option<NodeIx> {
    graph.parent(ix).filter(|&around| graph.node(around).kind().is_type())
}

/// The folder whose tests know the fixtures of a file.
fn folder_of(path: &str) -> Option<&str> {
    path.strip_suffix("conftest.py").filter(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Where a fixture is known.
pub(crate) enum Reach<'g> {
    Folder(&'g str),
    File(&'g str),
    /// With those that inherit from it.
    Class(Vec<NodeIx>),
}

impl<'g> Reach<'g> {
    pub(crate) fn of(graph: &Graph, fixture: Node<'g>, class: Option<NodeIx>) -> Self {
        match (class, folder_of(fixture.path())) {
            (Some(class), _) => Self::Class(with_heirs(graph, class)),
            (None, Some(folder)) => Self::Folder(folder),
            (None, None) => Self::File(fixture.path()),
        }
    }

    pub(crate) fn knows(&self, graph: &Graph, asker: NodeIx) -> bool {
        let path = graph.node(asker).path();
        match self {
            Self::Folder(folder) => path.starts_with(folder),
            Self::File(file) => path == *file,
            Self::Class(classes) => {
                classes.contains(&asker)
                    || class_of(graph, asker).is_some_and(|class| classes.contains(&class))
            }
        }
    }

    /// Whether it is nearer to those who know it than one that is known further around.
    pub(crate) fn is_within(&self, graph: &Graph, wider: &Reach<'_>) -> bool {
        match (self, wider) {
            (Reach::Folder(own), Reach::Folder(folder)) => own.starts_with(folder) && own != folder,
            (Reach::File(path), Reach::Folder(folder)) => path.starts_with(folder),
            (Reach::Class(classes), Reach::Folder(_) | Reach::File(_)) => {
                classes.iter().any(|&class| wider.knows(graph, class))
            }
            (Reach::Folder(_) | Reach::File(_), Reach::File(_)) | (_, Reach::Class(_)) => false,
        }
    }
}
