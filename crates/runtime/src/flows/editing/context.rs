//! Context: what must be known before a file or a definition is edited: its source, who calls it, what it calls, its tests.

use std::collections::BTreeSet;

use m1nd_contract::Fault;
use m1nd_contract::budget::{cut_text, drop_tail};
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_ingest::mentions::{self, Role};
use m1nd_memory::text::timestamp;
use m1nd_risk::blast::{self, Toward};
use m1nd_risk::plan::level;
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::call_list::{self, Openness};
use super::super::calls::Files;
use super::super::impact::TestHit;
use super::super::numbered::Numbered;
use super::super::slice::{self, Wanted};
use super::super::{coverage, ledger, outline};
use super::connected::Connected;
use super::near_tests::{Near, near_tests};
use crate::ctx::{Ctx, GraphView};
use crate::faults::{from_graph, from_vfs};

/// A place that calls the target.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Site {
    /// file:line of the call.
    pub at: String,
    /// The definition around it.
    pub by: String,
    /// What is called, where the target holds several definitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// Set for a guess by name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    /// The line, while an excerpt shows it.
    #[serde(skip)]
    elsewhere: String,
}

/// Something that the target calls.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Callee {
    /// file:line of its definition.
    pub at: String,
    pub signature: String,
    /// Set for a guess by name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
}

/// How risky a change of it is.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Risk {
    pub score: f64,
    /// low, medium, high or critical.
    pub level: &'static str,
    /// 0 to 1, from how often the file was mended; missing without history.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<f64>,
}

/// A commit that touched the file.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// UTC.
    pub date: String,
    pub subject: String,
}

/// Everything about the target.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Context {
    /// What was asked about, if it is not the whole file.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    /// The source, and the sha256 that edits are checked against; of a long file only what symbols are in it.
    #[serde(flatten)]
    source: Numbered,
    /// Why nothing is known of what is in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_parsed: Option<String>,
    /// Definitions of the file: lines and signature.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    symbols: Vec<String>,
    /// Calls from elsewhere: certain ones first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callers: Vec<Site>,
    callers_total: u64,
    /// Lines elsewhere that name it and call nothing of it: what reads it, is of its type, extends it. Of a whole file only counted
    /// where it has callers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    users: Vec<Site>,
    #[serde(skip_serializing_if = "is_none")]
    users_total: u64,
    /// What is known of callers that are not listed.
    #[serde(flatten)]
    open: Openness,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    callees: Vec<Callee>,
    callees_total: u64,
    /// Those that reach it, nearest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<TestHit>,
    /// Those within so many calls, and those that reach it through fixtures and helpers of tests; tests_for looks as far as it is told.
    tests_total: u64,
    #[serde(skip_serializing_if = "is_zero")]
    tests_within_calls: u32,
    /// Nodes beyond the direct callers that a change reaches, with radius above 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    further: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    risk: Option<Risk>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    recent_commits: Vec<Commit>,
    truncated: bool,
}

/// What was asked for.
pub struct Request<'a> {
    pub file_path: Option<&'a str>,
    pub node_id: Option<&'a str>,
    pub radius: u32,
    pub with_tests: bool,
}

/// The target, as the graph knows it.
pub struct Target {
    pub path: String,
    /// Definitions that are meant; empty where the graph has none.
    pub nodes: Vec<NodeIx>,
    /// One definition, and not the file.
    pub one: Option<NodeIx>,
}

/// Files longer than this are shown by their symbols.
const WHOLE_FILE_LINES: u64 = 150;
const MAX_COMMITS: usize = 3;
const MAX_SUBJECT: usize = 100;
const MAX_SIGNATURE: usize = 160;
/// What is listed of each kind; the totals tell of the rest.
pub(super) struct Most {
    sites: usize,
    callees: usize,
    pub(super) tests: usize,
    further: usize,
}

/// Bytes of an answer of the usual size.
const USUAL_BUDGET: usize = 12_000;
/// Each caller's line is read from its file, so that a list of them has an end whatever the budget is.
const MOST_TIMES: usize = 25;

impl Most {
    /// Who allows a longer answer gets longer lists.
    pub(super) fn within(max_chars: Option<usize>) -> Self {
        let times = (max_chars.unwrap_or(USUAL_BUDGET) / USUAL_BUDGET).clamp(1, MOST_TIMES);
        Self { sites: 40 * times, callees: 30 * times, tests: 12 * times, further: 20 * times }
    }
}

