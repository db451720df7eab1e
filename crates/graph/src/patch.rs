//! A generation that differs from the one before only in what some files say: the rest is copied as it is,
//! nothing of it is looked up or sorted again.

use std::ops::Range;

use rustc_hash::FxHashMap;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use m1nd_stdx::float::FiniteF32;

use crate::builder::{EdgeSpec, Handle, Merged, NodeSpec, canonical_cmp, set_incoming, starts};
use crate::column::Column;
use crate::columns::Columns;
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::EdgeKind;
use crate::node::History;
use crate::weights::Weights;

const GONE: u32 = u32::MAX;

/// A relation that starts in one of the files, by positions of the next generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchEdge {
    pub source: NodeIx,
    pub kind: EdgeKind,
    pub target: NodeIx,
    pub evidence: Evidence,
    /// Where it is written; 0 for nowhere in particular.
    pub line: u32,
}

/// Two files that changed together, by positions of the next generation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Together {
    pub source: NodeIx,
    pub target: NodeIx,
    /// How often the target changes when the source does.
    pub share: FiniteF32,
}

/// A file whose relations are given anew.
#[derive(Debug)]
pub struct FilePatch<'p> {
    pub path: &'p str,
    /// Every node with that path, none when it is gone; nothing when they are as they were.
    pub nodes: Option<Vec<NodeSpec>>,
}

/// The next generation, as far as its nodes are known.
#[derive(Debug)]
pub struct Patch<'g> {
    graph: &'g Graph,
    /// In the order of their nodes.
    parts: Vec<Part>,
    /// The new position of each old node.
    moved: Vec<u32>,
    /// New positions of the nodes that were given, by id.
    given: FxHashMap<String, u32>,
}

#[derive(Debug)]
struct Part {
    old: Range<u32>,
    /// In their order; with the position each had before.
    nodes: Option<Vec<(NodeSpec, Option<u32>)>>,
}

impl Part {
    fn len(&self) -> u32 {
        self.nodes.as_ref().map_or(self.old.len(), Vec::len) as u32
    }
}

impl Graph {
    /// Begins the next generation; nothing when nodes stay as they were in a file that is not in this one.
    pub fn patch(&self, files: Vec<FilePatch<'_>>) -> Option<Patch<'_>> {
        let mut parts = Vec::with_capacity(files.len());
        for file in files {
            let old = self.range_of(file.path);
            if old.is_empty() && file.nodes.is_none() {
                return None;
            }
            let before = |spec: &NodeSpec| {
                let found = self.node_by_id(&spec.id).map(|ix| ix.0);
                found.filter(|at| old.contains(at))
            };
            let nodes = file.nodes.map(|mut specs| {
                specs.sort_by(canonical_cmp);
                let placed = |spec: NodeSpec| {
                    let at = before(&spec);
                    (spec, at)
                };
                specs.into_iter().map(placed).collect()
            });
            parts.push((file.path, Part { old, nodes }));
        }
        // What is new at one place comes before what was there, in the order of the paths.
        parts.sort_by_key(|(path, part)| (part.old.start, part.old.end, *path));
        let parts: Vec<Part> = parts.into_iter().map(|(_, part)| part).collect();
        let mut moved: Vec<u32> = Vec::with_capacity(self.node_count());
        let mut given = FxHashMap::default();
        let mut next = 0;
        for part in &parts {
            let between = part.old.start - moved.len() as u32;
            moved.extend(next..next + between);
            next += between;
            match &part.nodes {
                None => moved.extend(next..next + part.len()),
                Some(nodes) => {
                    moved.resize(part.old.end as usize, GONE);
                    for (at, (spec, before)) in (next..).zip(nodes) {
                        given.insert(spec.id.clone(), at);
                        if let Some(before) = before {
                            moved[*before as usize] = at;
                        }
                    }
                }
            }
            next += part.len();
        }
        let rest = (self.node_count() - moved.len()) as u32;
        moved.extend(next..next + rest);
        Some(Patch { graph: self, parts, moved, given })
    }
}

impl Patch<'_> {
    /// Where a node is in the next generation.
    pub fn place(&self, id: &str) -> Option<NodeIx> {
        let known =
            self.given.get(id).copied().or_else(|| Some(self.moved[self.graph.node_by_id(id)?.index()]));
        known.filter(|&at| at != GONE).map(NodeIx)
    }

