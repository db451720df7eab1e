//! Paths: how two nodes hang together, by the strongest chains of relations between them.

use m1nd_graph::{Edge, EdgeIx, EdgeKind, Graph, NodeIx, NodeKind};
use rustc_hash::FxHashMap;

use super::ways::certainty;

/// Nodes of one ring whose relations are followed, strongest first. Beyond it lie hubs that connect anything.
const MAX_RING: usize = 1_500;

/// What a step keeps: of two chains of equal relations the shorter one says more.
pub const STEP: f32 = 0.9;
/// What is left of a chain at each turn from along relations to against them, or back.
const TURN: f32 = 0.5;
/// Places where rings met that are looked at.
const MAX_MEETINGS: usize = 30;
/// What a coincidence counts beside a chain that leads from one node to the other.
const COINCIDENCE: f32 = 0.1;

/// What a chain says of its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tie {
    /// One leads to the other: every relation of code points the same way.
    Leads,
    /// Both have to do with a third: a common user, a common base, a test of both.
    Shares,
    /// Some of it is only that files changed in the same commits.
    Changes,
}

/// A chain of relations, each seen from the source's side.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    pub tie: Tie,
    /// The product of what each relation and each turn leaves; of a coincidence a tenth of it.
    pub strength: f32,
    pub hops: Vec<Hop>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    pub edge: EdgeIx,
    /// Whether the relation is walked from its source to its target.
    pub along: bool,
    /// Whether it leads from an end of the chain into what that end holds, which takes nothing off the chain.
    pub own: bool,
}

/// What was found between two nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Between {
    /// Strongest first.
    pub chains: Vec<Chain>,
    /// Whether some relations were not followed, because there were too many.
    pub cut: bool,
}

/// How strongly each ring reaches a node, and from where.
type Ring = FxHashMap<NodeIx, (f32, NodeIx, EdgeIx)>;

/// The strongest chains of at most `max_hops` relations, at most `most` of them: those that lead from one to the other
/// first, then coincidences. Who asks what connects two pieces of code asks for calls and imports; that a third uses both, or
/// that they changed in one commit, is said where nothing better is known.
pub fn between(graph: &Graph, source: NodeIx, target: NodeIx, max_hops: usize, most: usize) -> Between {
    let mut cut = false;
    let mut chains: Vec<Chain> = Vec::new();
    for ways in [Ways::Along, Ways::Against, Ways::Both] {
        if ways == Ways::Both && chains.len() >= most {
            break;
        }
        for chain in directed(graph, source, target, max_hops, ways, &mut cut) {
            // Rings meet on one chain in several places, where it counts most first.
            let edges = |chain: &Chain| chain.hops.iter().map(|hop| hop.edge).collect::<Vec<_>>();
            if !chains.iter().any(|known| edges(known) == edges(&chain)) {
                chains.push(chain);
            }
        }
    }
    chains.iter_mut().filter(|chain| chain.tie != Tie::Leads).for_each(|chain| chain.strength *= COINCIDENCE);
    chains.sort_by(|a, b| b.strength.total_cmp(&a.strength).then(a.hops.len().cmp(&b.hops.len())));
    chains.truncate(most);
    Between { chains, cut }
}

/// Which relations may be walked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    Along,
    Against,
    Both,
}

impl Ways {
    fn reversed(self) -> Self {
        match self {
            Self::Along => Self::Against,
            Self::Against => Self::Along,
            Self::Both => Self::Both,
        }
    }

    /// Whether a relation may be walked in a direction. What lies in what has no direction of its own, and common changes
    /// lead nowhere.
    fn admit(self, edge: &Edge<'_>, along: bool) -> bool {
        match (self, edge.kind) {
            (Self::Both, _) | (_, EdgeKind::Contains) => true,
            (_, EdgeKind::CoChanges) => false,
            (Self::Along, _) => along,
            (Self::Against, _) => !along,
        }
    }
}

