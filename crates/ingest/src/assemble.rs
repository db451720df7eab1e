//! From facts and relations to a graph.

use rustc_hash::FxHashMap;

use m1nd_graph::ids::{file_id, node_id, overload_id};
use m1nd_graph::spelling::{ALIAS, PACKAGE};
use m1nd_graph::{EdgeKind, EdgeSpec, Evidence, Graph, GraphBuilder, Handle, NodeFlags, NodeKind, NodeSpec};

use m1nd_stdx::float::FiniteF32;

use crate::facts::{Def, DefIx, DefKind, FileFacts, Route, RouteHandler, Scope, TypeExpr};
use crate::history::{CoChange, History};
use crate::languages::routes;
use crate::mounts::{Mounts, Shown};
use crate::resolve::{LinkEnd, Links};

/// Builds a generation from files sorted by path and the links of each.
pub fn assemble(repository: &str, files: &[&FileFacts], links: &[Links], generation: u64) -> Graph {
    with_history(repository, files, links, &History::default(), generation)
}

/// The same, with what the version history says about the files.
pub fn with_history(
    repository: &str,
    files: &[&FileFacts],
    links: &[Links],
    history: &History,
    generation: u64,
) -> Graph {
    let mut assembler = Assembler {
        builder: GraphBuilder::new(),
        folders: FxHashMap::default(),
        nodes: Vec::with_capacity(files.len()),
    };
    let root = NodeSpec::new(NodeKind::Repository, format!("repository::{repository}"), repository);
    let root = assembler.builder.node(root);
    assembler.folders.insert(String::new(), root);
    for (facts, links) in files.iter().zip(links) {
        assembler.file(facts, links);
    }
    let mounts = Mounts::of(files, links);
    for ((at, facts), links) in (0..).zip(files).zip(links) {
        assembler.links(at, facts, links, &mounts);
    }
    assembler.history(history);
    assembler.builder.finish(generation)
}

struct Assembler {
    builder: GraphBuilder,
    folders: FxHashMap<String, Handle>,
    /// Per file: its own node, then one per definition that is a node.
    nodes: Vec<(Handle, Vec<Option<Handle>>)>,
}

impl Assembler {
    fn folder(&mut self, path: &str) -> Handle {
        if let Some(&known) = self.folders.get(path) {
            return known;
        }
        // Outermost missing folder first, so that no path is too deep for this.
        let mut at = self.folders[""];
        let mut end = 0;
        for part in path.split('/') {
            end += part.len() + usize::from(end > 0);
            let here = &path[..end];
            at = match self.folders.get(here) {
                Some(&known) => known,
                None => {
                    let handle = self.builder.node(folder_spec(here));
                    self.contains(at, handle);
                    self.folders.insert(here.to_owned(), handle);
                    handle
                }
            };
        }
        at
    }

    fn contains(&mut self, outer: Handle, inner: Handle) {
        self.builder.edge(EdgeSpec::new(outer, EdgeKind::Contains, inner, Evidence::Resolved));
    }

    fn file(&mut self, facts: &FileFacts, links: &Links) {
        let folder = self.folder(crate::manifest::folder(&facts.path));
        let file = self.builder.node(file_spec(facts, links));
        self.contains(folder, file);
        let specs = def_specs(facts, links);
        let handles: Vec<Option<Handle>> =
            specs.map(|spec| spec.map(|spec| self.builder.node(spec))).collect();
        let types = types_by_name(facts);
        for (def, handle) in facts.defs.iter().zip(&handles) {
            if let Some(handle) = *handle {
                self.contains(container(facts, def, &handles, &types).unwrap_or(file), handle);
            }
        }
        self.nodes.push((file, handles));
    }

