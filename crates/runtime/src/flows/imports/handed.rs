//! Handed: files that take a name from one which only hands it on.
//!
//! The graph has such an import lead to where the name is defined, which is what rankings and layers are about. Who asks for the
//! importers of a file that hands names on is told of them by what the imports say.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::folder_files::{self, stands_for_folder};
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_ingest::imported::{self, Written};
use m1nd_ingest::{languages, scan};
use m1nd_risk::blast::Handed;
use m1nd_vfs::Root;
use rayon::prelude::*;

use super::world::{World, says};
use super::{python, rust, script};
use crate::flows::review::held::Held;
use crate::workspace::Texts;

/// Families of languages in which a file can hand names on.
const FAMILIES: [&str; 3] = ["python", "rust", "script"];
/// Files that are asked about: a folder can have thousands.
const MAX_ASKED: usize = 200;
/// Files that are read in all: more of them would be waited for.
const MAX_READ: usize = 1_000;
/// Files that hand on all of each other in longer chains are not followed.
const MAX_HOPS: usize = 4;

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    pub handed: Handed,
    /// Files that may take something and were not read.
    pub unread: usize,
}

/// Who takes names from these files, and from those that hand on what they take.
pub fn takers(root: &Root, graph: &Graph, files: &[NodeIx]) -> Found {
    let after = Texts::new();
    let mut world = World::of(graph, root, &after, Held::of(root, &[], &after));
    let mut reader = Reader::of(root, graph);
    let mut handed = Handed::default();
    let mut open: Vec<NodeIx> =
        files.iter().copied().filter(|&file| family(graph, file).is_some()).take(MAX_ASKED).collect();
    let mut seen: BTreeSet<NodeIx> = open.iter().copied().collect();
    while let Some(door) = open.pop() {
        let Some(family) = family(graph, door) else { continue };
        reader.read([door], |door, text| may_hand_on(graph, door, text));
        let askers = askers(graph, door, &offered(graph, door, reader.said(door)));
        let asks_it = |asker: NodeIx, text: &str| {
            family != "python" || may_ask(text, &askers[&asker], graph.node(door).path())
        };
        reader.read(askers.keys().copied(), asks_it);
        for (&asker, lines) in &askers {
            let path = graph.node(asker).path();
            let mut imports = reader.said(asker).imports.iter().filter(|import| lines.contains(&import.line));
            let asks = |import: &&Written| asks(&mut world, family, (path, import), graph.node(door).path());
            let Some(import) = imports.find(asks) else { continue };
            handed.add(door, asker);
            if (import.is_exported || is_mostly_imports(graph, asker)) && seen.insert(asker) {
                open.push(asker);
            }
        }
        // Others may hand on all of it.
        let above = graph.sources(door, EdgeKind::Imports);
        open.extend(above.filter(|&file| stands_for_folder(graph.node(file).path()) && seen.insert(file)));
    }
    Found { handed, unread: reader.unread.len() }
}

/// From which files that hand names on these take some.
pub fn givers(root: &Root, graph: &Graph, files: &[NodeIx]) -> Found {
    let after = Texts::new();
    let mut world = World::of(graph, root, &after, Held::of(root, &[], &after));
    let mut reader = Reader::of(root, graph);
    let mut handed = Handed::default();
    let files: Vec<NodeIx> =
        files.iter().copied().filter(|&file| family(graph, file).is_some()).take(MAX_ASKED).collect();
    reader.read(files.iter().copied(), |_, _| true);
    for file in files {
        let (path, family) = (graph.node(file).path(), family(graph, file).unwrap_or_default());
        let leads = |line: u32| {
            graph.outgoing(file).any(|edge| edge.kind == EdgeKind::Imports && edge.lines.contains(&line))
        };
        for import in reader.said(file).imports.iter().filter(|import| leads(import.line)) {
            let doors = asked(&mut world, family, path, import);
            let doors = doors.iter().filter_map(|door| graph.node_by_path(door));
            for door in doors.filter(|&door| is_new(graph, file, door)) {
                handed.add(door, file);
            }
        }
    }
    Found { handed, unread: reader.unread.len() }
}

