//! Handed: files that take a name from one which only hands it on.
//!
//! The graph has such an import lead to where the name is defined, which is what rankings and layers are about. Who asks for the
//! importers of a file that hands names on is told of them by what the imports say.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::folder_files::{self, stands_for_folder};
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind, near};
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
    let first: BTreeSet<NodeIx> =
        files.iter().copied().filter(|&file| family(graph, file).is_some()).take(MAX_ASKED).collect();
    for &file in &first {
        let text = scan::read(root, graph.node(file).path()).unwrap_or_default();
        if !may_hand_on(graph, file, &String::from_utf8_lossy(&text)) {
            continue;
        }
        reader.read([file], |_, _| true);
        // Further on only what comes through this file counts: others hand on more than that.
        let offered = offered(graph, file, reader.said(file));
        let all = askers(graph, file, &offered);
        let mut open = if offered.is_empty() { Vec::new() } else { vec![file] };
        let mut seen: BTreeSet<NodeIx> = first.clone();
        while let Some(door) = open.pop() {
            let Some(family) = family(graph, door) else { continue };
            let askers: BTreeMap<NodeIx, &BTreeSet<u32>> = all
                .iter()
                .filter(|&(&asker, _)| is_new(graph, asker, door))
                .map(|(&asker, lines)| (asker, lines))
                .collect();
            let module = graph.node(door).path();
            let package = if family == "script" { script::package_of(&mut world, module) } else { None };
            let asks_it = |asker: NodeIx, text: &str| match family {
                "python" => may_ask(text, askers[&asker], module),
                "script" => may_be_asked(text, askers[&asker], module, package.as_deref()),
                _ => true,
            };
            reader.read(askers.keys().copied(), asks_it);
            for (&asker, lines) in &askers {
                let (path, said) = (graph.node(asker).path(), reader.said(asker));
                let mut imports = said.imports.iter().filter(|import| lines.contains(&import.line));
                let asks = |import: &&Written| asks(&mut world, family, (path, import), module);
                let Some(import) = imports.find(asks) else { continue };
                handed.add(door, asker);
                if said.hands_on(import) && seen.insert(asker) {
                    open.push(asker);
                }
            }
            // Others may hand on all of it.
            let above = graph.incoming(door).filter(|edge| edge.kind == EdgeKind::Imports);
            for edge in above.filter(|edge| stands_for_folder(graph.node(edge.source).path())) {
                let file = edge.source;
                reader.read([file], |_, _| true);
                let said = reader.said(file);
                let hands_on_all = |import: &Written| {
                    import.is_all && edge.lines.contains(&import.line) && said.hands_on(import)
                };
                if said.imports.iter().any(hands_on_all) && seen.insert(file) {
                    open.push(file);
                }
            }
        }
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
    let handed: Vec<&Written> = said.imports.iter().filter(|import| said.hands_on(import)).collect();
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

/// A file with what it defines, and what it may hand on where it defines nothing or stands for its folder. Who imports something of
/// a file is known to import the file, too.
fn all_of(graph: &Graph, file: NodeIx, hops: usize, found: &mut BTreeSet<NodeIx>) {
    if !found.insert(file) {
        return;
    }
    let node = graph.node(file);
    if node.language() == "rust" && stands_for_folder(node.path()) {
        // Through a module or a crate all modules in it are reached by their paths.
        let home = format!("{}/", near::folder(node.path()));
        let files = graph.nodes().filter(|node| node.kind() == NodeKind::File);
        found.extend(files.filter(|node| node.path().starts_with(&home)).map(|node| node.ix()));
    }
    let before = found.len();
    found.extend(graph.targets(file, EdgeKind::Contains));
    if hops == 0 || found.len() > before && !stands_for_folder(node.path()) {
        return;
    }
    for target in graph.targets(file, EdgeKind::Imports) {
        match graph.node(target).kind() {
            NodeKind::File => all_of(graph, target, hops - 1, found),
            _ => _ = found.insert(target),
        }
    }
}

/// Files of the same family that import any of these, with the lines that do.
fn askers(graph: &Graph, door: NodeIx, offered: &BTreeSet<NodeIx>) -> BTreeMap<NodeIx, BTreeSet<u32>> {
    let own = family(graph, door);
    let mut found: BTreeMap<NodeIx, BTreeSet<u32>> = BTreeMap::new();
    for edge in offered.iter().flat_map(|&ix| graph.incoming(ix)) {
        let is_it = edge.kind == EdgeKind::Imports && family(graph, edge.source) == own;
        if is_it {
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
    /// Whether it is there for what it imports, and others may take all of that.
    is_door: bool,
}

impl Imports {
    /// Whether others may take what an import brings.
    fn hands_on(&self, import: &Written) -> bool {
        import.is_exported || self.is_door && import.within.is_none()
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
            wanted(file, &text).then(|| (file, imports(graph, file, &bytes, &text).unwrap_or_default()))
        };
        self.known.par_extend(now.par_iter().filter_map(one));
    }

    fn said(&self, file: NodeIx) -> &Imports {
        self.known.get(&file).unwrap_or(&self.nothing)
    }
}

fn imports(graph: &Graph, file: NodeIx, bytes: &[u8], text: &str) -> Option<Imports> {
    let imports = imported::written(graph.node(file).path(), bytes)?;
    let may_list = match family(graph, file) {
        Some("python") => true,
        Some("script") => EXPORTS.iter().any(|word| text.contains(word)),
        _ => false,
    };
    Some(Imports { imports, is_door: may_list && is_mostly_imports(graph, file) })
}

/// Statements of scripts that export what something else brings.
const EXPORTS: [&str; 3] = ["export {", "export{", "export type {"];

/// Whether a file stands for its folder, or definitions take up less than half of it.
fn is_mostly_imports(graph: &Graph, file: NodeIx) -> bool {
    let lines = |ix| graph.node(ix).lines();
    let defined = graph.targets(file, EdgeKind::Contains).map(lines);
    let defined: u32 = defined.map(|(first, last)| last.saturating_sub(first) + 1).sum();
    stands_for_folder(graph.node(file).path()) || defined * 2 < lines(file).1
}

/// Whether a file is worth parsing for what it hands on: all that Python imports can be taken from the importer, but hardly anybody
/// does so.
fn may_hand_on(graph: &Graph, file: NodeIx, text: &str) -> bool {
    match family(graph, file) {
        Some("python") => is_mostly_imports(graph, file),
        Some("script") => {
            // A list may go on over several lines.
            let hands_on = |line: &str| {
                let is_list = EXPORTS.iter().any(|word| line.starts_with(word));
                line.starts_with("export *") || is_list && (line.contains(" from") || !line.contains('}'))
            };
            text.lines().any(hands_on)
                || is_mostly_imports(graph, file) && EXPORTS.iter().any(|word| text.contains(word))
        }
        Some(_) => text.lines().any(|line| {
            line.trim_start().starts_with("pub")
                && (line.contains(" use ") || line.contains(" extern crate "))
        }),
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

/// The same of a script, where the module stands at the end of a statement that may go on over many lines.
fn may_be_asked(text: &str, lines: &BTreeSet<u32>, module: &str, package: Option<&str>) -> bool {
    let names = [folder_files::word(module), folder_files::stem(module)];
    let may = |asked: &str| {
        let last = folder_files::stem(asked);
        let is_above = last.is_empty() && stands_for_folder(module);
        is_above || names.contains(&last) || package.is_some_and(|package| asked.starts_with(package))
    };
    let texts: Vec<&str> = text.lines().collect();
    lines.iter().any(|&line| {
        let from = texts.get((line as usize).saturating_sub(1)..).unwrap_or_default();
        let said = from.iter().take(MAX_STATEMENT).flat_map(|line| quoted(line)).next();
        said.is_none_or(may)
    })
}

/// Lines of one statement.
const MAX_STATEMENT: usize = 100;

/// What stands in quotes behind a word that asks for a module.
fn quoted(line: &str) -> Option<&str> {
    let (_, rest) = ["from", "import", "require("].iter().find_map(|word| line.split_once(word))?;
    let at = rest.find(['\'', '"'])?;
    let mark = rest[at..].chars().next()?;
    rest[at + 1..].split(mark).next()
}