pub fn run(ctx: &Ctx<'_>, at: &GraphView, request: &Request<'_>) -> Result<(Target, Context), Fault> {
    let graph = &at.graph;
    let root = ctx.workspace()?.root();
    let target = target(ctx, graph, request)?;
    let wanted = match target.one {
        Some(ix) => {
            let (first, last) = graph.node(ix).lines();
            let (first, last) = (u64::from(first.max(1)), u64::from(last.max(1)));
            Wanted { path: target.path.clone(), offset: Some(first), limit: Some(last + 1 - first.min(last)) }
        }
        None => Wanted { path: target.path.clone(), offset: None, limit: None },
    };
    let mut slice = slice::read(root, ctx.tool(), "file_path", &wanted)?;
    let file = graph.node_by_path(&target.path);
    let most = Most::within(ctx.header().max_chars);
    let symbols = file.map(|file| outline::of(graph, file, 2).lines).filter(|_| target.one.is_none());
    let symbols = symbols.unwrap_or_default();
    if target.one.is_none() && slice.total_lines > WHOLE_FILE_LINES {
        // Without symbols there is nothing to ask further by, so the first lines are shown.
        slice.lines.truncate(if symbols.is_empty() { WHOLE_FILE_LINES as usize } else { 0 });
    }
    let not_parsed = match symbols.is_empty() && target.one.is_none() {
        true => root.relative(&target.path).ok().and_then(|path| coverage::gap(root, Some(graph), &path)),
        false => None,
    };
    let mut files = Files::of(root);
    let (callers, callers_total) = callers(graph, &target, &mut files, most.sites);
    let listed = if target.one.is_none() && callers_total > 0 { 0 } else { most.sites };
    let (users, users_total) = users(graph, &target, &mut files, listed);
    let open = call_list::openness(ctx, at, target.one, callers_total + users_total == 0)?;
    let (callees, callees_total) = callees(graph, &target, most.callees);
    let Near { mut tests, within } = match request.with_tests {
        true => near_tests(graph, &target.nodes),
        false => Near::default(),
    };
    let tests_total = tests.len() as u64;
    tests.truncate(most.tests);
    let (further, further_total) = match request.radius {
        0 | 1 => (Vec::new(), 0),
        hops => further(graph, &target.nodes, hops, most.further),
    };
    let risk = ledger::of(ctx, graph)?.ledger.trust(&target.path).map(|trust| trust.score);
    let risk =
        file.map(|_| risk_of(risk, callers_total + users_total, request.with_tests.then_some(tests_total)));
    let context = Context {
        node_id: target.one.map(|ix| graph.node(ix).id().to_owned()),
        source: Numbered::from(slice),
        not_parsed,
        symbols,
        truncated: is_more(callers.len(), callers_total)
            || is_more(users.len(), users_total)
            || is_more(callees.len(), callees_total)
            || is_more(tests.len(), tests_total)
            || is_more(further.len(), further_total),
        callers,
        callers_total,
        users,
        users_total,
        open,
        callees,
        callees_total,
        tests,
        tests_total,
        tests_within_calls: within,
        further,
        risk,
        recent_commits: commits(ctx, &target.path)?,
    };
    Ok((target, context))
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn is_more(shown: usize, total: u64) -> bool {
    (shown as u64) < total
}

impl Context {
    pub fn total(&self) -> u64 {
        self.callers_total + self.users_total + self.callees_total
    }

    /// How to see what is not listed, or what an empty list rests on.
    pub fn hint(&self) -> Option<String> {
        // How many are left is known only once the answer fits its budget.
        if is_more(self.callers.len(), self.callers_total) {
            let total = self.callers_total;
            return Some(format!(
                "Not all of the {total} callers are listed; a larger `max_chars` lists more, callers all."
            ));
        }
        let none = self.open.unattributed.map(|count| {
            format!("No caller is certain, but {count} calls of that name could not be attributed; leads show the likeliest.")
        });
        none.or_else(|| {
            let count = self.open.unattributed_near?;
            Some(format!(
                "Beside the callers stand calls of that name that could not be attributed ({count} nearby); leads show the likeliest, callers counts all."
            ))
        })
    }

    pub fn has_tests(&self) -> bool {
        self.tests_total > 0
    }

    /// Callers whose lines are shown with their files need no source of their own.
    pub fn leave_to(&mut self, shown: &[Connected]) {
        for site in self.callers.iter_mut().chain(&mut self.users) {
            let Some((path, line)) = site.at.rsplit_once(':') else { continue };
            let has = |file: &Connected| {
                file.file_path == path && file.excerpt.lines().any(|row| row.split('\t').next() == Some(line))
            };
            if shown.iter().any(has) {
                site.elsewhere = std::mem::take(&mut site.source);
            }
        }
    }

    /// Shows the lines of callers in a file again whose excerpt is not shown any more.
    pub fn take_from(&mut self, dropped: &Connected) {
        for site in self.callers.iter_mut().chain(&mut self.users) {
            let path = site.at.rsplit_once(':').map(|(path, _)| path);
            if path == Some(dropped.file_path.as_str()) && site.source.is_empty() {
                site.source = std::mem::take(&mut site.elsewhere);
            }
        }
    }

    /// The lines that name it, path and line.
    pub fn user_lines(&self) -> Vec<(String, u32)> {
        let line = |site: &Site| {
            let (path, line) = site.at.rsplit_once(':')?;
            Some((path.to_owned(), line.parse().ok()?))
        };
        self.users.iter().filter_map(line).collect()
    }

    pub fn mark_truncated(&mut self) {
        self.truncated = true;
    }

    /// Gives way to a budget: what is easiest asked for again goes first, the target's source last.
    pub fn shorten(&mut self, excess: usize) -> bool {
        self.shorten_lists(excess) || self.shorten_all(excess)
    }

    /// Leaves of each list what matters most.
    pub fn shorten_lists(&mut self, excess: usize) -> bool {
        self.truncated = true;
        let keep = |items: usize, least: usize| items > least;
        let usual = Most::within(None);
        drop_tail(&mut self.further, excess) > 0
            || keep(self.users.len(), FEW_USERS) && drop_some(&mut self.users, excess, FEW_USERS)
            || keep(self.callers.len(), usual.sites) && drop_some(&mut self.callers, excess, usual.sites)
            || keep(self.recent_commits.len(), 1) && drop_tail(&mut self.recent_commits, excess) > 0
            || keep(self.callees.len(), 5) && drop_some(&mut self.callees, excess, 5)
            || keep(self.symbols.len(), 20) && drop_some(&mut self.symbols, excess, 20)
    }

    fn shorten_all(&mut self, excess: usize) -> bool {
        let keep = |items: usize, least: usize| items > least;
        keep(self.tests.len(), 3) && drop_some(&mut self.tests, excess, 3)
            || keep(self.callers.len(), 8) && drop_some(&mut self.callers, excess, 8)
            || self.source.content_len() > LEAST_SOURCE
                && self.source.shorten(excess.min(self.source.content_len() - LEAST_SOURCE)) > 0
            || drop_tail(&mut self.callees, excess) > 0
            || drop_tail(&mut self.symbols, excess) > 0
            || drop_tail(&mut self.recent_commits, excess) > 0
            || drop_tail(&mut self.users, excess) > 0
            || drop_tail(&mut self.tests, excess) > 0
            || drop_tail(&mut self.callers, excess) > 0
            || drop_tail(&mut self.open.leads, excess) > 0
            || self.risk.take().is_some()
            || self.source.shorten(excess) > 0
            || self.node_id.take().is_some()
    }
}

/// Lines that name it and stay while other lists can be shorter.
const FEW_USERS: usize = 12;
/// Bytes of source that stay longest.
const LEAST_SOURCE: usize = 1_500;

/// Drops off the end, but not below `least` items.
fn drop_some<T: Serialize>(items: &mut Vec<T>, excess: usize, least: usize) -> bool {
    let mut tail = items.split_off(least.min(items.len()));
    let dropped = drop_tail(&mut tail, excess);
    items.append(&mut tail);
    dropped > 0
}

fn target(ctx: &Ctx<'_>, graph: &Graph, request: &Request<'_>) -> Result<Target, Fault> {
    let root = ctx.workspace()?.root();
    let by_name = |argument: &str, name: &str| from_graph::find_code(root, graph, argument, name);
    let one = match (request.file_path, request.node_id) {
        (None, Some(name)) => by_name("node_id", name)?,
        (Some(path), None) => match root.locate(path) {
            Ok(found) => {
                let path = found.as_str().to_owned();
                let nodes = graph.node_by_path(&path).map(|file| blast::insides(graph, &[file]));
                return Ok(Target { path, nodes: nodes.unwrap_or_default(), one: None });
            }
            // A path with a line means the definition there.
            Err(_) if path.rsplit_once(':').is_some_and(|(_, line)| line.parse::<u32>().is_ok()) => {
                by_name("file_path", path)?
            }
            Err(err) => return Err(from_vfs::path(ctx.tool(), "file_path", err)),
        },
        (Some(path), Some(_)) => {
            root.locate(path).map_err(|err| from_vfs::path(ctx.tool(), "file_path", err))?;
            return Err(ctx.invalid("Give `file_path` or `node_id`, not both."));
        }
        (None, None) => return Err(ctx.invalid("Give `file_path` (a file, or path:line) or `node_id`.")),
    };
    let node = graph.node(one);
    let path = node.path().to_owned();
    let is_file = matches!(node.kind(), NodeKind::File | NodeKind::Document);
    if node.kind() == NodeKind::Directory || path.is_empty() {
        return Err(ctx.invalid(format!("{} is no file and no definition in one.", node.id())));
    }
    Ok(Target { path, nodes: blast::insides(graph, &[one]), one: (!is_file).then_some(one) })
}

/// Guesses and tests come later; then by place.
type Rank<'g> = (bool, bool, &'g str, u32);

