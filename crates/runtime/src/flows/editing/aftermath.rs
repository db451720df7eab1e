//! Aftermath: what a batch left behind, by the graph before it and the graph after it.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_edit::{FileChange, Plan};
use m1nd_graph::{Edge, EdgeKind, Evidence, Graph, NodeIx, NodeKind};
use m1nd_ingest::languages;
use m1nd_ingest::revision::Change;
use m1nd_risk::blast;
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::{Root, read};

use super::super::calls::{self, Direction};
use super::super::impact::TestHit;
use super::super::slice::MAX_FILE_BYTES;
use super::checks::{Checked, lines_of, node_of, shown};
use super::context::near_tests;
use super::shown::{CallerShown, TestsShown, old};
use crate::ctx::Ctx;
use crate::workspace::Workspace;

/// Relations that hang in the air when their target goes.
const HOLDS: [EdgeKind; 5] =
    [EdgeKind::Calls, EdgeKind::References, EdgeKind::Inherits, EdgeKind::Implements, EdgeKind::Imports];
/// Tests that are named.
const MAX_TESTS: usize = 12;
/// Commits that are asked which files change together.
const MAX_COMMITS: usize = 2_000;
const MAX_INSIGHTS: usize = 5;

/// Uses of what the batch removed that are still written, and find nothing any more.
pub(super) fn dangling(
    root: &Root,
    before: &Graph,
    after: &Graph,
    plan: &Plan,
    checked: &Checked,
) -> Vec<CallerShown> {
    let mut texts = Texts { root, read: BTreeMap::new() };
    let mut found: Vec<CallerShown> = Vec::new();
    let is_touched = |path: &str| plan.files.iter().any(|file| file.path == path);
    let mut told: BTreeSet<String> = BTreeSet::new();
    let gone = removed(before, after, plan, checked).into_iter().map(|node| (node, "removed"));
    // What is still there may be out of reach, as when it is not exported any more.
    let hidden = changed_signatures(before, checked).map(|node| (node, "signature"));
    for (node, because) in gone.chain(hidden) {
        let gone = before.node(node);
        let word = word_of(before, node);
        for edge in before.incoming(node).filter(|edge| HOLDS.contains(&edge.kind)) {
            if because == "signature" && edge.evidence.is_inferred() {
                continue;
            }
            let Some(source) = survivor(before, after, plan, edge.source) else { continue };
            let alike: Vec<Edge<'_>> = after
                .outgoing(source)
                .filter(|other| {
                    let target = after.node(other.target);
                    let is_file = target.kind() == NodeKind::File;
                    other.kind == edge.kind
                        && (target.label() == gone.label()
                            || is_file && target.label().split('.').next() == Some(word))
                })
                .collect();
            let user = after.node(source);
            // Lines stand where they stood, unless the batch wrote the file.
            let is_moved = is_touched(user.path()) || edge.lines.is_empty();
            let lost = if is_moved { lost_somewhere(&edge, &alike) } else { lost_sites(&edge, &alike) };
            let Some(evidence) = lost.iter().map(|(_, known)| *known).reduce(Evidence::strongest) else {
                continue;
            };
            let known: Vec<u32> = lost.iter().map(|(line, _)| *line).filter(|line| *line > 0).collect();
            for (line, source) in texts.lines_with(user.path(), user.lines(), word, &known) {
                let at = format!("{}:{line}", user.path());
                if told.insert(at.clone()) {
                    let here =
                        lost.iter().find(|(lost, _)| *lost == line).map_or(evidence, |(_, known)| *known);
                    found.push(CallerShown {
                        at,
                        node_id: user.id().to_owned(),
                        uses: gone.label().to_owned(),
                        because,
                        evidence: here.name(),
                        source,
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| (!a.is_certain(), &a.at).cmp(&(!b.is_certain(), &b.at)));
    found
}

/// The word by which a node is used.
fn word_of(graph: &Graph, node: NodeIx) -> &str {
    let label = graph.node(node).label();
    match graph.node(node).kind() {
        NodeKind::File => label.split('.').next().unwrap_or_default(),
        _ => label,
    }
}

/// Whether a use is found as well as before: what was certain must not have become a guess by name.
fn as_well(was: Evidence, now: Evidence) -> bool {
    was.is_inferred() || !now.is_inferred()
}

/// Lines of a relation on which nothing of that name is found any more, and how it was known there.
fn lost_sites(edge: &Edge<'_>, now: &[Edge<'_>]) -> Vec<(u32, Evidence)> {
    let is_found = |line: u32, was: Evidence| {
        now.iter().flat_map(Edge::sites).any(|(other, known)| other == line && as_well(was, known))
    };
    edge.sites().filter(|&(line, was)| !is_found(line, was)).collect()
}

/// The same where lines cannot be compared.
fn lost_somewhere(edge: &Edge<'_>, now: &[Edge<'_>]) -> Vec<(u32, Evidence)> {
    match now.iter().any(|other| as_well(edge.evidence, other.evidence)) {
        true => Vec::new(),
        false => vec![(0, edge.evidence)],
    }
}

/// Uses of a node that are no calls: imports, base classes and what is named.
pub(super) fn other_uses(root: &Root, graph: &Graph, node: NodeIx) -> Vec<CallerShown> {
    let mut texts = Texts { root, read: BTreeMap::new() };
    let mut found = Vec::new();
    let word = word_of(graph, node);
    let edges =
        graph.incoming(node).filter(|edge| HOLDS.contains(&edge.kind) && edge.kind != EdgeKind::Calls);
    for edge in edges {
        let user = graph.node(edge.source);
        for (line, source) in texts.lines_with(user.path(), user.lines(), word, edge.lines) {
            let known = edge.sites().find(|(at, _)| *at == line).map_or(edge.evidence, |(_, known)| known);
            found.push(CallerShown {
                at: format!("{}:{line}", user.path()),
                node_id: user.id().to_owned(),
                uses: graph.node(node).label().to_owned(),
                because: "removed",
                evidence: known.name(),
                source,
            });
        }
    }
    found.sort_by(|a, b| (&a.at, !a.is_certain()).cmp(&(&b.at, !b.is_certain())));
    found.dedup_by(|a, b| a.at == b.at);
    found
}

/// Nodes, in the graph before, that callers see otherwise now.
fn changed_signatures<'a>(before: &'a Graph, checked: &'a Checked) -> impl Iterator<Item = NodeIx> + 'a {
    checked.symbols.iter().flat_map(move |file| {
        let changed = file.changed.iter().filter(|one| one.change == Change::Signature);
        changed.filter_map(move |one| node_of(before, &file.from, one))
    })
}

/// Callers of what has another signature now, on lines that the batch left as they were.
pub(super) fn unchanged_callers(
    root: &Root,
    after: &Graph,
    plan: &Plan,
    checked: &Checked,
) -> Vec<CallerShown> {
    let mut found = Vec::new();
    for file in &checked.symbols {
        for one in file.changed.iter().filter(|one| one.change == Change::Signature) {
            let now = Some(one).cloned().map(|one| m1nd_ingest::revision::Changed { before: None, ..one });
            let Some(node) = now.and_then(|one| node_of(after, &file.path, &one)) else { continue };
            for call in calls::find(root, after, node, Direction::Callers) {
                let edited = plan.files.iter().find(|other| other.path == call.file_path);
                let is_old = edited.is_none_or(|edited| {
                    lines_of(old(&plan.files, edited).1).iter().any(|line| line.starts_with(&call.source))
                });
                if is_old {
                    found.push(shown(call, after.node(node).label(), "signature"));
                }
            }
        }
    }
    found.sort_by_key(|one| !one.is_certain());
    found
}

/// Tests that reach what changed, nearest first.
pub(super) fn tests(graph: &Graph, checked: &Checked, dangling: &[CallerShown]) -> TestsShown {
    let mut nodes: Vec<NodeIx> = Vec::new();
    for file in &checked.symbols {
        let lasting = file.changed.iter().filter(|one| one.change != Change::Removed);
        let own: Vec<NodeIx> = lasting.filter_map(|one| graph.node_at(&file.path, one.line)).collect();
        match own.is_empty() {
            // What stands outside all definitions.
            true => nodes.extend(graph.node_by_path(&file.path)),
            false => nodes.extend(own),
        }
    }
    nodes.extend(dangling.iter().filter_map(|one| graph.node_by_id(&one.node_id)));
    nodes.sort_unstable();
    nodes.dedup();
    let own: Vec<NodeIx> = nodes.iter().copied().filter(|&ix| blast::is_test(graph, ix)).collect();
    let mut run = near_tests(graph, &nodes);
    for ix in own.into_iter().rev() {
        let node = graph.node(ix);
        if run.iter().all(|test| test.node_id != node.id()) {
            let at = format!("{}:{}", node.path(), node.lines().0);
            run.insert(0, TestHit { node_id: node.id().to_owned(), at, hop_distance: 0 });
        }
    }
    let total = run.len() as u64;
    run.truncate(MAX_TESTS);
    TestsShown { run, total }
}

/// What is worth knowing and was not asked for, a sentence each.
pub(super) fn insights(
    ctx: &Ctx<'_>,
    workspace: &Workspace,
    graph: Option<&Graph>,
    plan: &Plan,
    checked: &Checked,
    tests: &TestsShown,
) -> Vec<String> {
    let mut found = workspace.settled_batches();
    let touched: Vec<&str> = plan.files.iter().map(|file| file.path.as_str()).collect();
    let is_code = |path: &&str| languages::of_path(path).is_some();
    // The batch is made: who cancels now still wants to hear of it.
    let past = graph.and_then(|graph| Some((graph, workspace.past(&CancelToken::new()).ok()?)));
    if let Some((graph, past)) = past {
        let entries = &past.log.entries[..past.log.entries.len().min(MAX_COMMITS)];
        // Commits of many files say little about any two of them.
        let small = entries.iter().filter(|entry| entry.files.len() <= 30);
        let mut of_file: BTreeMap<&str, Vec<_>> =
            touched.iter().copied().filter(is_code).map(|path| (path, Vec::new())).collect();
        for entry in small {
            for file in &entry.files {
                if let Some(own) = of_file.get_mut(file.as_str()) {
                    own.push(entry);
                }
            }
        }
        for (path, own) in of_file {
            let mut times: BTreeMap<&str, usize> = BTreeMap::new();
            for file in own.iter().flat_map(|entry| &entry.files).filter(|file| file.as_str() != path) {
                *times.entry(file).or_default() += 1;
            }
            let best = times
                .into_iter()
                .filter(|(file, _)| !touched.contains(file) && graph.node_by_path(file).is_some())
                .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(a.0)));
            if let Some((file, count)) = best.filter(|(_, count)| *count >= 3 && *count * 2 >= own.len()) {
                found.push(format!(
                    "{file} changed in {count} of the {} commits that changed {path}, and is not in this batch.",
                    own.len()
                ));
            }
        }
    }
    let changed = checked.symbols.iter().any(|file| !file.changed.is_empty());
    if changed && tests.total == 0 && graph.is_some() {
        found.push("No test is known to reach what changed.".to_owned());
    }
    if graph.is_none() {
        found.push(match ctx.running_ingest() {
            None => "Nothing is ingested, so callers and tests are not known; ingest reads the workspace.".to_owned(),
            Some(job) => format!(
                "The first ingest still runs ({job}), so callers and tests are not known yet; job_status tells how far it is."
            ),
        });
    }
    found.truncate(MAX_INSIGHTS);
    found
}

/// Nodes that were there before and are not any more.
fn removed(before: &Graph, after: &Graph, plan: &Plan, checked: &Checked) -> Vec<NodeIx> {
    let mut nodes: Vec<NodeIx> = Vec::new();
    for file in &checked.symbols {
        let gone = file.changed.iter().filter(|one| one.change == Change::Removed);
        nodes.extend(gone.filter_map(|one| node_of(before, &file.from, one)));
        if file.path != file.from {
            // Everything in a file that moved is found elsewhere now.
            nodes.extend(before.nodes_in(&file.from));
        }
    }
    for file in plan.files.iter().filter(|file| file.after.is_none()) {
        nodes.extend(before.node_by_path(&file.path));
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes.retain(|&ix| after.node_by_id(before.node(ix).id()).is_none());
    nodes.sort_by_key(|&ix| before.node(ix).kind() != NodeKind::File);
    nodes
}

/// The same node in the graph after the batch, also where its file moved. What has its name where something else moved
/// to is not the same.
fn survivor(before: &Graph, after: &Graph, plan: &Plan, node: NodeIx) -> Option<NodeIx> {
    let node = before.node(node);
    let Some(moved) = plan.files.iter().find(|file| file.from.as_deref() == Some(node.path())) else {
        let is_taken = |file: &FileChange| file.path == node.path() && file.from.is_some();
        return after.node_by_id(node.id()).filter(|_| !plan.files.iter().any(is_taken));
    };
    let mut there = after.nodes_in(&moved.path);
    there.find(|&ix| after.node(ix).qualified() == node.qualified() && after.node(ix).kind() == node.kind())
}

/// Files are read once.
struct Texts<'a> {
    root: &'a Root,
    /// Their lines.
    read: BTreeMap<String, Vec<String>>,
}

impl Texts<'_> {
    /// Lines that have a word, with their numbers: those that are known, or else the first in a range.
    fn lines_with(
        &mut self,
        path: &str,
        (first, last): (u32, u32),
        word: &str,
        known: &[u32],
    ) -> Vec<(u32, String)> {
        let root = self.root;
        let lines = self.read.entry(path.to_owned()).or_insert_with(|| {
            let path = root.relative(path).ok();
            let file = path.and_then(|path| read::text(root, &path, MAX_FILE_BYTES).ok());
            file.map_or_else(Vec::new, |file| file.text.lines().map(str::to_owned).collect())
        });
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let mut numbers = known.to_vec();
        let with_word = |number: &u32| {
            let line = lines.get(number.checked_sub(1)? as usize)?;
            let has_word = line.split(|letter| !is_part(letter)).any(|part| part == word);
            let line = line.trim();
            has_word.then(|| (*number, line[..line.floor_char_boundary(160)].to_owned()))
        };
        numbers.sort_unstable();
        numbers.dedup();
        let there: Vec<(u32, String)> = numbers.iter().filter_map(with_word).collect();
        if !there.is_empty() {
            return there;
        }
        let count = u32::try_from(lines.len()).unwrap_or(u32::MAX);
        let (first, last) = (first.max(1), if last >= first.max(1) { last.min(count) } else { count });
        (first..=last).find_map(|number| with_word(&number)).into_iter().collect()
    }
}
