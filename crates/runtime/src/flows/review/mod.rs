//! Review: what one change set leaves out, breaks and repeats, who knows its files, and how risky it is.

mod before;
pub(crate) mod builtins;
mod checks;
mod code_lines;
mod constants;
mod constructors;
mod contracts;
mod entered;
mod fields;
mod given;
mod go_contracts;
mod gone_files;
pub(crate) mod held;
mod java_calls;
mod java_members;
mod lines;
mod literals;
mod lost_bases;
mod lost_ways;
mod macro_made;
mod made;
mod members;
mod moved_files;
pub(crate) mod namesakes;
mod narrowed;
mod new_calls;
mod overrides;
mod properties;
mod removed;
mod removed_nodes;
mod returned;
mod reviewers;
pub(crate) mod setters;
mod signatures;
mod statics;
mod stray;
mod twins;
mod unmounted;
mod users;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::change::{ChangedFile, How};
use m1nd_graph::{Graph, NodeIx, NodeKind};
use m1nd_ingest::history::{self, Compared, HistoryError, OwnCommit};
use m1nd_ingest::revision::{self, Change, Changed};
use m1nd_ingest::syntax::{self, SyntaxError};
use m1nd_risk::blast::{self, Toward};
use m1nd_risk::plan::{self, Act, Severity, Step};
use m1nd_vfs::grep::Pattern;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

use self::before::{Before, Began};
pub(crate) use self::contracts::knows_bases;
use self::given::{Given, range_of};
use self::held::Held;
pub(crate) use self::lines::SHOWN_PLACES;
use self::namesakes::Answer;
pub(crate) use self::removed::{TIME_LIMIT, said};
pub use self::reviewers::Reviewer;
use super::ledger::OwnCommits;
use super::{ledger, planned, predicted};
use crate::ctx::{Ctx, GraphView};
use crate::faults;
use crate::workspace::Texts;

/// Something to look at before the change goes in.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Finding {
    /// syntax_error, removed_but_used, broken_import, signature_change, antibody, missing_co_change, layer_violation or untested.
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
pub(crate) struct Edited {
    pub file: ChangedFile,
    /// Nothing where only today's lines are known.
    pub symbols: Option<Vec<Changed>>,
    /// Innermost nodes that hold changed lines.
    pub nodes: Vec<NodeIx>,
    /// What it held before and holds now, where it is on both sides.
    pub texts: (Option<Vec<u8>>, Option<Vec<u8>>),
    /// The first place that does not parse since the change: what comes after it is not read as it is meant.
    pub broken: Option<SyntaxError>,
}

impl Edited {
    /// What it was called before the change.
    fn path_before(&self) -> &str {
        self.file.was.as_deref().unwrap_or(&self.file.path)
    }

