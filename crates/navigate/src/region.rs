//! Region: a part of the graph as it was when an agent locked it, and what became of it.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_recall::engines::paths::between;
use serde::{Deserialize, Serialize};

use crate::distance::neighbours;
use crate::error::NavigateError;

pub const MAX_NODES: usize = 5_000;
pub const MAX_EDGES: usize = 10_000;
pub const MAX_RADIUS: usize = 4;
/// Relations between two neighbours of a chain that is locked.
const MAX_HOPS: usize = 6;

/// The nodes that are at most `radius` relations from these.
pub fn around(graph: &Graph, starts: &[NodeIx], radius: usize) -> Result<BTreeSet<NodeIx>, NavigateError> {
    let mut region: BTreeSet<NodeIx> = starts.iter().copied().collect();
    let mut edge: Vec<NodeIx> = starts.to_vec();
    for _ in 0..radius {
        let mut next = Vec::new();
        for other in edge.iter().flat_map(|&node| neighbours(graph, node)) {
            if region.insert(other) {
                next.push(other);
            }
            if region.len() > MAX_NODES {
                return Err(NavigateError::TooLarge { what: "nodes", most: MAX_NODES });
            }
        }
        edge = next;
    }
    Ok(region)
}

/// The nodes of the strongest chains between each of these and the next.
pub fn chain(graph: &Graph, nodes: &[NodeIx]) -> Result<BTreeSet<NodeIx>, NavigateError> {
    let mut region: BTreeSet<NodeIx> = nodes.iter().copied().collect();
    for pair in nodes.windows(2) {
        let found = between(graph, pair[0], pair[1], MAX_HOPS, 1).chains;
        let Some(strongest) = found.first() else {
            let id = |node: NodeIx| graph.node(node).id().to_owned();
            return Err(NavigateError::NoChain { from: id(pair[0]), to: id(pair[1]) });
        };
        for hop in &strongest.hops {
            let edge = graph.edge(hop.edge);
            region.extend([edge.source, edge.target]);
        }
    }
    Ok(region)
}

/// Everything in a file or folder, itself too.
pub fn within(graph: &Graph, path: &str) -> Result<BTreeSet<NodeIx>, NavigateError> {
    let folder = format!("{}/", path.trim_end_matches('/'));
    let is_in = |other: &str| path.is_empty() || path == "." || other == path || other.starts_with(&folder);
    let inside = graph.nodes().filter(|node| node.kind() != NodeKind::Repository && is_in(node.path()));
    let region: BTreeSet<NodeIx> = inside.map(|node| node.ix()).take(MAX_NODES + 1).collect();
    if region.len() > MAX_NODES {
        return Err(NavigateError::TooLarge { what: "nodes", most: MAX_NODES });
    }
    Ok(region)
}

/// A region as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Baseline {
    /// The generation of the graph that it was taken from.
    pub generation: u64,
    /// The state of all files then; generations are counted by each process for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<String>,
    /// Ids, ascending, with the hash of the text of each where it could be read.
    pub nodes: Vec<(String, Option<String>)>,
    /// Relations that start or end in the region: places in `nodes`, or ids outside of it.
    edges: Vec<(End, String, End)>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
enum End {
    Inside(usize),
    Outside(String),
}

impl End {
    fn outside(&self) -> Option<&str> {
        match self {
            Self::Inside(_) => None,
            Self::Outside(id) => Some(id),
        }
    }
}

/// A relation in words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Relation {
    pub from: String,
    pub relation: String,
    pub to: String,
}