/// The strongest chains that walk relations in these ways.
///
/// Rings grow from both ends and meet in the middle, so that a node with thousands of relations is met, not walked through.
fn directed(
    graph: &Graph,
    source: NodeIx,
    target: NodeIx,
    max_hops: usize,
    ways: Ways,
    cut: &mut bool,
) -> Vec<Chain> {
    let from_source = max_hops.div_ceil(2);
    let near = rings(graph, source, from_source, ways, cut);
    let far = rings(graph, target, max_hops - from_source, ways.reversed(), cut);
    let mut meetings: Vec<(f32, usize, usize, NodeIx)> = Vec::new();
    let is_folder =
        |node: NodeIx| matches!(graph.node(node).kind(), NodeKind::Directory | NodeKind::Repository);
    for (steps, ring) in near.iter().enumerate() {
        // That two things lie in one folder explains nothing.
        let says = |node: NodeIx| node == source || node == target || !is_folder(node);
        for (&node, &(strength, ..)) in ring.iter().filter(|(node, _)| says(**node)) {
            for (back, other) in far.iter().enumerate() {
                if let Some(&(rest, ..)) = other.get(&node) {
                    meetings.push((strength * rest, steps, back, node));
                }
            }
        }
    }
    meetings
        .sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| (a.1 + a.2, a.1, a.3).cmp(&(b.1 + b.2, b.1, b.3))));
    let mut chains: Vec<Chain> = Vec::new();
    for (strength, steps, back, node) in meetings.into_iter().take(MAX_MEETINGS) {
        let mut hops = walk(&near, steps, node, graph);
        hops.reverse();
        hops.extend(walk(&far, back, node, graph).into_iter().map(|hop| Hop { along: !hop.along, ..hop }));
        if !visits_twice(graph, source, &hops) {
            let (tie, turns) = tie(graph, &hops);
            let strength = strength * TURN.powi(i32::try_from(turns).unwrap_or(i32::MAX));
            chains.push(Chain { tie, strength, hops });
        }
    }
    chains
}

/// What a chain says of its ends, and how often it turns round: from along relations of code to against them or back, from a
/// part up to what holds it, whose relations are not the part's, or from a type down to a part of it. Only what is asked about stands for what it holds.
fn tie(graph: &Graph, hops: &[Hop]) -> (Tie, usize) {
    let kind = |hop: &Hop| graph.edge(hop.edge).kind;
    let relations: Vec<&Hop> = hops.iter().filter(|hop| kind(hop) != EdgeKind::Contains).collect();
    let turns = relations.windows(2).filter(|pair| pair[0].along != pair[1].along).count();
    // Where relations are walked against, what leads somewhere begins at the other end.
    let forward = relations.first().is_none_or(|hop| hop.along);
    let is_up = |hop: &&Hop| kind(hop) == EdgeKind::Contains && hop.along != forward && !hop.own;
    // Who uses a type uses no certain part of it.
    let is_part_of_type = |hop: &&Hop| {
        let edge = graph.edge(hop.edge);
        let holds = edge.kind == EdgeKind::Contains && hop.along == forward && !hop.own;
        holds && graph.node(edge.source).kind().is_type()
    };
    let turns = turns + hops.iter().filter(|hop| is_up(hop) || is_part_of_type(hop)).count();
    let tie = match () {
        () if relations.iter().any(|hop| kind(hop) == EdgeKind::CoChanges) => Tie::Changes,
        () if turns > 0 => Tie::Shares,
        () => Tie::Leads,
    };
    (tie, turns)
}

impl Hop {
    /// What the step counts in its chain, before what every step and every turn takes.
    pub fn strength(&self, graph: &Graph) -> f32 {
        if self.own { 1.0 } else { strength(&graph.edge(self.edge)) }
    }
}

/// How much a relation binds, as learned, certain and written; never more than fully.
pub fn strength(edge: &Edge<'_>) -> f32 {
    (edge.weight.get() * certainty(edge)).clamp(0.0, 1.0)
}

fn rings(graph: &Graph, start: NodeIx, steps: usize, ways: Ways, cut: &mut bool) -> Vec<Ring> {
    // No edge leads to the start, so its own has no number that exists.
    let mut rings = vec![Ring::from_iter([(start, (1.0, start, EdgeIx(u32::MAX)))])];
    for step in 0..steps {
        let mut from: Vec<(NodeIx, f32, EdgeIx)> =
            rings[step].iter().map(|(&node, &(seen, _, by))| (node, seen, by)).collect();
        from.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        *cut |= from.len() > MAX_RING;
        from.truncate(MAX_RING);
        let mut ring = Ring::default();
        for (node, seen, by) in from {
            let kind = graph.node(node).kind();
            if node != start && matches!(kind, NodeKind::Directory | NodeKind::Repository) {
                continue;
            }
            // Who came up from a part goes on to what the whole has to do with, not down to its other parts.
            let came_up = step > 0 && {
                let last = graph.edge(by);
                last.kind == EdgeKind::Contains && last.source == node
            };
            let down = |edge: &Edge<'_>| !(came_up && edge.kind == EdgeKind::Contains && ways != Ways::Both);
            let along = graph.outgoing(node).filter(|edge| ways.admit(edge, true) && down(edge));
            let against = graph.incoming(node).filter(|edge| ways.admit(edge, false));
            for edge in along.chain(against) {
                let other = if edge.source == node { edge.target } else { edge.source };
                let own = step == 0 && is_own(&edge, start);
                let arrives = if own { STEP } else { seen * strength(&edge) * STEP };
                let known = ring.get(&other);
                if other != start && arrives > 0.0 && known.is_none_or(|&(strongest, ..)| arrives > strongest)
                {
                    ring.insert(other, (arrives, node, edge.ix));
                }
            }
        }
        rings.push(ring);
    }
    rings
}

