//! Compiler indexes in the SCIP format: what a compiler says about definitions and references.

mod calls;
pub mod overlay;
pub mod truth;

use protobuf::{Enum, Message};
use rustc_hash::FxHashMap;
use scip::types::SymbolRole;

use m1nd_graph::{Graph, NodeIx};

/// Why an index could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ScipError {
    #[error("the bytes are not a SCIP index: {0}")]
    Malformed(#[from] protobuf::Error),
}

/// An index laid over a graph: definitions and references as (file, line, column).
#[derive(Debug, Default)]
pub struct Index {
    /// The folder on the indexer's machine that paths start from, as an address.
    pub project_root: String,
    /// Files the index covers, in order.
    pub files: Vec<String>,
    /// Where each symbol is defined; more than once where the index gives two things one name.
    pub definitions: FxHashMap<String, Vec<Place>>,
    pub references: Vec<Reference>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    /// 1-based.
    pub line: u32,
    /// Columns as the index counts them, from and to.
    pub columns: (u32, u32),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub symbol: String,
    pub at: Place,
}

impl Index {
    /// The folder of the workspace that the index's paths start from: of the root, `beside` and every ending
    /// of the indexer's own folder the one below which most of them are files.
    pub fn folder(&self, beside: &str, is_file: impl Fn(&str) -> bool) -> String {
        let path = self.project_root.strip_prefix("file://").unwrap_or(&self.project_root);
        let path = path.trim_matches('/');
        let endings = path.match_indices('/').map(|(at, _)| &path[at + 1..]).chain([path]);
        let mut best = (String::new(), 0);
        for folder in ["", beside].into_iter().chain(endings) {
            let placed = self.files.iter().filter_map(|file| crate::manifest::join(folder, file));
            let fits = placed.filter(|file| is_file(file)).count();
            if fits > best.1 {
                best = (folder.to_owned(), fits);
            }
        }
        best.0
    }

    /// Moves every path of the index below a folder: an index of a package names its files from there.
    pub fn place_under(&mut self, folder: &str) {
        if folder.is_empty() {
            return;
        }
        let moved = |path: &str| crate::manifest::join(folder, path).unwrap_or_else(|| path.to_owned());
        for path in &mut self.files {
            *path = moved(path);
        }
        for place in self.definitions.values_mut().flatten() {
            place.path = moved(&place.path);
        }
        for reference in &mut self.references {
            reference.at.path = moved(&reference.at.path);
        }
    }
}

/// Reads an index.
pub fn read(bytes: &[u8]) -> Result<Index, ScipError> {
    let raw = scip::types::Index::parse_from_bytes(bytes)?;
    let mut index = Index { project_root: raw.metadata.project_root.clone(), ..Index::default() };
    for document in raw.documents {
        let path = document.relative_path.replace('\\', "/");
        for occurrence in document.occurrences {
            if occurrence.symbol.is_empty() {
                continue;
            }
            // A local symbol means something in its own file only.
            let symbol = match occurrence.symbol.strip_prefix("local ") {
                Some(number) => format!("{path}#{number}"),
                None => occurrence.symbol,
            };
            let [line, from, rest @ ..] = &occurrence.range[..] else {
                continue;
            };
            let to = rest.last().unwrap_or(from);
            let column = |raw: i32| u32::try_from(raw).unwrap_or(0);
            let place =
                Place { path: path.clone(), line: column(*line) + 1, columns: (column(*from), column(*to)) };
            if occurrence.symbol_roles & SymbolRole::Definition.value() != 0 {
                index.definitions.entry(symbol).or_default().push(place);
            } else {
                index.references.push(Reference { symbol, at: place });
            }
        }
        index.files.push(path);
    }
    index.files.sort();
    Ok(index)
}

/// Finds a file's callables by line.
pub(crate) struct Callables {
    by_path: FxHashMap<String, Vec<(u32, u32, NodeIx)>>,
}

impl Callables {
    pub(crate) fn of(graph: &Graph) -> Self {
        let mut by_path: FxHashMap<String, Vec<(u32, u32, NodeIx)>> = FxHashMap::default();
        for node in graph.nodes().filter(|node| node.kind().is_callable()) {
            let (start, end) = node.lines();
            by_path.entry(node.path().to_owned()).or_default().push((start, end, node.ix()));
        }
        Self { by_path }
    }

    /// The innermost callable around a line.
    pub(crate) fn around(&self, path: &str, line: u32) -> Option<NodeIx> {
        let all = self.by_path.get(path)?;
        let covering = all.iter().filter(|(start, end, _)| *start <= line && line <= *end);
        covering.min_by_key(|(start, end, ix)| (end - start, std::cmp::Reverse(*ix))).map(|(_, _, ix)| *ix)
    }

    /// The callable of this name that is defined at a line.
    pub(crate) fn named(&self, graph: &Graph, path: &str, line: u32, name: &str) -> Option<NodeIx> {
        let all = self.by_path.get(path)?;
        let covering = all
            .iter()
            .filter(|(start, end, ix)| *start <= line && line <= *end && graph.node(*ix).label() == name);
        covering.min_by_key(|(start, end, _)| end - start).map(|(_, _, ix)| *ix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_a_package_finds_its_folder() {
        let files = ["packages/web/src/a.ts", "packages/web/lib/b.ts", "a.ts"];
        let folder = |root: &str, paths: &[&str], beside: &str| {
            let files_of = paths.iter().map(|path| (*path).to_owned()).collect();
            let index = Index { project_root: root.to_owned(), files: files_of, ..Index::default() };
            index.folder(beside, |path| files.contains(&path))
        };
        let paths = ["a.ts", "../lib/b.ts"];
        assert_eq!(folder("file:///ci/job/packages/web/src", &paths, ""), "packages/web/src");
        assert_eq!(folder("", &paths, "packages/web/src"), "packages/web/src");
        assert_eq!(folder("file:///ci/job", &["a.ts"], ""), "");
    }
}
