//! Plasticity: edges between nodes that are activated together grow, and fade again when they are not.
//!
//! What grows are the learned weights, which chains and drift show. Rankings are made from the weights the code
//! gave, so that no answer depends on what else was asked.

use std::collections::VecDeque;

use m1nd_graph::{Edge, EdgeIx, Graph, NodeIx};
use m1nd_stdx::float::FiniteF32;
use rustc_hash::FxHashMap;

const RATE: f32 = 0.08;
/// What an edge forgets at each question that does not need it.
const DECAY: f32 = 0.005;
/// After so many times in a row, a habit is made or lost.
const IN_A_ROW: i8 = 5;
const HABIT: f32 = 0.15;
/// What all edges into a node may weigh together, unless they did so before anything was learned.
const MAX_INCOMING: f32 = 5.0;
const WEIGHTS: (f32, f32) = (0.05, 3.0);
/// Questions that are remembered.
const MEMORY: usize = 64;

/// What edges have been through, in one generation.
#[derive(Debug, Default)]
pub struct Plasticity {
    generation: u64,
    /// Questions learned from.
    now: u64,
    edges: FxHashMap<EdgeIx, Trace>,
    recent: VecDeque<Vec<NodeIx>>,
}

#[derive(Clone, Copy, Debug)]
struct Trace {
    /// When its decay was last settled.
    settled: u64,
    /// Times in a row that it was needed, or not needed though one of its ends was.
    streak: i8,
}

/// What one question changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Learned {
    pub strengthened: usize,
    pub decayed: usize,
    /// Habits made or lost.
    pub habits: usize,
    /// Nodes that an earlier question activated as well.
    pub primed: usize,
}

impl Plasticity {
    /// Learns from what one question activated.
    pub fn learn(&mut self, graph: &Graph, active: &[(NodeIx, f32)]) -> Learned {
        if self.generation != graph.generation() {
            // Weights are carried over to a new generation, positions of edges are not.
            *self = Self { generation: graph.generation(), ..Self::default() };
        }
        self.now += 1;
        let signals: FxHashMap<NodeIx, f32> =
            active.iter().map(|&(node, seen)| (node, seen.min(1.0))).collect();
        let mut learned = Learned::default();
        let mut nodes: Vec<NodeIx> = signals.keys().copied().collect();
        nodes.sort_unstable();
        for &node in &nodes {
            for edge in graph.outgoing(node) {
                match signals.get(&edge.target) {
                    Some(&other) => {
                        self.strengthen(graph, &edge, signals[&node] * other, &mut learned);
                    }
                    None => self.neglect(graph, &edge, &mut learned),
                }
            }
        }
        learned.primed = nodes.iter().filter(|&&node| self.recalls(node)).count();
        self.recent.push_back(nodes);
        if self.recent.len() > MEMORY {
            self.recent.pop_front();
        }
        learned
    }

    /// Whether one of the last questions activated the node.
    pub fn recalls(&self, node: NodeIx) -> bool {
        self.recent.iter().any(|nodes| nodes.binary_search(&node).is_ok())
    }

    fn strengthen(&mut self, graph: &Graph, edge: &Edge<'_>, together: f32, learned: &mut Learned) {
        let trace = self.edges.entry(edge.ix).or_insert(Trace { settled: self.now, streak: 0 });
        let weight = settled(edge, self.now.saturating_sub(trace.settled + 1));
        trace.settled = self.now;
        trace.streak = trace.streak.max(0) + 1;
        let mut gain = RATE * together;
        if trace.streak >= IN_A_ROW {
            trace.streak = 0;
            gain += HABIT;
            learned.habits += 1;
        }
        let room = room(graph, edge);
        set(graph, edge, (weight + gain).min(room));
        learned.strengthened += 1;
    }

    /// An edge that was never learned has nothing to forget.
    fn neglect(&mut self, graph: &Graph, edge: &Edge<'_>, learned: &mut Learned) {
        let now = self.now;
        let Some(trace) = self.edges.get_mut(&edge.ix) else { return };
        let weight = settled(edge, now.saturating_sub(trace.settled));
        trace.settled = now;
        trace.streak = trace.streak.min(0) - 1;
        let mut loss = 0.0;
        if trace.streak <= -IN_A_ROW {
            trace.streak = 0;
            loss = HABIT;
            learned.habits += 1;
        }
        set(graph, edge, weight - loss);
        learned.decayed += 1;
    }
}

