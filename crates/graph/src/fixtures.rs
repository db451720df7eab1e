//! Fixtures: what tests are given because they ask for it by its name, and who asks.

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::node::{Node, NodeFlags};

/// Begins a tag of what is given to tests under a name.
pub const GIVES: &str = "gives:";
/// Begins a tag of what asks for something by its name without a parameter: a test, or a class or a file for all of
/// its tests.
pub const ASKS: &str = "asks:";
/// Begins a tag of a file that prepares tests on some lines for those of a block: `sets_up:3-5:1-40`.
pub const SETS_UP: &str = "sets_up:";

/// Everything of one name, in graph order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixture {
    pub given_by: Vec<NodeIx>,
    /// By a parameter or by a tag.
    pub asked_by: Vec<NodeIx>,
}

/// By name.
pub(crate) type Fixtures = FxHashMap<Box<str>, Fixture>;

impl Graph {
    /// What is given to tests under a name. All names are looked for once a graph.
    pub fn fixture(&self, name: &str) -> Option<&Fixture> {
        self.fixtures(|| all(self)).get(name)
    }

    /// Every node whose path begins like this.
    pub fn nodes_below(&self, start: &str) -> impl DoubleEndedIterator<Item = NodeIx> + use<> {
        let columns = self.columns();
        let paths = &*columns.path;
        let first = paths.partition_point(|&path| columns.str(path) < start);
        let len = paths[first..].partition_point(|&path| columns.str(path).starts_with(start));
        (first as u32..(first + len) as u32).map(NodeIx)
    }
}

/// Whether a node asks for something by its name, by a parameter or by a tag.
pub fn asks_for(node: Node<'_>, name: &str) -> bool {
    let is_given = node.kind().is_callable() && node.flags().has(NodeFlags::TEST_CODE);
    is_given && parameters(node.signature()).any(|one| one == name)
        || node.tags().any(|tag| tag.strip_prefix(ASKS) == Some(name))
}

fn all(graph: &Graph) -> Fixtures {
    let mut found = Fixtures::default();
    let tagged: Vec<(Node<'_>, &str)> =
        graph.nodes().flat_map(|node| node.tags().map(move |tag| (node, tag))).collect();
    for (node, name) in tagged.iter().filter_map(|(node, tag)| Some((node, tag.strip_prefix(GIVES)?))) {
        found.entry(name.into()).or_default().given_by.push(node.ix());
    }
    if found.is_empty() {
        return found;
    }
    let mut ask = |name: &str, node: Node<'_>| {
        if let Some(fixture) = found.get_mut(name)
            && fixture.asked_by.last() != Some(&node.ix())
        {
            fixture.asked_by.push(node.ix());
        }
    };
    let asks = |node: &Node<'_>| {
        node.flags().has(NodeFlags::TEST_CODE) && node.kind().is_callable() && node.language() == "python"
    };
    for node in graph.nodes().filter(asks) {
        parameters(node.signature()).for_each(|name| ask(name, node));
    }
    for (node, name) in tagged.iter().filter_map(|(node, tag)| Some((node, tag.strip_prefix(ASKS)?))) {
        ask(name, *node);
    }
    for fixture in found.values_mut() {
        fixture.asked_by.sort_unstable();
        fixture.asked_by.dedup();
    }
    found
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
    use crate::{GraphBuilder, NodeKind, NodeSpec};

    #[test]
    fn parameters_are_named_without_types_and_defaults() {
        let names = |signature| parameters(signature).collect::<Vec<_>>();
        assert_eq!(names("def f(a, b: dict[str, int] = {}, *, c=(1, 2)) -> x(y)")[..4], ["a", "b", "", "c"]);
        assert_eq!(names("class A"), [""]);
    }

    #[test]
    fn who_gives_and_who_asks_is_found_by_name() {
        let mut builder = GraphBuilder::new();
        let mut add = |kind: NodeKind, path: &str, label: &str, signature: &str, tags: &[&str]| {
            let mut spec = NodeSpec::new(kind, format!("{path}::{label}"), label);
            (spec.path, spec.signature, spec.language) = (path.into(), signature.into(), "python".into());
            spec.flags = NodeFlags::TEST_CODE;
            spec.tags = tags.iter().map(|&tag| tag.to_owned()).collect();
            builder.node(spec);
        };
        add(NodeKind::Function, "t/conftest.py", "db", "def db(tmp)", &["gives:db"]);
        add(NodeKind::Class, "t/test_a.py", "TestA", "class TestA", &["asks:db"]);
        add(NodeKind::Test, "t/test_b.py", "test_b", "def test_b(other, db=None)", &["asks:db"]);
        add(NodeKind::Test, "u/test_c.py", "test_c", "def test_c(dbx)", &[]);
        let graph = builder.finish(1);
        let names = |list: &[NodeIx]| list.iter().map(|&ix| graph.node(ix).label()).collect::<Vec<_>>();
        let db = graph.fixture("db").expect("it is given");
        assert_eq!((names(&db.given_by), names(&db.asked_by)), (vec!["db"], vec!["TestA", "test_b"]));
        assert_eq!(graph.fixture("dbx"), None);
        assert_eq!(names(&graph.nodes_below("t/").collect::<Vec<_>>()), ["db", "TestA", "test_b"]);
    }
}