    /// The next generation, given every relation that is written in one of the files, and what contains what in
    /// those whose nodes were given. Nothing when a relation of another file would lead nowhere.
    ///
    /// Other relations of the files that are written on no line (what history or other files say) stay as they
    /// are; `together` is what history says besides, of any files. Learned weights stay with their relations.
    pub fn finish(self, generation: u64, edges: Vec<PatchEdge>, together: &[Together]) -> Option<Graph> {
        let fresh = self.fresh_edges(edges, together)?;
        let plan = self.plan(&fresh)?;
        let mut columns = self.node_columns();
        let weights = self.edge_columns(&mut columns, &fresh, &plan);
        columns.pagerank = Column::owned(Vec::new());
        Some(Graph::from_columns(generation, columns, weights))
    }

    fn fresh_edges(&self, found: Vec<PatchEdge>, together: &[Together]) -> Option<Merged> {
        let mut specs: Vec<EdgeSpec> = found
            .into_iter()
            .map(|edge| {
                let (source, target) = (Handle(edge.source.0), Handle(edge.target.0));
                EdgeSpec::new(source, edge.kind, target, edge.evidence).at_line(edge.line)
            })
            .collect();
        specs.extend(together.iter().map(|pair| {
            let (source, target) = (Handle(pair.source.0), Handle(pair.target.0));
            let spec = EdgeSpec::new(source, EdgeKind::CoChanges, target, Evidence::Resolved);
            EdgeSpec { base_weight: pair.share, ..spec }
        }));
        for part in &self.parts {
            for old in part.old.clone().filter(|&old| self.moved[old as usize] != GONE) {
                for edge in self.graph.outgoing(NodeIx(old)).filter(|edge| edge.lines.is_empty()) {
                    if part.nodes.is_some() && edge.kind == EdgeKind::Contains {
                        continue;
                    }
                    let target = self.moved[edge.target.index()];
                    if target == GONE {
                        ends_with_target(edge.kind)?;
                        continue;
                    }
                    specs.push(EdgeSpec {
                        source: Handle(self.moved[old as usize]),
                        target: Handle(target),
                        kind: edge.kind,
                        evidence: edge.evidence,
                        line: 0,
                        base_weight: edge.base_weight,
                        causal_strength: edge.causal_strength,
                        inhibitory: edge.inhibitory,
                    });
                }
            }
        }
        Some(Merged::of(specs))
    }

    /// Where each edge of the next generation comes from, in its order.
    fn plan(&self, fresh: &Merged) -> Option<Vec<From>> {
        let old = self.graph.columns();
        let mut plan = Vec::with_capacity(old.target.len() + fresh.edges.len());
        let all = fresh;
        let mut fresh = (0..).zip(&fresh.edges).peekable();
        let mut at = 0;
        let mut new = 0;
        for part in self.parts.iter().map(Some).chain([None]) {
            let end = part.map_or(self.graph.node_count() as u32, |part| part.old.start);
            for node in at..end {
                let first = plan.len();
                self.keep(node, all, &mut plan)?;
                let kept = plan.len();
                while let Some((edge, _)) = fresh.next_if(|(_, edge)| edge.source.0 <= new) {
                    plan.push(From::Fresh(edge));
                }
                if kept < plan.len() {
                    plan[first..].sort_by_key(|from| self.key(from, all));
                }
                new += 1;
            }
            let Some(part) = part else { break };
            new += part.len();
            while let Some((edge, _)) = fresh.next_if(|(_, edge)| edge.source.0 < new) {
                plan.push(From::Fresh(edge));
            }
            at = part.old.end;
        }
        Some(plan)
    }