/// What became of a region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Nodes with another text.
    pub changed: Vec<String>,
    pub removed: Vec<String>,
    /// New nodes in what was locked: in its files, or as parts of its nodes.
    pub added: Vec<String>,
    pub edges_added: Vec<Relation>,
    pub edges_removed: Vec<Relation>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Baseline {
    /// Takes a region down. `files` names the state of all files, where it is known; `hash` reads the text of a node.
    pub fn take(
        graph: &Graph,
        files: Option<&str>,
        region: &BTreeSet<NodeIx>,
        hash: &mut dyn FnMut(NodeIx) -> Option<String>,
    ) -> Result<Self, NavigateError> {
        let mut nodes: Vec<(String, Option<String>)> =
            region.iter().map(|&node| (graph.node(node).id().to_owned(), hash(node))).collect();
        nodes.sort();
        let edges = relations(graph, region, MAX_EDGES);
        if edges.len() > MAX_EDGES {
            return Err(NavigateError::TooLarge { what: "relations", most: MAX_EDGES });
        }
        let place = |id: &str| nodes.binary_search_by(|(known, _)| known.as_str().cmp(id));
        let end = |id: String| place(&id).map_or_else(|_| End::Outside(id), End::Inside);
        let edges = edges.into_iter().map(|edge| (end(edge.from), edge.relation, end(edge.to))).collect();
        Ok(Self { generation: graph.generation(), files: files.map(str::to_owned), nodes, edges })
    }

    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    fn relations(&self) -> BTreeSet<Relation> {
        let name = |end: &End| match end {
            End::Inside(at) => self.nodes.get(*at).map(|(id, _)| id.clone()).unwrap_or_default(),
            End::Outside(id) => id.clone(),
        };
        let each = self.edges.iter();
        each.map(|(from, kind, to)| Relation { from: name(from), relation: kind.clone(), to: name(to) })
            .collect()
    }

    /// What became of it. Nothing is looked at when the graph is still the same, of the same files.
    pub fn diff(
        &self,
        graph: &Graph,
        files: Option<&str>,
        hash: &mut dyn FnMut(NodeIx) -> Option<String>,
    ) -> Changes {
        if graph.generation() == self.generation && files.is_some() && files == self.files.as_deref() {
            return Changes::default();
        }
        let before: BTreeMap<&str, Option<&str>> =
            self.nodes.iter().map(|(id, hash)| (id.as_str(), hash.as_deref())).collect();
        let mut changes = Changes::default();
        let mut region = BTreeSet::new();
        for (&id, &was) in &before {
            match graph.node_by_id(id) {
                None => changes.removed.push(id.to_owned()),
                Some(node) => {
                    region.insert(node);
                    if was.is_some() && hash(node).as_deref() != was {
                        changes.changed.push(id.to_owned());
                    }
                }
            }
        }
        let parts: BTreeSet<NodeIx> =
            region.iter().flat_map(|&node| graph.targets(node, EdgeKind::Contains)).collect();
        // A part outside of the region that was there is known by the relation that contains it.
        let outside: BTreeSet<&str> =
            self.edges.iter().flat_map(|(from, _, to)| [from.outside(), to.outside()]).flatten().collect();
        let new = parts.into_iter().filter(|&node| {
            let folder = matches!(graph.node(node).kind(), NodeKind::Directory | NodeKind::File);
            let id = graph.node(node).id();
            !folder && !before.contains_key(id) && !outside.contains(id)
        });
        let mut new: Vec<NodeIx> = new.collect();
        new.extend(new_files(graph, &region, &before, &outside));
        changes.added = new.iter().map(|&node| graph.node(node).id().to_owned()).collect();
        changes.added.sort();
        // A region may have more relations today than one may be taken down with.
        region.extend(new.iter().copied());
        let (old, now) = (self.relations(), relations(graph, &region, usize::MAX));
        let there: BTreeSet<&str> = new.iter().map(|&node| graph.node(node).id()).collect();
        let whole = |edge: &&Relation| edge.relation != EdgeKind::CoChanges.name();
        // What contains a new node is told by the node.
        let told = |edge: &&Relation| {
            let is_new = there.contains(edge.to.as_str()) || there.contains(edge.from.as_str());
            edge.relation == EdgeKind::Contains.name() && is_new
        };
        changes.edges_added =
            now.difference(&old).filter(whole).filter(|edge| !told(edge)).cloned().collect();
        changes.edges_removed = old.difference(&now).filter(whole).cloned().collect();
        changes
    }
}

