//! Layers: which files stand above which, and what goes against that.
//!
//! Files that depend on each other in a circle are one. What depends on nothing is the lowest layer; everything else stands one
//! above the highest that it depends on. Files that many others of many layers use are utilities and stand apart.

mod order;

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::scc::components_of;
use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

/// At most so many layers; higher stacks are squeezed.
pub const MAX_LAYERS: usize = 8;
/// Relations that make one file depend on another.
pub const KINDS: [EdgeKind; 5] =
    [EdgeKind::Imports, EdgeKind::Calls, EdgeKind::Inherits, EdgeKind::Implements, EdgeKind::References];
/// A utility is used from at least so many files,
const UTILITY_USERS: usize = 8;
/// on at least so many layers,
const UTILITY_LAYERS: usize = 3;
/// and uses at most so many itself.
const UTILITY_USES: usize = 2;
/// An edge that passes over fewer layers is an everyday thing.
const SKIP: usize = 3;

/// What goes against the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Breach {
    /// A lower file of a circle uses a higher one.
    Upward,
    /// One of the other edges of a circle.
    Cycle,
    /// It passes over three layers or more.
    Skip,
}

impl Breach {
    pub fn name(self) -> &'static str {
        match self {
            Breach::Upward => "upward",
            Breach::Cycle => "cycle",
            Breach::Skip => "skipped_layers",
        }
    }
}

/// One edge that goes against the layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub breach: Breach,
    pub from: NodeIx,
    pub to: NodeIx,
    /// Where in the first file the dependency is written, if known.
    pub line: Option<u32>,
    /// Places where it is.
    pub places: u32,
}

/// The layers of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layers {
    /// Files of each layer, the lowest first.
    pub layers: Vec<Vec<NodeIx>>,
    pub utilities: Vec<NodeIx>,
    /// Worst first.
    pub violations: Vec<Violation>,
    /// Files in circles, largest circle first.
    pub cycles: Vec<Vec<NodeIx>>,
    of: BTreeMap<NodeIx, usize>,
    /// Whether more layers were found than are told apart.
    pub is_squeezed: bool,
}

impl Layers {
    /// The layer of a file, from 0; nothing for utilities and files without dependencies.
    pub fn of(&self, file: NodeIx) -> Option<usize> {
        self.of.get(&file).copied()
    }

    /// How many edges of each file go upward.
    pub fn counts(&self) -> BTreeMap<NodeIx, u32> {
        let mut counts: BTreeMap<NodeIx, u32> = BTreeMap::new();
        for one in self.violations.iter().filter(|one| one.breach == Breach::Upward) {
            *counts.entry(one.from).or_default() += 1;
        }
        counts
    }
}

/// How files depend on each other.
struct Files {
    nodes: Vec<NodeIx>,
    /// By the file that is used.
    uses: Vec<Vec<Use>>,
    used_by: Vec<Vec<u32>>,
}

/// What one file says of another.
#[derive(Clone, Copy)]
struct Use {
    to: u32,
    places: u32,
    /// The first of them.
    line: Option<u32>,
}

/// Layers of the files that `within` admits; test code stands above all and is left out.
pub fn layers(graph: &Graph, within: impl Fn(&str) -> bool) -> Layers {
    layers_without(graph, within, |_, _| false)
}