/// Calls from outside the target, certain and from the program itself first, and how many there are.
fn callers(graph: &Graph, target: &Target, files: &mut Files<'_>, most: usize) -> (Vec<Site>, u64) {
    let mut found: Vec<(Rank<'_>, NodeIx, NodeIx)> = Vec::new();
    for &ix in &target.nodes {
        let calls = graph.incoming(ix).filter(|edge| edge.kind == EdgeKind::Calls);
        for edge in calls.filter(|edge| !target.nodes.contains(&edge.source)) {
            let source = graph.node(edge.source);
            let is_test = source.flags().has(m1nd_graph::NodeFlags::TEST_CODE);
            for (line, evidence) in edge.sites() {
                let key = (evidence.is_inferred(), is_test, source.path(), line);
                found.push((key, edge.source, ix));
            }
        }
    }
    let total = found.len() as u64;
    found.sort_by(|a, b| a.0.cmp(&b.0).then(a.2.cmp(&b.2)));
    found.truncate(most);
    let several = target.nodes.len() > 1;
    let site = |((inferred, _, path, line), source, called): (Rank<'_>, NodeIx, NodeIx)| Site {
        at: format!("{path}:{line}"),
        by: name(graph, source).to_owned(),
        to: several.then(|| name(graph, called).to_owned()),
        source: files.line(path, line),
        inferred,
        elsewhere: String::new(),
    };
    (found.into_iter().map(site).collect(), total)
}

/// Lines outside the target that name what is in it without a call, certain and from the program itself first, and how many
/// there are. One that calls it too is told as a caller.
fn users(graph: &Graph, target: &Target, files: &mut Files<'_>, most: usize) -> (Vec<Site>, u64) {
    let mut found: Vec<(Rank<'_>, NodeIx, NodeIx)> = Vec::new();
    let mut called: BTreeSet<(&str, u32)> = BTreeSet::new();
    for &ix in &target.nodes {
        for edge in graph.incoming(ix).filter(|edge| !target.nodes.contains(&edge.source)) {
            let source = graph.node(edge.source);
            if edge.kind == EdgeKind::Calls {
                called.extend(edge.lines.iter().map(|&line| (source.path(), line)));
            }
            if !NAMES.contains(&edge.kind) {
                continue;
            }
            let is_test = source.flags().has(m1nd_graph::NodeFlags::TEST_CODE);
            for (line, evidence) in edge.sites() {
                found.push(((evidence.is_inferred(), is_test, source.path(), line), edge.source, ix));
            }
        }
    }
    for &ix in target.nodes.iter().filter(|&&ix| is_value(graph, ix)) {
        for (source, line) in taken_in(graph, ix, files) {
            let user = graph.node(source);
            let is_test = user.flags().has(m1nd_graph::NodeFlags::TEST_CODE);
            found.push(((false, is_test, user.path(), line), source, ix));
        }
    }
    found.retain(|((_, _, path, line), ..)| !called.contains(&(*path, *line)));
    // Of an enum and its member on one line the member says more.
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.2.cmp(&a.2)));
    found.dedup_by_key(|((_, _, path, line), ..)| (*path, *line));
    let total = found.len() as u64;
    found.truncate(most);
    let several = target.nodes.len() > 1;
    let site = |((inferred, _, path, line), source, used): (Rank<'_>, NodeIx, NodeIx)| Site {
        at: format!("{path}:{line}"),
        by: name(graph, source).to_owned(),
        to: several.then(|| name(graph, used).to_owned()),
        source: files.line(path, line),
        inferred,
        elsewhere: String::new(),
    };
    (found.into_iter().map(site).collect(), total)
}

