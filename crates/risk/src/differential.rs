//! Differential: what one graph has that another has not, by id, with what moved told as moved.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::community;
use m1nd_graph::{EdgeKind, Graph, Node, NodeIx, NodeKind};

/// A relation by the ids of its ends, as the newer graph calls them.
pub type Relation = (String, EdgeKind, String);

/// A node under two ids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moved {
    pub from: String,
    pub to: String,
}

/// A node that callers see otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reshaped {
    pub id: String,
    pub was: String,
    pub is: String,
}

/// An edge whose learned weight differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Reweighted {
    pub relation: Relation,
    pub was: f32,
    pub is: f32,
}

/// How many relations join two communities.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupling {
    pub one: String,
    pub other: String,
    pub before: u32,
    pub after: u32,
}

/// All that differs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Differential {
    /// Ids; what more leads to comes first.
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub moved: Vec<Moved>,
    pub reshaped: Vec<Reshaped>,
    pub edges_added: Vec<Relation>,
    pub edges_removed: Vec<Relation>,
    /// The largest change first.
    pub reweighted: Vec<Reweighted>,
    /// The largest change first; only pairs that changed.
    pub coupling: Vec<Coupling>,
}

/// A smaller change of a weight is noise.
const MIN_WEIGHT: f32 = 0.01;
/// Beyond this communities cost more than they tell.
const MAX_NODES: usize = 400_000;

/// What changed from `old` to `new`, of nodes and relations that `counts` admits by id. Containment and common changes are no
/// relations here: ids tell the one, and history the other.
pub fn differential(old: &Graph, new: &Graph, counts: impl Fn(&str) -> bool) -> Differential {
    let moved = moved(old, new);
    let now = |id: &str| -> String { moved.get(id).copied().unwrap_or(id).to_owned() };
    let arrived: BTreeSet<&str> = moved.values().copied().collect();
    let mut found = Differential::default();
    let nodes = |graph: &Graph, other: &Graph, is_moved: &dyn Fn(&str) -> bool| -> Vec<String> {
        let mut nodes: Vec<Node<'_>> = graph
            .nodes()
            .filter(|node| is_told(node) && other.node_by_id(node.id()).is_none() && !is_moved(node.id()))
            .filter(|node| counts(node.id()))
            .collect();
        nodes.sort_by(|a, b| {
            (a.kind() != NodeKind::File)
                .cmp(&(b.kind() != NodeKind::File))
                .then_with(|| b.pagerank().cmp(&a.pagerank()))
                .then_with(|| a.id().cmp(b.id()))
        });
        nodes.into_iter().map(|node| node.id().to_owned()).collect()
    };
    found.added = nodes(new, old, &|id| arrived.contains(id));
    found.removed = nodes(old, new, &|id| moved.contains_key(id));
    for node in old.nodes() {
        let Some(there) = new.node_by_id(&now(node.id())).map(|ix| new.node(ix)) else { continue };
        let (was, is) = (node.signature(), there.signature());
        if node.kind().is_callable() && was != is && counts(there.id()) {
            let one = Reshaped { id: there.id().to_owned(), was: was.to_owned(), is: is.to_owned() };
            found.reshaped.push(one);
        }
    }
    found.reshaped.sort();
    let (before, after) = (relations(old, now), relations(new, str::to_owned));
    let is_meant = |relation: &&Relation| counts(&relation.0) || counts(&relation.2);
    found.edges_added =
        after.keys().filter(|one| !before.contains_key(*one)).filter(is_meant).cloned().collect();
    found.edges_removed =
        before.keys().filter(|one| !after.contains_key(*one)).filter(is_meant).cloned().collect();
    for (relation, &was) in before.iter().filter(|(relation, _)| is_meant(relation)) {
        if let Some(&is) = after.get(relation)
            && (is - was).abs() >= MIN_WEIGHT
        {
            found.reweighted.push(Reweighted { relation: relation.clone(), was, is });
        }
    }
    found.reweighted.sort_by(|a, b| {
        (b.is - b.was).abs().total_cmp(&(a.is - a.was).abs()).then_with(|| a.relation.cmp(&b.relation))
    });
    if new.node_count() <= MAX_NODES && (!found.edges_added.is_empty() || !found.edges_removed.is_empty()) {
        found.coupling = coupling(new, &found);
    }
    found.moved = moved
        .into_iter()
        .filter(|(_, to)| counts(to))
        .map(|(from, to)| Moved { from: from.to_owned(), to: to.to_owned() })
        .collect();
    found
}

