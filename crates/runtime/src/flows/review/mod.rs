//! Review: what one change set leaves out, breaks and repeats, who knows its files, and how risky it is.

mod before;
mod checks;
mod constants;
mod gone_files;
mod moved_files;
mod removed;
mod reviewers;

use std::collections::{BTreeMap, BTreeSet};

use m1nd_contract::Fault;
use m1nd_graph::change::{ChangedFile, How};
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::history::{self, Compared, OwnCommit};
use m1nd_ingest::revision::{self, Changed};
use m1nd_ingest::scan;
use m1nd_risk::blast::{self, Toward};
use m1nd_risk::diff;
use m1nd_risk::plan::{self, Act, Severity, Step};
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use self::before::Before;
pub use self::reviewers::Reviewer;
use super::ledger::OwnCommits;
use super::{changed, ledger, planned, predicted};
use crate::ctx::{Ctx, GraphView};
use crate::faults;

/// Something to look at before the change goes in.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Finding {
    /// removed_but_used, broken_import, signature_change, antibody, missing_co_change, layer_violation or untested.
    pub kind: &'static str,
    /// low, medium, high or critical.
    pub severity: &'static str,
    /// path:line of the change.
    pub at: String,
    pub message: String,
    /// Where else to look: callers, the file that is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
}

/// Tests that reach the change.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct TestFile {
    pub file_path: String,
    /// How many of its tests.
    pub tests: u64,
    /// 0 for one that was changed itself.
    pub hop_distance: u32,
}

/// A file of the change, with its definitions that differ where both states are known.
pub(super) struct Edited {
    pub file: ChangedFile,
    /// Nothing where only today's lines are known.
    pub symbols: Option<Vec<Changed>>,
    /// Innermost nodes that hold changed lines.
    pub nodes: Vec<NodeIx>,
    /// What it held before and holds now, where a file went.
    pub texts: (Option<Vec<u8>>, Option<Vec<u8>>),
}

impl Edited {
    /// What it was called before the change.
    fn path_before(&self) -> &str {
        self.file.was.as_deref().unwrap_or(&self.file.path)
    }

    fn touches(&self, line: u32) -> bool {
        self.file.lines.iter().any(|&(first, last)| first <= line && line <= last)
    }
}

/// What was found.
pub struct Review {
    /// The commit that was compared with.
    pub base: Option<String>,
    pub commits: Vec<OwnCommit>,
    pub files: Vec<ChangedFile>,
    /// The worst first.
    pub findings: Vec<Finding>,
    pub risk: f64,
    /// Files of tests that reach the change, the nearest first.
    pub tests: Vec<TestFile>,
    pub reviewers: Vec<Reviewer>,
    /// What could not be looked at, and what would make it possible.
    pub no_data: Vec<String>,
}

