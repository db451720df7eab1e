//! Turbulence: where the workspace changes shared state on ways that may run at the same time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, Node, NodeFlags, NodeIx, NodeKind};
use m1nd_recall::place;
use m1nd_risk::blast;
use m1nd_risk::flow::shared::{self, Finder};
use m1nd_risk::flow::{Ways, ways};

use super::immunity::Words;
use super::locks::{Held, Locks};
use super::survey::is_within;
use crate::ctx::Ctx;
use crate::faults;

/// An entry that may run beside itself sends two particles.
const BESIDE_ITSELF: u32 = 2;
/// A program's beginning sends one.
pub(super) const ONCE: u32 = 1;
/// Files that are read for an overview: more take longer than one may wait.
const MAX_OVERVIEW: usize = 1_500;

/// Where particles start.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    /// routes, exported or named.
    pub kind: &'static str,
    pub particles: BTreeMap<NodeIx, u32>,
}

/// A function that changes shared state on several ways at once.
#[derive(Clone, Debug)]
pub struct Turbulent {
    pub node: NodeIx,
    /// What it changes, and in which line.
    pub states: Vec<(String, u32)>,
    pub ways: Ways,
}

/// Every function that changes shared state.
#[derive(Clone, Debug)]
pub struct Writer {
    pub node: NodeIx,
    pub states: Vec<(String, u32)>,
    pub ways: Ways,
    /// It holds a lock, or is reached under one only.
    pub is_guarded: bool,
    /// Whether it holds one itself where it holds the least.
    pub held: Held,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Flow {
    /// All of them, in the order of nodes.
    pub all: Vec<Writer>,
    /// The most turbulent first.
    pub turbulent: Vec<Turbulent>,
    /// Functions that change shared state.
    pub writers: usize,
    /// Of these, those that hold a lock, or are reached under one only.
    pub guarded: usize,
    /// Of these, those of which it is not known whether they hold one.
    pub untold: usize,
    /// Files that were read, by language.
    pub files: usize,
    /// Languages without patterns, and how many files they have.
    pub unknown: BTreeMap<String, usize>,
}

/// The entry points: those named, else handlers of routes and beginnings of programs, else (in a library) all that others may call.
pub fn entries(graph: &Graph, named: &[NodeIx]) -> Entries {
    if !named.is_empty() {
        // A file or a type stands for the functions in it.
        let inside = blast::insides(graph, named);
        let is_entry = |node: &Node<'_>| node.kind().is_callable() && !is_initializer(node);
        let inside = inside.into_iter().filter(|node| is_entry(&graph.node(*node)));
        let particles = inside.chain(named.iter().copied()).map(|node| (node, BESIDE_ITSELF)).collect();
        return Entries { kind: "named", particles };
    }
    let mut particles = BTreeMap::new();
    for node in graph.nodes().filter(|node| node.kind() == NodeKind::Route && is_product(node)) {
        let handlers: Vec<NodeIx> = graph.targets(node.ix(), EdgeKind::Routes).collect();
        // What a handler without a name calls is called by its file.
        let own = graph.node_by_path(node.path()).filter(|_| handlers.is_empty());
        particles.extend(handlers.into_iter().chain(own).map(|handler| (handler, BESIDE_ITSELF)));
    }
    let callable = |node: &Node<'_>| node.kind().is_callable() && is_product(node) && !is_initializer(node);
    if particles.is_empty() {
        let exported = graph.nodes().filter(|node| callable(node) && node.flags().has(NodeFlags::EXPORTED));
        let particles = exported.map(|node| (node.ix(), BESIDE_ITSELF)).collect();
        return Entries { kind: "exported", particles };
    }
    for node in graph.nodes().filter(|node| callable(node) && node.flags().has(NodeFlags::ENTRY_POINT)) {
        particles.entry(node.ix()).or_insert(ONCE);
    }
    Entries { kind: "routes", particles }
}

/// The same for a part of the workspace: where no entry lies in it, what others may call there is one.
pub fn entries_within(graph: &Graph, named: &[NodeIx], scope: &str) -> Entries {
    let mut found = entries(graph, named);
    let is_inside = |node: NodeIx| is_within(graph.node(node).path(), scope);
    if !named.is_empty() || scope.is_empty() || found.particles.keys().any(|&node| is_inside(node)) {
        return found;
    }
    let callable = |node: &Node<'_>| {
        node.kind().is_callable() && is_product(node) && !is_initializer(node) && is_inside(node.ix())
    };
    let exported = graph.nodes().filter(|node| callable(node) && node.flags().has(NodeFlags::EXPORTED));
    found.particles.extend(exported.map(|node| (node.ix(), BESIDE_ITSELF)));
    found.kind = "exported";
    found
}

/// Whether a function of Go is one that prepares its package: these run one after another, before anything else does.
fn is_initializer(node: &Node<'_>) -> bool {
    node.language() == "go" && node.kind() == NodeKind::Function && node.label() == "init"
}