/// The family of a file that may hand names on.
fn family(graph: &Graph, file: NodeIx) -> Option<&'static str> {
    let node = graph.node(file);
    let family = languages::of_path(node.path()).map(|language| language.family)?;
    (node.kind() == NodeKind::File && FAMILIES.contains(&family)).then_some(family)
}

/// Whether the graph does not know that one file imports another.
fn is_new(graph: &Graph, file: NodeIx, door: NodeIx) -> bool {
    file != door && graph.edge_between(file, EdgeKind::Imports, door).is_none()
}

/// What a file takes from others and may hand on, with all that can be taken through it.
fn offered(graph: &Graph, door: NodeIx, said: &Imports) -> BTreeSet<NodeIx> {
    let path = graph.node(door).path();
    let handed: Vec<&Written> = said.imports.iter().filter(|import| said.hands_on(path, import)).collect();
    let mut by_line: BTreeMap<u32, Vec<NodeIx>> = BTreeMap::new();
    for edge in graph.outgoing(door).filter(|edge| edge.kind == EdgeKind::Imports) {
        for &line in edge.lines.iter().filter(|&&line| handed.iter().any(|import| import.line == line)) {
            by_line.entry(line).or_default().push(edge.target);
        }
    }
    let mut found = BTreeSet::new();
    for (line, targets) in by_line {
        let is_file = |ix: &NodeIx| graph.node(*ix).kind() == NodeKind::File;
        let (files, items): (Vec<NodeIx>, Vec<NodeIx>) = targets.into_iter().partition(is_file);
        let is_all = handed.iter().any(|import| import.line == line && import.is_all);
        if items.is_empty() || is_all {
            files.into_iter().for_each(|file| all_of(graph, file, MAX_HOPS, &mut found));
        }
        found.extend(items);
    }
    found
}

/// A file with what it defines, and what it may hand on where it defines nothing or stands for its folder.
fn all_of(graph: &Graph, file: NodeIx, hops: usize, found: &mut BTreeSet<NodeIx>) {
    if !found.insert(file) {
        return;
    }
    let before = found.len();
    found.extend(graph.targets(file, EdgeKind::Contains));
    if hops == 0 || found.len() > before && !stands_for_folder(graph.node(file).path()) {
        return;
    }
    for target in graph.targets(file, EdgeKind::Imports) {
        match graph.node(target).kind() {
            NodeKind::File => all_of(graph, target, hops - 1, found),
            _ => _ = found.insert(target),
        }
    }
}

/// Files that import any of these, with the lines that do; not those that are known to import the file itself.
fn askers(graph: &Graph, door: NodeIx, offered: &BTreeSet<NodeIx>) -> BTreeMap<NodeIx, BTreeSet<u32>> {
    let own = family(graph, door);
    let mut found: BTreeMap<NodeIx, BTreeSet<u32>> = BTreeMap::new();
    for edge in offered.iter().flat_map(|&ix| graph.incoming(ix)) {
        let is_it = edge.kind == EdgeKind::Imports && family(graph, edge.source) == own;
        if is_it && is_new(graph, edge.source, door) {
            found.entry(edge.source).or_default().extend(edge.lines);
        }
    }
    found
}

/// Whether an import asks a file for something.
fn asks(world: &mut World<'_>, family: &str, (path, import): (&str, &Written), door: &str) -> bool {
    asked(world, family, path, import).iter().any(|file| file == door)
        || family == "script" && script::is_named(world, import, door)
}

/// The files that an import takes something from, by what it says.
fn asked(world: &mut World<'_>, family: &str, path: &str, import: &Written) -> Vec<String> {
    match family {
        "python" => python::module(world, path, import).into_iter().collect(),
        "script" => script::module(world, path, import).into_iter().collect(),
        "rust" => rust::modules(world, path, import),
        _ => Vec::new(),
    }
}

/// What a file says of its imports.
#[derive(Debug, Default)]
struct Imports {
    imports: Vec<Written>,
    /// Whether it exports names that it imports by statements of their own.
    lists: bool,
}

