//! Blast: what a change of some nodes can reach, or what they rest on, and how strongly.
//!
//! A step goes over one relation and keeps its causal strength, times how sure the relation is. A node's signal is that of
//! the strongest way to it; its distance is that of the shortest.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Edge, EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_recall::engines::ways::certainty;

use crate::harness;

/// Where to look from the changed nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    /// What a change there affects: callers, importers, subclasses, users, tests.
    Affected,
    /// What they depend on.
    Needed,
}

/// How one node was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    Relation(EdgeKind),
    /// A call of the method that a changed one overrides or implements, by name or as types of Go do, may run it.
    Override,
    /// It runs test code that nothing calls.
    Harness,
}

impl Via {
    pub fn name(self) -> &'static str {
        match self {
            Via::Relation(kind) => kind.name(),
            Via::Override => "overrides",
            Via::Harness => "runs",
        }
    }
}

/// A call of a base method runs this override only for some receivers.
const OVERRIDE: f32 = 0.5;
/// What stands inside a test, or is set up for it, is mostly run by it.
const HARNESS: f32 = 0.8;

/// Relations by which one node depends on another.
pub const DEPENDS: [EdgeKind; 10] = [
    EdgeKind::Calls,
    EdgeKind::Imports,
    EdgeKind::Inherits,
    EdgeKind::Implements,
    EdgeKind::References,
    EdgeKind::Tests,
    EdgeKind::Routes,
    EdgeKind::Configures,
    EdgeKind::DependsOn,
    EdgeKind::BindsTo,
];

/// A node that the change reaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    pub node: NodeIx,
    /// 0 to 1.
    pub signal: f32,
    pub hops: u32,
    /// The last relation of the shortest way, the node it comes from, and where that led.
    pub via: Via,
    pub from: NodeIx,
    pub toward: Toward,
    /// The node before it on the strongest way.
    pub through: NodeIx,
    /// Whether no guess is on the strongest way.
    pub is_certain: bool,
}

impl Reached {
    /// Whether it calls one of the changed nodes itself.
    pub fn is_direct_caller(&self) -> bool {
        self.hops == 1 && self.toward == Toward::Affected && self.via == Via::Relation(EdgeKind::Calls)
    }
}

/// Files that take names from others which only hand them on, as they are looked up for a question: the graph has them lead to
/// where the names are defined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Handed {
    takers: BTreeMap<NodeIx, BTreeSet<NodeIx>>,
}

impl Handed {
    /// Notes that a file takes something from another.
    pub fn add(&mut self, giver: NodeIx, taker: NodeIx) {
        self.takers.entry(giver).or_default().insert(taker);
    }

    pub fn extend(&mut self, other: Self) {
        for (giver, takers) in other.takers {
            self.takers.entry(giver).or_default().extend(takers);
        }
    }

    /// Who takes something from a file.
    pub fn takers(&self, giver: NodeIx) -> impl Iterator<Item = NodeIx> {
        self.takers.get(&giver).into_iter().flatten().copied()
    }

    /// From whom a file takes something.
    fn givers(&self, taker: NodeIx) -> impl Iterator<Item = NodeIx> {
        self.takers.iter().filter(move |(_, takers)| takers.contains(&taker)).map(|(&giver, _)| giver)
    }
}

/// All that a change reaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blast {
    /// Direct callers first, then by distance and signal.
    pub reached: Vec<Reached>,
    /// The sum of all signals.
    pub energy: f32,
    /// Where in `reached` each node stands.
    places: Places,
}

/// The nodes themselves and everything inside them: who changes a class may change any of its methods.
pub fn insides(graph: &Graph, nodes: &[NodeIx]) -> Vec<NodeIx> {
    let mut all: BTreeSet<NodeIx> = nodes.iter().copied().collect();
    let mut open: Vec<NodeIx> = nodes.to_vec();
    // Methods of a type may be written in other files.
    for &ty in nodes.iter().filter(|&&node| graph.node(node).kind().is_type()) {
        open.extend(graph.members(ty).into_iter().filter(|&member| all.insert(member)));
    }
    while let Some(node) = open.pop() {
        open.extend(graph.targets(node, EdgeKind::Contains).filter(|&inner| all.insert(inner)));
    }
    all.into_iter().collect()
}

/// What is reached from `sources` in at most `max_hops` steps. The sources themselves are not among it.
pub fn blast(graph: &Graph, sources: &[NodeIx], toward: Toward, max_hops: u32) -> Blast {
    walk((graph, &Handed::default()), sources, toward, max_hops, &|_| true)
}

/// The same, also by way of files that hand names on.
pub fn blast_handed(
    graph: &Graph,
    handed: &Handed,
    sources: &[NodeIx],
    toward: Toward,
    max_hops: u32,
) -> Blast {
    walk((graph, handed), sources, toward, max_hops, &|_| true)
}

