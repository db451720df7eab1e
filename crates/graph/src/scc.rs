//! Strongly connected components: nodes that depend on each other in a circle.

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::EdgeKind;

/// Circles of two or more nodes along edges of the given kinds, largest first, members in graph order.
pub fn cycles(graph: &Graph, kinds: &[EdgeKind]) -> Vec<Vec<NodeIx>> {
    let (component, count) = components(graph, kinds);
    let mut members = vec![Vec::new(); count];
    for (node, &component) in component.iter().enumerate() {
        members[component as usize].push(NodeIx(node as u32));
    }
    members.retain(|nodes| nodes.len() > 1);
    members.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a[0].cmp(&b[0])));
    members
}

/// The component of every node, and how many there are. A component's number is larger than those it reaches.
pub fn components(graph: &Graph, kinds: &[EdgeKind]) -> (Vec<u32>, usize) {
    components_of(graph.node_count(), |node| {
        let wanted = graph.outgoing(NodeIx(node)).filter(|edge| kinds.contains(&edge.kind));
        wanted.map(|edge| edge.target.0).collect()
    })
}

/// The same for anything whose parts are numbered.
pub fn components_of(nodes: usize, neighbours: impl Fn(u32) -> Vec<u32>) -> (Vec<u32>, usize) {
    let mut search = Search {
        index: vec![UNSEEN; nodes],
        low: vec![0; nodes],
        on_stack: vec![false; nodes],
        stack: Vec::new(),
        component: vec![0; nodes],
        components: 0,
        next_index: 0,
    };
    // The call stack of Tarjan's algorithm, kept by hand: code can be as deep as it likes.
    let mut frames: Vec<(u32, Vec<u32>, usize)> = Vec::new();
    for root in 0..nodes as u32 {
        if search.index[root as usize] != UNSEEN {
            continue;
        }
        search.enter(root);
        frames.push((root, neighbours(root), 0));
        while let Some((node, targets, at)) = frames.last_mut() {
            let node = *node;
            if let Some(&target) = targets.get(*at) {
                *at += 1;
                if search.index[target as usize] == UNSEEN {
                    search.enter(target);
                    let targets = neighbours(target);
                    frames.push((target, targets, 0));
                } else if search.on_stack[target as usize] {
                    search.lower(node, search.index[target as usize]);
                }
            } else {
                frames.pop();
                search.leave(node);
                if let Some((parent, _, _)) = frames.last() {
                    search.lower(*parent, search.low[node as usize]);
                }
            }
        }
    }
    (search.component, search.components as usize)
}

const UNSEEN: u32 = u32::MAX;

struct Search {
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    component: Vec<u32>,
    components: u32,
    next_index: u32,
}

impl Search {
    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.next_index;
        self.low[node as usize] = self.next_index;
        self.next_index += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    fn lower(&mut self, node: u32, to: u32) {
        let low = &mut self.low[node as usize];
        *low = (*low).min(to);
    }

    fn leave(&mut self, node: u32) {
        if self.low[node as usize] != self.index[node as usize] {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.on_stack[member as usize] = false;
            self.component[member as usize] = self.components;
            if member == node {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graph, parts};
    use proptest::prelude::*;

    #[test]
    fn two_circles_are_found_and_a_chain_is_not_one() {
        let graph =
            graph("a calls b\nb calls c\nc calls a\nx calls y\ny calls x\np calls q\nc calls x\nq imports p");
        let named: Vec<Vec<&str>> = cycles(&graph, &[EdgeKind::Calls])
            .iter()
            .map(|nodes| nodes.iter().map(|&ix| graph.node(ix).label()).collect())
            .collect();
        assert_eq!(named, [vec!["a", "b", "c"], vec!["x", "y"]]);
    }

    #[test]
    fn a_chain_of_two_hundred_thousand_needs_no_stack() {
        let mut builder = crate::GraphBuilder::new();
        let handles: Vec<_> = (0..200_000)
            .map(|n| builder.node(crate::NodeSpec::new(crate::NodeKind::Function, format!("n{n}"), "n")))
            .collect();
        for pair in handles.windows(2) {
            builder.edge(crate::EdgeSpec::new(pair[0], EdgeKind::Calls, pair[1], crate::Evidence::Resolved));
        }
        let graph = builder.finish(1);
        assert_eq!(components(&graph, &[EdgeKind::Calls]).1, 200_000);
    }

    proptest! {
        #[test]
        fn two_nodes_share_a_component_exactly_when_each_reaches_the_other(parts in parts()) {
            let graph = parts.build();
            let (component, _) = components(&graph, EdgeKind::ALL);
            let nodes = graph.node_count();
            let mut reaches = vec![vec![false; nodes]; nodes];
            for edge in graph.edges() {
                reaches[edge.source.index()][edge.target.index()] = true;
            }
            for via in 0..nodes {
                for from in 0..nodes {
                    for to in 0..nodes {
                        reaches[from][to] |= reaches[from][via] && reaches[via][to];
                    }
                }
            }
            for a in 0..nodes {
                for b in 0..nodes {
                    let circle = a == b || (reaches[a][b] && reaches[b][a]);
                    prop_assert_eq!(component[a] == component[b], circle);
                    if reaches[a][b] {
                        prop_assert!(component[a] >= component[b]);
                    }
                }
            }
        }
    }
}
