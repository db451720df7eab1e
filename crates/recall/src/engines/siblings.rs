//! Siblings: what most of those beside a node have and it lacks.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use rustc_hash::FxHashSet;

use super::value;

/// A relation that a node lacks and its siblings have.
#[derive(Clone, Debug, PartialEq)]
pub struct Hole {
    pub node: NodeIx,
    pub lacks: Lack,
    /// What makes them siblings: the place that holds them, or the type that they share.
    pub family: NodeIx,
    /// Siblings that have it, most activated first.
    pub have: Vec<NodeIx>,
    /// How many siblings there are, the node among them.
    pub of: usize,
    /// How much it says: 0 to 1.
    pub weight: f32,
}

/// What is lacking.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    Relation(EdgeKind, NodeIx),
    /// A member of this name.
    Member(String),
}

/// Families beyond this size are folders of everything.
const MAX_FAMILY: usize = 60;
const MIN_FAMILY: usize = 3;
/// The share of siblings that must have it.
const SHARE: f32 = 0.6;

/// Holes in the families of activated nodes, those that say most first. A family counts when at least two of those that
/// have what is lacking are activated by `least` of the strongest.
pub fn holes(graph: &Graph, active: &[(NodeIx, f32)], least: f32) -> Vec<Hole> {
    let best = active.iter().map(|&(_, value)| value).fold(0.0, f32::max);
    if best <= 0.0 {
        return Vec::new();
    }
    let activation = |node: NodeIx| value(active, node) / best;
    let strong: Vec<NodeIx> =
        active.iter().map(|&(node, _)| node).filter(|&node| activation(node) >= least).collect();
    let mut found: BTreeMap<(NodeIx, Lack), Hole> = BTreeMap::new();
    for (family, members) in families(graph, &strong) {
        let have = traits_of(graph, &members);
        for (lack, mut holders) in have {
            let share = holders.len() as f32 / members.len() as f32;
            let warm = holders.iter().filter(|&&holder| activation(holder) >= least).count();
            if holders.len() == members.len() || holders.len() < 2 || share < SHARE || warm < 2 {
                continue;
            }
            let heat = holders.iter().map(|&holder| activation(holder)).sum::<f32>() / holders.len() as f32;
            let weight = share * heat.min(1.0).sqrt() * telling(graph, &lack, &members);
            let lacking =
                members.iter().filter(|member| !holders.contains(member)).copied().collect::<Vec<_>>();
            holders.sort_by(|a, b| activation(*b).total_cmp(&activation(*a)).then(a.cmp(b)));
            for node in lacking.into_iter().filter(|&node| !is_the_thing(graph, node, &lack)) {
                let hole = Hole {
                    node,
                    lacks: lack.clone(),
                    family,
                    have: holders.clone(),
                    of: members.len(),
                    weight,
                };
                let known = found.entry((node, lack.clone())).or_insert_with(|| hole.clone());
                if known.weight < weight {
                    *known = hole;
                }
            }
        }
    }
    let mut out: Vec<Hole> = found.into_values().collect();
    out.sort_by(|a, b| b.weight.total_cmp(&a.weight).then((a.node, &a.lacks).cmp(&(b.node, &b.lacks))));
    out
}

/// A node does not lack itself, nor what is inside it or around it, nor what it inherits.
fn is_the_thing(graph: &Graph, node: NodeIx, lack: &Lack) -> bool {
    match lack {
        Lack::Relation(_, target) => {
            *target == node || graph.parent(*target) == Some(node) || graph.parent(node) == Some(*target)
        }
        Lack::Member(name) => inherits(graph, node, name),
    }
}

/// How many bases up a member is looked for.
const MAX_BASES: usize = 8;

fn inherits(graph: &Graph, node: NodeIx, name: &str) -> bool {
    let mut ring = vec![node];
    for _ in 0..MAX_BASES {
        let up = |&of: &NodeIx| {
            graph
                .targets(of, EdgeKind::Inherits)
                .chain(graph.targets(of, EdgeKind::Implements))
                .collect::<Vec<_>>()
        };
        ring = ring.iter().flat_map(up).collect();
        ring.sort_unstable();
        ring.dedup();
        let has = |&base: &NodeIx| {
            graph.targets(base, EdgeKind::Contains).any(|held| graph.node(held).label() == name)
        };
        if ring.iter().any(has) {
            return true;
        }
    }
    false
}