/// Whether a node has a value and nothing that is called.
fn is_value(graph: &Graph, ix: NodeIx) -> bool {
    let kind = graph.node(ix).kind();
    !kind.is_callable() && !kind.is_type() && kind != NodeKind::File && !graph.node(ix).label().is_empty()
}

/// Files that are looked through for the name of what they import.
const MAX_IMPORTERS: usize = 60;

/// Lines that say the name of a value in files that import it, or else the import: what is called on it is no relation to it.
fn taken_in(graph: &Graph, ix: NodeIx, files: &mut Files<'_>) -> Vec<(NodeIx, u32)> {
    let name = graph.node(ix).label();
    let imports = graph.incoming(ix).filter(|edge| edge.kind == EdgeKind::Imports);
    let mut found = Vec::new();
    for edge in imports.filter(|edge| !edge.evidence.is_inferred()).take(MAX_IMPORTERS) {
        let path = graph.node(edge.source).path();
        let said = files.file(path).and_then(|file| mentions::of(path, file.text.as_bytes(), name));
        let uses = said.iter().flatten().filter(|one| one.is_use() && one.of.is_empty());
        let uses = uses.filter(|one| one.role == Role::Use);
        let lines: BTreeSet<u32> = uses.map(|one| one.line).collect();
        match lines.is_empty() {
            true => found.extend(edge.lines.first().map(|&line| (edge.source, line))),
            false => found.extend(
                lines.into_iter().map(|line| (graph.node_at(path, line).unwrap_or(edge.source), line)),
            ),
        }
    }
    found
}