/// The same as if some files did not use some others.
pub fn layers_without(
    graph: &Graph,
    within: impl Fn(&str) -> bool,
    is_left_out: impl Fn(NodeIx, NodeIx) -> bool,
) -> Layers {
    let files = Files::of(graph, within, is_left_out);
    let (component, count) =
        components_of(files.nodes.len(), |file| files.uses[file as usize].iter().map(|one| one.to).collect());
    let component: Vec<usize> = component.into_iter().map(|at| at as usize).collect();
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (file, &at) in component.iter().enumerate() {
        members[at].push(file);
    }
    // A component's number is larger than those it reaches, so lower ones are done first.
    let mut height = vec![0_usize; count];
    for at in 0..count {
        let below =
            members[at].iter().flat_map(|&file| &files.uses[file]).map(|one| component[one.to as usize]);
        height[at] =
            below.filter(|&other| other != at).map(|other| height[other] + 1).max().unwrap_or_default();
    }
    let top = height.iter().copied().max().unwrap_or_default();
    let is_squeezed = top >= MAX_LAYERS;
    let level = |file: usize| {
        let height = height[component[file]];
        if is_squeezed { height * (MAX_LAYERS - 1) / top } else { height }
    };
    let is_utility = |file: usize| {
        let users = &files.used_by[file];
        let levels: BTreeSet<usize> = users.iter().map(|&user| level(user as usize)).collect();
        users.len() >= UTILITY_USERS
            && levels.len() >= UTILITY_LAYERS
            && files.uses[file].len() <= UTILITY_USES
            && members[component[file]].len() == 1
    };
    let mut found = Layers { is_squeezed, ..Layers::default() };
    for (file, &node) in files.nodes.iter().enumerate() {
        if files.uses[file].is_empty() && files.used_by[file].is_empty() {
            continue;
        }
        if is_utility(file) {
            found.utilities.push(node);
            continue;
        }
        let level = level(file);
        if found.layers.len() <= level {
            found.layers.resize(level + 1, Vec::new());
        }
        found.layers[level].push(node);
        found.of.insert(node, level);
    }
    for circle in members.iter().filter(|members| members.len() > 1) {
        found.cycles.push(circle.iter().map(|&file| files.nodes[file]).collect());
        found.violations.extend(in_circle(&files, circle));
    }
    found.cycles.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    for (from, uses) in files.uses.iter().enumerate() {
        for &Use { to, places, line } in uses {
            let (from, to) = (files.nodes[from], files.nodes[to as usize]);
            let (Some(above), Some(below)) = (found.of(from), found.of(to)) else { continue };
            if above >= below + SKIP {
                found.violations.push(Violation { breach: Breach::Skip, from, to, line, places });
            }
        }
    }
    // What few places do is done by mistake sooner than what many do.
    found.violations.sort_by_key(|one| (one.breach, one.places, one.from, one.to));
    found
}

/// Edges of a circle: those against the order in which most of it goes are upward.
fn in_circle(files: &Files, circle: &[usize]) -> Vec<Violation> {
    let place: FxHashMap<u32, u32> = circle.iter().zip(0..).map(|(&file, at)| (file as u32, at)).collect();
    let inner = |file: usize| {
        let uses = files.uses[file].iter();
        uses.filter_map(|one| Some((*place.get(&one.to)?, i64::from(one.places)))).collect::<Vec<_>>()
    };
    let rank = order::order(&circle.iter().map(|&file| inner(file)).collect::<Vec<_>>());
    let mut found = Vec::new();
    for (from, &file) in circle.iter().enumerate() {
        for &Use { to, places, line } in &files.uses[file] {
            let Some(&place) = place.get(&to) else { continue };
            let breach = if rank[from] > rank[place as usize] { Breach::Upward } else { Breach::Cycle };
            let (from, to) = (files.nodes[file], files.nodes[to as usize]);
            found.push(Violation { breach, from, to, line, places });
        }
    }
    found
}

impl Files {
    fn of(
        graph: &Graph,
        within: impl Fn(&str) -> bool,
        is_left_out: impl Fn(NodeIx, NodeIx) -> bool,
    ) -> Self {
        let counts = |node: &m1nd_graph::Node<'_>| {
            node.kind() == NodeKind::File
                && !node.language().is_empty()
                && !node.flags().has(NodeFlags::TEST_CODE)
                && within(node.path())
        };
        let nodes: Vec<NodeIx> = graph.nodes().filter(counts).map(|node| node.ix()).collect();
        let file_of = files_of_nodes(graph, &nodes);
        let mut uses: Vec<FxHashMap<u32, Use>> = vec![FxHashMap::default(); nodes.len()];
        for edge in graph.edges() {
            let (from, to) = (file_of[edge.source.index()], file_of[edge.target.index()]);
            let is_between = from != to && from != NO_FILE && to != NO_FILE;
            if !is_between || !KINDS.contains(&edge.kind) || edge.evidence.is_inferred() {
                continue;
            }
            // A unit test beside the code is no part of its layer.
            if graph.node(edge.source).flags().has(NodeFlags::TEST_CODE)
                || is_left_out(nodes[from as usize], nodes[to as usize])
            {
                continue;
            }
            let known = uses[from as usize].entry(to).or_insert(Use { to, places: 0, line: None });
            known.places += u32::try_from(edge.lines.len().max(1)).unwrap_or(u32::MAX);
            known.line = match (known.line, edge.best_line()) {
                (Some(known), Some(line)) => Some(known.min(line)),
                (known, line) => known.or(line),
            };
        }
        let mut used_by: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        let in_order = |(from, uses): (u32, FxHashMap<u32, Use>)| {
            let mut uses: Vec<Use> = uses.into_values().collect();
            uses.sort_unstable_by_key(|one| one.to);
            uses.iter().for_each(|one| used_by[one.to as usize].push(from));
            uses
        };
        let uses = (0..).zip(uses).map(in_order).collect();
        Self { nodes, uses, used_by }
    }
}