/// Nodes of one kind that the same place holds, or that share a base, for each node that is activated.
fn families(graph: &Graph, strong: &[NodeIx]) -> Vec<(NodeIx, Vec<NodeIx>)> {
    let mut seen: FxHashSet<(NodeIx, NodeKind)> = FxHashSet::default();
    let mut out = Vec::new();
    for &node in strong {
        let kind = graph.node(node).kind();
        if matches!(kind, NodeKind::Directory | NodeKind::Repository | NodeKind::Constant) {
            continue;
        }
        let held = graph
            .parent(node)
            .map(|parent| (parent, graph.targets(parent, EdgeKind::Contains).collect::<Vec<_>>()));
        let shared = [EdgeKind::Implements, EdgeKind::Inherits].into_iter().flat_map(|edge| {
            graph.targets(node, edge).map(move |base| (base, graph.sources(base, edge).collect::<Vec<_>>()))
        });
        for (family, mut members) in held.into_iter().chain(shared) {
            members.retain(|&member| graph.node(member).kind() == kind);
            members.sort_unstable();
            members.dedup();
            let fits = (MIN_FAMILY..=MAX_FAMILY).contains(&members.len());
            if fits && seen.insert((family, kind)) {
                out.push((family, members));
            }
        }
    }
    out
}

/// What members of a family have: relations that the code states, and members by name.
fn traits_of(graph: &Graph, members: &[NodeIx]) -> Vec<(Lack, Vec<NodeIx>)> {
    let mut out: BTreeMap<Lack, Vec<NodeIx>> = BTreeMap::new();
    let mut add = |lack: Lack, member: NodeIx| {
        let holders = out.entry(lack).or_default();
        if holders.last() != Some(&member) {
            holders.push(member);
        }
    };
    for &member in members {
        for edge in graph.outgoing(member) {
            let stated = matches!(
                edge.kind,
                EdgeKind::Calls
                    | EdgeKind::Implements
                    | EdgeKind::Inherits
                    | EdgeKind::References
                    | EdgeKind::Imports
            );
            if stated && !edge.evidence.is_inferred() {
                add(Lack::Relation(edge.kind, edge.target), member);
            } else if edge.kind == EdgeKind::Contains {
                let held = graph.node(edge.target);
                if held.kind() == NodeKind::Method {
                    add(Lack::Member(held.label().to_owned()), member);
                }
            }
        }
    }
    out.into_iter().collect()
}

/// How special what is lacking is to the family: what everybody uses says little.
fn telling(graph: &Graph, lack: &Lack, members: &[NodeIx]) -> f32 {
    match lack {
        Lack::Member(_) => 1.0,
        Lack::Relation(_, target) => {
            let users = graph.incoming(*target).filter(|edge| edge.kind != EdgeKind::Contains).count();
            (members.len() as f32 / users.max(1) as f32).min(1.0).sqrt()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, graph};
    use super::*;

    fn found(text: &str, active: &[(&str, f32)]) -> Vec<String> {
        let graph = graph(text);
        let mut active: Vec<(NodeIx, f32)> =
            active.iter().map(|&(name, value)| (at(&graph, name), value)).collect();
        active.sort_unstable_by_key(|&(node, _)| node);
        let name = |ix: NodeIx| graph.node(ix).id().to_owned();
        let shown = holes(&graph, &active, 0.3).into_iter().map(|hole| match hole.lacks {
            Lack::Relation(kind, target) => {
                format!(
                    "{} lacks {} {} ({} of {})",
                    name(hole.node),
                    kind.name(),
                    name(target),
                    hole.have.len(),
                    hole.of
                )
            }
            Lack::Member(member) => format!("{} lacks {member}", name(hole.node)),
        });
        shown.collect()
    }

    const HANDLERS: &str = "h.rs contains get\nh.rs contains put\nh.rs contains post\nh.rs contains delete\nget calls check\nput calls check\n\
        post calls check\ndelete calls store\nput calls store\npost calls store";

    #[test]
    fn the_one_that_does_not_check_is_named() {
        assert_eq!(
            found(HANDLERS, &[("get", 1.0), ("put", 0.8), ("post", 0.5), ("delete", 0.4)]),
            ["delete lacks calls check (3 of 4)", "get lacks calls store (3 of 4)"]
        );
    }

    #[test]
    fn cold_siblings_prove_nothing() {
        assert!(found(HANDLERS, &[("get", 1.0), ("put", 0.1)]).is_empty());
        assert!(found(HANDLERS, &[]).is_empty());
    }
}
