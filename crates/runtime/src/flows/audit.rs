//! Audit: an unfamiliar repository in a few thousand characters.

use std::collections::BTreeMap;

use m1nd_contract::budget::json_len;
use m1nd_graph::{EdgeKind, Evidence, Graph, Node, NodeFlags, NodeIx, NodeKind, community};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_vfs::Root;
use schemars::JsonSchema;
use serde::Serialize;

use super::findings::{self, Found, place};
use super::survey::{FileRow, Survey, is_within};
use super::texts::Texts;

/// Items that a section starts with; a budget may leave fewer.
const ITEMS: usize = 10;

/// One thing to know, with examples.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct Section {
    /// What it is about.
    name: &'static str,
    /// How many there are in all.
    total: u64,
    /// The first ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    items: Vec<String>,
    /// What the numbers mean, or why there are none.
    #[serde(skip_serializing_if = "String::is_empty")]
    note: String,
}

impl Section {
    fn of(name: &'static str, found: Found, note: impl Into<String>) -> Self {
        let mut items = found.items;
        items.truncate(ITEMS);
        Self { name, total: found.total as u64, items, note: note.into() }
    }

    fn listed(name: &'static str, items: Vec<String>, note: impl Into<String>) -> Self {
        Self::of(name, Found { total: items.len(), items }, note)
    }

    fn no_data(name: &'static str, why: &str) -> Self {
        Self { name, total: 0, items: Vec::new(), note: format!("no_data: {why}") }
    }
}

/// Drops about `excess` bytes: the longest section gives its last item. Returns whether it could.
pub fn shorten(sections: &mut [Section], excess: usize) -> bool {
    let mut dropped = 0;
    while dropped < excess {
        let longest = sections.iter_mut().max_by_key(|section| section.items.len());
        let Some(item) = longest.and_then(|section| section.items.pop()) else { break };
        dropped += json_len(&item) + 1;
    }
    if dropped < excess {
        for section in sections.iter_mut().filter(|section| !section.note.is_empty()) {
            dropped += section.note.len();
            section.note.clear();
        }
    }
    dropped > 0
}

/// What a newcomer asks first.
pub fn overview(graph: &Graph, scope: &str) -> Vec<Section> {
    let survey = Survey::of(graph);
    let files: Vec<&FileRow<'_>> = survey.files.iter().filter(|file| is_within(file.path(), scope)).collect();
    vec![
        languages(&files),
        entry_points(graph, scope),
        parts(&survey, scope),
        central(&survey, &files),
        hot_spots(&files),
        risk(&files),
        tests(&files),
        docs(&files),
        certainty(graph, scope),
    ]
}

/// What the shape of the code says is worth a look.
pub fn structure(
    graph: &Graph,
    root: &Root,
    scope: &str,
    cancel: &CancelToken,
) -> Result<Vec<Section>, Stop> {
    let survey = Survey::of(graph);
    let texts = Texts::of(root, &survey, cancel)?;
    let (unmentioned, exported) = findings::unmentioned(&survey, &texts, scope);
    Ok(vec![
        Section::of(
            "import_cycles",
            findings::import_cycles(&survey, &texts, scope),
            "Imports at load time, Python and JavaScript family only.",
        ),
        Section::of(
            "large_files",
            findings::large_files(&survey, scope),
            "600 lines and more, by lines times dependants.",
        ),
        Section::of(
            "unmentioned",
            unmentioned,
            format!(
                "Private definitions that no edge reaches and no file names elsewhere: dead, or found at run time. {exported} exported ones are not listed; other repositories may use them."
            ),
        ),
        Section::of(
            "orphan_files",
            findings::orphan_files(&survey, &texts, scope),
            "No file uses them and no text names them; a script that is run by hand looks like this.",
        ),
        Section::of(
            "duplicates",
            findings::duplicates(&survey, &texts, scope),
            "Equal but for white space, 8 lines and more.",
        ),
        match findings::untested_hubs(&survey, scope) {
            Some(found) => Section::of(
                "untested_hubs",
                found,
                "At least 5 certain callers, and no known chain of calls from test code; a test may still run them from outside.",
            ),
            None => Section::no_data("untested_hubs", "no test code is known"),
        },
    ])
}

