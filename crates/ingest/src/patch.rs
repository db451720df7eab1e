//! From the last graph and the relations of some files to the next graph.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use m1nd_graph::ids::{NodeIx, file_id};
use m1nd_graph::patch::{FilePatch, Patch, PatchEdge};
use m1nd_graph::{EdgeKind, Evidence, Graph, NodeSpec};

use crate::assemble::{container, def_ids, def_specs, file_spec, route_ids, types_by_name};
use crate::facts::{FileFacts, RouteHandler};
use crate::resolve::{LinkEnd, Links};

/// The generation before with what the resolved files say now; nothing when a graph has to be built for it.
///
/// `resolved` holds positions of files and their links, sorted; of those that are `edited` the nodes are made anew.
/// Their routes must be the same as before.
pub(crate) fn patched(
    before: &Graph,
    files: &[&FileFacts],
    resolved: &[(u32, Links)],
    edited: &[u32],
    generation: u64,
) -> Option<Graph> {
    let mut patches = Vec::with_capacity(resolved.len());
    for (file, links) in resolved {
        let facts = files[*file as usize];
        let nodes = match edited.contains(file) {
            true => Some(nodes(before, facts, links)?),
            false => None,
        };
        patches.push(FilePatch { path: &facts.path, nodes });
    }
    let patch = before.patch(patches)?;
    let mut places = Places { files, patch: &patch, known: FxHashMap::default() };
    let mut edges = Vec::new();
    for (file, links) in resolved {
        if edited.contains(file) {
            places.containment(*file, &mut edges)?;
        }
        places.routes(*file, links, &mut edges)?;
        // A relation that starts in another file is as it was.
        for link in links.links.iter().filter(|link| link.source.file == *file) {
            edges.push(PatchEdge {
                source: places.of(link.source)?,
                kind: link.kind.kind,
                target: places.of(link.target)?,
                evidence: link.kind.evidence(),
                line: link.line,
            });
        }
    }
    patch.finish(generation, edges)
}

/// Every node of a file. What a route is called rests on other files and stays.
fn nodes(before: &Graph, facts: &FileFacts, links: &Links) -> Option<Vec<NodeSpec>> {
    let mut nodes: Vec<NodeSpec> =
        std::iter::once(file_spec(facts, links)).chain(def_specs(facts, links).flatten()).collect();
    for (route, id) in facts.routes.iter().zip(route_ids(facts)) {
        let known = before.node(before.node_by_id(&id)?).to_spec();
        nodes.push(NodeSpec { line_start: route.line, line_end: route.line, ..known });
    }
    Some(nodes)
}

/// Where files and definitions are in the next generation.
struct Places<'p> {
    files: &'p [&'p FileFacts],
    patch: &'p Patch<'p>,
    known: FxHashMap<u32, (NodeIx, Vec<Option<NodeIx>>)>,
}

impl Places<'_> {
    fn of_file(&mut self, file: u32) -> Option<&(NodeIx, Vec<Option<NodeIx>>)> {
        Some(match self.known.entry(file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let facts = self.files[file as usize];
                let at = self.patch.place(&file_id(&facts.path))?;
                let defs = def_ids(facts).into_iter().map(|named| self.patch.place(&named?.1)).collect();
                free.insert((at, defs))
            }
        })
    }

    fn of(&mut self, end: LinkEnd) -> Option<NodeIx> {
        let (file, defs) = self.of_file(end.file)?;
        Some(end.def.and_then(|ix| defs[ix.0 as usize]).unwrap_or(*file))
    }

    fn containment(&mut self, file: u32, edges: &mut Vec<PatchEdge>) -> Option<()> {
        let facts = self.files[file as usize];
        let types = types_by_name(facts);
        let patch = self.patch;
        let (at, defs) = self.of_file(file)?;
        let mut contains = |source: NodeIx, target: NodeIx| {
            let (kind, evidence) = (EdgeKind::Contains, Evidence::Resolved);
            edges.push(PatchEdge { source, kind, target, evidence, line: 0 });
        };
        for (ix, def) in facts.defs.iter().enumerate() {
            let Some(target) = defs[ix] else { continue };
            // Only what stands before a definition can hold it.
            contains(container(facts, def, &defs[..ix], &types).unwrap_or(*at), target);
        }
        for id in route_ids(facts) {
            contains(*at, patch.place(&id)?);
        }
        Some(())
    }

    fn routes(&mut self, file: u32, links: &Links, edges: &mut Vec<PatchEdge>) -> Option<()> {
        let facts = self.files[file as usize];
        for (route, id) in facts.routes.iter().zip(route_ids(facts)) {
            let target = match route.handler {
                RouteHandler::Def(def) => self.of_file(file)?.1[def.0 as usize],
                RouteHandler::Value(value) => links.named(value).and_then(|end| self.of(end)),
            };
            let Some(target) = target else { continue };
            let (source, kind, evidence) = (self.patch.place(&id)?, EdgeKind::Routes, Evidence::Resolved);
            edges.push(PatchEdge { source, kind, target, evidence, line: route.line });
        }
        Some(())
    }
}