/// Relations of what names something without calling it.
const NAMES: [EdgeKind; 3] = [EdgeKind::References, EdgeKind::Inherits, EdgeKind::Implements];

/// What the target calls outside itself, each once.
fn callees(graph: &Graph, target: &Target, most: usize) -> (Vec<Callee>, u64) {
    let mut found: Vec<(bool, NodeIx)> = Vec::new();
    for &ix in &target.nodes {
        for edge in graph.outgoing(ix).filter(|edge| edge.kind == EdgeKind::Calls) {
            if !target.nodes.contains(&edge.target) {
                found.push((edge.evidence.is_inferred(), edge.target));
            }
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(_, node)| *node);
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|(_, node)| seen.insert(*node));
    let total = found.len() as u64;
    found.truncate(most);
    let callee = |(inferred, ix): (bool, NodeIx)| {
        let node = graph.node(ix);
        let mut signature = node.signature().split_whitespace().collect::<Vec<_>>().join(" ");
        cut_text(&mut signature, MAX_SIGNATURE);
        if signature.is_empty() {
            signature = node.label().to_owned();
        }
        Callee { at: format!("{}:{}", node.path(), node.lines().0), signature, inferred }
    };
    (found.into_iter().map(callee).collect(), total)
}

fn further(graph: &Graph, nodes: &[NodeIx], hops: u32, most: usize) -> (Vec<String>, u64) {
    let reached = blast::blast(graph, nodes, Toward::Affected, hops).reached;
    let mut far: Vec<_> = reached.into_iter().filter(|one| one.hops > 1).collect();
    far.sort_by(|a, b| a.hops.cmp(&b.hops).then(b.signal.total_cmp(&a.signal)).then(a.node.cmp(&b.node)));
    let shown = far.iter().take(most);
    let shown = shown.map(|one| format!("{} ({} steps)", graph.node(one.node).id(), one.hops));
    (shown.collect(), far.len() as u64)
}

/// 0.5 (1 - trust, a half where nothing is known) + 0.25 (no test known) + 0.25 (callers, 20 or more count fully).
fn risk_of(trust: Option<f64>, callers: u64, tests: Option<u64>) -> Risk {
    let doubt = trust.map_or(0.5, |trust| 1.0 - trust);
    let untested = if tests == Some(0) { 1.0 } else { 0.0 };
    let score = 0.5 * doubt + 0.25 * untested + 0.25 * (callers as f64 / 20.0).min(1.0);
    Risk { score: round3(score), level: level(score), trust: trust.map(round3) }
}

fn commits(ctx: &Ctx<'_>, path: &str) -> Result<Vec<Commit>, Fault> {
    let past = ctx.past()?;
    let own = past.log.entries.iter().filter(|entry| entry.files.iter().any(|file| file == path));
    let shown = own.take(MAX_COMMITS).map(|entry| {
        let mut subject = entry.message.lines().next().unwrap_or_default().to_owned();
        cut_text(&mut subject, MAX_SUBJECT);
        Commit { date: timestamp(entry.time), subject }
    });
    Ok(shown.collect())
}

fn name(graph: &Graph, ix: NodeIx) -> &str {
    let node = graph.node(ix);
    if node.qualified().is_empty() { node.label() } else { node.qualified() }
}