/// Moves the edges among some nodes by an amount, within their bounds. Says how many moved.
pub fn teach(graph: &Graph, nodes: &[NodeIx], amount: f32) -> usize {
    let mut moved = 0;
    for &node in nodes {
        for edge in graph.outgoing(node).filter(|edge| edge.target != node && nodes.contains(&edge.target)) {
            let room = room(graph, &edge);
            set(graph, &edge, (edge.weight.get() + amount).min(room));
            moved += 1;
        }
    }
    moved
}

/// What an edge may weigh beside the others into its target; what the code gave in any case.
fn room(graph: &Graph, edge: &Edge<'_>) -> f32 {
    let given = edge.base_weight.get();
    let mut others = 0.0;
    for other in graph.incoming(edge.target).filter(|other| other.ix != edge.ix) {
        others += other.weight.get();
        // The first few users of a hub leave no more room than all of them.
        if MAX_INCOMING - others <= given {
            return given;
        }
    }
    MAX_INCOMING - others
}

/// The weight after so many questions that did not need the edge: what was learned fades towards what the code gave.
fn settled(edge: &Edge<'_>, questions: u64) -> f32 {
    let base = edge.base_weight.get();
    let times = i32::try_from(questions).unwrap_or(i32::MAX);
    base + (edge.weight.get() - base) * (1.0 - DECAY).powi(times)
}

fn set(graph: &Graph, edge: &Edge<'_>, weight: f32) {
    graph.weights().set(edge.ix.index(), FiniteF32::new(weight.clamp(WEIGHTS.0, WEIGHTS.1)));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::*;

    fn weight(graph: &Graph, nth: u32) -> f32 {
        graph.edge(EdgeIx(nth)).weight.get()
    }

    #[test]
    fn what_is_activated_together_grows_and_a_fifth_time_makes_a_habit() {
        let graph = graph("a references b");
        let active = [(at(&graph, "a"), 1.0), (at(&graph, "b"), 0.5)];
        let mut plasticity = Plasticity::default();
        let first = plasticity.learn(&graph, &active);
        assert_eq!(first, Learned { strengthened: 1, decayed: 0, habits: 0, primed: 0 });
        // 0.6 + 0.08 x 1.0 x 0.5
        assert!((weight(&graph, 0) - 0.64).abs() < 1e-6);
        let habits: usize = (0..4).map(|_| plasticity.learn(&graph, &active).habits).sum();
        assert_eq!(habits, 1);
        assert!((weight(&graph, 0) - (0.6 + 5.0 * 0.04 + 0.15)).abs() < 1e-6);
        assert_eq!(plasticity.learn(&graph, &active).primed, 2);
    }

    #[test]
    fn what_is_not_needed_fades_when_it_is_next_looked_at() {
        let graph = graph("a references b\nc references d");
        let mut plasticity = Plasticity::default();
        plasticity.learn(&graph, &[(at(&graph, "a"), 1.0), (at(&graph, "b"), 1.0)]);
        for _ in 0..9 {
            plasticity.learn(&graph, &[(at(&graph, "c"), 1.0)]);
        }
        assert!((weight(&graph, 0) - 0.68).abs() < 1e-6, "nothing swept over it");
        assert_eq!(plasticity.learn(&graph, &[(at(&graph, "a"), 1.0)]).decayed, 1);
        let expected = 0.6 + 0.08 * 0.995_f32.powi(10);
        assert!((weight(&graph, 0) - expected).abs() < 1e-6);
    }

    #[test]
    fn weights_stay_in_their_bounds_however_often_one_asks() {
        let mut text = String::new();
        for n in 0..4 {
            text.push_str(&format!("u{n} calls hub\n"));
        }
        let graph = graph(&text);
        let active: Vec<(NodeIx, f32)> = graph.nodes().map(|node| (node.ix(), 1.0)).collect();
        let mut plasticity = Plasticity::default();
        for _ in 0..200 {
            plasticity.learn(&graph, &active);
        }
        let sum: f32 = graph.edges().map(|edge| edge.weight.get()).sum();
        assert!(sum <= MAX_INCOMING + 1e-4, "{sum}");
        assert!(graph.edges().all(|edge| (WEIGHTS.0..=WEIGHTS.1).contains(&edge.weight.get())));
    }
}
