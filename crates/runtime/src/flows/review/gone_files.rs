//! Gone files: files that were deleted or renamed, and the lines that still lead to where they were.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::change::How;
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_ingest::languages;
use m1nd_risk::blast::{self, DEPENDS};
use m1nd_risk::plan::Severity;

use super::{Edited, Finding};

/// Lines that are shown of each.
const MAX_PLACES: usize = 5;
/// Names that are told of each.
const MAX_NAMES: usize = 5;
/// Languages that import packages: which files these are made of does not matter to who imports them.
const OF_PACKAGES: [&str; 6] = ["go", "java", "kotlin", "scala", "csharp", "swift"];

/// Paths that were there before the change and are no more, each with the file of the change that tells of it.
pub fn paths<'e>(graph: &Graph, edited: &'e [Edited]) -> BTreeMap<&'e str, &'e Edited> {
    let gone = edited.iter().filter_map(|one| match (one.file.how, one.file.was.as_deref()) {
        (How::Deleted, _) => Some((one.file.path.as_str(), one)),
        (How::Renamed, Some(was)) => Some((was, one)),
        _ => None,
    });
    gone.filter(|(path, _)| graph.node_by_path(path).is_none()).collect()
}

/// One finding for each of these files that other files still use, with the lines that import it.
pub fn still_used(
    before: &Graph,
    graph: &Graph,
    edited: &[Edited],
    gone: &BTreeMap<&str, &Edited>,
) -> Vec<Finding> {
    let mut users: BTreeMap<&str, Option<User<'_>>> = BTreeMap::new();
    let mut found = Vec::new();
    for (&path, one) in gone {
        let Some(file) = before.node_by_path(path) else { continue };
        let is_of_package =
            languages::of_path(path).is_some_and(|language| OF_PACKAGES.contains(&language.family));
        let mut uses: BTreeMap<&str, BTreeSet<(bool, u32)>> = BTreeMap::new();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for node in blast::insides(before, &[file]) {
            let is_file = before.node(node).kind() == NodeKind::File;
            if is_file && is_of_package {
                continue;
            }
            for edge in before.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
                let source = before.node(edge.source).path();
                if edge.evidence.is_inferred() || source == path || gone.contains_key(source) {
                    continue;
                }
                let user = users.entry(source).or_insert_with(|| User::of(before, graph, edited, source));
                let Some(user) = user else { continue };
                let left = edge.lines.iter().filter_map(|&line| user.left(before, graph, one, line, node));
                let left: Vec<u32> = left.collect();
                if left.is_empty() {
                    continue;
                }
                if before.parent(node) == Some(file) {
                    names.insert(before.node(node).label());
                }
                let is_import = edge.kind == EdgeKind::Imports;
                uses.entry(user.path).or_default().extend(left.into_iter().map(|line| (!is_import, line)));
            }
        }
        if uses.is_empty() {
            continue;
        }
        let what = match &one.file.was {
            Some(_) => format!("{path} is called {} now", one.file.path),
            None => format!("{path} was deleted"),
        };
        let named: Vec<&str> = names.iter().copied().take(MAX_NAMES).collect();
        let named = if named.is_empty() { String::new() } else { format!(" ({})", named.join(", ")) };
        let files = if uses.len() == 1 { "file still uses" } else { "files still use" };
        // The first line of each file: an import where it has one.
        let firsts = uses.iter().filter_map(|(path, lines)| Some((path, lines.first()?.1)));
        found.push(Finding {
            kind: "removed_but_used",
            severity: Severity::Critical.name(),
            at: format!("{}:1", one.file.path),
            message: format!("{what}, and {} {files} it{named}", uses.len()),
            places: firsts.map(|(path, line)| format!("{path}:{line}")).take(MAX_PLACES).collect(),
        });
    }
    found
}

/// A file that used one that went, before and now.
struct User<'g> {
    /// Where it is now.
    path: &'g str,
    /// What its lines led to, and what they lead to.
    then: BTreeMap<u32, Vec<NodeIx>>,
    now: BTreeMap<u32, Vec<NodeIx>>,
    /// Where lines of an edited file stand now, by what they say.
    moved: Option<Moved>,
}

