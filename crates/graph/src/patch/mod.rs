//! A generation that differs from the one before only in what some files say: the rest is copied as it is,
//! nothing of it is looked up or sorted again.

mod edges;

use std::ops::Range;

use rustc_hash::FxHashMap;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use m1nd_stdx::float::FiniteF32;

use crate::builder::{EdgeSpec, Handle, Merged, NodeSpec, canonical_cmp};
use crate::column::Column;
use crate::columns::Columns;
use crate::evidence::Evidence;
use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::EdgeKind;
use crate::node::History;

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
    order: Order,
}

/// What became of the positions of nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Every node is where it was, and there is no other.
    Same,
    /// Every node is there, after those that it came after.
    Kept,
    /// Some are gone; the others come after those that they came after.
    Thinned,
    Other,
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
        let is_in_order = moved.iter().filter(|at| **at != GONE).is_sorted();
        let order = match (is_in_order, moved.contains(&GONE), next + rest == moved.len() as u32) {
            // As many as there were, all of them there and in their order: they are the same.
            (true, false, true) => Order::Same,
            (true, false, false) => Order::Kept,
            (true, true, _) => Order::Thinned,
            (false, ..) => Order::Other,
        };
        Some(Patch { graph: self, parts, moved, given, order })
    }
}

impl Patch<'_> {
    /// How many nodes the next generation has.
    fn nodes(&self) -> usize {
        let gone: usize = self.parts.iter().map(|part| part.old.len()).sum();
        let given: usize = self.parts.iter().map(|part| part.len() as usize).sum();
        self.graph.node_count() - gone + given
    }

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
        let plan = edges::Plan::of(&self, &fresh)?;
        let (nodes, (edges, weights)) = rayon::join(|| self.node_columns(), || plan.columns());
        let columns = Columns { pagerank: Column::owned(Vec::new()), ..nodes.with_edges_of(edges) };
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
        self.tag_columns(&mut columns, &texts);
        if let Some((arena, arena_starts)) = text.more {
            columns.text = Column::owned(arena);
            columns.text_starts = Column::owned(arena_starts);
        }
        // The same nodes in the same places under the same names are found as they were.
        if self.order != Order::Same || *columns.id != *old.id {
            columns.by_id = self.resorted(&old.by_id, |at| (columns.str(columns.id[at as usize]), 0));
        }
        if self.order != Order::Same || *columns.label != *old.label {
            columns.by_label =
                self.resorted(&old.by_label, |at| (columns.str(columns.label[at as usize]), at));
        }
        columns
    }

    fn tag_columns(&self, columns: &mut Columns, texts: &[Vec<Texts>]) {
        let old = self.graph.columns();
        let is_same = |(part, texts): (&Part, &Vec<Texts>)| {
            let given = (part.old.start as usize..).zip(texts);
            given.into_iter().all(|(at, texts)| texts.tags == old.tags_of(at))
        };
        if self.order == Order::Same && self.parts.iter().zip(texts).all(is_same) {
            return;
        }
        let (mut tag_starts, mut tags) = (vec![0], Vec::new());
        let count = columns.kind.len();
        let mut rows: Vec<&[u32]> = Vec::with_capacity(count);
        let old_rows = |range: Range<u32>| range.map(|at| old.tags_of(at as usize));
        let mut at = 0;
        for (part, texts) in self.parts.iter().zip(texts) {
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
    }

    fn spec(&self, part: usize, at: usize) -> &(NodeSpec, Option<u32>) {
        &self.parts[part].nodes.as_ref().map_or(&[][..], |nodes| nodes)[at]
    }

    /// A column of nodes with the values of the given ones in their places.
    fn spliced<T: Copy + PartialEq + FromBytes + IntoBytes + Immutable>(
        &self,
        old: &Column<T>,
        fresh: impl Fn(usize, usize) -> T,
    ) -> Column<T> {
        if self.order == Order::Same {
            let given = |(part, found): (usize, &Part)| {
                let count = found.nodes.as_ref().map_or(0, Vec::len);
                (0..count).all(|node| fresh(part, node) == old[found.old.start as usize + node])
            };
            // Most of what is said of a node stays when its file changes.
            if self.parts.iter().enumerate().all(given) {
                return old.clone();
            }
        }
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
        let mut to = self.moved.clone();
        for part in self.parts.iter().filter(|part| part.nodes.is_some()) {
            to[part.old.start as usize..part.old.end as usize].fill(GONE);
        }
        let mut given: Vec<u32> = self.given.values().copied().collect();
        given.sort_unstable_by(|&a, &b| key(a).cmp(&key(b)));
        let mut all = Vec::with_capacity(old.len() + given.len());
        all.extend(old.iter().map(|&at| to[at as usize]).filter(|&at| at != GONE));
        let mut before = 0;
        let mut places = Vec::with_capacity(given.len());
        for &node in &given {
            before += all[before..].partition_point(|&other| key(other) < key(node));
            places.push(before);
        }
        // From the end, so that every node moves once.
        let mut end = all.len();
        all.resize(end + given.len(), 0);
        for (more, (&node, &place)) in given.iter().zip(&places).enumerate().rev() {
            all.copy_within(place..end, place + more + 1);
            all[place + more] = node;
            end = place;
        }
        Column::owned(all)
    }
}

/// Nothing when a relation may not simply end with what it leads to: its own file says something else then.
fn ends_with_target(kind: EdgeKind) -> Option<()> {
    matches!(kind, EdgeKind::Contains | EdgeKind::CoChanges).then_some(())
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
            tags: {
                let own = was.map_or(&[][..], |at| old.tags_of(at as usize));
                let known = |tag: &str| own.iter().copied().find(|&handle| old.str(handle) == tag);
                spec.tags.iter().map(|tag| known(tag).unwrap_or_else(|| self.handle(tag))).collect()
            },
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
