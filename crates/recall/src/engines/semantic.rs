//! Semantic: nodes whose names mean what a question says, those that keep company with its seeds first.

use m1nd_graph::{EdgeKind, Graph, NodeIx};
use rustc_hash::FxHashMap;

use super::Active;
use super::names::Names;
use crate::text::terms_of_query;

/// Nodes that are kept; more would only be noise.
const MAX_NODES: usize = 400;
/// What shared words and shared trigrams count.
const WORDS: f32 = 0.8;
const GRAMS: f32 = 0.2;
/// Labels that share less than this of their trigrams resemble by chance.
const LEAST_RESEMBLANCE: f32 = 0.5;
/// How much of the score company can add.
const COMPANY: f32 = 0.25;
/// Random walks from each seed, their steps, and how far apart two nodes of a walk are still in company.
const WALKS: u32 = 20;
const STEPS: u32 = 10;
const WINDOW: u32 = 4;

/// The cosine of the question's words and the words of a name, weighed by how rare they are, with the resemblance of
/// trigrams.
pub fn resemblance(names: &Names, query: &str) -> Active {
    let mut query_square = 0.0_f32;
    let mut dots: FxHashMap<NodeIx, f32> = FxHashMap::default();
    for (term, _) in terms_of_query(query) {
        let idf = names.idf(term);
        query_square += idf * idf;
        for &node in names.with_term(term) {
            *dots.entry(node).or_default() += idf * idf;
        }
    }
    let length = query_square.sqrt();
    let mut scores: FxHashMap<NodeIx, f32> = FxHashMap::default();
    for (node, dot) in dots {
        scores.insert(node, WORDS * (dot / (length * names.norm(node)).max(f32::MIN_POSITIVE)).min(1.0));
    }
    let mut near: FxHashMap<NodeIx, f32> = FxHashMap::default();
    for word in super::seeds::words(query) {
        for (label, share) in names.resembling(&word, LEAST_RESEMBLANCE) {
            for &node in names.nodes_of(label) {
                let seen = near.entry(node).or_default();
                *seen = seen.max(share);
            }
        }
    }
    for (node, share) in near {
        *scores.entry(node).or_default() += GRAMS * share;
    }
    strongest(scores.into_iter().collect(), MAX_NODES)
}

/// Nodes that resemble a question, re-ranked: a node that random walks from the seeds meet more often than chance gains.
pub fn semantic(graph: &Graph, seeds: &[(NodeIx, f32)], mut found: Active) -> Active {
    let company = company(graph, seeds);
    for (node, score) in &mut found {
        let gain = super::value(&company, *node);
        *score *= 1.0 - COMPANY + COMPANY * gain;
    }
    found
}

/// Positive pointwise mutual information of the seeds and the nodes near them on random walks, as a share of the
/// largest. How often chance meets a node needs no walks: on an undirected graph it is the node's share of all ends
/// of edges.
fn company(graph: &Graph, seeds: &[(NodeIx, f32)]) -> Active {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut met: FxHashMap<NodeIx, u32> = FxHashMap::default();
    let mut steps = 0_u32;
    for &(seed, _) in seeds {
        for _ in 0..WALKS {
            let mut here = seed;
            let mut since = 0;
            for _ in 0..STEPS {
                let Some(next) = step(graph, here, &mut dice) else { break };
                here = next;
                since = if here == seed { 0 } else { since + 1 };
                if since > 0 && since <= WINDOW {
                    *met.entry(here).or_default() += 1;
                    steps += 1;
                }
            }
        }
    }
    let ends = 2.0 * graph.edge_count().max(1) as f32;
    let information = |(node, count): (NodeIx, u32)| {
        let chance = (graph.outgoing(node).len() + graph.incoming(node).len()) as f32 / ends;
        (node, (count as f32 / steps as f32 / chance.max(f32::MIN_POSITIVE)).ln().max(0.0))
    };
    let mut active: Active = met.into_iter().map(information).collect();
    let most = active.iter().map(|&(_, seen)| seen).fold(0.0, f32::max);
    active.retain(|&(_, seen)| seen > 0.0);
    active.iter_mut().for_each(|(_, seen)| *seen /= most);
    active.sort_unstable_by_key(|&(node, _)| node);
    active
}

fn step(graph: &Graph, here: NodeIx, dice: &mut Dice) -> Option<NodeIx> {
    let all = graph.outgoing(here).len() + graph.incoming(here).len();
    if all == 0 {
        return None;
    }
    let edge = graph.nth_edge(here, dice.below(all as u64) as usize)?;
    // That files changed together is no step of a walk.
    (edge.kind != EdgeKind::CoChanges).then_some(if edge.source == here { edge.target } else { edge.source })
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// The strongest few, in the order of nodes.
pub(super) fn strongest(mut active: Active, most: usize) -> Active {
    active.retain(|&(_, seen)| seen > 0.0);
    if active.len() > most {
        active.select_nth_unstable_by(most, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        active.truncate(most);
    }
    active.sort_unstable_by_key(|&(node, _)| node);
    active
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph, shown};
    use super::*;

    #[test]
    fn a_name_that_is_the_question_is_nearest_and_rare_words_say_more() {
        let graph =
            graph("parse_header calls parse_body\nparse_line calls parse_body\nclose calls parse_line");
        let names = Names::of(&graph);
        let found = resemblance(&names, "parse header");
        let seen = |name: &str| super::super::value(&found, at(&graph, name));
        assert!(seen("parse_header") > 0.7, "{}", shown(&graph, &found));
        assert!(seen("parse_header") > 2.0 * seen("parse_line"));
        assert_eq!(seen("close"), 0.0);
    }

    #[test]
    fn company_of_the_seeds_decides_between_equal_names() {
        let graph = graph("seed calls get_a\nfar calls get_b\nfar calls x\nx calls y");
        let names = Names::of(&graph);
        let found = semantic(&graph, &[(at(&graph, "seed"), 1.0)], resemblance(&names, "get"));
        let seen = |name: &str| super::super::value(&found, at(&graph, name));
        assert!(seen("get_a") > seen("get_b") && seen("get_b") > 0.0, "{}", shown(&graph, &found));
        assert_eq!(found, semantic(&graph, &[(at(&graph, "seed"), 1.0)], resemblance(&names, "get")));
    }
}
