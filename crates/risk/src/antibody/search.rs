//! Search: the nodes that can stand for a pattern's centre, found within a number of steps.

use std::collections::BTreeSet;

use m1nd_graph::{Graph, NodeIx};

use super::{Pattern, PatternEdge};

/// So many relations and sources are looked at for one pattern.
pub const MAX_STEPS: u64 = 2_000_000;

/// The source of nodes, as far as it can be read.
pub trait Sources {
    /// Whether a name stands in a node's source as a whole word.
    fn mentions(&mut self, graph: &Graph, node: NodeIx, name: &str) -> bool;
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Centres, in the order of nodes.
    pub centres: Vec<NodeIx>,
    pub steps: u64,
    /// Whether the steps ran out before all was looked at.
    pub is_cut: bool,
}

/// Every node that the pattern fits, as long as the steps last.
pub fn search(graph: &Graph, pattern: &Pattern, sources: &mut impl Sources, max_steps: u64) -> Found {
    let mut search = Search { graph, pattern, steps: 0, max_steps };
    let mut found = Found::default();
    for centre in search.candidates() {
        let mut bound = vec![None; pattern.nodes.len()];
        bound[0] = Some(centre);
        if search.is_spent() {
            found.is_cut = true;
            break;
        }
        if search.lacks(centre) && search.fits(1, &mut bound) {
            search.steps += 1;
            let mut named = |name: &String| sources.mentions(graph, centre, name);
            if pattern.words.iter().all(&mut named) && !pattern.absent.iter().any(&mut named) {
                found.centres.push(centre);
            }
        }
    }
    found.is_cut |= search.is_spent();
    found.steps = search.steps;
    found
}

struct Search<'a> {
    graph: &'a Graph,
    pattern: &'a Pattern,
    steps: u64,
    max_steps: u64,
}

impl Search<'_> {
    fn is_spent(&self) -> bool {
        self.steps > self.max_steps
    }

    /// What may be the centre: found from the neighbour with the rarest name, if one has a name.
    fn candidates(&mut self) -> BTreeSet<NodeIx> {
        let (graph, pattern) = (self.graph, self.pattern);
        if pattern.nodes.is_empty() {
            return BTreeSet::new();
        }
        let direct = |edge: &&PatternEdge| edge.source == 0 || edge.target == 0;
        let other = |edge: &PatternEdge| if edge.source == 0 { edge.target } else { edge.source };
        let named = pattern.edges.iter().filter(direct).filter_map(|edge| {
            let label = pattern.nodes.get(usize::from(other(edge)))?.exact()?;
            Some((graph.nodes_by_label(label), edge))
        });
        let Some((starts, edge)) = named.min_by_key(|(nodes, _)| nodes.len()) else {
            self.steps += graph.node_count() as u64;
            let all = graph.nodes().map(|node| node.ix());
            return all.filter(|&node| pattern.may_be_centre(graph, node)).collect();
        };
        let mut found = BTreeSet::new();
        for &start in starts {
            let start = NodeIx(start);
            if !pattern.nodes[usize::from(other(edge))].fits(graph, start) {
                continue;
            }
            let ends: Vec<NodeIx> = if edge.source == 0 {
                graph.sources(start, edge.relation).collect()
            } else {
                graph.targets(start, edge.relation).collect()
            };
            self.steps += ends.len() as u64;
            found.extend(ends.into_iter().filter(|&node| pattern.may_be_centre(graph, node)));
        }
        found
    }

    /// Whether the centre has no relation to what must be missing.
    fn lacks(&mut self, centre: NodeIx) -> bool {
        if self.pattern.absent.is_empty() {
            return true;
        }
        let (graph, absent) = (self.graph, &self.pattern.absent);
        self.steps += graph.outgoing(centre).len() as u64;
        !graph.outgoing(centre).any(|edge| absent.iter().any(|name| name == graph.node(edge.target).label()))
    }

    /// Whether the nodes from `at` on can be found; those before are bound.
    fn fits(&mut self, at: usize, bound: &mut Vec<Option<NodeIx>>) -> bool {
        let (graph, pattern) = (self.graph, self.pattern);
        let Some(wanted) = pattern.nodes.get(at) else { return true };
        let place = at as u8;
        let ties: Vec<&PatternEdge> = pattern
            .edges
            .iter()
            .filter(|edge| {
                (edge.source == place && edge.target < place) || (edge.target == place && edge.source < place)
            })
            .collect();
        let Some((first, rest)) = ties.split_first() else { return false };
        let candidates: Vec<NodeIx> = if first.source == place {
            let Some(end) = bound[usize::from(first.target)] else { return false };
            graph.sources(end, first.relation).collect()
        } else {
            let Some(end) = bound[usize::from(first.source)] else { return false };
            graph.targets(end, first.relation).collect()
        };
        for node in candidates {
            self.steps += 1;
            if self.is_spent() {
                return false;
            }
            if bound[..at].contains(&Some(node)) || !wanted.fits(graph, node) {
                continue;
            }
            bound[at] = Some(node);
            let holds = |edge: &&&PatternEdge| {
                let end = |at: u8| bound[usize::from(at)];
                let ends = end(edge.source).zip(end(edge.target));
                ends.is_some_and(|(source, target)| {
                    graph.edge_between(source, edge.relation, target).is_some()
                })
            };
            if rest.iter().filter(|edge| !holds(edge)).count() == 0 && self.fits(at + 1, bound) {
                return true;
            }
            bound[at] = None;
        }
        false
    }
}