    /// Keeps the edges of a node, in the order of their targets' new positions.
    fn keep(&self, node: u32, fresh: &Merged, plan: &mut Vec<From>) -> Option<()> {
        let old = self.graph.columns();
        let first = plan.len();
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
            plan.push(From::Old(edge));
        }
        if !in_order {
            plan[first..].sort_by_key(|from| self.key(from, fresh));
        }
        Some(())
    }

    fn key(&self, from: &From, fresh: &Merged) -> (u8, u32) {
        match *from {
            From::Old(edge) => self.edge_key(edge),
            From::Fresh(edge) => {
                let edge = &fresh.edges[edge as usize];
                (edge.kind as u8, edge.target.0)
            }
        }
    }

    fn edge_key(&self, edge: u32) -> (u8, u32) {
        let old = self.graph.columns();
        (old.edge_kind[edge as usize], self.moved[old.target[edge as usize] as usize])
    }

    fn edge_columns(&self, columns: &mut Columns, fresh: &Merged, plan: &[From]) -> Weights {
        let old = self.graph.columns();
        let moved = |at: u32| self.moved[at as usize];
        columns.source = taken(plan, |edge| moved(old.source[edge]), fresh, |edge| edge.source.0);
        columns.target = taken(plan, |edge| moved(old.target[edge]), fresh, |edge| edge.target.0);
        columns.edge_kind = taken(plan, |edge| old.edge_kind[edge], fresh, |edge| edge.kind as u8);
        columns.evidence = taken(plan, |edge| old.evidence[edge], fresh, |edge| edge.evidence.pack());
        columns.base_weight = taken(plan, |edge| old.base_weight[edge], fresh, |edge| edge.base_weight.get());
        columns.causal_strength =
            taken(plan, |edge| old.causal_strength[edge], fresh, |edge| edge.causal_strength.get());
        columns.inhibitory =
            taken(plan, |edge| old.inhibitory[edge], fresh, |edge| u8::from(edge.inhibitory));
        let (mut site_starts, mut sites, mut known) =
            (Vec::with_capacity(plan.len() + 1), Vec::new(), Vec::new());
        site_starts.push(0);
        for from in plan {
            match *from {
                From::Old(edge) => {
                    let edge = edge as usize;
                    let range = old.site_starts[edge] as usize..old.site_starts[edge + 1] as usize;
                    sites.extend_from_slice(&old.sites[range.clone()]);
                    known.extend_from_slice(&old.site_evidence[range]);
                }
                From::Fresh(edge) => {
                    let fresh = fresh.sites(edge as usize);
                    sites.extend(fresh.iter().map(|(line, _)| *line));
                    known.extend(fresh.iter().map(|(_, how)| *how));
                }
            }
            site_starts.push(sites.len() as u32);
        }
        columns.site_starts = Column::owned(site_starts);
        columns.sites = Column::owned(sites);
        columns.site_evidence = Column::owned(known);
        let nodes = columns.kind.len();
        columns.out_starts = Column::owned(starts(columns.source.iter().copied(), nodes));
        set_incoming(columns, nodes);
        let learned = self.learned(fresh);
        let weights = self.graph.weights().to_bits();
        Weights::from_bits(plan.iter().map(|from| match *from {
            From::Old(edge) => weights[edge as usize],
            From::Fresh(edge) => learned[edge as usize],
        }))
    }

    /// The weights that relations of the files had learned before.
    fn learned(&self, fresh: &Merged) -> Vec<u32> {
        let mut was =
            vec![GONE; self.moved.iter().filter(|&&at| at != GONE).max().map_or(0, |&at| at as usize + 1)];
        for (old, &new) in self.moved.iter().enumerate().filter(|(_, new)| **new != GONE) {
            was[new as usize] = old as u32;
        }
        let old = |new: u32| was.get(new as usize).copied().filter(|&old| old != GONE).map(NodeIx);
        let weight = |edge: &EdgeSpec| {
            let before = self.graph.edge_between(old(edge.source.0)?, edge.kind, old(edge.target.0)?)?;
            let before = self.graph.edge(before);
            (before.weight != before.base_weight).then_some(before.weight)
        };
        fresh.edges.iter().map(|edge| weight(edge).unwrap_or(edge.base_weight).get().to_bits()).collect()
    }

    fn node_columns(&self) -> Columns {
        let old = self.graph.columns();
        let mut columns = old.clone();
        if self.parts.iter().all(|part| part.nodes.is_none()) {
            return columns;
        }
        let mut text = Text::of(old);
        let texts: Vec<Vec<Texts>> = self
            .parts
            .iter()
            .map(|part| part.nodes.iter().flatten().map(|(spec, was)| text.texts(spec, *was)).collect())
            .collect();
        let number = |column: &Column<u32>, pick: &dyn Fn(&NodeSpec) -> u32| -> Column<u32> {
            self.spliced(column, |part, at| pick(&self.spec(part, at).0))
        };
        let word = |column: &Column<u32>, pick: &dyn Fn(&Texts) -> u32| -> Column<u32> {
            self.spliced(column, |part, at| pick(&texts[part][at]))
        };
        columns.kind = self.spliced(&old.kind, |part, at| self.spec(part, at).0.kind as u8);
        columns.line_start = number(&old.line_start, &|spec| spec.line_start);
        columns.line_end = number(&old.line_end, &|spec| spec.line_end);
        columns.flags = number(&old.flags, &|spec| spec.flags.0);
        columns.id = word(&old.id, &|texts| texts.id);
        columns.label = word(&old.label, &|texts| texts.label);
        columns.qualified = word(&old.qualified, &|texts| texts.qualified);
        columns.path = word(&old.path, &|texts| texts.path);
        columns.signature = word(&old.signature, &|texts| texts.signature);
        columns.doc = word(&old.doc, &|texts| texts.doc);
        columns.language = word(&old.language, &|texts| texts.language);
        // What history said of a node it goes on saying.
        let was = |part: usize, at: usize| self.spec(part, at).1;
        let given = |part: usize, at: usize| self.spec(part, at).0.history;
        columns.changed_at = self.spliced(&old.changed_at, |part, at| match was(part, at) {
            Some(was) => old.changed_at[was as usize],
            None => given(part, at).map_or(i64::MIN, |history| history.changed_at.0),
        });
        type Pick = fn(History) -> u32;
        for (new, old, pick) in [
            (&mut columns.commits, &old.commits, (|history| history.commits) as Pick),
            (&mut columns.fixes, &old.fixes, |history| history.fixes),
            (&mut columns.authors, &old.authors, |history| history.authors),
        ] {
            *new = self.spliced(old, |part, at| match was(part, at) {
                Some(was) => old[was as usize],
                None => given(part, at).map_or(0, pick),
            });
        }
        let (mut tag_starts, mut tags) = (vec![0], Vec::new());
        let count = columns.kind.len();
        let mut rows: Vec<&[u32]> = Vec::with_capacity(count);
        let old_rows = |range: Range<u32>| {
            range
                .map(|at| at as usize)
                .map(|at| &old.tags[old.tag_starts[at] as usize..old.tag_starts[at + 1] as usize])
        };
        let mut at = 0;
        for (part, texts) in self.parts.iter().zip(&texts) {
            rows.extend(old_rows(at..part.old.start));
            match part.nodes {
                None => rows.extend(old_rows(part.old.clone())),
                Some(_) => rows.extend(texts.iter().map(|texts| texts.tags.as_slice())),
            }
            at = part.old.end;
        }
        rows.extend(old_rows(at..self.graph.node_count() as u32));
        for row in rows {
            tags.extend_from_slice(row);
            tag_starts.push(tags.len() as u32);
        }
        columns.tag_starts = Column::owned(tag_starts);
        columns.tags = Column::owned(tags);
        if let Some((arena, arena_starts)) = text.more {
            columns.text = Column::owned(arena);
            columns.text_starts = Column::owned(arena_starts);
        }
        columns.by_id = self.resorted(&old.by_id, |at| (columns.str(columns.id[at as usize]), 0));
        columns.by_label = self.resorted(&old.by_label, |at| (columns.str(columns.label[at as usize]), at));
        columns
    }

    fn spec(&self, part: usize, at: usize) -> &(NodeSpec, Option<u32>) {
        &self.parts[part].nodes.as_ref().map_or(&[][..], |nodes| nodes)[at]
    }

    /// A column of nodes with the values of the given ones in their places.
    fn spliced<T: Copy + FromBytes + IntoBytes + Immutable>(
        &self,
        old: &Column<T>,
        fresh: impl Fn(usize, usize) -> T,
    ) -> Column<T> {
        let mut values = Vec::with_capacity(old.len() + 64);
        let mut at = 0;
        for (part, found) in self.parts.iter().enumerate() {
            let Some(nodes) = &found.nodes else { continue };
            values.extend_from_slice(&old[at..found.old.start as usize]);
            values.extend((0..nodes.len()).map(|node| fresh(part, node)));
            at = found.old.end as usize;
        }
        values.extend_from_slice(&old[at..]);
        Column::owned(values)
    }

    /// A sorted list of nodes: the given ones are taken out and put in where they belong now.
    fn resorted<'k>(&self, old: &[u32], key: impl Fn(u32) -> (&'k str, u32)) -> Column<u32> {
        let is_given = |at: u32| {
            let part = self.parts.partition_point(|part| part.old.end <= at);
            self.parts.get(part).is_some_and(|part| part.nodes.is_some() && part.old.contains(&at))
        };
        let kept: Vec<u32> =
            old.iter().filter(|&&at| !is_given(at)).map(|&at| self.moved[at as usize]).collect();
        let mut given: Vec<u32> = self.given.values().copied().collect();
        given.sort_by(|&a, &b| key(a).cmp(&key(b)));
        let mut all = Vec::with_capacity(kept.len() + given.len());
        let mut at = 0;
        for node in given {
            let before = kept[at..].partition_point(|&other| key(other) < key(node));
            all.extend_from_slice(&kept[at..at + before]);
            all.push(node);
            at += before;
        }
        all.extend_from_slice(&kept[at..]);
        Column::owned(all)
    }
}

