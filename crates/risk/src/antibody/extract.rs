//! Extraction: what of a node's surroundings makes the pattern.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx};

use super::{MAX_EDGES, MAX_NODES, Pattern, PatternEdge, PatternNode, Sources};

/// Names are looked for at most so far from the centre.
const MAX_HOPS: usize = 2;
/// So many neighbours are kept where none is named.
const KEPT: usize = 3;
/// A neighbour that fewer nodes use makes the pattern fit the centre alone.
const MIN_USERS: usize = 2;

/// Relations that patterns are made of.
pub(super) const KINDS: [EdgeKind; 7] = [
    EdgeKind::Calls,
    EdgeKind::Inherits,
    EdgeKind::Implements,
    EdgeKind::References,
    EdgeKind::Contains,
    EdgeKind::Routes,
    EdgeKind::Imports,
];

/// What the pattern is to hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Names of neighbours, or words in the source.
    pub with: &'a [String],
    /// Names that a sound place would name.
    pub without: &'a [String],
    /// The form of the centre's own name.
    pub named: Option<&'a str>,
}

/// Why no pattern was made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    #[error("{0:?} is neither within two relations of the node nor a word in its source")]
    NotThere(String),
    #[error("a pattern has at most {MAX_NODES} nodes and {MAX_EDGES} relations")]
    TooLarge,
    #[error("nothing around the node is shared with others")]
    NothingShared,
}

/// The pattern around a node. Without names, the neighbours that it shares with the fewest others are taken.
pub fn extract(
    graph: &Graph,
    centre: NodeIx,
    wanted: &Wanted<'_>,
    sources: &mut impl Sources,
) -> Result<Pattern, ExtractError> {
    let reached = reach(graph, centre);
    let mut kept = vec![centre];
    let mut named: BTreeSet<NodeIx> = BTreeSet::new();
    let mut words = Vec::new();
    let chosen: Vec<NodeIx> = if wanted.with.is_empty() {
        let chosen = rarest(graph, centre);
        // What must be missing, or how it is called, makes a pattern, too.
        if chosen.is_empty() && wanted.without.is_empty() && wanted.named.is_none() {
            return Err(ExtractError::NothingShared);
        }
        chosen
    } else {
        let mut chosen = Vec::new();
        for name in wanted.with {
            let near = reached.order.iter().find(|&&node| graph.node(node).label() == name);
            match near {
                Some(&node) => chosen.push(node),
                None if sources.mentions(graph, centre, name) => words.push(name.clone()),
                None => return Err(ExtractError::NotThere(name.clone())),
            }
        }
        chosen
    };
    for node in chosen {
        named.insert(node);
        let mut way = vec![node];
        while let Some(&before) = way.last().and_then(|last| reached.before.get(last)) {
            way.push(before);
        }
        for step in way.into_iter().rev() {
            if !kept.contains(&step) {
                kept.push(step);
            }
        }
    }
    let edges = relations(graph, &kept);
    if kept.len() > MAX_NODES || edges.len() > MAX_EDGES {
        return Err(ExtractError::TooLarge);
    }
    let nodes = kept.iter().map(|&node| {
        let own = named.contains(&node).then(|| graph.node(node).label().to_owned());
        let label = if node == centre { wanted.named.map(str::to_owned) } else { own };
        PatternNode { kind: graph.node(node).kind(), label }
    });
    let (nodes, mut absent) = (nodes.collect(), wanted.without.to_vec());
    for list in [&mut words, &mut absent] {
        list.sort();
        list.dedup();
    }
    let in_tests = graph.node(centre).flags().has(NodeFlags::TEST_CODE);
    Ok(Pattern { nodes, edges, words, absent, in_tests })
}

struct Reached {
    /// Nearest first; of equals, the one that the centre leads to comes first.
    order: Vec<NodeIx>,
    before: BTreeMap<NodeIx, NodeIx>,
}

fn reach(graph: &Graph, centre: NodeIx) -> Reached {
    let mut found = Reached { order: Vec::new(), before: BTreeMap::new() };
    let mut front = vec![centre];
    for _ in 0..MAX_HOPS {
        let mut next = Vec::new();
        for &from in &front {
            let out = graph.outgoing(from).filter(|edge| KINDS.contains(&edge.kind)).map(|edge| edge.target);
            let back = graph.incoming(from).filter(|edge| KINDS.contains(&edge.kind)).map(|edge| edge.source);
            for node in out.chain(back) {
                if node != centre && !found.before.contains_key(&node) {
                    found.before.insert(node, from);
                    next.push(node);
                }
            }
        }
        found.order.extend(&next);
        front = next;
    }
    found
}

/// What the centre uses and others do too, the rarest first.
fn rarest(graph: &Graph, centre: NodeIx) -> Vec<NodeIx> {
    let uses = [EdgeKind::Calls, EdgeKind::Inherits, EdgeKind::Implements, EdgeKind::References];
    let mut shared: Vec<(usize, NodeIx)> = Vec::new();
    for edge in graph.outgoing(centre).filter(|edge| uses.contains(&edge.kind)) {
        let users: BTreeSet<NodeIx> = graph
            .incoming(edge.target)
            .filter(|other| uses.contains(&other.kind) && other.source != edge.target)
            .map(|other| other.source)
            .collect();
        // What is written inside the centre is nobody else's.
        let is_inside = graph.parent(edge.target) == Some(centre);
        if users.len() >= MIN_USERS && edge.target != centre && !is_inside {
            shared.push((users.len(), edge.target));
        }
    }
    shared.sort_unstable();
    shared.dedup();
    shared.into_iter().take(KEPT).map(|(_, node)| node).collect()
}

/// Every relation among the nodes of the pattern.
fn relations(graph: &Graph, kept: &[NodeIx]) -> Vec<PatternEdge> {
    let mut edges = Vec::new();
    for (source, &node) in kept.iter().enumerate() {
        for edge in graph.outgoing(node).filter(|edge| KINDS.contains(&edge.kind)) {
            if let Some(target) = kept.iter().position(|&other| other == edge.target)
                && target != source
            {
                let (source, target) = (source as u8, target as u8);
                edges.push(PatternEdge { source, relation: edge.kind, target });
            }
        }
    }
    edges.sort_unstable_by_key(|edge| (edge.source, edge.target, edge.relation));
    edges.dedup();
    edges
}