fn languages(files: &[&FileRow<'_>]) -> Section {
    let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for file in files.iter().filter(|file| !file.node.language().is_empty()) {
        let count = counts.entry(file.node.language()).or_default();
        count.0 += 1;
        count.1 += u64::from(file.lines());
    }
    let mut rows: Vec<_> = counts.into_iter().collect();
    rows.sort_by_key(|(name, (_, lines))| (std::cmp::Reverse(*lines), *name));
    let items = rows.iter().map(|(name, (files, lines))| format!("{name}: {files} files, {lines} lines"));
    let items: Vec<String> = items.collect();
    let other = files.iter().filter(|file| file.node.language().is_empty()).count();
    Section::listed("languages", items, format!("{other} other files are not parsed."))
}

fn entry_points(graph: &Graph, scope: &str) -> Section {
    let is_entry = |node: &Node<'_>| {
        let flags = node.flags();
        flags.has(NodeFlags::ENTRY_POINT) && !flags.has(NodeFlags::TEST_CODE) && node.kind() != NodeKind::Test
    };
    // A file that is run says less than the function it begins with.
    let starts = |node: &Node<'_>| {
        let begins = |ix: NodeIx| graph.node(ix).kind().is_callable() && is_entry(&graph.node(ix));
        let is_run = || node.kind() == NodeKind::File && !graph.nodes_in(node.path()).any(begins);
        is_entry(node) && (node.kind().is_callable() || is_run())
    };
    let here = || graph.nodes().filter(|node| is_within(node.path(), scope));
    let mut items: Vec<(bool, usize, String)> = here()
        .filter(starts)
        .map(|node| (node.label() != "main", node.path().matches('/').count(), place(node)))
        .collect();
    items.sort();
    let routes = here().filter(|node| node.kind() == NodeKind::Route).count();
    let note = if routes > 0 { format!("{routes} HTTP routes besides.") } else { String::new() };
    Section::listed("entry_points", items.into_iter().map(|(_, _, text)| text).collect(), note)
}

/// Fewer definitions say nothing about a repository.
const MIN_PART_NODES: usize = 8;

fn parts(survey: &Survey<'_>, scope: &str) -> Section {
    let graph = survey.graph;
    let mut items: Vec<(usize, String)> = Vec::new();
    for part in community::detect(graph).list {
        let counts = |node: &Node<'_>| {
            let product = survey.file_of(node.ix()).is_some_and(|at| !survey.files[at].is_beside());
            product && is_within(node.path(), scope) && (node.kind().is_callable() || node.kind().is_type())
        };
        let mut members: Vec<Node<'_>> =
            part.members.iter().map(|&ix| graph.node(ix)).filter(counts).collect();
        if members.len() < MIN_PART_NODES {
            continue;
        }
        let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
        for node in &members {
            *folders.entry(node.path().rsplit_once('/').map_or(".", |(folder, _)| folder)).or_default() += 1;
        }
        let folder = folders.iter().max_by_key(|(name, count)| (**count, std::cmp::Reverse(**name)));
        let folder = folder.map_or(".", |(name, _)| *name);
        members.sort_by_key(|node| (std::cmp::Reverse(node.pagerank()), node.ix()));
        let mut names: Vec<&str> = Vec::new();
        for node in members.iter().filter(|node| !node.label().starts_with("__")) {
            if names.len() < 3 && !names.contains(&node.label()) {
                names.push(node.label());
            }
        }
        items
            .push((members.len(), format!("{folder} ({} definitions): {}", members.len(), names.join(", "))));
    }
    items.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let items = items.into_iter().map(|(_, text)| text).collect();
    Section::listed(
        "parts",
        items,
        "Groups of product code that talk mostly to each other, with their most used names.",
    )
}

fn central(survey: &Survey<'_>, files: &[&FileRow<'_>]) -> Section {
    let mut rows: Vec<&&FileRow<'_>> =
        files.iter().filter(|file| file.is_own() && !file.is_beside() && file.used_by > 1).collect();
    rows.sort_by_key(|file| (std::cmp::Reverse(file.used_by), file.path()));
    let items = rows.iter().map(|file| format!("{} (used by {} files)", file.path(), file.used_by));
    Section::listed("central_files", items.collect(), format!("{} files in all.", survey.files.len()))
}

fn with_history<'a, 'g>(
    files: &'a [&'a FileRow<'g>],
) -> impl Iterator<Item = (&'a FileRow<'g>, m1nd_graph::History)> {
    files
        .iter()
        .filter(|file| file.is_own() && !file.is_beside())
        .filter_map(|file| Some((*file, file.node.history()?)))
}

