//! Seek: a question put to the words, the past and the relations of the code, answered with places and reasons.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, Node, NodeIx, NodeKind};
use m1nd_recall::quoted::{Quote, quotes};
use m1nd_recall::report;
use m1nd_recall::seek::{Breakdown, FileHit, Found, Graphed, Hit, Question, Tests};
use m1nd_risk::trace::is_trace;
use m1nd_vfs::read;
use schemars::JsonSchema;
use serde::Serialize;

use super::beside::{self, Beside, Elsewhere};
use super::coverage::{self, Coverage};
use super::learned::Learned;
use super::named;
use super::pointed::pointed;
use super::quoted::{self, Said};
use super::slice::MAX_FILE_BYTES;
use super::text_search::Place;
use super::trace;
use crate::ctx::{Ctx, GraphView};
use crate::faults::{self, from_vfs};

/// How much of a signature or a doc comment is shown.
const MAX_SUMMARY: usize = 80;
/// Results that name their neighbours and reasons in full; further ones are looked at only when these were wrong.
const CONNECTED: usize = 3;
/// Neighbours named of one result.
const MAX_CONNECTIONS: usize = 3;

/// What is asked, as tools take it.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    pub query: &'a str,
    pub top_k: usize,
    pub scope: Option<&'a str>,
    pub kinds: Vec<NodeKind>,
    pub min_score: f32,
    pub graph: Graphed,
}

impl Request<'_> {
    fn wants(&self, kind: NodeKind) -> bool {
        self.kinds.is_empty() || self.kinds.contains(&kind)
    }
}

/// One symbol, or a file where no symbol of it fits.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct SeekResult {
    pub node_id: String,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// 0 to 1.
    pub score: f64,
    /// What the score of its file comes from; it compares files and does not add up to `score`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_breakdown: Option<ScoreBreakdown>,
    /// What it is, and the words of the query that it has.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub intent_summary: String,
    pub file_path: String,
    pub line_start: u32,
    pub line_end: u32,
    /// The line in it that says what the query quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub says: Option<Says>,
    /// Nearest callers and callees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub connections: Vec<String>,
}

#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct Says {
    pub line: u32,
    pub text: String,
}

#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Serialize)]
pub struct ScoreBreakdown {
    /// Words of code and paths.
    pub lexical: f64,
    /// Words of earlier changes.
    pub semantic: f64,
    /// Relations and common changes.
    pub graph: f64,
    /// Churn and recency.
    pub temporal: f64,
}

/// One file.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct SeekFile {
    pub file_path: String,
    /// 0 to 1.
    pub score: f64,
    /// Its best symbols, as name:line; the line is the one that says what the query quotes, or the symbol's first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<String>,
    /// Words of the query that it has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
}

/// What a question found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered<T> {
    pub results: Vec<T>,
    /// Files that could have been shown.
    pub candidates: u64,
    /// Whether more could have been shown than was asked for.
    pub more: bool,
    /// Symbols that could have been shown, and how many files they are in, where somebody wants to know.
    pub symbols: Option<(u64, u64)>,
    /// Words that nothing has, and what they were read as: `read "recieve" as "receive"`.
    pub read_as: Vec<String>,
    /// Files that are no code and have words that no code has.
    pub elsewhere: Vec<Elsewhere>,
    /// Whether the scope holds nothing that is ranked.
    pub unranked: bool,
    /// What an empty answer rests on.
    pub rests_on: Option<Coverage>,
}

/// Symbols that answer.
pub fn symbols(ctx: &Ctx<'_>, at: &GraphView, request: &Request<'_>) -> Result<Answered<SeekResult>, Fault> {
    found_symbols(ctx, at, request, Counting::Files)
}

/// What is counted of what could have been shown; symbols take longer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counting {
    Files,
    Symbols,
}