/// The same as if only those nodes were there.
pub fn blast_where(
    graph: &Graph,
    sources: &[NodeIx],
    toward: Toward,
    max_hops: u32,
    stays: &impl Fn(NodeIx) -> bool,
) -> Blast {
    walk((graph, &Handed::default()), sources, toward, max_hops, stays)
}

fn walk(
    (graph, handed): (&Graph, &Handed),
    sources: &[NodeIx],
    toward: Toward,
    max_hops: u32,
    stays: &impl Fn(NodeIx) -> bool,
) -> Blast {
    let mut reached: Vec<Reached> = Vec::new();
    let mut places = Places::of(graph);
    for &source in sources {
        places.put(source, SOURCE);
    }
    let mut front: Vec<(NodeIx, f32, bool)> = sources.iter().map(|&node| (node, 1.0, true)).collect();
    let mut next: Vec<NodeIx> = Vec::new();
    for hops in 1..=max_hops {
        for &(from, signal, certain) in &front {
            each_step((graph, handed), from, toward, |node, via, strength, sure| {
                let (signal, is_certain) = (signal * strength, certain && sure);
                let found = Reached { node, signal, hops, via, from, toward, through: from, is_certain };
                match places.get(node) {
                    SOURCE => {}
                    NOWHERE if !stays(node) => {}
                    NOWHERE => {
                        places.put(node, reached.len() as u32 + FIRST);
                        reached.push(found);
                        next.push(node);
                    }
                    place => {
                        let known = &mut reached[(place - FIRST) as usize];
                        if found.signal > known.signal {
                            let (via, from) =
                                if known.hops == hops { (via, from) } else { (known.via, known.from) };
                            *known = Reached { hops: known.hops, via, from, ..found };
                            next.push(node);
                        }
                    }
                }
            });
        }
        // In the order of nodes, so that of equal ways always the same is taken.
        next.sort_unstable();
        next.dedup();
        let signal_of = |node: NodeIx| {
            let known = &reached[(places.get(node) - FIRST) as usize];
            (node, known.signal, known.is_certain)
        };
        front.clear();
        front.extend(next.drain(..).map(signal_of));
        if front.is_empty() {
            break;
        }
    }
    Blast::sorted(graph, reached, places)
}

/// Both directions, each node by its stronger signal.
pub fn both(graph: &Graph, handed: &Handed, sources: &[NodeIx], max_hops: u32) -> Blast {
    let one_way = |toward| blast_handed(graph, handed, sources, toward, max_hops);
    let Blast { mut reached, mut places, .. } = one_way(Toward::Affected);
    for one in one_way(Toward::Needed).reached {
        match places.get(one.node) {
            NOWHERE => {
                places.put(one.node, reached.len() as u32 + FIRST);
                reached.push(one);
            }
            place => {
                let known = &mut reached[(place - FIRST) as usize];
                let nearer = if one.hops < known.hops { one } else { *known };
                let stronger = if known.signal < one.signal { one } else { *known };
                let Reached { hops, via, from, toward, .. } = nearer;
                *known = Reached { hops, via, from, toward, ..stronger };
            }
        }
    }
    Blast::sorted(graph, reached, places)
}

impl Blast {
    fn sorted(graph: &Graph, mut reached: Vec<Reached>, mut places: Places) -> Self {
        // Summed in the order of nodes, so that it does not depend on the order of discovery.
        reached.sort_unstable_by_key(|one| one.node);
        let energy = total(reached.iter().map(|one| one.signal));
        // Tests are listed apart, too; of equals, what runs for real comes first. Signals are not negative, so their bits are
        // in their order.
        reached.sort_by_cached_key(|one| {
            let signal = std::cmp::Reverse(one.signal.to_bits());
            (!one.is_direct_caller(), one.hops, is_test(graph, one.node), signal)
        });
        for (at, one) in reached.iter().enumerate() {
            places.put(one.node, at as u32 + FIRST);
        }
        Self { reached, energy, places }
    }

    /// The way by which a node was reached, from a source to the node.
    pub fn way_to(&self, node: NodeIx) -> Vec<NodeIx> {
        let mut way = vec![node];
        let mut here = node;
        while let Some(step) = self.at(here) {
            // A stronger way found later may lead back over a node that is on it.
            if way.contains(&step.through) {
                break;
            }
            way.push(step.through);
            here = step.through;
        }
        way.reverse();
        way
    }

    fn at(&self, node: NodeIx) -> Option<&Reached> {
        let place = self.places.get(node).checked_sub(FIRST)?;
        self.reached.get(place as usize)
    }
}