/// What is in a file or a class is what is asked about when the file or the class is.
fn is_own(edge: &Edge<'_>, end: NodeIx) -> bool {
    edge.kind == EdgeKind::Contains && edge.source == end
}

/// The relations from a node of a ring back to where the rings began, seen from there.
fn walk(rings: &[Ring], steps: usize, node: NodeIx, graph: &Graph) -> Vec<Hop> {
    let mut hops = Vec::new();
    let mut here = node;
    for step in (1..=steps).rev() {
        let Some(&(_, before, edge)) = rings[step].get(&here) else { break };
        let found = graph.edge(edge);
        let along = found.source == before;
        hops.push(Hop { edge, along, own: step == 1 && is_own(&found, before) });
        here = before;
    }
    hops
}

fn visits_twice(graph: &Graph, source: NodeIx, hops: &[Hop]) -> bool {
    let mut seen = vec![source];
    for hop in hops {
        let edge = graph.edge(hop.edge);
        let next = if hop.along { edge.target } else { edge.source };
        if seen.contains(&next) {
            return true;
        }
        seen.push(next);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::*;

    fn found(text: &str, source: &str, target: &str, max_hops: usize) -> Vec<String> {
        let graph = graph(text);
        let between = between(&graph, at(&graph, source), at(&graph, target), max_hops, 3);
        let name = |ix: NodeIx| graph.node(ix).id();
        let each = between.chains.iter().map(|chain| {
            let mut text = source.to_owned();
            for hop in &chain.hops {
                let edge = graph.edge(hop.edge);
                let (arrow, next) = if hop.along { (">", edge.target) } else { ("<", edge.source) };
                text.push_str(&format!(" {arrow} {}", name(next)));
            }
            format!("{text} {:.2} {:?}", chain.strength, chain.tie)
        });
        each.collect()
    }

    #[test]
    fn chains_come_by_the_product_of_their_strengths() {
        let text = "a calls b\nb calls d\na references c\nc calls d\na contains d";
        assert_eq!(
            found(text, "a", "d", 6),
            ["a > d 0.90 Leads", "a > b > d 0.81 Leads", "a > c > d 0.49 Leads"]
        );
        assert_eq!(found(text, "a", "d", 1), ["a > d 0.90 Leads"]);
        assert_eq!(found(text, "d", "a", 2)[1], "d < b < a 0.81 Leads");
    }

    #[test]
    fn what_leads_from_one_to_the_other_comes_before_coincidences() {
        let files = "a.rs contains f\nf calls g\nb.rs contains g\na.rs co_changes b.rs\nt calls f\nt calls g";
        assert_eq!(
            found(files, "a.rs", "b.rs", 6)[..2],
            ["a.rs > f > g < b.rs 0.73 Leads", "a.rs > b.rs 0.04 Changes"]
        );
        let far = "t calls a\nt calls d\na calls b\nb references c\nc references d";
        assert_eq!(
            found(far, "a", "d", 6),
            ["a > b > c > d 0.26 Leads", "a < t > d 0.04 Shares"],
            "a longer way that leads there says more than a common user"
        );
        let parts = "a.rs contains f\na.rs contains g";
        assert_eq!(found(parts, "f", "g", 6), ["f < a.rs > g 0.01 Shares"]);
    }

    #[test]
    fn a_chain_is_the_product_of_what_its_steps_count() {
        let graph = graph("a.rs contains f\nf references g\nb.rs contains g\nb.rs calls c");
        let ends =
            [("a.rs", "b.rs", vec![true, false, true], Tie::Leads), ("f", "c", vec![false; 3], Tie::Shares)];
        for (source, target, own, tie) in ends {
            let found = between(&graph, at(&graph, source), at(&graph, target), 6, 1);
            let chain = &found.chains[0];
            assert_eq!(chain.hops.iter().map(|hop| hop.own).collect::<Vec<_>>(), own, "{source} {target}");
            assert_eq!(chain.tie, tie, "that its file calls something is not what f leads to");
            let turns = if tie == Tie::Leads { 1.0 } else { TURN * COINCIDENCE };
            let steps: f32 = chain.hops.iter().map(|hop| hop.strength(&graph) * STEP).product();
            assert!((steps * turns - chain.strength).abs() < 1e-6, "{steps} {}", chain.strength);
        }
    }

    #[test]
    fn a_chain_has_no_more_hops_than_allowed_and_no_node_twice() {
        let text = "a calls b\nb calls c\nc calls d\nd calls e";
        assert_eq!(found(text, "a", "e", 4), ["a > b > c > d > e 0.66 Leads"]);
        assert_eq!(found(text, "a", "e", 3), [] as [&str; 0]);
        assert_eq!(found("a calls b\nc calls b", "a", "c", 5), ["a > b < c 0.04 Shares"]);
    }
}