/// Files and folders that came into a folder all of which was locked, with all that is in them.
fn new_files(
    graph: &Graph,
    region: &BTreeSet<NodeIx>,
    before: &BTreeMap<&str, Option<&str>>,
    outside: &BTreeSet<&str>,
) -> BTreeSet<NodeIx> {
    let mut found = BTreeSet::new();
    let mut work = Vec::new();
    for &folder in region.iter().filter(|&&node| graph.node(node).kind() == NodeKind::Directory) {
        let parts: Vec<NodeIx> = graph.targets(folder, EdgeKind::Contains).collect();
        // A folder that is there by itself, or as a neighbour of something, is not its files.
        if parts.iter().any(|&part| outside.contains(graph.node(part).id())) {
            continue;
        }
        work.extend(parts.into_iter().filter(|&part| !before.contains_key(graph.node(part).id())));
    }
    while let Some(node) = work.pop() {
        if found.len() < MAX_NODES && found.insert(node) {
            work.extend(graph.targets(node, EdgeKind::Contains));
        }
    }
    found
}

/// The relations that start or end in a region; where there are more than so many, not all of them. Which files are
/// committed together is no relation that anybody edits.
fn relations(graph: &Graph, region: &BTreeSet<NodeIx>, most: usize) -> BTreeSet<Relation> {
    let mut all = BTreeSet::new();
    for &node in region {
        let both = graph.outgoing(node).chain(graph.incoming(node));
        for edge in both.filter(|edge| edge.kind != EdgeKind::CoChanges) {
            let id = |node: NodeIx| graph.node(node).id().to_owned();
            let relation = edge.kind.name().to_owned();
            all.insert(Relation { from: id(edge.source), relation, to: id(edge.target) });
        }
        if all.len() > most {
            break;
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graph;

    fn ix(graph: &Graph, name: &str) -> NodeIx {
        graph.node_by_id(name).unwrap()
    }

    fn ids(graph: &Graph, region: &BTreeSet<NodeIx>) -> Vec<String> {
        let mut ids: Vec<String> = region.iter().map(|&node| graph.node(node).id().to_owned()).collect();
        ids.sort();
        ids
    }

    #[test]
    fn a_region_grows_by_its_radius_and_a_chain_has_what_lies_between() {
        let graph = graph("a calls b\nb calls c\nc calls d\nx calls y\n");
        let around = |radius| ids(&graph, &around(&graph, &[ix(&graph, "b")], radius).unwrap());
        assert_eq!(around(0), ["b"]);
        assert_eq!(around(1), ["a", "b", "c"]);
        assert_eq!(around(2), ["a", "b", "c", "d"]);
        let chained = chain(&graph, &[ix(&graph, "a"), ix(&graph, "d")]).unwrap();
        assert_eq!(ids(&graph, &chained), ["a", "b", "c", "d"]);
        let nowhere = chain(&graph, &[ix(&graph, "a"), ix(&graph, "x")]).unwrap_err();
        assert_eq!(nowhere, NavigateError::NoChain { from: "a".into(), to: "x".into() });
        assert_eq!(ids(&graph, &within(&graph, "a.rs").unwrap()), ["a"]);
    }

    #[test]
    fn a_diff_tells_texts_nodes_and_relations_and_nothing_of_the_same_graph() {
        let before = graph("a calls b\nb calls c\n");
        let region = around(&before, &[ix(&before, "a")], 1).unwrap();
        let text =
            |graph: &Graph, node: NodeIx| Some(format!("{}{}", graph.node(node).id(), graph.generation()));
        let files = Some("files");
        let base = Baseline::take(&before, files, &region, &mut |node| text(&before, node)).unwrap();
        assert_eq!((base.nodes.len(), base.edge_count()), (2, 2));
        assert!(base.diff(&before, files, &mut |_| unreachable!("nothing moved")).is_empty());
        // Another process counts for itself.
        let same_number = base.diff(&before, Some("other files"), &mut |_| Some("other".to_owned()));
        assert_eq!(same_number.changed, ["a", "b"]);
        let after = graph("a calls d\nb calls c\na contains e\n").with_generation(2);
        let mut hash = |node: NodeIx| match after.node(node).id() {
            "a" => Some("a1".to_owned()),
            _ => Some("other".to_owned()),
        };
        let found = base.diff(&after, files, &mut hash);
        assert_eq!((&found.changed[..], &found.added[..]), (&["b".to_owned()][..], &["e".to_owned()][..]));
        let edge = |from: &str, relation: &str, to: &str| Relation {
            from: from.into(),
            relation: relation.into(),
            to: to.into(),
        };
        assert_eq!(found.edges_added, [edge("a", "calls", "d")]);
        assert_eq!(found.edges_removed, [edge("a", "calls", "b")]);
        let gone = graph("b calls c\n").with_generation(3);
        let found = base.diff(&gone, files, &mut |_| Some("b1".to_owned()));
        assert_eq!((found.removed, found.changed.len()), (vec!["a".to_owned()], 0));
        let text = serde_json::to_string(&base).unwrap();
        assert_eq!(serde_json::from_str::<Baseline>(&text).unwrap(), base);
    }

    #[test]
    fn a_part_that_was_there_is_not_new_and_a_call_of_it_is_told() {
        let before = graph("f contains mid\nf contains unrelated\nmid calls leaf\n");
        let region: BTreeSet<NodeIx> = ["f", "mid", "leaf"].iter().map(|name| ix(&before, name)).collect();
        let base = Baseline::take(&before, None, &region, &mut |_| None).unwrap();
        let after =
            "f contains mid\nf contains unrelated\nmid calls leaf\nmid calls unrelated\nf contains fresh\n";
        let after = graph(after).with_generation(2);
        let found = base.diff(&after, None, &mut |_| None);
        assert_eq!(found.added, ["fresh"]);
        let told: Vec<String> = found
            .edges_added
            .iter()
            .map(|edge| format!("{} {} {}", edge.from, edge.relation, edge.to))
            .collect();
        assert_eq!(told, ["mid calls unrelated"]);
    }

    #[test]
    fn relations_of_what_is_new_are_told_as_those_of_what_went() {
        let before = graph("f contains mid\nuser calls mid\nmid calls leaf\n");
        let region: BTreeSet<NodeIx> = ["f", "mid"].iter().map(|name| ix(&before, name)).collect();
        let base = Baseline::take(&before, None, &region, &mut |_| None).unwrap();
        let told = |after: &str| {
            let found = base.diff(&graph(after).with_generation(2), None, &mut |_| None);
            let said = |edges: &[Relation]| {
                let each = edges.iter().map(|edge| format!("{} {} {}", edge.from, edge.relation, edge.to));
                each.collect::<Vec<_>>().join(", ")
            };
            format!("+{} | -{}", said(&found.edges_added), said(&found.edges_removed))
        };
        let fresh = "f contains mid\nuser calls mid\nmid calls leaf\nf contains fresh\nfresh calls mid\n";
        assert_eq!(told(fresh), "+fresh calls mid | -");
        let renamed = "f contains middle\nuser calls middle\nmiddle calls leaf\n";
        assert_eq!(
            told(renamed),
            "+middle calls leaf, user calls middle | -f contains mid, mid calls leaf, user calls mid"
        );
    }

    #[test]
    fn a_region_that_got_more_relations_than_can_be_taken_down_lost_none() {
        let calls = |count: usize| (0..count).map(|nth| format!("x{nth} calls hub\n")).collect::<String>();
        let before = graph(&calls(10));
        let region = BTreeSet::from([ix(&before, "hub")]);
        let base = Baseline::take(&before, None, &region, &mut |_| None).unwrap();
        let mut after = calls(MAX_EDGES + 10);
        after.push_str("x0 calls x1\n");
        let found = base.diff(&graph(&after).with_generation(2), None, &mut |_| None);
        assert_eq!((found.edges_added.len(), found.edges_removed.len()), (MAX_EDGES, 0));
    }
}