    fn links(&mut self, at: u32, facts: &FileFacts, links: &Links, mounts: &Mounts<'_>) {
        for link in &links.links {
            let (source, target) = (self.end(link.source), self.end(link.target));
            let spec = EdgeSpec::new(source, link.kind.kind, target, link.kind.evidence());
            self.builder.edge(spec.at_line(link.line));
        }
        let (file, defs) = &self.nodes[at as usize];
        let (file, defs) = (*file, defs.clone());
        for (route, id) in facts.routes.iter().zip(route_ids(facts)) {
            let handle = self.builder.node(route_spec(facts, route, id, &mounts.places(at, route)));
            self.contains(file, handle);
            let target = match route.handler {
                RouteHandler::Def(def) => defs[def.0 as usize],
                RouteHandler::Value(value) => links.named(value).map(|end| self.end(end)),
            };
            if let Some(target) = target {
                let edge = EdgeSpec::new(handle, EdgeKind::Routes, target, Evidence::Resolved);
                self.builder.edge(edge.at_line(route.line));
            }
        }
    }

    /// Files carry their history; pairs that changed together often enough are related.
    fn history(&mut self, history: &History) {
        for path in history.files.keys() {
            if let (Some(file), Some(of_file)) =
                (self.builder.find(&file_id(path)), node_history(history, path))
            {
                self.builder.set_history(file, of_file);
            }
        }
        for pair in &history.pairs {
            let (one, other) =
                (self.builder.find(&file_id(&pair.one)), self.builder.find(&file_id(&pair.other)));
            let (Some(one), Some(other)) = (one, other) else { continue };
            for (source, target, path) in [(one, other, &pair.one), (other, one, &pair.other)] {
                let mut spec = EdgeSpec::new(source, EdgeKind::CoChanges, target, Evidence::Resolved);
                spec.base_weight = share(history, pair, path);
                self.builder.edge(spec);
            }
        }
    }

    fn end(&self, end: LinkEnd) -> Handle {
        let (file, defs) = &self.nodes[end.file as usize];
        end.def.and_then(|ix| defs[ix.0 as usize]).unwrap_or(*file)
    }
}

/// What history says of a file.
pub(crate) fn node_history(history: &History, path: &str) -> Option<m1nd_graph::History> {
    let of_file = history.files.get(path)?;
    Some(m1nd_graph::History {
        changed_at: of_file.changed_at,
        commits: of_file.commits,
        fixes: of_file.fixes,
        authors: u32::try_from(of_file.authors.len()).unwrap_or(u32::MAX),
    })
}

/// How often the other file of a pair changes when this one does.
pub(crate) fn share(history: &History, pair: &CoChange, path: &str) -> FiniteF32 {
    let commits = history.files.get(path).map_or(0, |file| file.commits);
    FiniteF32::from_f64((f64::from(pair.times) / f64::from(commits.max(1))).min(1.0))
}

pub(crate) fn folder_spec(path: &str) -> NodeSpec {
    let label = path.rsplit('/').next().unwrap_or(path);
    let mut spec = NodeSpec::new(NodeKind::Directory, node_id(NodeKind::Directory, path, ""), label);
    spec.path = path.to_owned();
    spec
}

pub(crate) fn file_spec(facts: &FileFacts, links: &Links) -> NodeSpec {
    let label = facts.path.rsplit('/').next().unwrap_or(&facts.path);
    let mut spec = NodeSpec::new(NodeKind::File, file_id(&facts.path), label);
    spec.path.clone_from(&facts.path);
    spec.line_start = 1;
    spec.line_end = facts.lines.max(1);
    spec.doc.clone_from(&facts.doc);
    spec.language.clone_from(&facts.language);
    spec.flags = facts.flags.with(entry_flag(links, None));
    spec.tags = file_tags(facts, links);
    spec
}

