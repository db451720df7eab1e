//! The edges of the next generation: long runs of the last one's, and fresh ones between them.

use std::ops::Range;

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::{GONE, Order, Patch, ends_with_target};
use crate::builder::{EdgeSpec, Merged, set_incoming, starts};
use crate::column::Column;
use crate::columns::Columns;
use crate::ids::NodeIx;
use crate::weights::Weights;

/// An edge of the next generation.
#[derive(Clone, Copy, Debug)]
enum From {
    Old(u32),
    Fresh(u32),
}

/// Edges of the next generation that come one after the other from the same place.
#[derive(Clone, Debug)]
enum Run {
    Old(Range<u32>),
    Fresh(Range<u32>),
}

/// Where each edge of the next generation comes from, in its order.
pub(super) struct Plan<'p> {
    patch: &'p Patch<'p>,
    fresh: &'p Merged,
    runs: Vec<Run>,
    count: usize,
}

impl<'p> Plan<'p> {
    /// Nothing when a relation of another file would lead nowhere.
    pub fn of(patch: &'p Patch<'p>, fresh: &'p Merged) -> Option<Self> {
        let mut plan = Self { patch, fresh, runs: Vec::new(), count: 0 };
        let edges = |node: u32| patch.graph.columns().out_starts[node as usize];
        let mut waiting = (0..).zip(&fresh.edges).peekable();
        // Positions of nodes before and after.
        let (mut at, mut new) = (0, 0);
        for part in patch.parts.iter().map(Some).chain([None]) {
            let end = part.map_or(patch.graph.node_count() as u32, |part| part.old.start);
            while at < end {
                // Up to the next node that gets another edge.
                let until = waiting.peek().map_or(end, |(_, edge)| (at + edge.source.0 - new).min(end));
                match patch.order {
                    Order::Same | Order::Kept => plan.push(Run::Old(edges(at)..edges(until))),
                    Order::Thinned => plan.push_thinned(edges(at)..edges(until))?,
                    Order::Other => (at..until).try_for_each(|node| {
                        let own = plan.kept(node)?;
                        own.into_iter().for_each(|from| plan.push_one(from));
                        Some(())
                    })?,
                }
                new += until - at;
                at = until;
                if at < end {
                    let mut own = plan.kept(at)?;
                    while let Some((edge, _)) = waiting.next_if(|(_, edge)| edge.source.0 <= new) {
                        own.push(From::Fresh(edge));
                    }
                    own.sort_by_key(|from| plan.key(from));
                    own.into_iter().for_each(|from| plan.push_one(from));
                    new += 1;
                    at += 1;
                }
            }
            let Some(part) = part else { break };
            new += part.len();
            while let Some((edge, _)) = waiting.next_if(|(_, edge)| edge.source.0 < new) {
                plan.push_one(From::Fresh(edge));
            }
            at = part.old.end;
        }
        Some(plan)
    }

    /// Those of some edges that still lead somewhere; nothing when one may not end like that.
    fn push_thinned(&mut self, edges: Range<u32>) -> Option<()> {
        let old = self.patch.graph.columns();
        let mut from = edges.start;
        let targets = &old.target[edges.start as usize..edges.end as usize];
        for (edge, &target) in edges.clone().zip(targets) {
            if self.patch.moved[target as usize] == GONE {
                ends_with_target(old.edge_kind(edge as usize))?;
                self.push(Run::Old(from..edge));
                from = edge + 1;
            }
        }
        self.push(Run::Old(from..edges.end));
        Some(())
    }

    fn push_one(&mut self, from: From) {
        self.push(match from {
            From::Old(edge) => Run::Old(edge..edge + 1),
            From::Fresh(edge) => Run::Fresh(edge..edge + 1),
        });
    }

    fn push(&mut self, run: Run) {
        match (self.runs.last_mut(), &run) {
            (_, Run::Old(edges) | Run::Fresh(edges)) if edges.is_empty() => return,
            (Some(Run::Old(last)), Run::Old(more)) if last.end == more.start => last.end = more.end,
            (Some(Run::Fresh(last)), Run::Fresh(more)) if last.end == more.start => last.end = more.end,
            _ => self.runs.push(run.clone()),
        }
        self.count += match run {
            Run::Old(edges) | Run::Fresh(edges) => edges.len(),
        };
    }

    /// The edges of a node that stay, in the order of their targets' new positions.
    fn kept(&self, node: u32) -> Option<Vec<From>> {
        let old = self.patch.graph.columns();
        let mut own = Vec::new();
        let mut last = (0, 0);
        let mut in_order = true;
        for edge in old.out_starts[node as usize]..old.out_starts[node as usize + 1] {
            let key = self.edge_key(edge);
            if key.1 == GONE {
                ends_with_target(old.edge_kind(edge as usize))?;
                continue;
            }
            in_order &= last <= key;
            last = key;
            own.push(From::Old(edge));
        }
        if !in_order {
            own.sort_by_key(|from| self.key(from));
        }
        Some(own)
    }

    fn key(&self, from: &From) -> (u8, u32) {
        match *from {
            From::Old(edge) => self.edge_key(edge),
            From::Fresh(edge) => {
                let edge = &self.fresh.edges[edge as usize];
                (edge.kind as u8, edge.target.0)
            }
        }
    }

    fn edge_key(&self, edge: u32) -> (u8, u32) {
        let old = self.patch.graph.columns();
        (old.edge_kind[edge as usize], self.patch.moved[old.target[edge as usize] as usize])
    }