/// Where each node of the graph stands in a list. Cleared memory is its empty state, so that asking for little of a large graph
/// costs little.
#[derive(Clone, Debug, Default, PartialEq)]
struct Places(Vec<u32>);

const NOWHERE: u32 = 0;
const SOURCE: u32 = 1;
/// The place of the first in the list.
const FIRST: u32 = 2;

impl Places {
    fn of(graph: &Graph) -> Self {
        Self(vec![NOWHERE; graph.node_count()])
    }

    fn get(&self, node: NodeIx) -> u32 {
        self.0.get(node.index()).copied().unwrap_or(NOWHERE)
    }

    fn put(&mut self, node: NodeIx, place: u32) {
        self.0[node.index()] = place;
    }
}

/// The nearest test that reaches a node in at most `max_hops` steps.
pub fn nearest_test(graph: &Graph, node: NodeIx, max_hops: u32) -> Option<NodeIx> {
    let mut known: BTreeSet<NodeIx> = BTreeSet::from([node]);
    let mut front = vec![node];
    for _ in 0..max_hops {
        let mut next: BTreeSet<NodeIx> = BTreeSet::new();
        for from in front {
            each_step((graph, &Handed::default()), from, Toward::Affected, |node, _, _, _| {
                if known.insert(node) {
                    next.insert(node);
                }
            });
        }
        if let Some(&test) = next.iter().find(|&&node| is_test(graph, node)) {
            return Some(test);
        }
        front = next.into_iter().collect();
    }
    None
}

/// Whether a node is a test that somebody runs.
pub fn is_test(graph: &Graph, node: NodeIx) -> bool {
    let node = graph.node(node);
    let runs = NodeFlags::TEST_CODE.with(NodeFlags::ENTRY_POINT);
    node.kind() == NodeKind::Test || (node.kind().is_callable() && node.flags().has(runs))
}

fn each_step(
    (graph, handed): (&Graph, &Handed),
    from: NodeIx,
    toward: Toward,
    mut step: impl FnMut(NodeIx, Via, f32, bool),
) {
    let strength = |edge: &Edge<'_>| edge.kind.causal_strength() * certainty(edge);
    let import = |node, step: &mut dyn FnMut(NodeIx, Via, f32, bool)| {
        step(node, Via::Relation(EdgeKind::Imports), EdgeKind::Imports.causal_strength(), true);
    };
    match toward {
        Toward::Affected => {
            for edge in graph.incoming(from).filter(|edge| DEPENDS.contains(&edge.kind)) {
                step(edge.source, Via::Relation(edge.kind), strength(&edge), !edge.evidence.is_inferred());
                for runner in harness::set_up_by(graph, &edge) {
                    step(runner, Via::Harness, strength(&edge) * HARNESS, false);
                }
            }
            handed.takers(from).for_each(|taker| import(taker, &mut step));
            for base in bases(graph, from) {
                for edge in graph.incoming(base).filter(|edge| edge.kind == EdgeKind::Calls) {
                    step(edge.source, Via::Override, strength(&edge) * OVERRIDE, false);
                }
            }
            for runner in harness::run_by(graph, from) {
                step(runner, Via::Harness, HARNESS, false);
            }
        }
        Toward::Needed => {
            for edge in graph.outgoing(from).filter(|edge| DEPENDS.contains(&edge.kind)) {
                step(edge.target, Via::Relation(edge.kind), strength(&edge), !edge.evidence.is_inferred());
            }
            handed.givers(from).for_each(|giver| import(giver, &mut step));
        }
    }
}

/// The methods a call of which may run this one: those that it overrides or implements, and those of interfaces that its type
/// keeps without naming them. Nobody calls a test, nor what it overrides.
pub(crate) fn bases(graph: &Graph, node: NodeIx) -> Vec<NodeIx> {
    if is_test(graph, node) {
        return Vec::new();
    }
    let mut found = graph.overridden(node);
    found.extend(graph.promised(node));
    found
}