/// What the names of a file's definitions do not tell: its package, and what it offers under other names.
fn file_tags(facts: &FileFacts, links: &Links) -> Vec<String> {
    let package = Some(&facts.package).filter(|package| !package.is_empty());
    let packages = package.into_iter().chain(&links.packages);
    let mut tags: Vec<String> = packages.map(|package| format!("{PACKAGE}{package}")).collect();
    let is_rust = facts.language == "rust";
    for import in facts.imports.iter().filter(|import| import.scope.is_none() && import.exported) {
        let named = import.item.or_else(|| import.path.last().copied().filter(|_| is_rust));
        let Some(there) = named.filter(|there| *there != import.bind) else { continue };
        let (here, there) = (facts.text(import.bind), facts.text(there));
        if is_word(here) && is_word(there) {
            tags.push(format!("{ALIAS}{here}={there}"));
        }
    }
    tags.extend(own_tags(facts, None));
    tags.sort();
    tags.dedup();
    tags
}

fn own_tags(facts: &FileFacts, of: Scope) -> impl Iterator<Item = String> {
    facts.tags.iter().filter(move |(tagged, _)| *tagged == of).map(|(_, tag)| tag.clone())
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// One node for each definition that is one.
pub(crate) fn def_specs(facts: &FileFacts, links: &Links) -> impl Iterator<Item = Option<NodeSpec>> {
    (0..).zip(def_ids(facts)).zip(&facts.defs).map(|((at, named), def)| {
        let (kind, id, qualified) = named?;
        let mut spec = NodeSpec::new(kind, id, facts.text(def.name));
        spec.qualified = qualified;
        spec.path.clone_from(&facts.path);
        spec.line_start = def.line_start;
        spec.line_end = def.line_end;
        spec.signature.clone_from(&def.signature);
        spec.doc.clone_from(&def.doc);
        spec.language.clone_from(&facts.language);
        let of_file = NodeFlags(facts.flags.0 & NodeFlags::TEST_CODE.0);
        spec.flags = def.flags.with(of_file).with(entry_flag(links, Some(DefIx(at))));
        spec.tags = own_tags(facts, Some(DefIx(at))).collect();
        Some(spec)
    })
}

/// The mark of what a manifest names as a beginning.
fn entry_flag(links: &Links, def: Scope) -> NodeFlags {
    if links.entries.contains(&def) { NodeFlags::ENTRY_POINT } else { NodeFlags::default() }
}

/// Kind, id and qualified name of each definition that is a node.
pub(crate) fn def_ids(facts: &FileFacts) -> Vec<Option<(NodeKind, String, String)>> {
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    let names = qualified_names(facts);
    let named = facts.defs.iter().zip(names).map(|(def, name)| {
        let kind = kind_of(def)?;
        let base = node_id(kind, &facts.path, &name);
        let ordinal = seen.entry(base.clone()).or_default();
        *ordinal += 1;
        Some((kind, overload_id(&base, *ordinal), name))
    });
    named.collect()
}

/// A route is labelled with the whole path it answers at; `…` stands for a part that is not known.
pub(crate) fn route_spec(facts: &FileFacts, route: &Route, id: String, places: &[Shown]) -> NodeSpec {
    let shown =
        |place: &Shown| format!("{}{}", if place.partial { routes::UNKNOWN } else { "" }, place.pattern);
    let (first, more) = places.split_first().map_or((None, &[][..]), |(first, more)| (Some(first), more));
    let pattern = first.map_or_else(|| route.pattern.clone(), shown);
    let mut spec = NodeSpec::new(NodeKind::Route, id, format!("{} {pattern}", route.method));
    spec.path.clone_from(&facts.path);
    spec.line_start = route.line;
    spec.line_end = route.line;
    spec.language.clone_from(&facts.language);
    let mut doc = Vec::new();
    if !more.is_empty() {
        doc.push(format!("Also at {}.", more.iter().map(shown).collect::<Vec<_>>().join(", ")));
    }
    if places.iter().any(|place| place.partial || place.pattern.contains(routes::UNKNOWN)) {
        spec.flags = NodeFlags::PARTIAL;
        doc.push("Partial: … stands for a prefix that could not be told from the source.".to_owned());
    }
    spec.doc = doc.join(" ");
    spec
}

/// The ids of a file's routes. Those of one method and pattern are told apart in the order of their lines.
pub(crate) fn route_ids(facts: &FileFacts) -> Vec<String> {
    let base =
        |route: &Route| node_id(NodeKind::Route, &facts.path, &format!("{} {}", route.method, route.pattern));
    let mut ids: Vec<String> = facts.routes.iter().map(base).collect();
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_by_key(|&at| facts.routes[at].line);
    let mut seen: FxHashMap<String, u32> = FxHashMap::default();
    for at in order {
        let ordinal = seen.entry(ids[at].clone()).or_default();
        *ordinal += 1;
        ids[at] = overload_id(&ids[at], *ordinal);
    }
    ids
}

fn kind_of(def: &Def) -> Option<NodeKind> {
    let kind = def.kind.node_kind()?;
    let is_test = def.flags.has(NodeFlags::TEST_CODE) && def.flags.has(NodeFlags::ENTRY_POINT);
    Some(if is_test && kind.is_callable() { NodeKind::Test } else { kind })
}

/// Names from the outside in, joined by dots; an impl counts as the type it is for.
fn qualified_names(facts: &FileFacts) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(facts.defs.len());
    for def in &facts.defs {
        let own = match def.kind {
            DefKind::Impl => impl_path(facts, def),
            _ => facts.text(def.name).to_owned(),
        };
        let name = match def.parent.map(|parent| names[parent.0 as usize].as_str()) {
            Some(outer) if !outer.is_empty() => format!("{outer}.{own}"),
            _ => own,
        };
        names.push(name);
    }
    names
}