/// What is to be reviewed.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'a> {
    /// The files as they are, compared with where `HEAD` left this branch.
    Since(Option<&'a str>),
    /// A unified diff or a git range.
    Diff(&'a str),
}

/// Longest chain of calls from a test that is told.
const TEST_HOPS: u32 = 4;
/// Longest chain of calls by which a test is said to reach something.
const ANY_HOPS: u32 = 10;

pub fn run(ctx: &Ctx<'_>, at: &GraphView, subject: Subject<'_>) -> Result<Review, Fault> {
    let graph = &at.graph;
    let (base, compared) = compared(ctx, subject)?;
    let commit = match (&base, range_of(subject)) {
        (None, Some(range)) => history::older_side(ctx.workspace()?.root().path(), range).ok(),
        _ => base.clone(),
    };
    let mut no_data = Vec::new();
    // Both states of every file are parsed.
    let is_any_gone = compared.iter().any(|one| matches!(one.file.how, How::Deleted | How::Renamed));
    let edited: Vec<Edited> = compared.into_par_iter().map(|one| edited(graph, one, is_any_gone)).collect();
    if edited.iter().any(|one| one.symbols.is_none() && is_code(graph, &one.file)) {
        no_data.push(
            "signatures: the earlier text of some files is not known. A git range or `base` provides it."
                .to_owned(),
        );
    }
    let steps = steps(graph, &edited);
    let mut touched: Vec<&str> = steps.iter().map(|step| step.path.as_str()).collect();
    touched.sort_unstable();
    touched.dedup();
    let is_known =
        |path: &str| edited.iter().any(|one| one.file.path == path || one.file.was.as_deref() == Some(path));
    // The past of a change ends where it begins.
    let own = match &commit {
        Some(commit) => history::commits_since(ctx.workspace()?.root().path(), commit).unwrap_or_default(),
        None => Vec::new(),
    };
    let own = OwnCommits::of(&own);
    let mut predictions = match predicted::no_data_without(ctx, &own)? {
        None => predicted::companions_without(ctx, at, &touched, &own)?,
        Some(why) => {
            no_data.push(why);
            Vec::new()
        }
    };
    predictions.retain(|one| !is_known(&one.path));
    let predictions = checks::companions(graph, predictions);
    let (untested, tested) = checks::untested(graph, &edited, ANY_HOPS);
    let known = ledger::without(ctx, graph, &own)?;
    no_data.extend(known.no_data().map(|why| format!("trust and reviewers: {why}")));
    if known.is_partial {
        no_data.push("history: older commits are still being read. Ask again in a moment.".to_owned());
    }
    let commits = match base.as_deref().or(range_of(subject)) {
        Some(base) => history::commits_since(ctx.workspace()?.root().path(), base).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut findings = checks::signatures(graph, &edited);
    let before = Before::of(ctx, commit);
    let gone = gone_files::paths(graph, &edited);
    let gone = match gone.is_empty() {
        true => Vec::new(),
        false => {
            before.graph()?.map_or_else(Vec::new, |then| gone_files::still_used(&then, graph, &edited, &gone))
        }
    };
    if edited.iter().any(|one| one.file.how == How::Renamed)
        && let Some(then) = before.graph()?
    {
        findings.extend(moved_files::astray(&then, graph, &edited));
    }
    let told: BTreeSet<String> = gone.iter().map(|one| one.at.clone()).collect();
    findings.extend(gone);
    findings.extend(removed::still_used(ctx, graph, &edited, |path| told.contains(&format!("{path}:1")))?);
    findings.extend(checks::missing(graph, &edited, &steps, &predictions));
    findings.extend(checks::layers(ctx, graph, &edited, &before)?);
    findings.extend(checks::antibodies(ctx, graph, &edited)?);
    findings.extend(untested);
    findings.sort_by(|a, b| {
        (rank(b.severity), order(a.kind))
            .cmp(&(rank(a.severity), order(b.kind)))
            .then_with(|| a.at.cmp(&b.at))
    });
    let missing = predictions.first().map_or(0.0, |one| f64::from(one.confidence));
    let open = tested.untested.len() as f64 / tested.testable.max(1) as f64;
    let risk = risk(planned::doubt(&known, &steps), missing, open, &findings);
    let tests = tests(graph, &edited);
    let reviewers = reviewers::of(ctx, &edited, &commits)?;
    let files = edited.into_iter().map(|one| one.file).collect();
    Ok(Review { base, commits, files, findings, risk, tests, reviewers, no_data })
}

/// How much a severity's name stands for.
pub fn rank(severity: &str) -> Option<Severity> {
    [Severity::Low, Severity::Medium, Severity::High, Severity::Critical]
        .into_iter()
        .find(|one| one.name() == severity)
}

/// Of equal findings, what certainly breaks comes first.
fn order(kind: &str) -> usize {
    const KINDS: [&str; 7] = [
        "removed_but_used",
        "broken_import",
        "signature_change",
        "antibody",
        "missing_co_change",
        "layer_violation",
        "untested",
    ];
    KINDS.iter().position(|&known| known == kind).unwrap_or(KINDS.len())
}

/// The range that a change was given as.
fn range_of<'a>(subject: Subject<'a>) -> Option<&'a str> {
    match subject {
        Subject::Diff(change) if !diff::is_diff(change) => Some(change.trim()),
        Subject::Diff(_) | Subject::Since(_) => None,
    }
}

fn compared(ctx: &Ctx<'_>, subject: Subject<'_>) -> Result<(Option<String>, Vec<Compared>), Fault> {
    let root = ctx.workspace()?.root();
    let refused = |argument, err| changed::refused(ctx, argument, &err);
    let between = |argument: &'static str, range: &str| {
        let (listed, _) = scan::list(root, ctx.cancel()).map_err(faults::stopped)?;
        let today = listed.into_iter().map(|file| file.path);
        history::changes_with_texts(root.path(), range, today, |path| scan::now(root, path))
            .map_err(|err| refused(argument, err))
    };
    match subject {
        Subject::Since(base) => {
            let base = match base {
                Some(name) => history::left(root.path(), name).map_err(|err| refused("base", err))?,
                None => history::default_base(root.path()).ok_or_else(|| changed::no_base(ctx))?,
            };
            let found = between("base", &base)?;
            Ok((Some(base), found))
        }
        Subject::Diff(change) if diff::is_diff(change) => {
            let files = changed::files(ctx, "diff", change)?;
            let alone = |file| Compared { file, old: None, new: None };
            Ok((None, files.into_iter().map(alone).collect()))
        }
        Subject::Diff(range) => {
            let range = range.trim();
            if range.is_empty() || range.contains('\n') {
                return Err(ctx.invalid("`diff` is neither a unified diff nor a git range."));
            }
            Ok((None, between("diff", range)?))
        }
    }
}