fn hot_spots(files: &[&FileRow<'_>]) -> Section {
    let mut rows: Vec<_> = with_history(files).filter(|(_, history)| history.commits > 1).collect();
    if rows.is_empty() {
        return Section::no_data(
            "hot_spots",
            "no file of the program has more than one commit in the git history that is here; `health` says where that is damaged",
        );
    }
    rows.sort_by_key(|(file, history)| {
        (std::cmp::Reverse(u64::from(history.commits) * u64::from(file.lines())), file.path())
    });
    let items = rows.iter().map(|(file, history)| {
        format!(
            "{} ({} commits, {} lines, {} authors)",
            file.path(),
            history.commits,
            file.lines(),
            history.authors
        )
    });
    Section::listed("hot_spots", items.collect(), "Changed most, weighted by size.")
}

fn risk(files: &[&FileRow<'_>]) -> Section {
    let mut rows: Vec<_> = with_history(files).filter(|(_, history)| history.fixes > 0).collect();
    if rows.is_empty() {
        return Section::no_data("risk", "the history names no fixes");
    }
    let score = |file: &FileRow<'_>, history: &m1nd_graph::History| {
        f64::from(history.fixes) * f64::from(file.used_by + 1).ln_1p()
    };
    rows.sort_by(|a, b| {
        score(b.0, &b.1).total_cmp(&score(a.0, &a.1)).then_with(|| a.0.path().cmp(b.0.path()))
    });
    let items = rows.iter().map(|(file, history)| {
        format!(
            "{} ({} of {} commits are fixes, used by {} files)",
            file.path(),
            history.fixes,
            history.commits,
            file.used_by
        )
    });
    Section::listed("risk", items.collect(), "Fix commits, weighted by the log of dependants.")
}

fn tests(files: &[&FileRow<'_>]) -> Section {
    let mut folders: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let (mut tests, mut lines) = (0, 0);
    for file in
        files.iter().filter(|file| file.tests > 0 || file.is_test() && !file.node.language().is_empty())
    {
        let folder = file.path().split('/').next().filter(|_| file.path().contains('/')).unwrap_or(".");
        let folder = folders.entry(folder).or_default();
        folder.0 += 1;
        folder.1 += u64::from(file.tests);
        tests += u64::from(file.tests);
        lines += u64::from(file.lines());
    }
    let mut rows: Vec<_> = folders.into_iter().collect();
    rows.sort_by_key(|(name, (files, _))| (std::cmp::Reverse(*files), *name));
    let items = rows.iter().map(|(name, (files, tests))| format!("{name}: {files} files, {tests} tests"));
    let items: Vec<String> = items.collect();
    let note = format!("{tests} tests known, {lines} lines in files with tests.");
    let mut section = Section::listed("tests", items, note);
    section.total = tests;
    section
}

fn docs(files: &[&FileRow<'_>]) -> Section {
    let is_doc = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        [".md", ".rst", ".adoc", ".mdx"].iter().any(|end| name.ends_with(end)) || name.starts_with("readme")
    };
    let mut paths: Vec<&str> = files.iter().map(|file| file.path()).filter(|path| is_doc(path)).collect();
    paths.sort_by_key(|path| (path.matches('/').count(), *path));
    let total = paths.len();
    let items = paths.into_iter().take(ITEMS).map(str::to_owned).collect();
    let below =
        files.iter().filter(|file| file.path().starts_with("docs/") || file.path().starts_with("doc/"));
    let note = match below.count() {
        0 => String::new(),
        count => format!("{count} files below the documentation folder."),
    };
    Section::of("docs", Found { total, items }, note)
}

/// How far the call edges can be trusted.
fn certainty(graph: &Graph, scope: &str) -> Section {
    let mut counts: BTreeMap<&'static str, u64> = BTreeMap::new();
    let mut total = 0;
    for edge in graph.edges().filter(|edge| edge.kind == EdgeKind::Calls) {
        if is_within(graph.node(edge.source).path(), scope) {
            *counts.entry(edge.evidence.name()).or_default() += 1;
            total += 1;
        }
    }
    let names =
        [Evidence::Precise, Evidence::Resolved, Evidence::Inferred { candidates: 2 }].map(Evidence::name);
    let items = names.iter().filter_map(|name| Some(format!("{name}: {}", counts.get(name)?))).collect();
    let mut section = Section::listed("call_edges", items, "");
    section.total = total;
    section
}