/// How many nodes and relations of a graph are compared.
pub fn compared(graph: &Graph) -> (usize, usize) {
    (graph.nodes().filter(is_told).count(), relations(graph, str::to_owned).len())
}

/// Folders come and go with their files.
fn is_told(node: &Node<'_>) -> bool {
    !matches!(node.kind(), NodeKind::Directory | NodeKind::Repository)
}

/// Nodes that went under one id and came under another: the only ones of their kind, name and signature on both sides. A name that
/// nothing else tells apart, such as a file's `new`, is not enough.
fn moved<'g>(old: &'g Graph, new: &'g Graph) -> BTreeMap<&'g str, &'g str> {
    type Key<'g> = (NodeKind, &'g str, &'g str, &'g str);
    fn left<'g>(graph: &'g Graph, other: &Graph) -> BTreeMap<Key<'g>, Vec<&'g str>> {
        let mut left: BTreeMap<Key<'g>, Vec<&str>> = BTreeMap::new();
        for node in graph.nodes().filter(|node| is_told(node) && other.node_by_id(node.id()).is_none()) {
            let name = if node.qualified().is_empty() { node.label() } else { node.qualified() };
            left.entry((node.kind(), name, node.signature(), node.language())).or_default().push(node.id());
        }
        left
    }
    let (gone, came) = (left(old, new), left(new, old));
    let mut moved = BTreeMap::new();
    for (key, from) in &gone {
        if let ([from], Some([to])) = (&from[..], came.get(key).map(Vec::as_slice)) {
            moved.insert(*from, *to);
        }
    }
    moved
}

fn relations(graph: &Graph, name: impl Fn(&str) -> String) -> BTreeMap<Relation, f32> {
    let told = |kind| !matches!(kind, EdgeKind::Contains | EdgeKind::CoChanges);
    graph
        .edges()
        .filter(|edge| told(edge.kind))
        .map(|edge| {
            let id = |ix: NodeIx| name(graph.node(ix).id());
            ((id(edge.source), edge.kind, id(edge.target)), edge.weight.get())
        })
        .collect()
}

