//! Spread: activation runs along edges, weaker at every step. Two engines, one answer.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use m1nd_graph::NodeIx;
use rustc_hash::FxHashMap;

use super::Active;
use super::ways::{Way, Ways};

/// Below this share of nodes that start, looking at the strongest first visits fewer edges than whole rings do.
const FEW_SEEDS: f32 = 0.001;
/// With more edges a node, the queue costs more than it spares.
const SPARSE: f32 = 8.0;
/// Nodes of a large graph whose edges are followed.
const ENOUGH: usize = 3_000;
/// How much of a signal an inhibitory edge takes away at its end.
const INHIBITORY: f32 = 0.5;
/// Nothing is activated more than fully.
const FULL: f32 = 1.0;

/// How activation runs.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    pub along: Along,
    pub direction: Direction,
    /// What is left of a signal at each step.
    pub decay: f32,
    /// A weaker signal ends.
    pub threshold: f32,
    /// Steps at most.
    pub depth: u32,
    /// A node with more edges passes nothing on, unless it is where the signal began: it connects anything.
    pub fan_out: usize,
    /// Nodes whose edges are looked at, at most.
    pub budget: usize,
}

/// By what the strength of a way is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    Structure,
    Causes,
}

impl Along {
    /// How much of a signal passes, before decay.
    fn strength(self, way: &Way) -> f32 {
        match self {
            Self::Structure => way.structural,
            Self::Causes => way.causal,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Forward,
    Backward,
    Both,
}

/// Along every static relation, both ways.
pub const STRUCTURAL: Rule = Rule {
    along: Along::Structure,
    direction: Direction::Both,
    decay: 0.55,
    threshold: 0.04,
    depth: 5,
    fan_out: 200,
    budget: usize::MAX,
};

/// Deeper than this nothing is left of any signal.
pub const MAX_DEPTH: u32 = 20;

/// Spreads with the engine that suits the graph. Where a question could reach more than an answer can hold, the
/// strongest signals are followed first and the weakest not at all.
pub fn spread(ways: &Ways, seeds: &[(NodeIx, f32)], rule: &Rule) -> Active {
    let nodes = ways.node_count().max(1);
    if nodes > ENOUGH {
        return heap(ways, seeds, &Rule { budget: rule.budget.min(ENOUGH), ..*rule });
    }
    let few = (seeds.len() as f32) / (nodes as f32) < FEW_SEEDS;
    let sparse = (ways.edge_count() as f32) / (nodes as f32) < SPARSE;
    if few && sparse { heap(ways, seeds, rule) } else { wavefront(ways, seeds, rule) }
}

/// Follows the strongest signal first.
pub fn heap(ways: &Ways, seeds: &[(NodeIx, f32)], rule: &Rule) -> Active {
    let mut fronts = Fronts::new(ways, rule);
    for &(node, signal) in seeds {
        fronts.offer(ways, node, 0, signal.min(FULL));
    }
    let mut left = rule.budget;
    while let Some((node, depth, signal)) = fronts.next() {
        if left == 0 {
            break;
        }
        left -= 1;
        each_step(ways, node, rule, |target, passes| {
            fronts.offer(ways, target, depth + 1, (signal * passes * rule.decay).min(FULL));
        });
    }
    inhibit(ways, fronts.strongest(), rule)
}

/// The signals that wait to be followed, and those that arrived at each node.
struct Fronts<'a> {
    rule: &'a Rule,
    /// The most that any way lets pass.
    passes: f32,
    /// Signals are positive, so their bits are in their order.
    queue: BinaryHeap<(u32, Reverse<u32>, Reverse<NodeIx>)>,
    /// For each node the place of its front, from 1; 0 where nothing arrived.
    places: Vec<u32>,
    fronts: Vec<Front>,
}

/// The signals at a node that are either stronger or earlier than each other; nearly always there is one.
struct Front {
    node: NodeIx,
    first: (u32, f32),
    more: Vec<(u32, f32)>,
}

impl Front {
    fn iter(&self) -> impl Iterator<Item = (u32, f32)> {
        std::iter::once(self.first).chain(self.more.iter().copied())
    }
}

impl<'a> Fronts<'a> {
    fn new(ways: &Ways, rule: &'a Rule) -> Self {
        let passes = ways.kinds().iter().map(|way| rule.along.strength(way)).fold(0.0, f32::max);
        Self {
            rule,
            passes,
            queue: BinaryHeap::new(),
            places: vec![0; ways.node_count()],
            fronts: Vec::new(),
        }
    }

