//! Gone files: files that were deleted or renamed, and the lines that still lead to where they were.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::change::How;
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind, folder_files};
use m1nd_ingest::languages;
use m1nd_risk::blast::{self, DEPENDS};
use m1nd_risk::plan::Severity;

use super::held::Held;
use super::twins::is_twin;
use super::users::{Targets, User, targets};
use super::{Edited, Finding, builtins};

/// Lines that are shown of each.
const MAX_PLACES: usize = super::lines::MAX_PLACES;
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
    held: &mut Held<'_>,
    before: &Graph,
    graph: &Graph,
    edited: &[Edited],
    gone: &BTreeMap<&str, &Edited>,
) -> Vec<Finding> {
    let mut users: BTreeMap<&str, Option<(User<'_>, Targets)>> = BTreeMap::new();
    let mut found = Vec::new();
    for (&path, one) in gone {
        let Some(file) = before.node_by_path(path) else { continue };
        let family = languages::of_path(path).map_or("", |language| language.family);
        let is_of_package = OF_PACKAGES.contains(&family);
        let mut uses: BTreeMap<&str, BTreeSet<(bool, u32)>> = BTreeMap::new();
        let mut names: BTreeSet<&str> = BTreeSet::new();
        for node in blast::insides(before, &[file]) {
            let is_file = before.node(node).kind() == NodeKind::File;
            if is_file && is_of_package || builtins::has(family, before.node(node).label()) {
                continue;
            }
            for edge in before.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
                let source = before.node(edge.source).path();
                if edge.evidence.is_inferred() || source == path || gone.contains_key(source) {
                    continue;
                }
                let user = users.entry(source).or_insert_with(|| {
                    let user =
                        User::of(graph, edited, source).filter(|user| !is_orphan(held, graph, user.path))?;
                    Some((user, targets(before, source)))
                });
                let Some((user, then)) = user else { continue };
                // A method is called on a value, and what that is the change may have said anew.
                if before.node(node).kind() == NodeKind::Method && user.edited.is_some() {
                    continue;
                }
                let label = before.node(node).label();
                let stem = folder_files::word(path);
                // A file that stands for its folder may be named itself, too.
                let own = folder_files::stem(path);
                let is_said =
                    |line: u32| [label, stem, own].iter().any(|word| user.still_says(line, word, edge.kind));
                let lines = edge.lines.iter().filter(|&&line| is_said(line)).map(|&line| (line, node));
                let left: Vec<u32> =
                    lines.filter_map(|used| left(user, (before, then), graph, one, used)).collect();
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

/// Whether a file of Rust stands in a crate whose modules do not name it: nobody compiles it.
fn is_orphan(held: &mut Held<'_>, graph: &Graph, path: &str) -> bool {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(stem) = file.strip_suffix(".rs") else { return false };
    if matches!(stem, "lib" | "main" | "mod" | "build") {
        return false;
    }
    let parents = ["lib", "main", "mod"].map(|root| format!("{folder}/{root}.rs"));
    let parents = parents.into_iter().chain([format!("{folder}.rs")]);
    let parents: Vec<String> = parents.filter(|path| graph.node_by_path(path).is_some()).collect();
    let mut says = |path: &String| {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
        held.text(path).is_none_or(|text| {
            text.contains("#[path")
                || [";", " {"].iter().any(|end| words(&text).contains(&format!("mod {stem}{end}")))
        })
    };
    !parents.is_empty() && !parents.iter().any(&mut says)
}

/// The line as it stands now, where it still says what it said and that leads nowhere else. `then` is what lines led to.
fn left(
    user: &User<'_>,
    (before, then): (&Graph, &Targets),
    graph: &Graph,
    gone: &Edited,
    (line, used): (u32, NodeIx),
) -> Option<u32> {
    let today = user.line(line)?;
    let used = before.node(used);
    let is_other = |path: &str| !is_twin(before, user.path, used.path(), path);
    let now = || user.leads_to(today).map(|ix| graph.node(ix)).filter(|node| is_other(node.path()));
    let is_there = |label: &str| now().any(|node| node.label() == label);
    let is_renamed = |path: &str| gone.file.was.is_some() && path == gone.file.path;
    let is_found = now().any(|node| takes_place(used.path(), node.path()) || is_renamed(node.path()))
        || match used.kind() {
            // Through a file that hands names on a line is found by those.
            NodeKind::File => {
                let then = || then.get(&line).into_iter().flatten().map(|&(ix, _)| before.node(ix));
                // The name of a module may lead to another file since.
                let is_new = |path: &str| then().all(|node| node.path() != path);
                let is_named_alike = |path: &str| folder_files::word(path) == folder_files::word(used.path());
                let leads_elsewhere = now().any(|node| {
                    node.kind() == NodeKind::File && is_new(node.path()) && is_named_alike(node.path())
                });
                let mut names = then()
                    .filter(|node| node.path() == used.path() && node.kind() != NodeKind::File)
                    .map(|node| node.label())
                    .peekable();
                leads_elsewhere || names.peek().is_some() && names.all(is_there)
            }
            _ => is_there(used.label()),
        };
    (!is_found).then_some(today)
}

/// Whether a file is found under the name by which another was: `a.py` and `a/__init__.py`, `a.ts` and `a/index.js`.
fn takes_place(gone: &str, now: &str) -> bool {
    gone != now && folder_files::module(gone) == folder_files::module(now)
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
}
