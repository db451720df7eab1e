//! Names by which a package offers what one of its files defines.

use crate::folder_files::NAMES;
use crate::graph::Graph;
use crate::ids::NodeIx;
use crate::kind::{EdgeKind, NodeKind};

/// Endings of modules that pass on what they import.
const MODULE_ENDINGS: [&str; 6] = ["py", "pyi", "ts", "tsx", "js", "rs"];
/// Files that import all of each other in longer chains are not followed.
const MAX_HOPS: usize = 4;

impl Graph {
    /// What `package.name.member` means where the package only imports the name: what that import leads to.
    pub(crate) fn reexported(&self, parts: &[&str]) -> Vec<NodeIx> {
        for cut in (1..parts.len()).rev() {
            let mut found: Vec<NodeIx> = self
                .modules_named(&parts[..cut])
                .into_iter()
                .filter_map(|module| self.passed_on(module, parts[cut], MAX_HOPS))
                .filter_map(|item| self.below(item, &parts[cut + 1..]))
                .collect();
            found.sort();
            found.dedup();
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Files whose module path ends in these names.
    fn modules_named(&self, path: &[&str]) -> Vec<NodeIx> {
        let Some(last) = path.last() else { return Vec::new() };
        let own = MODULE_ENDINGS.iter().map(|ending| format!("{last}.{ending}"));
        let names = own.chain(NAMES.iter().map(|name| (*name).to_owned()));
        let mut found = Vec::new();
        for name in names {
            for &at in self.nodes_by_label(&name) {
                let node = self.node(NodeIx(at));
                let stem = node.path().rsplit_once('.').map_or(node.path(), |(stem, _)| stem);
                let mut parts: Vec<&str> = stem.split('/').collect();
                if NAMES.contains(&name.as_str()) {
                    parts.pop();
                    // A crate's or a package's sources lie one folder deeper than its name.
                    parts.pop_if(|folder| *folder == "src");
                }
                let is_crate = node.language() == "rust" && is_crate_path(&parts, path, self.name());
                if node.kind() == NodeKind::File && (parts.ends_with(path) || is_crate) {
                    found.push(NodeIx(at));
                }
            }
        }
        found
    }

    /// What a file imports, itself or all of another, under a name.
    fn passed_on(&self, module: NodeIx, name: &str, hops: usize) -> Option<NodeIx> {
        let imported: Vec<NodeIx> = self.targets(module, EdgeKind::Imports).collect();
        let also = self.unaliased(self.node(module), name).unwrap_or(name);
        let is_called = |label: &str| label == name || label == also;
        let is_meant =
            |ix: NodeIx| is_called(self.node(ix).label()) && self.node(ix).kind() != NodeKind::File;
        if let Some(&found) = imported.iter().find(|&&ix| is_meant(ix)) {
            return Some(found);
        }
        let files = imported.into_iter().filter(|&ix| self.node(ix).kind() == NodeKind::File);
        let files: Vec<NodeIx> = files.take_while(|_| hops > 0).collect();
        let defined = |&file: &NodeIx| self.targets(file, EdgeKind::Contains).find(|&ix| is_meant(ix));
        files
            .iter()
            .find_map(defined)
            .or_else(|| files.iter().find_map(|&file| self.passed_on(file, name, hops - 1)))
    }

    /// What the workspace is called.
    fn name(&self) -> &str {
        let mut outermost = self.nodes_in("").map(|ix| self.node(ix));
        outermost.find(|node| node.kind() == NodeKind::Repository).map_or("", |node| node.label())
    }

    /// A member of a member, its own or inherited.
    fn below(&self, of: NodeIx, path: &[&str]) -> Option<NodeIx> {
        path.iter().try_fold(of, |at, name| {
            let mut line = self.lineage(at).into_iter();
            line.find_map(|ix| {
                self.members(ix).into_iter().find(|&member| self.node(member).label() == *name)
            })
        })
    }
}

/// Whether folders are those of a path of Rust: sources lie in a folder that is no module, and the crate at the top
/// of a workspace may be called as the workspace.
fn is_crate_path(folders: &[&str], path: &[&str], workspace: &str) -> bool {
    let modules: Vec<&str> = folders.iter().copied().filter(|folder| *folder != "src").collect();
    let is_called = |(folder, called): (&&str, &&str)| folder.replace('-', "_") == **called;
    let is_end =
        modules.len() >= path.len() && modules[modules.len() - path.len()..].iter().zip(path).all(is_called);
    let is_top = path
        .split_first()
        .is_some_and(|(first, rest)| workspace.replace('-', "_") == *first && modules[..] == *rest);
    is_end || is_top
}