    /// Keeps a signal if none that arrived is both as early and as strong.
    fn offer(&mut self, ways: &Ways, node: NodeIx, depth: u32, signal: f32) {
        let rule = self.rule;
        // Written so that what is not a number is refused as well.
        if !(signal > 0.0 && signal >= rule.threshold) {
            return;
        }
        match self.places[node.index()] {
            0 => {
                self.fronts.push(Front { node, first: (depth, signal), more: Vec::new() });
                self.places[node.index()] = self.fronts.len() as u32;
            }
            place => {
                let front = &mut self.fronts[place as usize - 1];
                if front.iter().any(|(earlier, stronger)| earlier <= depth && stronger >= signal) {
                    return;
                }
                front.more.retain(|&(later, weaker)| later < depth || weaker > signal);
                if front.first.0 >= depth && front.first.1 <= signal {
                    front.first = (depth, signal);
                } else {
                    front.more.push((depth, signal));
                }
            }
        }
        // What would end here anyway need not wait for its turn.
        let goes_on = depth < rule.depth.min(MAX_DEPTH)
            && signal * self.passes * rule.decay >= rule.threshold
            && !is_hub(ways, node, depth, rule);
        if goes_on {
            self.queue.push((signal.to_bits(), Reverse(depth), Reverse(node)));
        }
    }

    /// The strongest signal that waits and was not overtaken.
    fn next(&mut self) -> Option<(NodeIx, u32, f32)> {
        while let Some((bits, Reverse(depth), Reverse(node))) = self.queue.pop() {
            let signal = f32::from_bits(bits);
            let front = &self.fronts[self.places[node.index()] as usize - 1];
            if front.iter().any(|one| one == (depth, signal)) {
                return Some((node, depth, signal));
            }
        }
        None
    }

    /// What arrived, in the order of nodes.
    fn strongest(&self) -> Active {
        let strongest = |front: &Front| front.iter().map(|(_, signal)| signal).fold(0.0, f32::max);
        let mut active: Active = self.fronts.iter().map(|front| (front.node, strongest(front))).collect();
        active.sort_unstable_by_key(|&(node, _)| node);
        active
    }
}

/// Goes ring by ring.
pub fn wavefront(ways: &Ways, seeds: &[(NodeIx, f32)], rule: &Rule) -> Active {
    let mut best = vec![0.0_f32; ways.node_count()];
    let mut arriving = vec![0.0_f32; ways.node_count()];
    let mut touched: Vec<NodeIx> = Vec::new();
    let mut reached: Vec<NodeIx> = Vec::new();
    for &(node, signal) in seeds {
        let signal = signal.min(FULL);
        if signal > 0.0 && signal >= rule.threshold {
            arriving[node.index()] = arriving[node.index()].max(signal);
            touched.push(node);
        }
    }
    let mut left = rule.budget;
    for depth in 0..=rule.depth.min(MAX_DEPTH) {
        let mut ring: Active = Vec::new();
        for node in touched.drain(..) {
            let signal = std::mem::take(&mut arriving[node.index()]);
            // A node that an earlier ring reached as strongly has nothing new to pass on.
            if signal > best[node.index()] {
                if best[node.index()] == 0.0 {
                    reached.push(node);
                }
                best[node.index()] = signal;
                ring.push((node, signal));
            }
        }
        if depth == rule.depth.min(MAX_DEPTH) {
            break;
        }
        for (node, signal) in ring.into_iter().filter(|&(node, _)| !is_hub(ways, node, depth, rule)) {
            if left == 0 {
                break;
            }
            left -= 1;
            each_step(ways, node, rule, |target, passes| {
                let signal = (signal * passes * rule.decay).min(FULL);
                if signal > 0.0 && signal >= rule.threshold && signal > arriving[target.index()] {
                    if arriving[target.index()] == 0.0 {
                        touched.push(target);
                    }
                    arriving[target.index()] = signal;
                }
            });
        }
    }
    reached.sort_unstable();
    let active = reached.into_iter().map(|node| (node, best[node.index()])).collect();
    inhibit(ways, active, rule)
}

fn is_hub(ways: &Ways, node: NodeIx, depth: u32, rule: &Rule) -> bool {
    depth > 0 && ways.fan(node) > rule.fan_out
}

fn each_step(ways: &Ways, node: NodeIx, rule: &Rule, mut step: impl FnMut(NodeIx, f32)) {
    if rule.direction != Direction::Backward {
        for (target, way) in ways.outgoing(node).filter(|(_, way)| !way.inhibitory) {
            step(target, rule.along.strength(way));
        }
    }
    if rule.direction != Direction::Forward {
        for (source, way) in ways.incoming(node).filter(|(_, way)| !way.inhibitory) {
            step(source, rule.along.strength(way));
        }
    }
}

/// Takes from each node what the strongest inhibitory way from an active node says.
fn inhibit(ways: &Ways, active: Active, rule: &Rule) -> Active {
    if !ways.inhibits() {
        return active;
    }
    let mut losses: FxHashMap<NodeIx, f32> = FxHashMap::default();
    for &(node, signal) in &active {
        for (target, way) in ways.outgoing(node).filter(|(_, way)| way.inhibitory) {
            let loss = losses.entry(target).or_default();
            *loss = loss.max(signal * rule.along.strength(way) * rule.decay * INHIBITORY);
        }
    }
    let less = |(node, signal): (NodeIx, f32)| (node, signal - losses.get(&node).copied().unwrap_or(0.0));
    active.into_iter().map(less).filter(|&(_, signal)| signal > 0.0 && signal >= rule.threshold).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph, shown};
    use super::*;
    use m1nd_graph::{EdgeKind, EdgeSpec, Evidence, GraphBuilder};
    use m1nd_stdx::float::FiniteF32;

