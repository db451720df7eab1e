//! Harness: who runs test code that nothing calls: the test around it, the tests it is set up for, those that ask for it by name.

use m1nd_graph::{EdgeKind, Graph, Node, NodeFlags, NodeIx, NodeKind};

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
        None if OF_FILE.contains(&node.label()) => {
            found.extend(graph.nodes_in(node.path()).filter(|&other| is_test(graph, other)));
        }
        class if node.flags().has(NodeFlags::FOR_ALL_TESTS) => {
            found.extend(asking(graph, node));
            match (class, node.path().strip_suffix("conftest.py")) {
                (Some(class), _) => found.extend(tests_of_class(graph, class)),
                (None, Some(folder)) => {
                    let below = graph.nodes().filter(|other| other.path().starts_with(folder));
                    found.extend(below.map(|other| other.ix()).filter(|&other| is_test(graph, other)));
                }
                (None, None) => {
                    found.extend(graph.nodes_in(node.path()).filter(|&other| is_test(graph, other)))
                }
            }
            found.sort_unstable();
            found.dedup();
        }
        _ if node.language() == "python" => found.extend(asking(graph, node)),
        _ => {}
    }
    found.truncate(MOST);
    found
}

/// The tests of a class and of those that inherit from it.
fn tests_of_class(graph: &Graph, class: NodeIx) -> Vec<NodeIx> {
    let (mut classes, mut at) = (vec![class], 0);
    while at < classes.len() && classes.len() < MAX_HEIRS {
        let heirs: Vec<NodeIx> = graph.sources(classes[at], EdgeKind::Inherits).collect();
        let new: Vec<NodeIx> = heirs.into_iter().filter(|heir| !classes.contains(heir)).collect();
        classes.extend(new);
        at += 1;
    }
    let members =
        classes.iter().flat_map(|&class| graph.targets(class, EdgeKind::Contains).collect::<Vec<_>>());
    members.filter(|&member| is_test(graph, member)).collect()
}

/// Test code of Python that has a parameter of the node's name: a fixture is found by nothing else. It is known in its
/// class or file, and one of a `conftest.py` in all of the folder.
fn asking(graph: &Graph, node: Node<'_>) -> Vec<NodeIx> {
    let asks = |ix: NodeIx| {
        let other = graph.node(ix);
        other.kind().is_callable() || other.kind() == NodeKind::Test
    };
    let has = |ix: &NodeIx| {
        let other = graph.node(*ix);
        *ix != node.ix()
            && asks(*ix)
            && other.flags().has(NodeFlags::TEST_CODE)
            // Most have no such parameter, which is told sooner than what they have.
            && other.signature().contains(node.label())
            && parameters(other.signature()).any(|name| name == node.label())
    };
    match node.path().strip_suffix("conftest.py") {
        Some(folder) => {
            let below = graph.nodes().filter(|other| other.path().starts_with(folder));
            let asking = below.map(|other| other.ix()).filter(has);
            let nearer = nearer_fixtures(graph, node, folder);
            let is_given_another = |&ix: &NodeIx| {
                let other = graph.node(ix);
                // Who has the same name gives another one on, made of this.
                other.label() != node.label() && nearer.iter().any(|place| place.knows(other.path()))
            };
            asking.filter(|ix| !is_given_another(ix)).collect()
        }
        None => graph.nodes_in(node.path()).filter(has).collect(),
    }
}

/// Where a fixture is known.
enum Reach<'g> {
    Folder(&'g str),
    File(&'g str),
}

impl Reach<'_> {
    fn knows(&self, path: &str) -> bool {
        match self {
            Self::Folder(folder) => path.starts_with(folder),
            Self::File(file) => path == *file,
        }
    }
}

/// Where others of a fixture's name, below its folder, are taken in its place.
fn nearer_fixtures<'g>(graph: &'g Graph, node: Node<'_>, folder: &str) -> Vec<Reach<'g>> {
    let named = graph.nodes_by_label(node.label()).iter().map(|&at| graph.node(NodeIx(at)));
    let is_other = |other: &Node<'_>| {
        other.path() != node.path()
            && other.path().starts_with(folder)
            && other.kind() == NodeKind::Function
            && other.flags().has(NodeFlags::TEST_CODE)
            && !is_test(graph, other.ix())
    };
    let reach = |other: Node<'g>| match other.path().strip_suffix("conftest.py") {
        Some(folder) => Reach::Folder(folder),
        None => Reach::File(other.path()),
    };
    named.filter(is_other).map(reach).collect()
}

/// The names of a function's parameters.
fn parameters(signature: &str) -> impl Iterator<Item = &str> {
    let inside = signature.split_once('(').map_or("", |(_, rest)| rest);
    let mut depth = 0_i32;
    let parts = inside.split(move |letter| {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        letter == ',' && depth == 0 || letter == ')' && depth < 0
    });
    parts.map(|part| {
        let part = part.trim_start();
        let end = part.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        &part[..end.unwrap_or(part.len())]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_named_without_types_and_defaults() {
        let names = |signature| parameters(signature).collect::<Vec<_>>();
        assert_eq!(names("def f(a, b: dict[str, int] = {}, *, c=(1, 2)) -> x(y)")[..4], ["a", "b", "", "c"]);
        assert_eq!(names("class A"), [""]);
    }
}