impl<'g> User<'g> {
    fn of(before: &Graph, graph: &Graph, edited: &'g [Edited], path: &'g str) -> Option<Self> {
        let is_it = |one: &&Edited| one.file.was.as_deref().unwrap_or(&one.file.path) == path;
        let edited = edited.iter().find(is_it);
        let today = edited.map_or(path, |one| one.file.path.as_str());
        graph.node_by_path(today)?;
        let moved = edited.map(|one| Moved::of(one.texts.0.as_deref(), one.texts.1.as_deref()));
        Some(Self { path: today, then: targets(before, path), now: targets(graph, today), moved })
    }

    /// The line as it stands now, where it still says what it said and that leads nowhere else.
    fn left(&self, before: &Graph, graph: &Graph, gone: &Edited, line: u32, used: NodeIx) -> Option<u32> {
        let today = match &self.moved {
            Some(moved) => moved.line(line)?,
            None => line,
        };
        let used = before.node(used);
        let now = || self.now.get(&today).into_iter().flatten().map(|&ix| graph.node(ix));
        let is_there = |label: &str| now().any(|node| node.label() == label);
        let is_renamed = |path: &str| gone.file.was.is_some() && path == gone.file.path;
        let is_found = now().any(|node| takes_place(used.path(), node.path()) || is_renamed(node.path()))
            || match used.kind() {
                // Through a file that hands names on a line is found by those.
                NodeKind::File => {
                    let then = self.then.get(&line).into_iter().flatten().map(|&ix| before.node(ix));
                    let mut names = then
                        .filter(|node| node.path() == used.path() && node.kind() != NodeKind::File)
                        .map(|node| node.label())
                        .peekable();
                    names.peek().is_some() && names.all(is_there)
                }
                _ => is_there(used.label()),
            };
        (!is_found).then_some(today)
    }
}

/// Whether a file is found under the name by which another was: `a.py` and `a/__init__.py`, `a.ts` and `a/index.js`.
fn takes_place(gone: &str, now: &str) -> bool {
    let names = |path: &str| {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.split('.').next().unwrap_or(file);
        match stem {
            "__init__" | "index" | "mod" | "lib" => folder.to_owned(),
            stem if folder.is_empty() => stem.to_owned(),
            stem => format!("{folder}/{stem}"),
        }
    };
    gone != now && names(gone) == names(now)
}

/// What the lines of a file lead to.
pub(super) fn targets(graph: &Graph, path: &str) -> BTreeMap<u32, Vec<NodeIx>> {
    let mut found: BTreeMap<u32, Vec<NodeIx>> = BTreeMap::new();
    for node in graph.nodes_in(path) {
        for edge in graph.outgoing(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
            for &line in edge.lines {
                found.entry(line).or_default().push(edge.target);
            }
        }
    }
    found
}

/// Where the lines of an earlier text stand now.
pub(super) struct Moved {
    then: Vec<String>,
    now: BTreeMap<String, Vec<u32>>,
}

impl Moved {
    pub(super) fn of(then: Option<&[u8]>, now: Option<&[u8]>) -> Self {
        let lines = |text: Option<&[u8]>| -> Vec<String> {
            let text = String::from_utf8_lossy(text.unwrap_or_default());
            text.lines().map(|line| line.trim().to_owned()).collect()
        };
        let mut places: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (at, line) in (1..).zip(lines(now)) {
            places.entry(line).or_default().push(at);
        }
        Self { then: lines(then), now: places }
    }

    /// Of several lines that say the same, the nearest.
    pub(super) fn line(&self, line: u32) -> Option<u32> {
        let said = self.then.get((line as usize).checked_sub(1)?)?;
        self.now.get(said)?.iter().copied().min_by_key(|&now| now.abs_diff(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_may_become_a_folder_and_the_other_way_round() {
        assert!(takes_place("a.py", "a/__init__.py") && takes_place("src/a/mod.rs", "src/a.rs"));
        assert!(takes_place("x/a.ts", "x/a.js") && takes_place("x/a.ts", "x/a/index.tsx"));
        assert!(!takes_place("x/a.ts", "x/b.ts") && !takes_place("x/a.py", "x/__init__.py"));
    }

    #[test]
    fn lines_are_found_again_where_they_moved_to() {
        let then = Some(b"a\nb\na\n".as_slice());
        let moved = Moved::of(then, Some(b"x\n  a\nx\nx\na\n".as_slice()));
        assert_eq!([1, 2, 3, 4].map(|line| moved.line(line)), [Some(2), None, Some(2), None]);
    }
}
