//! Spelling: how a node's full name may be written, in the manner of each language.

use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::NodeKind;
use crate::node::Node;

/// Begins a tag of a file that says which package the file is in.
pub const PACKAGE: &str = "package:";
/// Begins a tag of a file that offers something under another name: `alias:here=there`.
pub const ALIAS: &str = "alias:";

/// Words that lead to a place and name nothing.
const WAYS: [&str; 4] = ["crate", "$crate", "self", "super"];
/// Files that stand for the folder they are in.
const FOLDER_FILES: [&str; 3] = ["mod", "lib", "main"];

/// The segments of a name in any language's spelling.
pub(crate) fn parts(name: &str) -> impl Iterator<Item = &str> {
    name.split(['.', ':', '/', '#', '\\']).filter(|part| !part.is_empty())
}

/// The segments of a name that somebody asks for: words that only lead somewhere are left out.
pub(crate) fn wanted(name: &str) -> Vec<&str> {
    let mut wanted: Vec<&str> = parts(name).collect();
    let ways = wanted.iter().take_while(|part| WAYS.contains(part)).count();
    wanted.drain(..ways.min(wanted.len().saturating_sub(1)));
    wanted
}

impl Graph {
    /// Whether a name means a node: it ends its path and qualified name, or those of its module or package.
    pub(crate) fn is_spelled(&self, node: Node<'_>, wanted: &[&str]) -> bool {
        let path = node.path();
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let ends = |before: &str| {
            let full: Vec<&str> = parts(before).chain(parts(node.qualified())).collect();
            full.ends_with(wanted)
        };
        // A path may be written with its ending or without.
        if ends(stem) || ends(path) {
            return true;
        }
        if self.node_by_path(path).is_some_and(|file| self.packages(file).any(ends)) {
            return true;
        }
        match node.language() {
            "rust" => is_in_crate(stem, node.qualified(), wanted),
            "lua" => is_in_table(node.signature(), wanted),
            _ => false,
        }
    }

    /// The packages that a file is in.
    fn packages(&self, file: NodeIx) -> impl Iterator<Item = &str> {
        self.node(file).tags().filter_map(|tag| tag.strip_prefix(PACKAGE))
    }

    /// The file that a module is by its full name; nothing where several files make up a package.
    pub(crate) fn module_file(&self, wanted: &[&str]) -> Option<NodeIx> {
        let files = self.nodes().filter(|node| node.kind() == NodeKind::File).map(|node| node.ix());
        let is_it =
            |&file: &NodeIx| self.packages(file).any(|package| parts(package).eq(wanted.iter().copied()));
        let mut found = files.filter(is_it);
        found.next().filter(|_| found.next().is_none())
    }

    /// What a file offers under another name is called there.
    pub(crate) fn unaliased<'g>(&'g self, file: Node<'g>, name: &str) -> Option<&'g str> {
        file.tags().find_map(|tag| {
            let (here, there) = tag.strip_prefix(ALIAS)?.split_once('=')?;
            (here == name).then_some(there)
        })
    }
}

/// Whether a path of Rust leads to something in a file: folders of sources are no modules, and a crate may be called
/// as its folder with a word before it.
fn is_in_crate(stem: &str, qualified: &str, wanted: &[&str]) -> bool {
    let mut full: Vec<&str> = stem.split('/').filter(|part| *part != "src").collect();
    full.pop_if(|last| FOLDER_FILES.contains(last));
    full.extend(parts(qualified));
    let Some(rest) = full.len().checked_sub(wanted.len()) else { return false };
    let pairs: Vec<(&str, &str)> = full[rest..].iter().copied().zip(wanted.iter().copied()).collect();
    let is_crate = |(folder, called): (&str, &str)| {
        let folder = folder.replace('-', "_");
        called == folder || called.strip_suffix(folder.as_str()).is_some_and(|word| word.ends_with('_'))
    };
    match pairs.split_first() {
        Some((&first, rest)) => is_crate(first) && rest.iter().all(|(one, other)| one == other),
        None => false,
    }
}

/// Whether a name is written as the function of a table: `function a.b.c()` or `function a.b:c()`.
fn is_in_table(signature: &str, wanted: &[&str]) -> bool {
    let named = signature.strip_prefix("function ").and_then(|rest| rest.split('(').next());
    named.is_some_and(|named| parts(named.trim()).collect::<Vec<&str>>().ends_with(wanted))
}
