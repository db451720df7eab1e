//! Aftermath: what a batch left behind, by the graph before it and the graph after it.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_edit::{FileChange, Plan};
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_ingest::revision::{Change, Changed};
use m1nd_ingest::{history, languages};
use m1nd_risk::blast;
use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::Root;

use super::super::calls::{self, Direction};
use super::super::impact::TestHit;
use super::checks::{Checked, has_code, node_of, shown};
use super::dangling::{HOLDS, word_of};
use super::fitting::Fitting;
use super::near_tests::{Near, near_tests};
use super::shown::{CallerShown, TestsShown, old};
use super::texts::Texts;
use crate::ctx::Ctx;
use crate::workspace::Workspace;

/// Commits that are asked which files change together.
const MAX_COMMITS: usize = 2_000;
const MAX_INSIGHTS: usize = 5;

/// Uses of a node that are no calls: imports, base classes and what is named.
pub(super) fn other_uses(root: &Root, graph: &Graph, node: NodeIx) -> Vec<CallerShown> {
    let mut texts = Texts::of(root);
    let mut found = Vec::new();
    let word = word_of(graph, node);
    let edges =
        graph.incoming(node).filter(|edge| HOLDS.contains(&edge.kind) && edge.kind != EdgeKind::Calls);
    for edge in edges {
        let user = graph.node(edge.source);
        for line in texts.lines_with(user.path(), user.lines(), word, edge.lines) {
            let known = edge.sites().find(|(at, _)| *at == line).map_or(edge.evidence, |(_, known)| known);
            found.push(CallerShown {
                at: format!("{}:{line}", user.path()),
                node_id: user.id().to_owned(),
                uses: graph.node(node).label().to_owned(),
                because: "removed",
                evidence: known.name(),
                source: texts.line(user.path(), line),
            });
        }
    }
    found.sort_by(|a, b| (&a.at, !a.is_certain()).cmp(&(&b.at, !b.is_certain())));
    found.dedup_by(|a, b| a.at == b.at);
    found
}

/// Callers of what has another signature now, or is asked for otherwise, on lines that the batch left as they were.
pub(super) fn unchanged_callers(
    root: &Root,
    (before, after): (&Graph, &Graph),
    plan: &Plan,
    checked: &Checked,
) -> Vec<CallerShown> {
    let mut texts = Texts::of(root);
    let mut found = Vec::new();
    for file in &checked.symbols {
        for one in &file.changed {
            // What reads a property calls nothing once that is a method.
            if turns_property(one) {
                let Some(node) = node_of(before, &file.from, one) else { continue };
                let readers = calls::find(root, before, node, Direction::Callers).into_iter();
                let readers = readers.filter_map(|call| as_it_stands(plan, call, &mut texts));
                found.extend(readers.map(|call| shown(call, before.node(node).label(), "signature")));
                continue;
            }
            if one.change != Change::Signature {
                continue;
            }
            let now = Changed { before: None, ..one.clone() };
            let Some(node) = node_of(after, &file.path, &now) else { continue };
            for call in unfit_calls(root, after, node, one, &mut texts) {
                let edited = plan.files.iter().find(|other| other.path == call.file_path);
                let is_old = edited
                    .is_none_or(|edited| has_code(&edited.path, old(&plan.files, edited).1, &call.source));
                if is_old {
                    found.push(shown(call, after.node(node).label(), "signature"));
                }
            }
        }
    }
    found.sort_by_key(|one| !one.is_certain());
    found
}

/// A call of the state before a batch where it stands now; nothing where the batch took its line away or wrote it anew.
fn as_it_stands(plan: &Plan, call: calls::Call, texts: &mut Texts<'_>) -> Option<calls::Call> {
    let is_of = |file: &&FileChange| match &file.from {
        Some(from) => *from == call.file_path,
        None => file.path == call.file_path,
    };
    let Some(edited) = plan.files.iter().find(is_of) else { return Some(call) };
    let (was, is) = (old(&plan.files, edited).1?, edited.after.as_ref()?);
    let lines = history::kept(was, &is.bytes);
    let line = (*lines.get((call.line as usize).checked_sub(1)?)?)?;
    let source = texts.line(&edited.path, line);
    Some(calls::Call { file_path: edited.path.clone(), line, source, ..call })
}