fn found_symbols(
    ctx: &Ctx<'_>,
    at: &GraphView,
    request: &Request<'_>,
    counting: Counting,
) -> Result<Answered<SeekResult>, Fault> {
    let traced = traced(ctx, at, request.query);
    let request = &with_message(request, &traced);
    let quotes = quotes(request.query);
    let said = report::said(request.query);
    let request = &Request { query: &said, ..request.clone() };
    let kinds = |kind| request.wants(kind);
    let meant: Vec<Hit> = named(ctx, at, request, &traced.suspects, &kinds)?;
    let mut symbols = None;
    let mut answered = ask(ctx, at, request, &quotes, |found, lessons, said, pointed| {
        let enough = if counting == Counting::Symbols { usize::MAX } else { request.top_k };
        let (count, files) = found.symbol_count(&kinds, enough);
        symbols = (counting == Counting::Symbols).then_some((count as u64, files as u64));
        let mut hits = found.symbols(&kinds);
        if traced.suspects.is_empty() {
            put_first(&mut hits, &in_pointed(&at.graph, found, pointed, &kinds));
        }
        put_first(&mut hits, &meant);
        put_said(&at.graph, &mut hits, said, &kinds);
        let is_name = request.query.split_whitespace().count() == 1;
        let named: Vec<NodeIx> = meant.iter().map(|hit| hit.node).filter(|_| is_name).collect();
        let mut hits = lessons.judge(&at.graph, hits, &named, &kinds, request);
        let more = hits.len() >= request.top_k && count.max(hits.len()) > request.top_k;
        hits.truncate(request.top_k);
        let shown = |(nth, hit): (usize, &Hit)| {
            let line = said.iter().find(|said| said.node == hit.node);
            let mut result = result(&at.graph, hit, line, nth);
            if let Some(said) = lessons.said_of(hit.node) {
                let before = if result.intent_summary.is_empty() { "" } else { "; " };
                result.intent_summary += &format!("{before}{said}");
            }
            result
        };
        (hits.iter().enumerate().map(shown).collect(), more)
    })?;
    answered.candidates = answered.candidates.max(meant.len() as u64);
    let shown: BTreeSet<&str> = answered.results.iter().map(|found| found.file_path.as_str()).collect();
    answered.symbols = symbols
        .map(|(symbols, files)| (symbols.max(answered.results.len() as u64), files.max(shown.len() as u64)));
    Ok(answered)
}

/// What answers in files that the question names: their symbols that have its words, or the files themselves.
fn in_pointed(
    graph: &Graph,
    found: &Found<'_>,
    pointed: &[NodeIx],
    kinds: &dyn Fn(NodeKind) -> bool,
) -> Vec<Hit> {
    let mut hits = Vec::new();
    for &file in pointed {
        let symbols = found.symbols_of(graph.node(file).path(), kinds);
        if symbols.is_empty() && kinds(NodeKind::File) {
            hits.push(meant_hit(file, vec![graph.node(file).label().to_owned()]));
        }
        hits.extend(symbols);
    }
    hits
}

/// An answer that is meant, not only fitting.
fn meant_hit(node: NodeIx, words: Vec<String>) -> Hit {
    let breakdown = Breakdown { lexical: 1.0, ..Breakdown::default() };
    Hit { node, file: 0, score: 1.0, breakdown, words }
}

/// What a pasted stack trace says.
#[derive(Default)]
struct FromTrace {
    /// Code that it went through, who is to be looked at first.
    suspects: Vec<NodeIx>,
    /// What it ended with, before the trace itself.
    query: Option<String>,
}

/// Suspects of a trace that are put first.
const MAX_SUSPECTS: usize = 3;
/// Code that changed so lately is suspected more, in hours: what the tool that traces takes, too.
const WINDOW_HOURS: f64 = 24.0;

/// Nothing where the question is no trace, or leads nowhere in this code.
fn traced(ctx: &Ctx<'_>, at: &GraphView, query: &str) -> FromTrace {
    if !is_trace(query) {
        return FromTrace::default();
    }
    let Ok(found) = trace::run(ctx, at, query, None, WINDOW_HOURS) else { return FromTrace::default() };
    let suspects = found.suspects.iter().filter_map(|one| at.graph.node_by_id(&one.node_id));
    FromTrace {
        suspects: suspects.take(MAX_SUSPECTS).collect(),
        // What a trace ended with says more than the frames that it came through.
        query: found.message.map(|message| format!("{message}\n{query}")),
    }
}

fn with_message<'r>(request: &Request<'r>, traced: &'r FromTrace) -> Request<'r> {
    let query = traced.query.as_deref().unwrap_or(request.query);
    Request { query, ..request.clone() }
}

/// Definitions that the question names, as its best answers.
fn named(
    ctx: &Ctx<'_>,
    at: &GraphView,
    request: &Request<'_>,
    suspects: &[NodeIx],
    kinds: &dyn Fn(NodeKind) -> bool,
) -> Result<Vec<Hit>, Fault> {
    let place = Place::resolve(ctx.workspace()?.root(), request.scope)
        .map_err(|err| from_vfs::path(ctx.tool(), "scope", err))?;
    let graph = &at.graph;
    let admits = |ix: &NodeIx| {
        let node = graph.node(*ix);
        let path = ctx.workspace().ok().and_then(|workspace| workspace.root().relative(node.path()).ok());
        kinds(node.kind()) && path.is_some_and(|path| place.admits(path.as_str()))
    };
    let hit = |node: NodeIx| meant_hit(node, vec![graph.node(node).label().to_owned()]);
    let mut meant = suspects.to_vec();
    if suspects.is_empty() {
        meant = named::meant(graph, request.query);
    }
    Ok(meant.into_iter().filter(admits).map(hit).collect())
}

