//! From the last graph and the relations of some files to the next graph.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use m1nd_graph::ids::{NodeIx, file_id};
use m1nd_graph::patch::{FilePatch, Patch, PatchEdge, Together};
use m1nd_graph::{EdgeKind, Evidence, Graph, NodeKind, NodeSpec};

use crate::assemble::{
    container, def_ids, def_specs, file_spec, folder_spec, node_history, route_ids, route_spec, share,
    types_by_name,
};
use crate::facts::{DefIx, FileFacts, RouteHandler};
use crate::history::History;
use crate::manifest::folder;
use crate::mounts::Mounts;
use crate::resolve::{LinkEnd, Links};

/// What is not as it was.
pub(crate) struct Files<'p> {
    /// By position.
    pub edited: &'p [u32],
    /// Paths of files that are no more.
    pub gone: &'p [&'p str],
    /// Whether routes may answer elsewhere; then all files with routes are edited ones.
    pub routes: bool,
    /// What it says of files that were not there before is said now.
    pub history: &'p History,
}

/// The generation before with what the resolved files say now; nothing when a graph has to be built for it.
///
/// `resolved` holds positions of files and their links, sorted; of those that are edited the nodes are made anew.
pub(crate) fn patched(
    before: &Graph,
    files: &[&FileFacts],
    resolved: &[(u32, Links)],
    changed: Files<'_>,
    generation: u64,
) -> Option<Graph> {
    let Files { edited, gone, routes, history } = changed;
    // What routes hang on in files that were not resolved is as it was: they have none.
    let links = routes.then(|| routed(files.len(), resolved));
    let mounts = links.as_ref().map(|links| Mounts::of(files, links));
    let mut folders = Folders { before, files, patches: BTreeMap::new(), held: Vec::new() };
    let mut came: Vec<&str> = Vec::new();
    for file in edited.iter().map(|&at| files[at as usize]) {
        if before.node_by_id(&file_id(&file.path)).is_none() {
            folders.hold(&file.path, file_id(&file.path))?;
            came.push(&file.path);
        }
    }
    gone.iter().for_each(|path| folders.empty(path));
    let (held, folders) = (folders.held, folders.patches);
    let mut patches: Vec<FilePatch<'_>> =
        folders.iter().map(|(path, nodes)| FilePatch { path, nodes: nodes.clone() }).collect();
    for (file, links) in resolved {
        let facts = files[*file as usize];
        let nodes = match edited.contains(file) {
            true => Some(nodes(before, *file, facts, links, mounts.as_ref())?),
            false => None,
        };
        let nodes = nodes.map(|mut nodes| {
            // The file's own node is the first.
            nodes[0].history = node_history(history, &facts.path);
            nodes
        });
        patches.push(FilePatch { path: &facts.path, nodes });
    }
    let patch = before.patch(patches)?;
    let mut places = Places { files, patch: &patch, known: FxHashMap::default() };
    let mut edges = Vec::new();
    for (outer, inner) in held {
        let (source, target) = (patch.place(&outer)?, patch.place(&inner)?);
        let (kind, evidence) = (EdgeKind::Contains, Evidence::Resolved);
        edges.push(PatchEdge { source, kind, target, evidence, line: 0 });
    }
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
    let together = together(history, &came, &patch);
    patch.finish(generation, edges, &together)
}

/// What history says of files that were not there before and of what they changed with.
fn together(history: &History, came: &[&str], patch: &Patch<'_>) -> Vec<Together> {
    let is_new = |path: &str| came.contains(&path);
    let mut found = Vec::new();
    if !came.iter().any(|path| history.files.contains_key(*path)) {
        return found;
    }
    for pair in history.pairs.iter().filter(|pair| is_new(&pair.one) || is_new(&pair.other)) {
        let places = (patch.place(&file_id(&pair.one)), patch.place(&file_id(&pair.other)));
        let (Some(one), Some(other)) = places else { continue };
        for (source, target, path) in [(one, other, &pair.one), (other, one, &pair.other)] {
            found.push(Together { source, target, share: share(history, pair, path) });
        }
    }
    found
}

/// The folders that come, go, or hold something new.
struct Folders<'f> {
    before: &'f Graph,
    files: &'f [&'f FileFacts],
    /// By path; nothing for a folder that stays.
    patches: BTreeMap<String, Option<Vec<NodeSpec>>>,
    /// Ids of what holds and what is held.
    held: Vec<(String, String)>,
}

impl Folders<'_> {
    /// Puts something that is new at a path into its folder, and that into its own where it is new.
    fn hold(&mut self, path: &str, id: String) -> Option<()> {
        let mut inner = (path.to_owned(), id);
        loop {
            let outer = folder(&inner.0).to_owned();
            if outer.is_empty() {
                let root = self.before.nodes_in("").map(|ix| self.before.node(ix));
                let root = root.into_iter().find(|node| node.kind() == NodeKind::Repository)?;
                self.held.push((root.id().to_owned(), inner.1));
                self.patches.insert(outer, None);
                return Some(());
            }
            let spec = folder_spec(&outer);
            self.held.push((spec.id.clone(), inner.1));
            if self.patches.contains_key(&outer) {
                return Some(());
            }
            if self.before.node_by_id(&spec.id).is_some() {
                self.patches.insert(outer, None);
                return Some(());
            }
            inner = (outer.clone(), spec.id.clone());
            self.patches.insert(outer, Some(vec![spec]));
        }
    }

    /// Takes out a file, and the folders that hold nothing without it.
    fn empty(&mut self, path: &str) {
        self.patches.insert(path.to_owned(), Some(Vec::new()));
        let mut here = folder(path);
        while !here.is_empty() {
            let below = format!("{here}/");
            let next = self.files.partition_point(|file| file.path < below);
            if self.files.get(next).is_some_and(|file| file.path.starts_with(&below)) {
                return;
            }
            self.patches.insert(here.to_owned(), Some(Vec::new()));
            here = folder(here);
        }
    }
}