/// `int a::S::get()` and `extension A.B` say where their class is; elsewhere the path to a type depends on what is
/// imported.
fn impl_path(facts: &FileFacts, def: &Def) -> String {
    match def.of.map(|of| &facts.types[of.0 as usize]) {
        Some(TypeExpr::Path { segments, .. })
            if matches!(facts.language.as_str(), "cpp" | "swift" | "kotlin") =>
        {
            let parts: Vec<&str> = segments.iter().map(|&part| facts.text(part)).collect();
            parts.join(".")
        }
        _ => impl_name(facts, def).to_owned(),
    }
}

fn impl_name<'f>(facts: &'f FileFacts, def: &Def) -> &'f str {
    let mut ty = def.of;
    while let Some(ix) = ty {
        match &facts.types[ix.0 as usize] {
            TypeExpr::Path { segments, .. } => return segments.last().map_or("", |&last| facts.text(last)),
            TypeExpr::Ref(inner) | TypeExpr::List(inner) => ty = Some(*inner),
            // `impl dyn Trait + Send`
            TypeExpr::Bounds(parts) => ty = parts.first().copied(),
            _ => break,
        }
    }
    "impl"
}

pub(crate) fn types_by_name(facts: &FileFacts) -> FxHashMap<(Scope, &str), usize> {
    let types = facts.defs.iter().enumerate().filter(|(_, def)| def.kind.is_type());
    types.map(|(at, def)| ((def.parent, facts.text(def.name)), at)).collect()
}

/// The node that holds a definition: its parent, or for a method of an impl the type in the same module.
pub(crate) fn container<N: Copy>(
    facts: &FileFacts,
    def: &Def,
    handles: &[Option<N>],
    types: &FxHashMap<(Scope, &str), usize>,
) -> Option<N> {
    let mut parent = def.parent;
    while let Some(ix) = parent {
        let outer = facts.def(ix);
        if outer.kind == DefKind::Impl {
            let name = impl_name(facts, outer);
            // An impl may stand before its type.
            if let Some(handle) = types.get(&(outer.parent, name)).and_then(|&at| *handles.get(at)?) {
                return Some(handle);
            }
        }
        if let Some(handle) = handles[ix.0 as usize] {
            return Some(handle);
        }
        parent = outer.parent;
    }
    None
}