/// What is meant by its name comes before what only fits.
fn put_first(hits: &mut Vec<Hit>, meant: &[Hit]) {
    hits.retain(|hit| meant.iter().all(|one| one.node != hit.node));
    hits.splice(0..0, meant.iter().cloned());
}

/// Who says what is quoted comes first; a test that repeats it, or what is only guessed, after the best of what the question
/// finds.
fn put_said(graph: &Graph, hits: &mut Vec<Hit>, said: &[Said], kinds: &dyn Fn(NodeKind) -> bool) {
    let mut shown: Vec<&Said> = Vec::new();
    for one in said.iter().filter(|said| kinds(graph.node(said.node).kind())) {
        if shown.iter().all(|known| known.node != one.node) {
            shown.push(one);
        }
    }
    let (first, behind): (Vec<&Said>, Vec<&Said>) = shown.into_iter().partition(|said| said.after == 0);
    // What says something like it is not certain to be meant.
    let alike = hits.first().map_or(1.0, |best| best.score);
    let hit = |said: &&Said| Hit {
        score: if said.is_whole { 1.0 } else { alike },
        ..meant_hit(said.node, Vec::new())
    };
    let first: Vec<Hit> = first.iter().map(hit).collect();
    put_first(hits, &first);
    for (nth, said) in behind.into_iter().enumerate() {
        let place = first.len() + said.after + nth;
        let is_near = hits.iter().take(place).any(|hit| hit.node == said.node);
        if !is_near {
            hits.retain(|hit| hit.node != said.node);
            let at = hits.len().min(place);
            let score = at.checked_sub(1).map_or(1.0, |before| hits[before].score);
            hits.insert(at, Hit { score, ..meant_hit(said.node, Vec::new()) });
        }
    }
}

/// Files that answer.
pub fn files(ctx: &Ctx<'_>, at: &GraphView, request: &Request<'_>) -> Result<Answered<SeekFile>, Fault> {
    let traced = traced(ctx, at, request.query);
    let request = &with_message(request, &traced);
    let quotes = quotes(request.query);
    let said = report::said(request.query);
    let request = &Request { query: &said, ..request.clone() };
    let kinds = |kind| request.wants(kind);
    // In a sentence the words around a name count, too.
    let is_name = request.query.split_whitespace().count() == 1;
    let meant = if is_name || !traced.suspects.is_empty() {
        named(ctx, at, request, &traced.suspects, &kinds)?
    } else {
        Vec::new()
    };
    let graph = &at.graph;
    ask(ctx, at, request, &quotes, |found, lessons, said, pointed| {
        let mut hits = found.files(&kinds);
        let quoted = said.iter().filter(|said| said.is_certain).map(|said| said.node);
        let pointed = pointed.iter().copied().filter(|_| traced.suspects.is_empty() && kinds(NodeKind::File));
        let first = pointed.chain(quoted).chain(meant.iter().map(|hit| hit.node));
        let first: Vec<NodeIx> = first.collect();
        first.iter().rev().for_each(|&node| put_file_first(graph, &mut hits, node));
        let mut hits = lessons.judge_files(graph, hits, request);
        let has_more = || hits.len() > request.top_k || found.has_more_files(&kinds, request.top_k);
        let more = hits.len() >= request.top_k && has_more();
        hits.truncate(request.top_k);
        (hits.into_iter().enumerate().map(|(nth, hit)| file(graph, hit, said, nth)).collect(), more)
    })
}

/// The file of what is meant comes first, and what is meant comes first in it.
fn put_file_first(graph: &Graph, hits: &mut Vec<FileHit>, node: NodeIx) {
    let path = graph.node(node).path();
    let known = hits.iter().position(|hit| graph.node(hit.hit.node).path() == path);
    let mut first = match (known, graph.node_by_path(path)) {
        (Some(known), _) => hits.remove(known),
        (None, Some(file)) => FileHit { hit: meant_hit(file, Vec::new()), symbols: Vec::new() },
        (None, None) => return,
    };
    first.hit.score = 1.0;
    if graph.node(node).kind() != NodeKind::File {
        first.symbols.retain(|&symbol| symbol != node);
        first.symbols.insert(0, node);
        first.symbols.truncate(MAX_SYMBOLS);
    }
    hits.insert(0, first);
}