pub(super) fn is_product(node: &Node<'_>) -> bool {
    !node.flags().has(NodeFlags::TEST_CODE) && !place::is_beside(node.path())
}

/// The highest turbulence in each file, from all entries; made once for each graph. Nothing where no file is in a known language, or
/// where there are so many that an overview would wait for them.
pub fn by_file(ctx: &Ctx<'_>, graph: &Arc<Graph>) -> Result<Option<Arc<BTreeMap<NodeIx, f64>>>, Fault> {
    let workspace = ctx.workspace()?;
    if let Some(known) = workspace.turbulence(graph) {
        return Ok(Some(known));
    }
    let is_known = |node: &Node<'_>| {
        node.kind() == NodeKind::File && is_product(node) && shared::patterns(node.language()).is_some()
    };
    let files = graph.nodes().filter(is_known).count();
    if files == 0 || files > MAX_OVERVIEW {
        return Ok(None);
    }
    let flow = simulate(ctx, graph, &entries(graph, &[]))?;
    let mut found: BTreeMap<NodeIx, f64> = BTreeMap::new();
    for one in &flow.turbulent {
        if let Some(file) = graph.node_by_path(graph.node(one.node).path()) {
            let highest = found.entry(file).or_default();
            *highest = highest.max(one.ways.turbulence());
        }
    }
    let found = Arc::new(found);
    workspace.note_turbulence(graph, Arc::clone(&found));
    Ok(Some(found))
}

/// Follows the particles to every function of the product that changes shared state.
pub fn simulate(ctx: &Ctx<'_>, graph: &Graph, entries: &Entries) -> Result<Flow, Fault> {
    let mut words = Words::of(ctx.workspace()?.root());
    let mut locks = Locks::default();
    let mut flow = Flow::default();
    let mut names: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
    let files = graph.nodes().filter(|node| node.kind() == NodeKind::File && is_product(node));
    for file in files.filter(|node| !node.language().is_empty()) {
        if let Some(stop) = ctx.cancel().stop() {
            return Err(faults::stopped(stop));
        }
        let Some(patterns) = shared::patterns(file.language()) else {
            *flow.unknown.entry(file.language().to_owned()).or_default() += 1;
            continue;
        };
        flow.files += 1;
        let declared = words.text(file.path()).map(|text| patterns.declared(text)).unwrap_or_default();
        names.entry((file.language(), patterns.home(file.path()))).or_default().extend(declared);
    }
    let finders: BTreeMap<(&str, &str), Finder> = names
        .iter()
        .filter_map(|(&key, names)| Some((key, shared::patterns(key.0)?.finder(names)?)))
        .collect();
    for node in graph.nodes().filter(|node| node.kind().is_callable() && is_product(node)) {
        let Some(patterns) = shared::patterns(node.language()) else { continue };
        let Some(finder) = finders.get(&(node.language(), patterns.home(node.path()))) else { continue };
        let Some(source) = words.body(graph, node.ix()) else { continue };
        let line = |after: usize| node.lines().0 + u32::try_from(after).unwrap_or_default();
        let changes: Vec<(String, u32)> =
            finder.all(&source).into_iter().map(|(name, after)| (name, line(after))).collect();
        if changes.is_empty() {
            continue;
        }
        flow.writers += 1;
        let held = locks.at_changes(&mut words, graph, node.ix(), &changes);
        let least = held.iter().copied().min().unwrap_or(Held::No);
        // Of each name the change that is guarded least, and of these the first.
        let mut states: Vec<(String, u32)> = Vec::new();
        let mut open: Vec<(Held, &(String, u32))> = held.into_iter().zip(&changes).collect();
        open.sort_by_key(|(held, (_, line))| (*held, *line));
        for (_, change) in open {
            if !states.iter().any(|(name, _)| *name == change.0) {
                states.push(change.clone());
            }
        }
        states.sort_by_key(|(_, line)| *line);
        if matches!(least, Held::Yes | Held::Unknown(_)) {
            let is_guarded = least == Held::Yes;
            flow.guarded += usize::from(is_guarded);
            flow.untold += usize::from(!is_guarded);
            flow.all.push(Writer { node: node.ix(), states, ways: Ways::default(), is_guarded, held: least });
            continue;
        }
        let found = ways(graph, node.ix(), &entries.particles, |call| {
            matches!(locks.at_calls(&mut words, graph, call), Held::Yes | Held::Unknown(_))
        });
        let is_guarded = found.entries.is_empty() && found.has_guarded;
        flow.guarded += usize::from(is_guarded);
        let (states_of, ways_of) = (states.clone(), found.clone());
        flow.all.push(Writer { node: node.ix(), states: states_of, ways: ways_of, is_guarded, held: least });
        if found.turbulence() > 0.0 {
            flow.turbulent.push(Turbulent { node: node.ix(), states, ways: found });
        }
    }
    flow.turbulent.sort_by(|a, b| b.ways.particles.cmp(&a.ways.particles).then(a.node.cmp(&b.node)));
    Ok(flow)
}
