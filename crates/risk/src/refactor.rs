//! Refactor: how a file can be taken apart, by what its definitions have to do with each other and with the rest.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx};

use m1nd_recall::place;

use crate::blast::{self, DEPENDS};

/// Definitions that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Top-level definitions, in the order of lines.
    pub members: Vec<NodeIx>,
    pub lines: u32,
    /// Relations to the rest of the file, which the split would turn into imports.
    pub cut: u32,
    /// Files outside that use it, name this file for it, and would have to say where it is now.
    pub users: Vec<String>,
}

/// A definition that has more to do with another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub node: NodeIx,
    pub to: String,
    /// Its relations with that file, and all of them.
    pub there: u32,
    pub all: u32,
    pub users: Vec<String>,
}

/// How a file can be taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The largest part stays, with what is too small to go; the others in the order in which they can go: what cuts least first.
    pub stays: Option<Part>,
    pub extract: Vec<Part>,
    pub moves: Vec<Move>,
    /// Used by many of the others: stays where all can reach it.
    pub shared: Vec<NodeIx>,
    /// How many groups there are that have nothing to do with each other.
    pub groups: usize,
}

/// A definition that so large a share of the others uses holds everything together.
const SHARED: f64 = 0.34;
const MIN_SHARED: usize = 3;
/// Smaller parts are not worth a file.
pub const MIN_LINES: u32 = 15;
/// Fewer relations say nothing about where something belongs.
const MIN_RELATIONS: u32 = 3;

/// Languages that import by files.
const BY_FILES: [&str; 6] = ["python", "javascript", "typescript", "tsx", "vue", "svelte"];

/// Looks at the top-level definitions of a file; members count for the type that they are in. `takes_from` says whether a file
/// takes a name from this one or from another that hands it on, where its text tells.
pub fn plan(graph: &Graph, file: NodeIx, takes_from: impl Fn(&str, &str) -> Option<bool>) -> Plan {
    let tops: Vec<NodeIx> = graph
        .targets(file, EdgeKind::Contains)
        .filter(|&node| !graph.node(node).flags().has(NodeFlags::TEST_CODE) && graph.node(node).lines().0 > 0)
        .collect();
    let mut top_of: BTreeMap<NodeIx, usize> = BTreeMap::new();
    for (at, &top) in tops.iter().enumerate() {
        for node in blast::insides(graph, &[top]) {
            top_of.insert(node, at);
        }
    }
    let own = graph.node(file).path();
    let mut uses: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); tops.len()];
    let mut weight: BTreeMap<(usize, usize), u32> = BTreeMap::new();
    let mut outside: Vec<BTreeMap<String, u32>> = vec![BTreeMap::new(); tops.len()];
    let mut users: Vec<BTreeSet<String>> = vec![BTreeSet::new(); tops.len()];
    let mut asked: BTreeMap<(&str, usize), bool> = BTreeMap::new();
    let counts =
        |kind: EdgeKind, inferred: bool| DEPENDS.contains(&kind) && kind != EdgeKind::Imports && !inferred;
    for (&node, &at) in &top_of {
        for edge in graph.outgoing(node).filter(|edge| counts(edge.kind, edge.evidence.is_inferred())) {
            match top_of.get(&edge.target) {
                Some(&other) if other != at => {
                    uses[at].insert(other);
                    *weight.entry((at.min(other), at.max(other))).or_default() += 1;
                }
                Some(_) => {}
                None => *outside[at].entry(graph.node(edge.target).path().to_owned()).or_default() += 1,
            }
        }
        for edge in graph.incoming(node).filter(|edge| counts(edge.kind, edge.evidence.is_inferred())) {
            if !top_of.contains_key(&edge.source) {
                let path = graph.node(edge.source).path().to_owned();
                *outside[at].entry(path).or_default() += 1;
            }
        }
        let relations = graph.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind));
        for edge in relations.filter(|edge| !edge.evidence.is_inferred()) {
            let path = graph.node(edge.source).path();
            // The file's own statements are no other file.
            if path != own
                && *asked
                    .entry((path, at))
                    .or_insert_with(|| says_where(graph, file, path, tops[at], |name| takes_from(path, name)))
            {
                users[at].insert(path.to_owned());
            }
        }
    }
    let is_shared = |at: usize| {
        let by = uses.iter().filter(|uses| uses.contains(&at)).count();
        by >= MIN_SHARED && by as f64 >= SHARED * (tops.len() - 1) as f64
    };
    let shared: Vec<usize> = (0..tops.len()).filter(|&at| is_shared(at)).collect();
    let mut found = Plan { shared: shared.iter().map(|&at| tops[at]).collect(), ..Plan::default() };
    for (at, places) in outside.iter().enumerate() {
        let product = places.iter().filter(|(path, _)| !is_test(graph, path)).map(|(_, times)| times);
        let all: u32 = product.sum::<u32>()
            + weight
                .iter()
                .filter(|((one, other), _)| *one == at || *other == at)
                .map(|(_, times)| times)
                .sum::<u32>();
        let most = places
            .iter()
            // Tests belong with what they test, not the other way round.
            .filter(|(path, _)| *path != own && !is_test(graph, path))
            .max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)));
        if let Some((path, &there)) = most
            && all >= MIN_RELATIONS
            && there * 10 >= all * 7
        {
            let users = users[at].iter().cloned().collect();
            found.moves.push(Move { node: tops[at], to: path.clone(), there, all, users });
        }
    }
    let mut parts: Vec<Part> = components(tops.len(), &weight, &shared)
        .into_iter()
        .map(|members| {
            let inside: BTreeSet<usize> = members.iter().copied().collect();
            let cut = weight
                .iter()
                .filter(|((one, other), _)| inside.contains(one) != inside.contains(other))
                .map(|(_, times)| times)
                .sum();
            let lines = members.iter().map(|&at| {
                let (first, last) = graph.node(tops[at]).lines();
                last - first + 1
            });
            let users: BTreeSet<String> = members.iter().flat_map(|&at| users[at].iter().cloned()).collect();
            Part {
                lines: lines.sum(),
                cut,
                users: users.into_iter().collect(),
                members: members.into_iter().map(|at| tops[at]).collect(),
            }
        })
        .collect();
    found.groups = parts.len();
    parts.sort_by(|a, b| b.lines.cmp(&a.lines).then_with(|| a.members.cmp(&b.members)));
    let mut rest = parts.into_iter();
    found.stays = rest.next();
    let (large, small): (Vec<Part>, Vec<Part>) = rest.partition(|part| part.lines >= MIN_LINES);
    found.extract = large;
    found.agree();
    found.keep(graph, small);
    found.extract.sort_by(|a, b| {
        (a.cut, a.users.len())
            .cmp(&(b.cut, b.users.len()))
            .then(b.lines.cmp(&a.lines))
            .then_with(|| a.members.cmp(&b.members))
    });
    found
}