    /// Whether the module that something stood at the top of gives its name without having it.
    fn answers_for(&self, symbol: &Changed) -> Answer {
        let new = self.texts.1.as_deref().filter(|_| !symbol.name.contains('.'));
        new.map_or(Answer::No, |new| Answer::of(&self.file.path, new, &symbol.name))
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
    let Given { base, files, before, after, mut no_data } = given::read(ctx, subject)?;
    // A diff that is not applied is looked at in the graph that it would make, a range in that of its end.
    let graph = &match after.is_empty() {
        true => Arc::clone(&at.graph),
        false => with(ctx, &after)?,
    };
    let commit = match (&base, range_of(subject)) {
        (None, Some(range)) => history::older_side(ctx.workspace()?.root().path(), range).ok(),
        _ => base.clone(),
    };
    // Both states of every file are parsed.
    let edited: Vec<Edited> = files.into_par_iter().map(|one| edited(graph, one)).collect();
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
    let later = OwnCommits::of(&own);
    let own = &later;
    let mut predictions = match predicted::no_data_without(ctx, own)? {
        None => predicted::companions_without(ctx, at, &touched, own)?,
        Some(why) => {
            no_data.push(why);
            Vec::new()
        }
    };
    // What came after a range is nobody's to forget in it.
    let is_there = |path: &str| after.get(path).is_none_or(Option::is_some);
    predictions.retain(|one| !is_known(&one.path) && is_there(&one.path));
    let predictions = checks::companions(graph, predictions);
    let (untested, tested) = checks::untested(graph, &edited, ANY_HOPS);
    let known = ledger::without(ctx, &at.graph, own)?;
    no_data.extend(known.no_data().map(|why| format!("trust and reviewers: {why}")));
    if known.is_partial {
        no_data.push("history: older commits are still being read. Ask again in a moment.".to_owned());
    }
    let commits = match base.as_deref().or(range_of(subject)) {
        Some(base) => history::commits_since(ctx.workspace()?.root().path(), base).unwrap_or_default(),
        None => Vec::new(),
    };
    let mut findings = checks::syntax(&edited);
    let began = match (commit, before.is_empty(), after.is_empty()) {
        (Some(commit), _, _) => Began::Commit(commit),
        (None, true, true) => Began::Unknown,
        (None, _, _) => Began::With(before),
    };
    let before = Before::of(ctx, began);
    findings.extend(breaks(ctx, &before, graph, &edited, &after)?);
    findings.extend(checks::missing(graph, &edited, &steps, &predictions));
    findings.extend(checks::layers(ctx, graph, &edited, &before)?);
    match after.is_empty() {
        true => findings.extend(checks::antibodies(ctx, graph, &edited)?),
        false => no_data.push(match range_of(subject) {
            Some(_) => "antibodies: the range ends before today's files, and they look at the files as they are. Checking its end out provides them.".to_owned(),
            None => "antibodies: the diff is not applied, and they look at the files as they are. Applying it provides them.".to_owned(),
        }),
    }
    findings.extend(untested);
    findings.iter_mut().for_each(|one| one.places.truncate(SHOWN_PLACES));
    findings.sort_by(|a, b| {
        (rank(b.severity), order(a.kind))
            .cmp(&(rank(a.severity), order(b.kind)))
            .then_with(|| a.at.cmp(&b.at))
    });
    let missing = predictions.first().map_or(0.0, |one| f64::from(one.confidence));
    let open = tested.untested.len() as f64 / tested.testable.max(1) as f64;
    let risk = risk(planned::doubt(&known, &steps), missing, open, &findings);
    let tests = tests(graph, &edited);
    let reviewers = reviewers::of(ctx, &edited, &commits, own)?;
    let files = edited.into_iter().map(|one| one.file).collect();
    Ok(Review { base, commits, files, findings, risk, tests, reviewers, no_data })
}

/// What code relies on and does not find any more, or not as it was. `after` is what files hold that are not on disk.
fn breaks(
    ctx: &Ctx<'_>,
    before: &Before<'_>,
    graph: &Graph,
    edited: &[Edited],
    after: &Texts,
) -> Result<Vec<Finding>, Fault> {
    let mut findings = Vec::new();
    let mut held = Held::of(ctx.workspace()?.root(), edited, after);
    let said = |pattern: &Pattern| removed::said(ctx, after, pattern, "python", removed::TIME_LIMIT);
    let is_declared_otherwise = |one: &Edited| {
        let mut symbols = one.symbols.iter().flatten();
        symbols.any(|symbol| symbol.before.is_some() || symbol.turned_property().is_some())
    };
    let then = match edited.iter().any(is_declared_otherwise) {
        true => before.graph()?,
        false => None,
    };
    findings.extend(signatures::changed(&mut held, &said, then.as_deref(), graph, edited)?);
    let gone = gone_files::paths(graph, edited);
    let gone = match gone.is_empty() {
        true => Vec::new(),
        false => before
            .graph()?
            .map_or_else(Vec::new, |then| gone_files::still_used(&mut held, &then, graph, edited, &gone)),
    };
    if edited.iter().any(|one| one.file.how == How::Renamed)
        && let Some(then) = before.graph()?
    {
        findings.extend(moved_files::astray(&then, graph, edited));
    }
    let told: BTreeSet<String> = gone.iter().map(|one| one.at.clone()).collect();
    findings.extend(gone);
    let is_told = |path: &str| told.contains(&format!("{path}:1"));
    let candidates = removed_nodes::candidates(graph, edited, |one, _| one.file.how == How::Deleted);
    let went = |one: &Edited| one.symbols.iter().flatten().any(|symbol| symbol.change == Change::Removed);
    let then = match edited.iter().any(went) {
        true => before.graph()?,
        false => None,
    };
    let relations = then.as_deref().map(|then| removed_nodes::relations(then, graph, edited, &candidates));
    let gone = removed::still_used(ctx, graph, edited, is_told, after, relations.as_ref())?;
    let told: BTreeSet<String> = gone.iter().map(|one| one.at.clone()).collect();
    findings.extend(gone.into_iter().map(|one| where_it_was(edited, one)));
    if let Some(relations) = &relations {
        let mut left = candidates;
        left.retain(|(one, symbol)| !told.contains(&format!("{}:{}", one.file.path, symbol.line)));
        let gone = removed_nodes::still_used(graph, &left, relations);
        findings.extend(gone.into_iter().map(|one| where_it_was(edited, one)));
    }
    if edited.iter().any(|one| one.symbols.is_some())
        && let Some(then) = before.graph()?
    {
        findings.extend(lost_ways::lost(&mut held, &then, graph, edited));
        findings.extend(lost_ways::hidden(&then, graph, edited));
        findings.extend(lost_ways::unlisted(&mut held, &then, graph, edited));
        findings.extend(narrowed::still_used(&then, graph, edited));
        findings.extend(lost_bases::still_used(&mut held, &then, graph, edited));
        let made = constructors::unfit(&mut held, &then, graph, edited, &findings);
        findings.extend(made);
    }
    if edited.iter().any(|one| one.symbols.iter().flatten().any(|symbol| symbol.kind == NodeKind::Method))
        && let Some(then) = before.graph()?
    {
        let said = |pattern: &Pattern| removed::said(ctx, after, pattern, "go", removed::TIME_LIMIT);
        let unmet = contracts::unmet(&mut held, &said, &then, graph, edited)?;
        findings.extend(unmet);
    }
    findings.extend(new_calls::unfit(&mut held, graph, edited));
    findings.extend(java_calls::unfit(&mut held, graph, edited));
    findings.extend(unmounted::still_used(graph, edited));
    findings.extend(entered::still_entered(&mut held, graph, edited));
    findings.extend(overrides::apart(&mut held, graph, edited));
    let mut strays = stray::found(ctx, &mut held, before.graph()?.as_deref(), graph, edited, after)?;
    strays.retain(|stray| !is_told_already(stray, &findings));
    findings.extend(strays);
    if edited.iter().any(|one| one.file.path.ends_with(".py"))
        && let Some(then) = before.graph()?
    {
        findings.extend(setters::still_set(&mut held, &then, graph, edited));
    }
    findings.extend(members::still_said(ctx, &mut held, graph, edited, after)?);
    Ok(findings)
}

/// Whether a line that leads nowhere is a place of what is told already, or the file that it asks is told to have closed.
fn is_told_already(stray: &Finding, findings: &[Finding]) -> bool {
    let file = |place: &str| place.rsplit_once(':').map_or(String::new(), |(path, _)| path.to_owned());
    let asked: Vec<String> = stray.places.iter().map(|place| file(place)).collect();
    findings.iter().any(|one| {
        one.places.contains(&stray.at)
            || one.kind == stray.kind
                && one.places.iter().any(|place| file(place) == file(&stray.at))
                && asked.contains(&file(&one.at))
    })
}

/// What a change broke, by the graphs before and after it; what certainly breaks comes first. `unwritten` is what files hold in it
/// that are not on disk so.
pub(crate) fn broken_by(
    ctx: &Ctx<'_>,
    before: &Arc<Graph>,
    graph: &Graph,
    files: Vec<Compared>,
    unwritten: &Texts,
) -> Result<Vec<Finding>, Fault> {
    let edited: Vec<Edited> = files.into_par_iter().map(|one| edited(graph, one)).collect();
    let before = Before::of(ctx, Began::Known(Arc::clone(before)));
    let mut found = breaks(ctx, &before, graph, &edited, unwritten)?;
    found.retain(|one| rank(one.severity) >= Some(Severity::Medium));
    found.sort_by(|a, b| {
        (rank(b.severity), order(a.kind), &a.at).cmp(&(rank(a.severity), order(b.kind), &b.at))
    });
    Ok(found)
}

/// Whether there is a commit before the last one.
pub fn has_earlier_commit(ctx: &Ctx<'_>) -> Result<bool, Fault> {
    Ok(history::left(ctx.workspace()?.root().path(), "HEAD~1").is_ok())
}

/// What went is told at the line of today that stands where it stood.
fn where_it_was(edited: &[Edited], mut finding: Finding) -> Finding {
    let place = finding.at.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse::<u32>().ok()?)));
    let Some((path, line)) = place else { return finding };
    let file = edited.iter().find(|one| one.file.path == path);
    if let Some((Some(old), Some(new))) = file.map(|one| (&one.texts.0, &one.texts.1)) {
        let last = u32::try_from(new.split(|&byte| byte == b'\n').count()).unwrap_or(u32::MAX);
        let now = history::carried(&[(line, line)], old, new).first().map_or(line, |lines| lines.0);
        finding.at = format!("{path}:{}", now.min(last).max(1));
    }
    finding
}