/// Relations between communities of the newer graph, where their number changed. What is gone belongs to the community of its file.
fn coupling(new: &Graph, found: &Differential) -> Vec<Coupling> {
    let communities = community::detect(new);
    let of = |id: &str| -> Option<u32> {
        let path = || id.split("::").nth(1).and_then(|path| new.node_by_path(path));
        let node = new.node_by_id(id).or_else(path)?;
        Some(communities.of_node[node.index()])
    };
    let pair = |relation: &Relation| {
        let (one, other) = (of(&relation.0)?, of(&relation.2)?);
        (one != other).then_some((one.min(other), one.max(other)))
    };
    let mut change: BTreeMap<(u32, u32), (u32, u32)> = BTreeMap::new();
    for relation in &found.edges_added {
        pair(relation).into_iter().for_each(|pair| change.entry(pair).or_default().0 += 1);
    }
    for relation in &found.edges_removed {
        pair(relation).into_iter().for_each(|pair| change.entry(pair).or_default().1 += 1);
    }
    change.retain(|_, (came, went)| came != went);
    let mut after: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for edge in new.edges() {
        let (one, other) =
            (communities.of_node[edge.source.index()], communities.of_node[edge.target.index()]);
        let pair = (one.min(other), one.max(other));
        if one != other
            && !matches!(edge.kind, EdgeKind::Contains | EdgeKind::CoChanges)
            && change.contains_key(&pair)
        {
            *after.entry(pair).or_default() += 1;
        }
    }
    let named = |at: u32| communities.list[at as usize].name.clone();
    let mut list: Vec<Coupling> = change
        .into_iter()
        .map(|(pair, (came, went))| {
            let after = after.get(&pair).copied().unwrap_or_default();
            let before = (after + went).saturating_sub(came);
            Coupling { one: named(pair.0), other: named(pair.1), before, after }
        })
        .collect();
    list.sort_by(|a, b| {
        let change = |one: &Coupling| one.after.abs_diff(one.before);
        change(b).cmp(&change(a)).then_with(|| (&a.one, &a.other).cmp(&(&b.one, &b.other)))
    });
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graph;

    fn edges(list: &[Relation]) -> Vec<String> {
        list.iter().map(|(from, kind, to)| format!("{from} {} {to}", kind.name())).collect()
    }

    #[test]
    fn what_came_and_went_is_told_and_the_same_is_nothing() {
        let old = graph("a calls b\nb calls c\n");
        let new = graph("a calls b\na calls d\n");
        let found = differential(&old, &new, |_| true);
        assert_eq!((&found.added[..], &found.removed[..]), (&["d".to_owned()][..], &["c".to_owned()][..]));
        assert_eq!(
            (edges(&found.edges_added), edges(&found.edges_removed)),
            (vec!["a calls d".to_owned()], vec!["b calls c".to_owned()])
        );
        assert_eq!(differential(&old, &old, |_| true), Differential::default());
        let some = differential(&old, &new, |id| id == "d");
        assert_eq!((some.added.len(), some.removed.len(), some.edges_removed.len()), (1, 0, 0));
    }

    #[test]
    fn what_moved_takes_its_relations_along() {
        use m1nd_graph::{EdgeSpec, Evidence, GraphBuilder, NodeSpec};
        let build = |path: &str, signature: &str| {
            let mut builder = GraphBuilder::new();
            let mut add = |name: &str, path: &str, signature: &str| {
                let mut spec = NodeSpec::new(NodeKind::Function, format!("function::{path}::{name}"), name);
                (spec.path, spec.qualified) = (path.into(), name.into());
                spec.signature = signature.into();
                builder.node(spec)
            };
            let (main, helper) = (add("main", "main.py", "def main()"), add("helper", path, signature));
            builder.edge(EdgeSpec::new(main, EdgeKind::Calls, helper, Evidence::Resolved));
            builder.finish(1)
        };
        let old = build("a.py", "def helper(x)");
        let found = differential(&old, &build("b.py", "def helper(x)"), |_| true);
        let moved = Moved { from: "function::a.py::helper".into(), to: "function::b.py::helper".into() };
        assert_eq!(found, Differential { moved: vec![moved], ..Differential::default() });
        let found = differential(&old, &build("a.py", "def helper(x, y)"), |_| true);
        assert_eq!(
            (found.reshaped[0].was.as_str(), found.reshaped[0].is.as_str()),
            ("def helper(x)", "def helper(x, y)")
        );
        assert!(found.added.is_empty() && found.edges_added.is_empty());
    }

    #[test]
    fn weights_and_couplings_that_changed_are_told() {
        let clique = |names: &[&str]| {
            let pairs = names.iter().flat_map(|one| names.iter().map(move |other| (one, other)));
            pairs
                .filter(|(one, other)| one != other)
                .map(|(one, other)| format!("{one} calls {other}\n"))
                .collect::<String>()
        };
        let apart = clique(&["a1", "a2", "a3", "a4"]) + &clique(&["b1", "b2", "b3", "b4"]);
        let (old, new) = (graph(&apart), graph(&(apart.clone() + "a1 calls b1\n")));
        let found = differential(&old, &new, |_| true);
        assert_eq!(found.coupling.len(), 1, "{found:?}");
        assert_eq!((found.coupling[0].before, found.coupling[0].after), (0, 1));
        let edge = new.edges().next().unwrap();
        new.weights().set(edge.ix.index(), m1nd_stdx::float::FiniteF32::new(edge.weight.get() + 0.2));
        assert_eq!(differential(&old, &new, |_| true).reweighted.len(), 1);
    }
}
