//! Blast: what a change of some nodes can reach, or what they rest on, and how strongly.
//!
//! A step goes over one relation and keeps its causal strength, times how sure the relation is. A node's signal is that of
//! the strongest way to it; its distance is that of the shortest.

use std::collections::BTreeSet;

use m1nd_graph::{Edge, EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_recall::engines::ways::certainty;

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
    /// A call of the method that a changed one overrides or implements may run it.
    Override,
}

impl Via {
    pub fn name(self) -> &'static str {
        match self {
            Via::Relation(kind) => kind.name(),
            Via::Override => "overrides",
        }
    }
}

/// A call of a base method runs this override only for some receivers.
const OVERRIDE: f32 = 0.5;

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
    /// The last relation of the shortest way, and the node it comes from.
    pub via: Via,
    pub from: NodeIx,
    /// The node before it on the strongest way.
    pub through: NodeIx,
    /// Whether no guess is on the strongest way.
    pub is_certain: bool,
}

/// All that a change reaches.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blast {
    /// Direct callers first, then by distance and signal.
    pub reached: Vec<Reached>,
    /// The sum of all signals.
    pub energy: f32,
}

/// The nodes themselves and everything inside them: who changes a class may change any of its methods.
pub fn insides(graph: &Graph, nodes: &[NodeIx]) -> Vec<NodeIx> {
    let mut all: BTreeSet<NodeIx> = nodes.iter().copied().collect();
    let mut open: Vec<NodeIx> = nodes.to_vec();
    while let Some(node) = open.pop() {
        open.extend(graph.targets(node, EdgeKind::Contains).filter(|&inner| all.insert(inner)));
    }
    all.into_iter().collect()
}

/// What is reached from `sources` in at most `max_hops` steps. The sources themselves are not among it.
pub fn blast(graph: &Graph, sources: &[NodeIx], toward: Toward, max_hops: u32) -> Blast {
    blast_where(graph, sources, toward, max_hops, &|_| true)
}

/// The same as if only those nodes were there.
pub fn blast_where(
    graph: &Graph,
    sources: &[NodeIx],
    toward: Toward,
    max_hops: u32,
    stays: &impl Fn(NodeIx) -> bool,
) -> Blast {
    let mut best: Vec<Option<Reached>> = vec![None; graph.node_count()];
    let mut is_source = vec![false; graph.node_count()];
    for source in sources {
        is_source[source.index()] = true;
    }
    let mut front: Vec<(NodeIx, f32, bool)> = sources.iter().map(|&node| (node, 1.0, true)).collect();
    let mut touched = Vec::new();
    for hops in 1..=max_hops {
        let mut next: BTreeSet<NodeIx> = BTreeSet::new();
        for &(from, signal, certain) in &front {
            each_step(graph, from, toward, |node, via, strength, sure| {
                if is_source[node.index()] || !stays(node) {
                    return;
                }
                let (signal, is_certain) = (signal * strength, certain && sure);
                let found = Reached { node, signal, hops, via, from, through: from, is_certain };
                match &mut best[node.index()] {
                    slot @ None => {
                        *slot = Some(found);
                        touched.push(node);
                        next.insert(node);
                    }
                    Some(known) if found.signal > known.signal => {
                        let (via, from) =
                            if known.hops == hops { (via, from) } else { (known.via, known.from) };
                        *known = Reached { hops: known.hops, via, from, ..found };
                        next.insert(node);
                    }
                    Some(_) => {}
                }
            });
        }
        let signal_of = |node: NodeIx| best[node.index()].map(|known| (node, known.signal, known.is_certain));
        front = next.into_iter().filter_map(signal_of).collect();
        if front.is_empty() {
            break;
        }
    }
    let mut reached: Vec<Reached> = touched.iter().filter_map(|node| best[node.index()]).collect();
    let direct_call = |one: &Reached| one.hops == 1 && one.via == Via::Relation(EdgeKind::Calls);
    // Tests are listed apart, too; of equals, what runs for real comes first.
    let test = |one: &Reached| is_test(graph, one.node);
    reached.sort_by(|a, b| {
        (direct_call(b), b.hops == 1)
            .cmp(&(direct_call(a), a.hops == 1))
            .then(a.hops.cmp(&b.hops))
            .then_with(|| test(a).cmp(&test(b)))
            .then(b.signal.total_cmp(&a.signal))
            .then(a.node.cmp(&b.node))
    });
    // Summed in the order of nodes, so that it does not depend on the order of discovery.
    touched.sort_unstable();
    let energy = total(touched.iter().filter_map(|node| best[node.index()]).map(|one| one.signal));
    Blast { reached, energy }
}

impl Blast {
    /// The way by which a node was reached, from a source to the node.
    pub fn way_to(&self, node: NodeIx) -> Vec<NodeIx> {
        let mut way = vec![node];
        let mut here = node;
        while let Some(step) = self.reached.iter().find(|one| one.node == here) {
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
}

/// The nearest test that reaches a node in at most `max_hops` steps.
pub fn nearest_test(graph: &Graph, node: NodeIx, max_hops: u32) -> Option<NodeIx> {
    let mut known: BTreeSet<NodeIx> = BTreeSet::from([node]);
    let mut front = vec![node];
    for _ in 0..max_hops {
        let mut next: BTreeSet<NodeIx> = BTreeSet::new();
        for from in front {
            each_step(graph, from, Toward::Affected, |node, _, _, _| {
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

fn each_step(graph: &Graph, from: NodeIx, toward: Toward, mut step: impl FnMut(NodeIx, Via, f32, bool)) {
    let strength = |edge: &Edge<'_>| edge.kind.causal_strength() * certainty(edge);
    match toward {
        Toward::Affected => {
            for edge in graph.incoming(from).filter(|edge| DEPENDS.contains(&edge.kind)) {
                step(edge.source, Via::Relation(edge.kind), strength(&edge), !edge.evidence.is_inferred());
            }
            for base in graph.overridden(from) {
                for edge in graph.incoming(base).filter(|edge| edge.kind == EdgeKind::Calls) {
                    step(edge.source, Via::Override, strength(&edge) * OVERRIDE, false);
                }
            }
        }
        Toward::Needed => {
            for edge in graph.outgoing(from).filter(|edge| DEPENDS.contains(&edge.kind)) {
                step(edge.target, Via::Relation(edge.kind), strength(&edge), !edge.evidence.is_inferred());
            }
        }
    }
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
