//! The edges that belong to a page of nodes, and how many of both fit.

use std::collections::{HashMap, HashSet};

use super::query::Filter;
use super::state::{Edge, Node};
use super::view::GraphView;
use crate::budget::json_size;
use crate::error::MemoryError;
use crate::ids::{GraphNodeId, Seq};
use crate::port::{End, GraphKey, Rows, VersionRow};

/// An edge belongs to the page that shows the second of its ends, so that pages together show each edge once.
pub(super) struct Edges<'a> {
    pub(super) rows: &'a dyn Rows,
    pub(super) view: &'a GraphView,
    pub(super) filter: &'a Filter,
    /// Nodes from this number on are on earlier pages; without it this page is the first.
    pub(super) before: Option<Seq>,
}

impl Edges<'_> {
    /// The edges of a page, newest first.
    pub(super) fn of_page(&self, nodes: &[VersionRow]) -> Result<Vec<Edge>, MemoryError> {
        let here: HashSet<String> = nodes.iter().map(|row| row.key.text()).collect();
        let wanted: Option<HashSet<&GraphNodeId>> = self.filter.ids.as_ref().map(|ids| ids.iter().collect());
        let mut earlier: HashMap<GraphNodeId, bool> = HashMap::new();
        let mut out = Vec::new();
        for node in nodes {
            let GraphKey::Node(id) = &node.key else { continue };
            for end in [End::From, End::To] {
                if end == End::To && self.before.is_none() {
                    // Both ends are on this page, and the edge is met at its start.
                    continue;
                }
                for row in self.view.edge_states(self.rows, id, end)? {
                    let (seq, ts, deleted) = (row.seq, row.ts, row.deleted);
                    let GraphKey::Edge { from, rel, to } = row.key else { continue };
                    if deleted && !self.filter.deleted {
                        continue;
                    }
                    let other = if end == End::From { &to } else { &from };
                    let belongs = if here.contains(other.as_str()) {
                        end == End::From
                    } else if let Some(known) = earlier.get(other) {
                        *known
                    } else {
                        let asked = wanted.as_ref().is_none_or(|wanted| wanted.contains(other));
                        let was = asked && self.was_earlier(other)?;
                        earlier.insert(other.clone(), was);
                        was
                    };
                    if belongs {
                        let meta = row.body.meta;
                        out.push(Edge { from, rel, to, meta, deleted, last_seq: seq, last_ts_ms: ts.0 });
                    }
                }
            }
        }
        out.sort_by_key(|edge| std::cmp::Reverse(edge.last_seq));
        Ok(out)
    }

    fn was_earlier(&self, id: &GraphNodeId) -> Result<bool, MemoryError> {
        let Some(before) = self.before else { return Ok(false) };
        let state = self.view.state(self.rows, &GraphKey::Node(id.clone()))?;
        Ok(state.is_some_and(|row| row.seq >= before && self.filter.accepts(&row)))
    }
}

/// How many of the newest nodes fit together with their edges, at least one; edges of the others are taken away.
pub(super) fn nodes_that_fit(
    nodes: &[Node],
    edges: &mut Vec<Edge>,
    edges_limit: usize,
    room: usize,
) -> usize {
    let rank: HashMap<&GraphNodeId, usize> =
        nodes.iter().enumerate().map(|(at, node)| (&node.id, at)).collect();
    let place = |id: &GraphNodeId| rank.get(id).copied().unwrap_or(0);
    // The bytes that each further node brings: its own and those of its edges to the nodes before it.
    let mut edge_bytes: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    let needs: Vec<usize> = edges.iter().map(|edge| place(&edge.from).max(place(&edge.to))).collect();
    for (edge, later) in edges.iter().zip(&needs) {
        if let Some(list) = edge_bytes.get_mut(*later) {
            list.push(json_size(edge) + 1);
        }
    }
    let (mut used, mut shown) = (0, 0);
    let fits = nodes.iter().zip(&edge_bytes).take_while(|(node, edges)| {
        let counted = edges.len().min(edges_limit - shown);
        shown += counted;
        used += json_size(node) + 1 + edges[..counted].iter().sum::<usize>();
        used <= room
    });
    let kept = fits.count().max(1).min(nodes.len());
    let mut needs = needs.into_iter();
    edges.retain(|_| needs.next().is_some_and(|later| later < kept));
    kept
}

/// How many of the newest edges fit.
pub(super) fn edges_that_fit(edges: &[Edge], edges_limit: usize, room: usize) -> usize {
    let mut used = 0;
    let fits = edges.iter().take(edges_limit).take_while(|edge| {
        used += json_size(edge) + 1;
        used <= room
    });
    fits.count()
}