/// How much a severity's name stands for.
pub fn rank(severity: &str) -> Option<Severity> {
    [Severity::Low, Severity::Medium, Severity::High, Severity::Critical]
        .into_iter()
        .find(|one| one.name() == severity)
}

/// Of equal findings, what certainly breaks comes first.
fn order(kind: &str) -> usize {
    const KINDS: [&str; 8] = [
        "syntax_error",
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

fn edited(graph: &Graph, one: Compared) -> Edited {
    let broken = one.new.as_deref().and_then(|new| {
        let found = syntax::introduced(&one.file.path, one.old.as_deref(), new).ok()?;
        found.into_iter().min_by_key(|error| error.line)
    });
    let mut symbols = match (&one.old, &one.new) {
        (None, None) => None,
        (old, new) => {
            revision::compare(&one.file.path, old.as_deref().map(Into::into), new.as_deref().map(Into::into))
        }
    };
    if broken.is_some() {
        let is_read = |symbol: &Changed| matches!(symbol.change, Change::Body | Change::Added);
        symbols.iter_mut().for_each(|symbols| symbols.retain(is_read));
    }
    let is_kept = matches!(one.file.how, How::Modified | How::Renamed);
    let texts = if is_kept { (one.old, one.new) } else { (None, None) };
    Edited { nodes: one.file.nodes(graph), file: one.file, symbols, texts, broken }
}

/// The graph that a diff which is not applied would make.
fn with(ctx: &Ctx<'_>, after: &Texts) -> Result<Arc<Graph>, Fault> {
    let workspace = ctx.workspace()?;
    workspace.graph_with(after, ctx.runtime().clock(), ctx.cancel()).map_err(|err| match err {
        HistoryError::Stopped(stop) => faults::stopped(stop),
        err => ctx.invalid(format!("`diff`: {err}.")),
    })
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

/// The level that a risk has; a finding that breaks something is never played down by what else is well.
pub fn level(risk: f64, findings: &[Finding]) -> &'static str {
    let worst = findings.iter().filter_map(|one| rank(one.severity)).max();
    let least = match worst {
        Some(Severity::Critical) => Severity::High,
        Some(Severity::High) => Severity::Medium,
        _ => Severity::Low,
    };
    let level = plan::level(risk);
    if rank(level) < Some(least) { least.name() } else { level }
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
        assert_eq!(level(0.1875, &broken), "medium");
        assert_eq!(level(0.375, &[finding("removed_but_used", "critical")]), "high");
        assert_eq!((level(0.1, &[]), level(0.9, &broken)), ("low", "critical"));
    }
}