/// Whether a method is a property now, or no longer one.
pub(super) fn turns_property(changed: &Changed) -> bool {
    changed.kind == NodeKind::Method && changed.turned_property().is_some()
}

/// Calls of something that is declared otherwise, without those that work as they did.
pub(super) fn unfit_calls(
    root: &Root,
    graph: &Graph,
    node: NodeIx,
    changed: &Changed,
    texts: &mut Texts<'_>,
) -> Vec<calls::Call> {
    let mut all = calls::find(root, graph, node, Direction::Callers);
    let Some(fitting) = Fitting::of(graph, node, changed) else {
        return all;
    };
    all.retain(|call| texts.text(&call.file_path).is_none_or(|text| !fitting.takes_line(text, call.line)));
    all
}

/// Tests that reach what changed, nearest first, and as many of them as there is room for.
pub(super) fn tests(graph: &Graph, checked: &Checked, dangling: &[CallerShown], most: usize) -> TestsShown {
    let (mut nodes, mut around): (Vec<NodeIx>, Vec<NodeIx>) = (Vec::new(), Vec::new());
    for file in &checked.symbols {
        let lasting = file.changed.iter().filter(|one| one.change != Change::Removed);
        nodes.extend(lasting.filter_map(|one| graph.node_at(&file.path, one.line)));
        // Whatever a file holds may rest on what stands outside of it all.
        if file.is_outside {
            around.extend(graph.nodes_in(&file.path));
        }
    }
    nodes.extend(dangling.iter().filter_map(|one| graph.node_by_id(&one.node_id)));
    nodes.sort_unstable();
    nodes.dedup();
    let own: Vec<NodeIx> =
        nodes.iter().chain(&around).copied().filter(|&ix| blast::is_test(graph, ix)).collect();
    let Near { tests: mut run, mut within } = near_tests(graph, &nodes);
    if !around.is_empty() {
        let known: BTreeSet<String> = run.iter().map(|test| test.node_id.clone()).collect();
        let further = near_tests(graph, &around);
        run.extend(further.tests.into_iter().filter(|test| !known.contains(&test.node_id)));
        within = if nodes.is_empty() { further.within } else { within.min(further.within) };
    }
    for ix in own.into_iter().rev() {
        let node = graph.node(ix);
        if run.iter().all(|test| test.node_id != node.id()) {
            let at = format!("{}:{}", node.path(), node.lines().0);
            run.insert(0, TestHit { node_id: node.id().to_owned(), at, hop_distance: 0 });
        }
    }
    let total = run.len() as u64;
    run.truncate(most);
    TestsShown { run, total, within_calls: within }
}

/// That edited files have other names too, which keep what they hold: a file beside each takes its place.
pub(super) fn linked(root: &Root, plan: &Plan) -> Option<String> {
    let has_others = |path: &&str| {
        let path = root.relative(path).ok();
        path.is_some_and(|path| root.has_other_names(&path).unwrap_or(false))
    };
    let edited = plan.files.iter().filter(|file| file.before.is_some() && file.after.is_some());
    let linked: Vec<&str> = edited.map(|file| file.path.as_str()).filter(has_others).collect();
    let first = linked.first()?;
    let more = match linked.len() {
        1 => "has".to_owned(),
        count => format!("and {} more have", count - 1),
    };
    Some(format!(
        "{first} {more} other names (hard links), which keep the old content: the edit is not seen under them."
    ))
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
        found.push(unknown(ctx));
    }
    found.truncate(MAX_INSIGHTS);
    found
}

/// What is not known of an edit while there is no graph.
pub fn unknown(ctx: &Ctx<'_>) -> String {
    match ctx.running_ingest() {
        None => {
            "Nothing is ingested, so callers and tests are not known; ingest reads the workspace.".to_owned()
        }
        Some(job) => format!(
            "The first ingest still runs ({job}), so callers and tests are not known yet; job_status tells how far it is."
        ),
    }
}