/// Nothing when a relation may not simply end with what it leads to: its own file says something else then.
fn ends_with_target(kind: EdgeKind) -> Option<()> {
    matches!(kind, EdgeKind::Contains | EdgeKind::CoChanges).then_some(())
}

/// An edge of the next generation.
#[derive(Clone, Copy, Debug)]
enum From {
    Old(u32),
    Fresh(u32),
}

fn taken<T: FromBytes + IntoBytes + Immutable>(
    plan: &[From],
    old: impl Fn(usize) -> T,
    fresh: &Merged,
    new: impl Fn(&EdgeSpec) -> T,
) -> Column<T> {
    let value = |from: &From| match *from {
        From::Old(edge) => old(edge as usize),
        From::Fresh(edge) => new(&fresh.edges[edge as usize]),
    };
    Column::owned(plan.iter().map(value).collect())
}

/// Where the texts of a node are.
struct Texts {
    id: u32,
    label: u32,
    qualified: u32,
    path: u32,
    signature: u32,
    doc: u32,
    language: u32,
    tags: Vec<u32>,
}

/// The arena of the last generation, with what is added to it.
struct Text<'c> {
    old: &'c Columns,
    more: Option<(Vec<u8>, Vec<u32>)>,
    added: FxHashMap<String, u32>,
}