/// The place of each node's file in the list.
fn files_of_nodes(graph: &Graph, files: &[NodeIx]) -> Vec<u32> {
    let mut file_of = vec![NO_FILE; graph.node_count()];
    for (at, &file) in (0..).zip(files) {
        for node in graph.nodes_in(graph.node(file).path()) {
            file_of[node.index()] = at;
        }
    }
    file_of
}

/// For nodes of files that do not count.
const NO_FILE: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graph;

    fn shown(graph: &Graph, layers: &Layers) -> String {
        let names =
            |files: &Vec<NodeIx>| files.iter().map(|&ix| graph.node(ix).id()).collect::<Vec<_>>().join(" ");
        layers.layers.iter().map(names).collect::<Vec<_>>().join(" | ")
    }

    fn breaches(graph: &Graph, layers: &Layers) -> Vec<String> {
        let name = |ix: NodeIx| graph.node(ix).id();
        let one = |one: &Violation| format!("{} {} -> {}", one.breach.name(), name(one.from), name(one.to));
        layers.violations.iter().map(one).collect()
    }

    #[test]
    fn files_stand_one_above_the_highest_that_they_use() {
        let graph = graph("ui.rs imports app.rs\napp.rs imports db.rs\nui.rs imports db.rs\n");
        let found = layers(&graph, |_| true);
        assert_eq!(shown(&graph, &found), "db.rs | app.rs | ui.rs");
        assert!(found.violations.is_empty());
    }

    #[test]
    fn in_a_circle_the_lesser_direction_is_the_wrong_one() {
        let graph = graph(
            "ui.rs imports app.rs\nui.rs calls app.rs\nui.rs references app.rs\napp.rs imports ui.rs\napp.rs imports db.rs\n",
        );
        let found = layers(&graph, |_| true);
        assert_eq!(shown(&graph, &found), "db.rs | app.rs ui.rs");
        assert_eq!(breaches(&graph, &found), ["upward app.rs -> ui.rs", "cycle ui.rs -> app.rs"]);
        assert_eq!(found.violations[0].line, Some(1));
        assert_eq!(found.cycles.len(), 1);
    }

    #[test]
    fn the_weakest_edge_of_a_long_circle_is_the_wrong_one() {
        // models uses types twice, auth uses models twice, types uses auth once.
        let graph = graph(
            "models.rs imports types.rs\nmodels.rs calls types.rs\nmodels.rs imports util.rs\nmodels.rs calls util.rs\n\
             auth.rs imports models.rs\nauth.rs calls models.rs\ntypes.rs imports auth.rs\nutil.rs imports types.rs\n",
        );
        let upward: Vec<String> = breaches(&graph, &layers(&graph, |_| true))
            .into_iter()
            .filter(|one| one.starts_with("upward"))
            .collect();
        assert_eq!(upward, ["upward types.rs -> auth.rs"]);
    }

    #[test]
    fn a_jump_over_layers_is_told_and_a_utility_stands_apart() {
        let graph = graph(
            "e.rs imports d.rs\nd.rs imports c.rs\nc.rs imports b.rs\nb.rs imports a.rs\ne.rs imports a.rs\n",
        );
        assert_eq!(breaches(&graph, &layers(&graph, |_| true)), ["skipped_layers e.rs -> a.rs"]);
        let mut text = String::from("e.rs imports d.rs\nd.rs imports c.rs\nc.rs imports b.rs\n");
        for user in ["b", "c", "d", "e", "f", "g", "h", "i"] {
            text += &format!("{user}.rs imports util.rs\n");
        }
        let graph = crate::testing::graph(&text);
        let found = layers(&graph, |_| true);
        assert_eq!(found.utilities.iter().map(|&ix| graph.node(ix).id()).collect::<Vec<_>>(), ["util.rs"]);
        assert!(found.violations.is_empty(), "{:?}", breaches(&graph, &found));
    }
}