    /// Columns of which those of edges are the next generation's, and what the edges have learned.
    pub fn columns(&self) -> (Columns, Weights) {
        let old = self.patch.graph.columns();
        let mut columns = old.clone();
        let moved = |at: u32| self.patch.moved[at as usize];
        let nodes = self.patch.nodes();
        columns.source = self.taken(&old.source, moved, |edge| edge.source.0);
        columns.target = self.taken(&old.target, moved, |edge| edge.target.0);
        // The same ends in the same places are found as they were.
        let is_same = nodes == self.patch.graph.node_count()
            && columns.source.is(&old.source)
            && columns.target.is(&old.target);
        if !is_same {
            columns.out_starts = Column::owned(starts(columns.source.iter().copied(), nodes));
            set_incoming(&mut columns, nodes);
        }
        let same = |kind: u8| kind;
        columns.edge_kind = self.taken(&old.edge_kind, same, |edge| edge.kind as u8);
        columns.evidence = self.taken(&old.evidence, |known| known, |edge| edge.evidence.pack());
        columns.base_weight = self.taken(&old.base_weight, |weight| weight, |edge| edge.base_weight.get());
        columns.causal_strength =
            self.taken(&old.causal_strength, |cause| cause, |edge| edge.causal_strength.get());
        columns.inhibitory = self.taken(&old.inhibitory, same, |edge| u8::from(edge.inhibitory));
        self.sites(&mut columns);
        (columns, self.weights())
    }

    fn weights(&self) -> Weights {
        let learned = self.learned();
        let old = self.patch.graph.weights();
        let runs = self.runs.iter().flat_map(|run| {
            let (is_old, edges) = match run {
                Run::Old(edges) => (true, edges.clone()),
                Run::Fresh(edges) => (false, edges.clone()),
            };
            let learned = &learned;
            edges.map(move |edge| match is_old {
                true => old.bits_of(edge as usize),
                false => learned[edge as usize],
            })
        });
        Weights::with_capacity(self.count, runs)
    }

    fn sites(&self, columns: &mut Columns) {
        let old = self.patch.graph.columns();
        let mut starts = Vec::with_capacity(self.count + 1);
        let (mut sites, mut known) =
            (Vec::with_capacity(old.sites.len() + 64), Vec::with_capacity(old.sites.len() + 64));
        starts.push(0);
        for run in &self.runs {
            match run {
                Run::Old(edges) => {
                    let ends = &old.site_starts[edges.start as usize..=edges.end as usize];
                    let (first, last) = (ends[0], ends[ends.len() - 1]);
                    let before = sites.len() as u32;
                    starts.extend(ends[1..].iter().map(|end| end - first + before));
                    sites.extend_from_slice(&old.sites[first as usize..last as usize]);
                    known.extend_from_slice(&old.site_evidence[first as usize..last as usize]);
                }
                Run::Fresh(edges) => {
                    for edge in edges.clone() {
                        let own = self.fresh.sites(edge as usize);
                        sites.extend(own.iter().map(|(line, _)| *line));
                        known.extend(own.iter().map(|(_, how)| *how));
                        starts.push(sites.len() as u32);
                    }
                }
            }
        }
        columns.site_starts = Column::owned(starts);
        columns.sites = Column::owned(sites);
        columns.site_evidence = Column::owned(known);
    }

    /// A column of edges: the last generation's where no value differs.
    fn taken<T: Copy + PartialEq + FromBytes + IntoBytes + Immutable>(
        &self,
        old: &Column<T>,
        kept: impl Fn(T) -> T,
        new: impl Fn(&EdgeSpec) -> T,
    ) -> Column<T> {
        let fresh = |edges: &Range<u32>| &self.fresh.edges[edges.start as usize..edges.end as usize];
        // Most of what is said of edges stays when only the lines are others on which they are written.
        let mut at = 0;
        let is_same = self.patch.order == Order::Same
            && self.count == old.len()
            && self.runs.iter().all(|run| {
                let (Run::Old(edges) | Run::Fresh(edges)) = run;
                let here = at;
                at += edges.len();
                match run {
                    Run::Old(edges) => edges.start as usize == here,
                    Run::Fresh(edges) => fresh(edges).iter().map(&new).eq(old[here..at].iter().copied()),
                }
            });
        if is_same {
            return old.clone();
        }
        let mut values = Vec::with_capacity(self.count);
        for run in &self.runs {
            match run {
                Run::Old(edges) => {
                    let old = &old[edges.start as usize..edges.end as usize];
                    values.extend(old.iter().map(|&value| kept(value)));
                }
                Run::Fresh(edges) => values.extend(fresh(edges).iter().map(&new)),
            }
        }
        Column::owned(values)
    }

    /// The weights that relations of the files had learned before.
    fn learned(&self) -> Vec<u32> {
        let graph = self.patch.graph;
        let was = match self.patch.order {
            Order::Same => Vec::new(),
            Order::Kept | Order::Thinned | Order::Other => {
                let mut was = vec![GONE; self.patch.nodes()];
                let there = self.patch.moved.iter().enumerate().filter(|(_, new)| **new != GONE);
                there.for_each(|(old, &new)| was[new as usize] = old as u32);
                was
            }
        };
        let old = |new: u32| match self.patch.order {
            Order::Same => Some(NodeIx(new)),
            Order::Kept | Order::Thinned | Order::Other => {
                was.get(new as usize).copied().filter(|&old| old != GONE).map(NodeIx)
            }
        };
        let weight = |edge: &EdgeSpec| {
            let before = graph.edge_between(old(edge.source.0)?, edge.kind, old(edge.target.0)?)?;
            let before = graph.edge(before);
            (before.weight != before.base_weight).then_some(before.weight)
        };
        let fresh = &self.fresh.edges;
        fresh.iter().map(|edge| weight(edge).unwrap_or(edge.base_weight).get().to_bits()).collect()
    }
}