    #[test]
    fn a_signal_is_its_source_times_weight_times_decay_and_ends_at_the_threshold() {
        let graph = graph("a calls b\nb calls c\nc calls d\nd calls e\ne calls f\nf calls g");
        let active = spread(&Ways::of(&graph), &[(at(&graph, "a"), 1.0)], &STRUCTURAL);
        // 0.55 a step: 0.55, 0.3025, 0.166, 0.0915, 0.0503; g would be the sixth step.
        assert_eq!(shown(&graph, &active), "a 1.00, b 0.55, c 0.30, d 0.17, e 0.09, f 0.05");
        let half = spread(&Ways::of(&graph), &[(at(&graph, "a"), 0.5)], &STRUCTURAL);
        assert_eq!(shown(&graph, &half), "a 0.50, b 0.28, c 0.15, d 0.08, e 0.05");
    }

    #[test]
    fn the_strongest_of_several_ways_counts_and_they_do_not_add_up() {
        let graph = graph("a calls b\na contains c\nc calls b\nd references a");
        let active = spread(&Ways::of(&graph), &[(at(&graph, "a"), 1.0)], &STRUCTURAL);
        // c is 0.4 x 0.55, but 0.55 x 0.55 by way of b; d, which uses a, is 0.6 x 0.55.
        assert_eq!(shown(&graph, &active), "a 1.00, b 0.55, c 0.30, d 0.33");
    }

    #[test]
    fn an_inhibitory_edge_takes_away_and_passes_nothing_on() {
        let graph = graph("a calls b\na -blocks b\na -blocks c\nc calls d");
        let active = spread(&Ways::of(&graph), &[(at(&graph, "a"), 1.0)], &STRUCTURAL);
        // b loses 0.6 x 0.55 x 0.5 = 0.165 of 0.55.
        assert_eq!(shown(&graph, &active), "a 1.00, b 0.38");
    }

    /// Weights above 1 let a later signal be stronger than an earlier one, which is where engines could differ.
    #[test]
    fn both_engines_give_the_same_bits_on_any_graph() {
        let mut state = 7_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..200 {
            let nodes = 2 + random(40);
            let mut builder = GraphBuilder::new();
            let handles: Vec<_> =
                (0..nodes).map(|n| builder.node(super::super::testing::spec(&format!("n{n}")))).collect();
            for _ in 0..random(120) {
                let ends = (handles[random(nodes) as usize], handles[random(nodes) as usize]);
                let kind = EdgeKind::ALL[random(EdgeKind::ALL.len() as u64) as usize];
                let evidence = match random(3) {
                    0 => Evidence::Inferred { candidates: 1 + random(4) as u16 },
                    _ => Evidence::Resolved,
                };
                let mut edge = EdgeSpec::new(ends.0, kind, ends.1, evidence);
                edge.base_weight = FiniteF32::new(random(300) as f32 / 100.0);
                edge.inhibitory = random(12) == 0;
                builder.edge(edge);
            }
            let graph = builder.finish(1);
            let seeds: Active = (0..1 + random(3))
                .map(|_| (NodeIx(random(nodes) as u32), (1 + random(100)) as f32 / 100.0))
                .collect();
            let direction = [Direction::Forward, Direction::Backward, Direction::Both][random(3) as usize];
            let fan_out = 1 + random(12) as usize;
            let rule = Rule { depth: random(7) as u32, direction, fan_out, ..STRUCTURAL };
            let ways = Ways::of(&graph);
            let (one, other) = (heap(&ways, &seeds, &rule), wavefront(&ways, &seeds, &rule));
            assert_eq!(one, other, "round {round}");
        }
    }
}