/// Symbols named of one file.
const MAX_SYMBOLS: usize = 2;

/// A line of source that answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub node_id: String,
    pub file_path: String,
    pub line: u64,
    pub text: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
    pub score: f64,
}

/// The first lines of the symbols that answer, with `context` lines around them.
pub fn lines(
    ctx: &Ctx<'_>,
    at: &GraphView,
    request: &Request<'_>,
    context: usize,
) -> Result<Answered<Line>, Fault> {
    let root = ctx.workspace()?.root();
    let found = found_symbols(ctx, at, request, Counting::Symbols)?;
    let Answered { results, candidates, more, symbols, read_as, elsewhere, unranked, rests_on } = found;
    let shown = results.len();
    let shown_files: BTreeSet<String> = results.iter().map(|result| result.file_path.clone()).collect();
    let mut texts: BTreeMap<String, Option<String>> = BTreeMap::new();
    let lines = results.into_iter().filter_map(|result| {
        let text = texts.entry(result.file_path.clone()).or_insert_with(|| {
            let path = root.relative(&result.file_path).ok()?;
            read::text(root, &path, MAX_FILE_BYTES).ok().map(|file| file.text)
        });
        let all: Vec<&str> = text.as_deref()?.lines().collect();
        let says = result.says.map_or(result.line_start, |says| says.line);
        let first = (says.max(1) as usize - 1).min(all.len().checked_sub(1)?);
        let cut = |line: &&str| line[..line.floor_char_boundary(MAX_LINE)].to_owned();
        Some(Line {
            node_id: result.node_id,
            file_path: result.file_path,
            line: first as u64 + 1,
            text: cut(&all[first]),
            before: all[first.saturating_sub(context)..first].iter().map(cut).collect(),
            after: all[first + 1..all.len().min(first + 1 + context)].iter().map(cut).collect(),
            score: result.score,
        })
    });
    let lines: Vec<Line> = lines.collect();
    // An empty file has no line to show.
    let files: BTreeSet<&String> = lines.iter().map(|line| &line.file_path).collect();
    let empty = (shown_files.len() - files.len()) as u64;
    let symbols = symbols.map(|(symbols, files)| (symbols - (shown - lines.len()) as u64, files - empty));
    Ok(Answered { results: lines, candidates, more, symbols, read_as, elsewhere, unranked, rests_on })
}

/// Longer lines are cut: the place is what matters.
const MAX_LINE: usize = 240;

fn ask<T>(
    ctx: &Ctx<'_>,
    at: &GraphView,
    request: &Request<'_>,
    quotes: &[Quote],
    shape: impl FnOnce(&Found<'_>, &Learned<'_>, &[Said], &[NodeIx]) -> (Vec<T>, bool),
) -> Result<Answered<T>, Fault> {
    let workspace = ctx.workspace()?;
    let place = Place::resolve(workspace.root(), request.scope)
        .map_err(|err| from_vfs::path(ctx.tool(), "scope", err))?;
    let corpus = workspace.corpus(&at.view, &at.graph, ctx.cancel()).map_err(faults::stopped)?;
    let lessons = Learned::of(ctx, workspace, &at.graph, &corpus, request.query, &place)?;
    let admits = |path: &str| place.admits(path);
    let Beside { words, places } =
        beside::look(workspace.root(), &at.view, &at.graph, &corpus, request.query, &admits);
    let wants_tests = asks_for_tests(request, &place);
    let question = Question {
        query: request.query,
        elsewhere: &words,
        top_k: lessons.reach(request.top_k),
        graph: request.graph,
        min_score: request.min_score,
        tests: if wants_tests { Tests::Wanted } else { Tests::After },
    };
    let found = Found::of(&corpus, &at.graph, &question, admits);
    let mut said = quoted::said(workspace.root(), &at.graph, &corpus, request.query, quotes, &admits);
    said.iter_mut().filter(|_| wants_tests).for_each(|said| said.after = 0);
    let mut named = pointed(&at.graph, request.query);
    named.retain(|&file| admits(at.graph.node(file).path()));
    let read = |(said, read): &(String, String)| format!("read \"{said}\" as \"{read}\"");
    let (results, more) = shape(&found, &lessons, &said, &named);
    let mut elsewhere = places;
    let is_narrowed = results.is_empty() && request.scope.is_some();
    if is_narrowed && elsewhere.is_empty() {
        elsewhere = beside::look_for_all(workspace.root(), &at.view, &at.graph, request.query, &admits);
    }
    let is_ranked = |node: Node<'_>| !node.language().is_empty() && place.admits(node.path());
    Ok(Answered {
        unranked: is_narrowed && !at.graph.nodes().any(is_ranked),
        rests_on: results.is_empty().then(|| coverage::of_words(&at.view, &at.graph)),
        candidates: (found.candidates() as u64).max(results.len() as u64),
        results,
        more,
        symbols: None,
        read_as: found.read_as().iter().map(read).collect(),
        elsewhere,
    })
}