/// What routes and mounts name, by file.
fn routed(count: usize, resolved: &[(u32, Links)]) -> Vec<Links> {
    let mut all = vec![Links::default(); count];
    for (file, links) in resolved {
        let (routed, applications) = (links.routed.clone(), links.applications.clone());
        all[*file as usize] = Links { routed, applications, ..Links::default() };
    }
    all
}

/// Every node of a file. What a route is called rests on other files; without their mounts it stays.
fn nodes(
    before: &Graph,
    at: u32,
    facts: &FileFacts,
    links: &Links,
    mounts: Option<&Mounts<'_>>,
) -> Option<Vec<NodeSpec>> {
    let mut nodes: Vec<NodeSpec> =
        std::iter::once(file_spec(facts, links)).chain(def_specs(facts, links).flatten()).collect();
    for (route, id) in facts.routes.iter().zip(route_ids(facts)) {
        nodes.push(match mounts {
            Some(mounts) => route_spec(facts, route, id, &mounts.places(at, route)),
            None => {
                let known = before.node(before.node_by_id(&id)?).to_spec();
                NodeSpec { line_start: route.line, line_end: route.line, ..known }
            }
        });
    }
    Some(nodes)
}

/// Where files and definitions are in the next generation.
struct Places<'p> {
    files: &'p [&'p FileFacts],
    patch: &'p Patch<'p>,
    known: FxHashMap<u32, FilePlaces>,
}

/// Where a file and its definitions are; each definition is looked up when somebody asks for it.
struct FilePlaces {
    file: NodeIx,
    defs: Vec<Place>,
}

enum Place {
    /// By its id; nothing for a definition that is no node.
    Asked(Option<String>),
    Known(Option<NodeIx>),
}

impl FilePlaces {
    fn of(&mut self, def: DefIx, patch: &Patch<'_>) -> Option<NodeIx> {
        let place = &mut self.defs[def.0 as usize];
        if let Place::Asked(id) = place {
            *place = Place::Known(id.as_ref().and_then(|id| patch.place(id)));
        }
        match place {
            Place::Known(at) => *at,
            Place::Asked(_) => None,
        }
    }
}

impl Places<'_> {
    fn of_file(&mut self, file: u32) -> Option<&mut FilePlaces> {
        Some(match self.known.entry(file) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => {
                let facts = self.files[file as usize];
                let at = self.patch.place(&file_id(&facts.path))?;
                let ids = def_ids(facts).into_iter();
                let defs = ids.map(|named| Place::Asked(named.map(|(_, id, _)| id))).collect();
                free.insert(FilePlaces { file: at, defs })
            }
        })
    }

    fn of(&mut self, end: LinkEnd) -> Option<NodeIx> {
        let patch = self.patch;
        let places = self.of_file(end.file)?;
        Some(end.def.and_then(|ix| places.of(ix, patch)).unwrap_or(places.file))
    }

    fn containment(&mut self, file: u32, edges: &mut Vec<PatchEdge>) -> Option<()> {
        let facts = self.files[file as usize];
        let types = types_by_name(facts);
        let patch = self.patch;
        let places = self.of_file(file)?;
        let all = (0..facts.defs.len() as u32).map(DefIx);
        let defs: &[Option<NodeIx>] = &all.map(|ix| places.of(ix, patch)).collect::<Vec<_>>();
        let at = places.file;
        let mut contains = |source: NodeIx, target: NodeIx| {
            let (kind, evidence) = (EdgeKind::Contains, Evidence::Resolved);
            edges.push(PatchEdge { source, kind, target, evidence, line: 0 });
        };
        for (ix, def) in facts.defs.iter().enumerate() {
            let Some(target) = defs[ix] else { continue };
            contains(container(facts, def, defs, &types).unwrap_or(at), target);
        }
        for id in route_ids(facts) {
            contains(at, patch.place(&id)?);
        }
        Some(())
    }

    fn routes(&mut self, file: u32, links: &Links, edges: &mut Vec<PatchEdge>) -> Option<()> {
        let facts = self.files[file as usize];
        for (route, id) in facts.routes.iter().zip(route_ids(facts)) {
            let target = match route.handler {
                RouteHandler::Def(def) => {
                    let patch = self.patch;
                    self.of_file(file)?.of(def, patch)
                }
                RouteHandler::Value(value) => links.named(value).and_then(|end| self.of(end)),
            };
            let Some(target) = target else { continue };
            let (source, kind, evidence) = (self.patch.place(&id)?, EdgeKind::Routes, Evidence::Resolved);
            edges.push(PatchEdge { source, kind, target, evidence, line: route.line });
        }
        Some(())
    }
}