/// Its texts are kept where lines of it may lead to a file that went.
fn edited(graph: &Graph, one: Compared, is_any_gone: bool) -> Edited {
    let symbols = match (&one.old, &one.new) {
        (None, None) => None,
        (old, new) => {
            revision::compare(&one.file.path, old.as_deref().map(Into::into), new.as_deref().map(Into::into))
        }
    };
    let is_kept = is_any_gone && matches!(one.file.how, How::Modified | How::Renamed);
    let texts = if is_kept { (one.old, one.new) } else { (None, None) };
    Edited { nodes: one.file.nodes(graph), file: one.file, symbols, texts }
}

fn is_code(graph: &Graph, file: &ChangedFile) -> bool {
    graph.node_by_path(&file.path).is_some_and(|ix| !graph.node(ix).language().is_empty())
}

/// The change as a plan that was carried out. What the graph still knows under its old name is yet to be done.
fn steps(graph: &Graph, edited: &[Edited]) -> Vec<Step> {
    let step = |act, path: &str| Step { act, path: path.to_owned(), after: Vec::new() };
    edited
        .iter()
        .map(|one| match (one.file.how, &one.file.was) {
            (How::Added, _) => step(Act::Create, &one.file.path),
            (How::Deleted, _) => step(Act::Delete, &one.file.path),
            (How::Renamed, Some(was)) if graph.node_by_path(was).is_some() => step(Act::Rename, was),
            _ => step(Act::Modify, &one.file.path),
        })
        .collect()
}

/// Tests that reach any of the changed nodes, file by file; those that were changed themselves come first.
fn tests(graph: &Graph, edited: &[Edited]) -> Vec<TestFile> {
    let mut sources: Vec<NodeIx> = edited.iter().flat_map(|one| one.nodes.iter().copied()).collect();
    sources.sort_unstable();
    sources.dedup();
    let blast = blast::blast(graph, &sources, Toward::Affected, TEST_HOPS);
    let reached = blast.reached.iter().map(|one| (one.node, one.hops));
    let mut found: BTreeMap<&str, TestFile> = BTreeMap::new();
    for (node, hops) in sources.iter().map(|&node| (node, 0)).chain(reached) {
        if !blast::is_test(graph, node) {
            continue;
        }
        let path = graph.node(node).path();
        let new = || TestFile { file_path: path.to_owned(), tests: 0, hop_distance: hops };
        let file = found.entry(path).or_insert_with(new);
        file.tests += 1;
        file.hop_distance = file.hop_distance.min(hops);
    }
    let mut found: Vec<TestFile> = found.into_values().collect();
    found.sort_by(|a, b| {
        a.hop_distance
            .cmp(&b.hop_distance)
            .then(b.tests.cmp(&a.tests))
            .then_with(|| a.file_path.cmp(&b.file_path))
    });
    found
}

/// A quarter each: how little the least trusted file is trusted, how likely a companion is missing, the share of changed functions
/// without a test, and how bad the worst finding that breaks something is.
fn risk(doubt: f64, missing: f64, untested: f64, findings: &[Finding]) -> f64 {
    let breaks = findings.iter().filter(|one| !matches!(one.kind, "untested" | "layer_violation"));
    let worst = match breaks.filter_map(|one| rank(one.severity)).max() {
        Some(Severity::Critical) => 1.0,
        Some(Severity::High) => 0.75,
        _ => 0.0,
    };
    0.25 * (doubt + missing + untested + worst)
}

/// The level that a risk has.
pub fn level(risk: f64) -> &'static str {
    plan::level(risk)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn risk_is_the_mean_of_four_parts() {
        let finding = |kind, severity| Finding {
            kind,
            severity,
            at: String::new(),
            message: String::new(),
            places: Vec::new(),
        };
        assert_eq!(risk(0.5, 0.0, 0.0, &[]), 0.125);
        assert_eq!(risk(0.0, 0.5, 1.0, &[finding("untested", "medium")]), 0.375);
        let broken = [finding("signature_change", "high"), finding("antibody", "low")];
        assert_eq!(risk(0.0, 0.0, 0.0, &broken), 0.1875);
        assert_eq!(risk(1.0, 1.0, 1.0, &[finding("missing_co_change", "critical")]), 1.0);
    }
}