fn asks_for_tests(request: &Request<'_>, place: &Place) -> bool {
    // A file of the scope stands for all of them.
    let inside = format!("{}/x", place.prefix.as_deref().unwrap_or(place.start.as_str()));
    request.kinds.contains(&NodeKind::Test) || m1nd_recall::place::is_test(&inside)
}

fn result(graph: &Graph, hit: &Hit, said: Option<&Said>, nth: usize) -> SeekResult {
    let node = graph.node(hit.node);
    let (line_start, line_end) = node.lines();
    let says = said.map(|said| Says { line: said.line, text: said.text.clone() });
    SeekResult {
        node_id: node.id().to_owned(),
        label: node.label().to_owned(),
        kind: node.kind().name(),
        score: rounded(hit.score),
        score_breakdown: Some(breakdown(hit.breakdown)),
        intent_summary: summary(node, &hit.words),
        file_path: node.path().to_owned(),
        line_start,
        line_end,
        says,
        connections: if nth < CONNECTED { connections(graph, hit.node) } else { Vec::new() },
    }
}

fn file(graph: &Graph, found: FileHit, said: &[Said], nth: usize) -> SeekFile {
    let symbol = |&ix: &NodeIx| {
        let node = graph.node(ix);
        let says = said.iter().find(|said| said.node == ix).map(|said| said.line);
        format!("{}:{}", node.label(), says.unwrap_or(node.lines().0))
    };
    SeekFile {
        file_path: graph.node(found.hit.node).path().to_owned(),
        score: rounded(found.hit.score),
        symbols: found.symbols.iter().map(symbol).collect(),
        words: found.hit.words.into_iter().take(if nth < CONNECTED { 3 } else { 1 }).collect(),
    }
}

/// What a node is, in its own words, and why it was found.
fn summary(node: Node<'_>, words: &[String]) -> String {
    let first = |text: &str| {
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        line[..line.floor_char_boundary(MAX_SUMMARY)].to_owned()
    };
    let said = first(node.doc());
    let said = if said.is_empty() { first(node.signature()) } else { said };
    match (said.is_empty(), words.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("has {}", words.join(", ")),
        (false, true) => said,
        (false, false) => format!("{said} (has {})", words.join(", ")),
    }
}

fn connections(graph: &Graph, node: NodeIx) -> Vec<String> {
    let relation = |kind, out| match (kind, out) {
        (EdgeKind::Calls, true) => Some("calls"),
        (EdgeKind::Calls, false) => Some("called by"),
        (EdgeKind::Inherits | EdgeKind::Implements, true) => Some("extends"),
        (EdgeKind::Inherits | EdgeKind::Implements, false) => Some("extended by"),
        _ => None,
    };
    let named = |edge: m1nd_graph::Edge<'_>, other: NodeIx, out| {
        let certain = !edge.evidence.is_inferred() && other != node;
        let words = relation(edge.kind, out).filter(|_| certain)?;
        Some(format!("{words} {}", graph.node(other).label()))
    };
    let used = graph.incoming(node).filter_map(|edge| named(edge, edge.source, false));
    let uses = graph.outgoing(node).filter_map(|edge| named(edge, edge.target, true));
    let mut found: Vec<String> = Vec::new();
    for text in used.take(2).chain(uses) {
        if found.len() == MAX_CONNECTIONS {
            break;
        }
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

fn breakdown(parts: Breakdown) -> ScoreBreakdown {
    ScoreBreakdown {
        lexical: rounded(parts.lexical),
        semantic: rounded(parts.semantic),
        graph: rounded(parts.graph),
        temporal: rounded(parts.temporal),
    }
}

/// Two decimals: more would be noise, and paid for.
fn rounded(score: f32) -> f64 {
    // Adding nothing makes a negative nothing a plain one.
    (f64::from(score) * 100.0).round() / 100.0 + 0.0
}