impl Plan {
    /// What is too small for a file of its own and does not belong elsewhere stays.
    fn keep(&mut self, graph: &Graph, small: Vec<Part>) {
        let moves = &self.moves;
        let is_left = |node: &NodeIx| moves.iter().all(|one| one.node != *node);
        let left: Vec<NodeIx> = small.into_iter().flat_map(|part| part.members).filter(is_left).collect();
        if let Some(stays) = &mut self.stays {
            stays.members.extend(left);
            stays.members.sort_by_key(|&node| (graph.node(node).lines(), node));
        }
    }

    /// Every definition has one place to go: what belongs elsewhere goes there alone or with its whole part, and does not stay.
    fn agree(&mut self) {
        let is_moved = |moves: &[Move], node: &NodeIx| moves.iter().any(|one| one.node == *node);
        let moves = std::mem::take(&mut self.moves);
        // A file is not emptied: what it is for stays.
        let core: Vec<NodeIx> = self.stays.iter().flat_map(|part| part.members.iter().copied()).collect();
        let is_emptied = core.iter().all(|node| is_moved(&moves, node));
        let (extract, shared) = (&self.extract, &self.shared);
        let goes = |one: &Move| {
            let part = extract.iter().find(|part| part.members.contains(&one.node));
            let is_whole = part.is_none_or(|part| part.members.iter().all(|node| is_moved(&moves, node)));
            is_whole && !shared.contains(&one.node) && !(is_emptied && core.contains(&one.node))
        };
        self.moves = moves.iter().filter(|one| goes(one)).cloned().collect();
        self.extract.retain(|part| !part.members.iter().all(|node| is_moved(&self.moves, node)));
        if let Some(part) = &mut self.stays {
            part.members.retain(|node| !is_moved(&self.moves, node));
        }
    }
}

/// Whether a file that uses a definition names the file that it is in. Where languages import by files, one that has the name from
/// a file that hands it on need not know; in others everybody that uses it may.
fn says_where(
    graph: &Graph,
    file: NodeIx,
    user: &str,
    top: NodeIx,
    takes_from: impl Fn(&str) -> Option<bool>,
) -> bool {
    if !BY_FILES.contains(&graph.node(file).language()) {
        return true;
    }
    let imports = || {
        let edges = graph.nodes_in(user).flat_map(|node| graph.outgoing(node).collect::<Vec<_>>());
        edges.filter(|edge| edge.kind == EdgeKind::Imports && !edge.evidence.is_inferred())
    };
    let lines = |is_target: &dyn Fn(NodeIx) -> bool| -> BTreeSet<u32> {
        imports().filter(|edge| is_target(edge.target)).flat_map(|edge| edge.lines.iter().copied()).collect()
    };
    let own = graph.node(file).path();
    let of_file = lines(&|target| target == file);
    let of_names = lines(&|target| target != file && graph.node(target).path() == own);
    let of_it = lines(&|target| target == top);
    // The file as a whole, or the name.
    of_file.iter().any(|line| !of_names.contains(line))
        || of_file.iter().any(|line| of_it.contains(line))
            && takes_from(graph.node(top).label()).unwrap_or(true)
}

/// Whether a file is one of tests.
fn is_test(graph: &Graph, path: &str) -> bool {
    let node = graph.node_by_path(path).map(|ix| graph.node(ix));
    node.is_some_and(|node| node.flags().has(NodeFlags::TEST_CODE)) || place::is_test(path)
}