/// The sum of signals; that of none is zero, and not the negative zero that an empty sum of floats is.
pub fn total(signals: impl Iterator<Item = f32>) -> f32 {
    signals.sum::<f32>() + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{at, graph};

    #[test]
    fn the_nearest_test_is_found_within_the_steps() {
        let graph = graph("mid calls deep\ntest_far calls mid\ntop calls mid\ntest_top calls top\n");
        let name = |hops| nearest_test(&graph, at(&graph, "deep"), hops).map(|ix| graph.node(ix).id());
        assert_eq!((name(1), name(2), name(4)), (None, Some("test_far"), Some("test_far")));
    }

    #[test]
    fn what_reaches_nothing_has_no_energy() {
        let graph = graph("main calls serve\n");
        let found = blast(&graph, &[at(&graph, "main")], Toward::Affected, 3);
        assert_eq!(format!("{:?}", found.energy), "0.0");
    }

    fn shown(graph: &Graph, blast: &Blast) -> String {
        let one = |one: &Reached| {
            let guess = if one.is_certain { "" } else { "?" };
            format!("{}{guess} {:.3} {}", graph.node(one.node).id(), one.signal, one.hops)
        };
        blast.reached.iter().map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn signals_shrink_with_every_step_and_the_strongest_way_counts() {
        // main -> serve -> parse <- test_parse, Shape is used by draw.
        let graph =
            graph("main calls serve\nserve calls parse\ntest_parse calls parse\nmain references parse\n");
        let found = blast(&graph, &[at(&graph, "parse")], Toward::Affected, 3);
        // 0.9, 0.9, then main: directly by 0.5, over serve by 0.81, and its distance is the shorter one's.
        assert_eq!(shown(&graph, &found), "serve 0.900 1, test_parse 0.900 1, main 0.810 1");
        assert!((found.energy - 2.61).abs() < 1e-5);
        let way: Vec<&str> = found.way_to(at(&graph, "main")).iter().map(|&ix| graph.node(ix).id()).collect();
        assert_eq!(way, ["parse", "serve", "main"]);
        let needed = blast(&graph, &[at(&graph, "main")], Toward::Needed, 1);
        assert_eq!(shown(&graph, &needed), "serve 0.900 1, parse 0.500 1");
        assert!(is_test(&graph, at(&graph, "test_parse")) && !is_test(&graph, at(&graph, "main")));
    }

    #[test]
    fn a_guess_counts_as_one_of_its_candidates_and_direct_callers_come_first() {
        let graph = graph("a calls x ?3\nb references x\nc calls a\nd imports x\n");
        let found = blast(&graph, &[at(&graph, "x")], Toward::Affected, 2);
        assert_eq!(shown(&graph, &found), "a? 0.300 1, b 0.500 1, d 0.500 1, c? 0.270 2");
    }

    #[test]
    fn circles_end_and_sources_are_not_reached() {
        let graph = graph("a calls b\nb calls c\nc calls a\n");
        let found = blast(&graph, &[at(&graph, "a")], Toward::Affected, 10);
        assert_eq!(shown(&graph, &found), "c 0.900 1, b 0.810 2");
    }

    #[test]
    fn in_both_directions_callers_come_first_and_a_caller_that_is_called_back_stays_one() {
        let graph = graph("low calls x ?4\nback calls x\nx calls back\nx calls deep\nx imports lib\n");
        let found = both(&graph, &Handed::default(), &[at(&graph, "x")], 1);
        assert_eq!(shown(&graph, &found), "back 0.900 1, low? 0.225 1, deep 0.900 1, lib 0.500 1");
        let callers = found.reached.iter().filter(|one| one.is_direct_caller()).count();
        assert_eq!(callers, 2);
        let needed = blast(&graph, &[at(&graph, "x")], Toward::Needed, 1);
        assert!(needed.reached.iter().all(|one| !one.is_direct_caller()));
    }

    #[test]
    fn who_takes_a_name_from_a_file_that_hands_it_on_depends_on_that_file() {
        let graph = graph("door imports deep\nuser imports deep\nabove calls user\nother imports deep\n");
        let [door, user] = ["door", "user"].map(|name| at(&graph, name));
        let mut handed = Handed::default();
        handed.add(door, user);
        let found = blast_handed(&graph, &handed, &[door], Toward::Affected, 3);
        assert_eq!(shown(&graph, &found), "user 0.500 1, above 0.450 2");
        let needed = blast_handed(&graph, &handed, &[user], Toward::Needed, 1);
        assert_eq!(shown(&graph, &needed), "deep 0.500 1, door 0.500 1");
        assert_eq!(blast(&graph, &[door], Toward::Affected, 3).reached, []);
    }

    #[test]
    fn a_change_of_a_class_is_a_change_of_what_is_in_it() {
        let graph = graph("Shape contains area\ndraw calls area\nSquare inherits Shape\n");
        let inside = insides(&graph, &[at(&graph, "Shape")]);
        let found = blast(&graph, &inside, Toward::Affected, 1);
        assert_eq!(shown(&graph, &found), "draw 0.900 1, Square 0.800 1");
    }

    #[test]
    fn who_calls_the_base_method_may_run_the_override() {
        let graph = graph(
            "Square inherits Shape\nShape contains s.area\nSquare contains q.area\ndraw calls s.area\n",
        );
        let found = blast(&graph, &[at(&graph, "q.area")], Toward::Affected, 1);
        assert_eq!(shown(&graph, &found), "draw? 0.450 1");
    }
}
