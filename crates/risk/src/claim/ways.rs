//! Ways: what all of them have in common, and in which order calls are made on them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use m1nd_graph::{EdgeKind, NodeFlags, NodeIx};
use rustc_hash::FxHashMap;

use super::judge::{Evidence, GUESSED, NOT_SEEN, NOT_SEEN_IN_PART, SEEN, Search};
use crate::blast;

/// A way on which it is left out is nearly enough against what always is: two conditions may go together unseen.
const ON_SOME_WAYS: f32 = 15.0;
/// Callers whose own callers are looked at for the other call.
const MOST_ALONE: usize = 50;

/// Whether a call comes before another one in a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Always,
    /// On some ways to the other, and not on others.
    Sometimes,
    Never,
    Unknown(&'static str),
}

impl Search<'_> {
    /// Whether every way from where code begins to the other leads through this one.
    pub(super) fn gateway(&mut self, one: NodeIx, other: NodeIx) -> Vec<Evidence> {
        let gate: BTreeSet<NodeIx> = blast::insides(self.graph, &[one]).into_iter().collect();
        let certain = self.back(&gate, other, false);
        let mut evidence = Vec::new();
        if certain.through.is_empty() {
            let says = format!("no call from {} is known to lead to {}", self.name(one), self.name(other));
            evidence.push(Evidence { says, factor: 1.0 / 3.0, path: Vec::new() });
        } else {
            let calls = certain.through.len();
            let says = match calls {
                1 => format!("1 call from {} leads to it", self.name(one)),
                calls => format!("{calls} calls from {} lead to it", self.name(one)),
            };
            let path = certain.through.first().cloned().unwrap_or_default();
            evidence.push(Evidence { says, factor: 2.0 + calls as f32, path });
        }
        let past = |ways: &[Vec<NodeIx>], how: &str, factor: f32, name: String| {
            let says = match ways.len() {
                1 => format!("1 way of calls reaches it past {name}{how}"),
                count => format!("{count} ways of calls reach it past {name}{how}"),
            };
            Evidence { says, factor: 1.0 / factor, path: ways.first().cloned().unwrap_or_default() }
        };
        if !certain.past.is_empty() {
            evidence.push(past(&certain.past, "", SEEN, self.name(one)));
            return evidence;
        }
        let guessed = self.back(&gate, other, true);
        if !guessed.past.is_empty() {
            let how = ", some of it guessed or by way of what it overrides";
            evidence.push(past(&guessed.past, how, GUESSED, self.name(one)));
            return evidence;
        }
        let factor = if self.is_cut { NOT_SEEN_IN_PART } else { NOT_SEEN };
        let says = "no way of known calls reaches it past that".to_owned();
        evidence.push(Evidence { says, factor, path: Vec::new() });
        evidence
    }

    /// The ways back from something, up to the gate or to where nothing is known to call.
    fn back(&mut self, gate: &BTreeSet<NodeIx>, other: NodeIx, with_guesses: bool) -> Back {
        let graph = self.graph;
        let goal = blast::insides(graph, &[other]);
        let mut from: FxHashMap<NodeIx, NodeIx> = goal.iter().map(|&node| (node, node)).collect();
        let mut open: VecDeque<NodeIx> = goal.iter().copied().collect();
        let mut found = Back::default();
        let mut used = 0;
        while let Some(node) = open.pop_front() {
            if used >= self.budget {
                self.is_cut = true;
                break;
            }
            used += 1;
            self.looked_at += 1;
            let way = || {
                let mut way = way_on(&from, node);
                way.dedup();
                way
            };
            let mut callers: Vec<NodeIx> = Vec::new();
            let mut is_called = false;
            let bases = if with_guesses { graph.overridden(node) } else { Vec::new() };
            for edge in
                std::iter::once(node).chain(bases).flat_map(|node| graph.incoming(node).collect::<Vec<_>>())
            {
                let counts = edge.kind == EdgeKind::Calls && (with_guesses || !edge.evidence.is_inferred());
                let is_test = blast::is_test(graph, edge.source)
                    || graph.node(edge.source).flags().has(NodeFlags::TEST_CODE);
                if !counts || is_test {
                    continue;
                }
                is_called = true;
                if gate.contains(&edge.source) {
                    let mut through = vec![edge.source];
                    through.extend(way());
                    if !found.through.contains(&through) {
                        found.through.push(through);
                    }
                } else {
                    callers.push(edge.source);
                }
            }
            let begins = graph.incoming(node).any(|edge| edge.kind == EdgeKind::Routes)
                || graph.node(node).flags().has(NodeFlags::ENTRY_POINT);
            if (!is_called || begins) && !goal.contains(&node) {
                found.past.push(way());
            }
            for caller in callers {
                if let std::collections::hash_map::Entry::Vacant(place) = from.entry(caller) {
                    place.insert(node);
                    open.push_back(caller);
                }
            }
        }
        found
    }

    /// In code that calls both, which call comes first on every way.
    pub(super) fn order(&mut self, one: NodeIx, other: NodeIx) -> Vec<Evidence> {
        let graph = self.graph;
        let (mut before, mut after, mut without, mut alone) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut untold: BTreeMap<&str, Vec<NodeIx>> = BTreeMap::new();
        let calls = graph.incoming(other).filter(|edge| edge.kind == EdgeKind::Calls);
        for edge in calls.filter(|edge| !edge.evidence.is_inferred()) {
            self.looked_at += 1;
            let Some(own) = graph.edge_between(edge.source, EdgeKind::Calls, one) else {
                alone.push(edge.source);
                continue;
            };
            if graph.edge(own).evidence.is_inferred() {
                untold
                    .entry("that the first is called is only guessed by name")
                    .or_default()
                    .push(edge.source);
                continue;
            }
            match (self.known.order)(edge.source, one, other) {
                Order::Always => before.push(edge.source),
                Order::Never => after.push(edge.source),
                Order::Sometimes => without.push(edge.source),
                Order::Unknown(why) => untold.entry(why).or_default().push(edge.source),
            }
        }
        // What calls it may stand between the two, or call it through something else.
        let (further, alone): (Vec<NodeIx>, Vec<NodeIx>) = alone
            .into_iter()
            .enumerate()
            .map(|(at, node)| (at >= MOST_ALONE || self.is_called_around(node, one), node))
            .fold((Vec::new(), Vec::new()), |(mut further, mut alone), (is_further, node)| {
                if is_further {
                    further.push(node)
                } else {
                    alone.push(node)
                }
                (further, alone)
            });
        let told = |nodes: &[NodeIx], [singular, plural]: [&str; 2], factor: f32| Evidence {
            says: match nodes.len() {
                1 => format!("1 caller {singular}"),
                count => format!("{count} callers {plural}"),
            },
            factor,
            path: nodes.iter().copied().take(5).collect(),
        };
        let mut evidence = Vec::new();
        // One that does otherwise is enough against what always is; one that does so is a beginning.
        let weight = |nodes: &[NodeIx]| 1.0 + 2.0 * nodes.len() as f32;
        if !before.is_empty() {
            let says = ["calls it first on every way", "call it first on every way"];
            evidence.push(told(&before, says, weight(&before)));
        }
        if !after.is_empty() {
            let says = [
                "calls it only later, on another way or at its end",
                "call it only later, on another way or at their end",
            ];
            evidence.push(told(&after, says, 1.0 / (SEEN * after.len() as f32)));
        }
        if !without.is_empty() {
            let says = ["has a way on which it is left out", "have a way on which it is left out"];
            evidence.push(told(&without, says, 1.0 / (ON_SOME_WAYS * without.len() as f32)));
        }
        for (why, nodes) in &untold {
            let mut piece = told(nodes, ["calls both", "call both"], 1.0);
            piece.says.push_str(&format!(", but the order is not known: {why}"));
            evidence.push(piece);
        }
        if !further.is_empty() {
            let says = [
                "does not call it itself, but what is around it or below it does, and the order is not known",
                "do not call it themselves, but what is around them or below them does, and the order is not known",
            ];
            evidence.push(told(&further, says, 1.0));
        }
        if !alone.is_empty() {
            let says = ["does not call it itself", "do not call it themselves"];
            evidence.push(told(&alone, says, 1.0 / weight(&alone)));
        }
        if evidence.is_empty() {
            evidence.push(Evidence {
                says: format!("nothing is known to call {}", self.name(other)),
                factor: 1.0,
                path: Vec::new(),
            });
        }
        evidence
    }

    /// Whether a function reaches a call of something through others, or is reached by one that makes it.
    fn is_called_around(&mut self, caller: NodeIx, one: NodeIx) -> bool {
        let graph = self.graph;
        let walk = |outward: bool, looked_at: &mut usize| {
            let mut seen = BTreeSet::from([caller]);
            let mut open = vec![caller];
            for _ in 0..self.max_hops {
                let mut next = Vec::new();
                for node in open {
                    if seen.len() >= self.budget {
                        return true;
                    }
                    *looked_at += 1;
                    if graph.edge_between(node, EdgeKind::Calls, one).is_some() {
                        return true;
                    }
                    let edges: Vec<NodeIx> = match outward {
                        true => graph.sources(node, EdgeKind::Calls).collect(),
                        false => graph.targets(node, EdgeKind::Calls).collect(),
                    };
                    next.extend(edges.into_iter().filter(|&other| seen.insert(other)));
                }
                open = next;
            }
            false
        };
        let mut looked_at = 0;
        let found = walk(true, &mut looked_at) || walk(false, &mut looked_at);
        self.looked_at += looked_at;
        found
    }
}

#[derive(Default)]
struct Back {
    /// Ways from the gate, and from where nothing is known to call.
    through: Vec<Vec<NodeIx>>,
    past: Vec<Vec<NodeIx>>,
}

/// The way from a node on to where the search began.
fn way_on(from: &FxHashMap<NodeIx, NodeIx>, start: NodeIx) -> Vec<NodeIx> {
    let mut way = vec![start];
    let mut here = start;
    while let Some(&next) = from.get(&here).filter(|&&next| next != here) {
        way.push(next);
        here = next;
    }
    way
}