/// Groups that are joined by relations, without those that join everything.
fn components(count: usize, weight: &BTreeMap<(usize, usize), u32>, without: &[usize]) -> Vec<Vec<usize>> {
    let mut group: Vec<usize> = (0..count).collect();
    fn root(group: &[usize], mut at: usize) -> usize {
        while group[at] != at {
            at = group[at];
        }
        at
    }
    for &(one, other) in
        weight.keys().filter(|(one, other)| !without.contains(one) && !without.contains(other))
    {
        let (a, b) = (root(&group, one), root(&group, other));
        group[a.max(b)] = a.min(b);
    }
    let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in (0..count).filter(|at| !without.contains(at)) {
        parts.entry(root(&group, at)).or_default().push(at);
    }
    parts.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use m1nd_graph::{EdgeSpec, Evidence, GraphBuilder, NodeKind, NodeSpec};

    /// `big.rs` holds two pairs that share a helper, and something that only `other.rs` uses.
    #[test]
    fn a_file_falls_into_the_parts_that_have_nothing_to_do_with_each_other() {
        let mut builder = GraphBuilder::new();
        let mut add = |kind: NodeKind, path: &str, name: &str, first: u32, last: u32| {
            let id =
                if name.is_empty() { format!("file::{path}") } else { format!("function::{path}::{name}") };
            let mut spec = NodeSpec::new(kind, id, if name.is_empty() { path } else { name });
            (spec.path, spec.qualified) = (path.into(), name.into());
            (spec.line_start, spec.line_end) = (first, last);
            builder.node(spec)
        };
        let file = add(NodeKind::File, "big.rs", "", 1, 200);
        let names = ["a1", "a2", "a3", "b1", "b2", "helper", "lost"];
        let tiny = add(NodeKind::Function, "big.rs", "tiny", 190, 192);
        let inner: Vec<_> = (0..)
            .zip(names)
            .map(|(at, name)| add(NodeKind::Function, "big.rs", name, at * 20 + 1, at * 20 + 20))
            .collect();
        let other = add(NodeKind::Function, "other.rs", "user", 1, 9);
        let third = add(NodeKind::Function, "other.rs", "more", 10, 19);
        let fourth = add(NodeKind::Function, "other.rs", "most", 20, 29);
        let mut edge = |from, kind, to| builder.edge(EdgeSpec::new(from, kind, to, Evidence::Resolved));
        inner.iter().chain([&tiny]).for_each(|&node| edge(file, EdgeKind::Contains, node));
        for (from, to) in [(0, 1), (1, 2), (3, 4), (0, 5), (1, 5), (3, 5), (4, 5)] {
            edge(inner[from], EdgeKind::Calls, inner[to]);
        }
        [other, third, fourth].iter().for_each(|&user| edge(user, EdgeKind::Calls, inner[6]));
        edge(other, EdgeKind::Calls, inner[3]);
        let graph = builder.finish(1);
        let found = plan(&graph, graph.node_by_id("file::big.rs").unwrap(), |_, _| None);
        let labels =
            |nodes: &[NodeIx]| nodes.iter().map(|&ix| graph.node(ix).label()).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(&found.shared), "helper");
        assert_eq!(labels(&found.stays.unwrap().members), "a1 a2 a3 tiny");
        let parts: Vec<String> = found
            .extract
            .iter()
            .map(|part| format!("{} {} {}", labels(&part.members), part.cut, part.users.join(" ")))
            .collect();
        // What is moved is not extracted, too.
        assert_eq!(parts, ["b1 b2 2 other.rs"]);
        let moves: Vec<String> = found
            .moves
            .iter()
            .map(|one| format!("{} {} {}/{}", labels(&[one.node]), one.to, one.there, one.all))
            .collect();
        assert_eq!(moves, ["lost other.rs 3/3"]);
    }

    #[test]
    fn what_goes_does_not_stay_and_a_part_goes_as_a_whole() {
        let graph = crate::testing::graph("a calls b\nc calls d\n");
        let at = |name: &str| graph.node_by_id(name).unwrap();
        let part = |names: &[&str]| Part {
            members: names.iter().map(|name| at(name)).collect(),
            lines: 20,
            cut: 0,
            users: Vec::new(),
        };
        let goes =
            |name: &str| Move { node: at(name), to: "x.rs".into(), there: 3, all: 3, users: Vec::new() };
        let mut plan = Plan {
            stays: Some(part(&["a", "b"])),
            extract: vec![part(&["c", "d"])],
            moves: vec![goes("a"), goes("c")],
            ..Plan::default()
        };
        plan.agree();
        assert_eq!(plan.stays.unwrap().members, [at("b")]);
        assert_eq!(plan.moves, [goes("a")]);
        assert_eq!(plan.extract, [part(&["c", "d"])]);
        let mut alone = Plan { stays: Some(part(&["a"])), moves: vec![goes("a")], ..Plan::default() };
        alone.agree();
        assert_eq!((alone.stays.unwrap().members, alone.moves), (vec![at("a")], Vec::new()));
    }
}