impl<'c> Text<'c> {
    fn of(old: &'c Columns) -> Self {
        Self { old, more: None, added: FxHashMap::default() }
    }

    fn texts(&mut self, spec: &NodeSpec, was: Option<u32>) -> Texts {
        let old = self.old;
        let mut word = |text: &str, column: &[u32]| {
            let before = was.map(|at| column[at as usize]).filter(|&handle| old.str(handle) == text);
            before.unwrap_or_else(|| self.handle(text))
        };
        Texts {
            id: word(&spec.id, &old.id),
            label: word(&spec.label, &old.label),
            qualified: word(&spec.qualified, &old.qualified),
            path: word(&spec.path, &old.path),
            signature: word(&spec.signature, &old.signature),
            doc: word(&spec.doc, &old.doc),
            language: word(&spec.language, &old.language),
            tags: spec.tags.iter().map(|tag| self.handle(tag)).collect(),
        }
    }

    fn handle(&mut self, text: &str) -> u32 {
        if text.is_empty() {
            // The empty text is always the first.
            return 0;
        }
        if let Some(&known) = self.added.get(text) {
            return known;
        }
        let (arena, arena_starts) =
            self.more.get_or_insert_with(|| (self.old.text.to_vec(), self.old.text_starts.to_vec()));
        let handle = (arena_starts.len() - 1) as u32;
        arena.extend_from_slice(text.as_bytes());
        arena_starts.push(arena.len() as u32);
        self.added.insert(text.to_owned(), handle);
        handle
    }
}