impl Imports {
    /// Whether others may take what an import brings.
    fn hands_on(&self, path: &str, import: &Written) -> bool {
        import.is_exported || self.lists || path.ends_with(".py") && import.within.is_none()
    }
}

/// Reads files, each once and not too many.
struct Reader<'a> {
    root: &'a Root,
    graph: &'a Graph,
    known: BTreeMap<NodeIx, Imports>,
    unread: BTreeSet<NodeIx>,
    nothing: Imports,
}

impl<'a> Reader<'a> {
    fn of(root: &'a Root, graph: &'a Graph) -> Self {
        Self { root, graph, known: BTreeMap::new(), unread: BTreeSet::new(), nothing: Imports::default() }
    }

    /// Those whose texts are `wanted`.
    fn read(
        &mut self,
        files: impl IntoIterator<Item = NodeIx>,
        wanted: impl Fn(NodeIx, &str) -> bool + Sync,
    ) {
        let new: Vec<NodeIx> = files.into_iter().filter(|file| !self.known.contains_key(file)).collect();
        let (now, later) = new.split_at(new.len().min(MAX_READ.saturating_sub(self.known.len())));
        self.unread.extend(later);
        let (root, graph) = (self.root, self.graph);
        let one = |&file: &NodeIx| {
            let path = graph.node(file).path();
            let bytes = scan::read(root, path).ok()?;
            let text = String::from_utf8_lossy(&bytes);
            wanted(file, &text).then(|| (file, imports(path, &bytes, &text).unwrap_or_default()))
        };
        self.known.par_extend(now.par_iter().filter_map(one));
    }

    fn said(&self, file: NodeIx) -> &Imports {
        self.known.get(&file).unwrap_or(&self.nothing)
    }
}

fn imports(path: &str, bytes: &[u8], text: &str) -> Option<Imports> {
    let imports = imported::written(path, bytes)?;
    let is_script = languages::of_path(path).is_some_and(|language| language.family == "script");
    let lists = is_script && EXPORTS.iter().any(|word| text.contains(word));
    Some(Imports { imports, lists })
}

/// Statements of scripts that export what something else brings.
const EXPORTS: [&str; 4] = ["export {", "export{", "export type {", "export default "];

/// Whether a file stands for its folder, or imports more than it defines.
fn is_mostly_imports(graph: &Graph, file: NodeIx) -> bool {
    let count = |kind| graph.targets(file, kind).count();
    stands_for_folder(graph.node(file).path()) || count(EdgeKind::Contains) < count(EdgeKind::Imports)
}

/// Whether a file is worth parsing for what it hands on: all that Python imports can be taken from the importer, but hardly anybody
/// does so.
fn may_hand_on(graph: &Graph, file: NodeIx, text: &str) -> bool {
    match family(graph, file) {
        Some("python") => is_mostly_imports(graph, file),
        Some("script") => {
            // A list may go on over several lines.
            let hands_on = |line: &str| {
                let is_list = EXPORTS[..3].iter().any(|word| line.starts_with(word));
                line.starts_with("export *") || is_list && (line.contains(" from") || !line.contains('}'))
            };
            text.lines().any(hands_on)
                || is_mostly_imports(graph, file) && EXPORTS.iter().any(|word| text.contains(word))
        }
        Some(_) => text.lines().any(|line| line.trim_start().starts_with("pub") && line.contains(" use ")),
        None => false,
    }
}

/// Whether one of these lines of a file of Python may name a module: what it imports from stands where the statement begins.
fn may_ask(text: &str, lines: &BTreeSet<u32>, module: &str) -> bool {
    let names = [folder_files::word(module), folder_files::stem(module)];
    let may = |line: &str| {
        let is_bare =
            line.split_whitespace().nth(1).is_some_and(|from| from.bytes().all(|byte| byte == b'.'));
        is_bare || names.iter().any(|name| says(line, name)) || line.trim_end().ends_with('\\')
    };
    (1..).zip(text.lines()).any(|(at, line)| lines.contains(&at) && may(line))
}
