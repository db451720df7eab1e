//! Unattributed: calls of a name, found in the text, that no relation of the graph explains.

mod reads;

use std::collections::BTreeSet;
use std::time::Duration;

use m1nd_contract::Fault;
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_ingest::{languages, overloads};
use m1nd_vfs::glob::PathGlob;
use m1nd_vfs::grep::{self, Case, Pattern, Query, Syntax};
use m1nd_vfs::read;
use m1nd_vfs::walk::Reach;
use m1nd_vfs::{RelPath, Root};

use super::calls::{Files, Lead};
use super::places;
use super::slice::MAX_FILE_BYTES;
use crate::ctx::Ctx;
use crate::faults;
use reads::Read;

/// Calls shown; the others are counted.
const SHOWN: usize = 3;
/// Calls looked at; where more have the name, it is too common for any of them to be a lead.
const LOOKED_AT: usize = 2_000;

/// An answer about calls is not held up longer than this.
const TIME_LIMIT: Duration = Duration::from_millis(1_500);

/// The lines of a definition among which its name is looked for.
const HEAD_LINES: u64 = 3;

/// Files near a node that are looked through; more of them take longer than the answer may.
const MAX_NEAR: usize = 40;

/// Where calls are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Within {
    /// All files of the language.
    Workspace,
    /// The node's own file and those that import it.
    Near,
}

/// Calls of a name on something whose type is not known.
#[derive(Debug, Default)]
pub struct Unattributed {
    pub calls: u64,
    /// Whether there are more than were counted.
    pub more: bool,
    /// Places that read a member of that name, or take it out of an object, without calling it there.
    pub reads: u64,
    /// The likeliest first: in files that the node's file is imported by.
    pub leads: Vec<Lead>,
}

/// Looks for calls of a method's name that lead nowhere in the graph, and for places that take what has the name without calling
/// it; `is_empty` says that nothing else is known of its calls.
pub fn of(
    ctx: &Ctx<'_>,
    graph: &Graph,
    node: NodeIx,
    within: Within,
    is_empty: bool,
) -> Result<Unattributed, Fault> {
    look(ctx, Asked { graph, node, today: graph }, within, is_empty, SHOWN)
}

/// A node whose name is looked for.
#[derive(Clone, Copy)]
pub struct Asked<'g> {
    /// The graph that has it.
    pub graph: &'g Graph,
    pub node: NodeIx,
    /// The graph of the files as they are, which may have it no more.
    pub today: &'g Graph,
}

/// The same for a node that may be gone, with as many leads of a kind as are wanted.
pub fn look(
    ctx: &Ctx<'_>,
    asked: Asked<'_>,
    within: Within,
    is_empty: bool,
    shown: usize,
) -> Result<Unattributed, Fault> {
    let (graph, asked) = (asked.today, asked.graph.node(asked.node));
    let name = asked.label();
    let is_word = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    let Some(language) = languages::all().find(|language| language.name == asked.language()) else {
        return Ok(Unattributed::default());
    };
    if !asked.kind().is_callable() || !is_word {
        return Ok(Unattributed::default());
    }
    let family = languages::all().filter(|other| other.family == language.family);
    let ends: Vec<&str> = family.flat_map(|language| language.extensions).copied().collect();
    let Ok(files) = PathGlob::parse(&format!("**/*.{{{}}}", ends.join(","))) else {
        return Ok(Unattributed::default());
    };
    let importers = importers(graph, asked.path());
    let root = ctx.workspace()?.root();
    let mut texts = Files::of(root);
    let mut search = |written: &str| match within {
        Within::Workspace => everywhere(ctx, root, &files, written),
        Within::Near => Ok(in_files(&mut texts, near(&importers, asked.path()), name, written)),
    };
    let Some(found) = search(&written_calls(name, language.family, asked.kind()))? else {
        return Ok(Unattributed::default());
    };
    let known = attributed(graph, name, EdgeKind::Calls);
    // Where a method is not defined as one is called, a call may stand right below its head.
    let is_defined_so = asked.kind() != NodeKind::Method || matches!(language.family, "c" | "lua" | "ruby");
    let mut open: Vec<(bool, String, u64)> = Vec::new();
    for hit in &found.hits {
        let path = hit.path.as_str();
        let is_known = known.contains(&(path, hit.line))
            || (is_defined_so && is_definition(graph, name, path, hit.line));
        let is_declared = language.family == "c" && is_prototype(&hit.text, name)
            || !is_known && may_declare(&hit.text, name) && is_overload(root, graph, name, path, hit.line);
        if !is_known
            && !is_declared
            && !is_comment(&hit.text, language.family)
            && !is_documentation(graph, path, hit.line, &hit.text)
        {
            let near = path == asked.path() || importers.contains(path);
            open.push((!near, path.to_owned(), hit.line));
        }
    }
    open.sort();
    let lead = |via, path: &str, line| Lead {
        via,
        node_id: places::innermost(graph, path, line).unwrap_or_else(|| format!("file::{path}")),
        calls: None,
        at: Some(format!("{path}:{line}")),
    };
    let mut leads: Vec<Lead> =
        open.iter().take(shown).map(|(_, path, line)| lead("name", path, *line)).collect();
    let reads = reads::of(graph, &asked, language.family, &mut search)?;
    // A method that is handed on as a value is called from there, by no name.
    let handed = reads.iter().filter(|read| read.is_handed_on);
    leads.extend(handed.take(shown).map(|read| lead("value", &read.path, read.line)));
    let mut others: Vec<&Read> = reads.iter().filter(|read| !read.is_handed_on).collect();
    others.sort_by_key(|read| read.path != asked.path() && !importers.contains(read.path.as_str()));
    let room = if is_empty || reads::is_property(&asked) { shown } else { 0 };
    leads.extend(others.iter().take(room).map(|read| lead("read", &read.path, read.line)));
    Ok(Unattributed {
        leads,
        calls: open.len() as u64,
        reads: if room > 0 { reads.len() as u64 } else { 0 },
        more: found.more,
    })
}

/// Whether any file near a node says its name.
pub fn is_said_near(root: &Root, asked: Asked<'_>) -> bool {
    let node = asked.graph.node(asked.node);
    let importers = importers(asked.today, node.path());
    let mut texts = Files::of(root);
    let says = |path: &str| texts.file(path).is_some_and(|file| file.text.contains(node.label()));
    near(&importers, node.path()).take(MAX_NEAR).any(says)
}

/// The files that import a file.
fn importers<'g>(graph: &'g Graph, path: &str) -> BTreeSet<&'g str> {
    let file = graph.node_by_path(path).into_iter();
    let sources = file.flat_map(|file| graph.sources(file, EdgeKind::Imports));
    sources.map(|source| graph.node(source).path()).collect()
}

/// A file and those that import it.
fn near<'a>(importers: &'a BTreeSet<&'a str>, path: &'a str) -> impl Iterator<Item = &'a str> {
    let others = importers.iter().copied().filter(move |other| *other != path);
    std::iter::once(path).chain(others)
}

/// A line of a file.
struct Hit {
    path: String,
    line: u64,
    text: String,
}

struct Hits {
    hits: Vec<Hit>,
    /// Whether there are more.
    more: bool,
}

/// Where a pattern with a name stands in some files; nothing where it is none.
fn in_files<'g>(
    texts: &mut Files<'_>,
    paths: impl Iterator<Item = &'g str>,
    name: &str,
    written: &str,
) -> Option<Hits> {
    let pattern = Pattern::compile(written, Syntax::Regex, Case::Sensitive).ok()?;
    let mut found = Hits { hits: Vec::new(), more: false };
    for (nth, path) in paths.enumerate() {
        if nth == MAX_NEAR {
            found.more = true;
            break;
        }
        let Some(file) = texts.file(path).filter(|file| file.text.contains(name)) else { continue };
        let lines = (1..).zip(file.text.lines());
        let hits = lines.filter(|(_, text)| text.contains(name) && pattern.is_in(text));
        found.hits.extend(hits.map(|(line, text)| Hit {
            path: path.to_owned(),
            line,
            text: text.to_owned(),
        }));
    }
    Some(found)
}

/// The same in all files of the workspace.
fn everywhere(ctx: &Ctx<'_>, root: &Root, files: &PathGlob, written: &str) -> Result<Option<Hits>, Fault> {
    let Ok(pattern) = Pattern::compile(written, Syntax::Regex, Case::Sensitive) else { return Ok(None) };
    let start = RelPath::root();
    let globs = std::slice::from_ref(files);
    let query = Query {
        pattern: &pattern,
        start,
        prefix: None,
        globs,
        keep: LOOKED_AT,
        context: 0,
        reach: Reach::Usual,
        tracked: &[],
    };
    let cancel = ctx.cancel().with_timeout(TIME_LIMIT);
    let found = grep::search(root, &query, &cancel, &|_| {}).map_err(faults::stopped)?;
    let more = found.total > found.matches.len() as u64 || found.stopped.is_some();
    let hit = |one: grep::Match| Hit { path: one.path.as_str().to_owned(), line: one.line, text: one.text };
    Ok(Some(Hits { hits: found.matches.into_iter().map(hit).collect(), more }))
}

/// How a name is written where it is called.
fn written_calls(name: &str, family: &str, kind: NodeKind) -> String {
    // Types may be written between the name and its bracket.
    let after = r"\s*(?:(?:::)?<[^()]*>)?\s*\(";
    match (family, kind) {
        // A method may be called on nothing but the object that runs a block, and without brackets.
        ("ruby", _) => format!(r#"(?:^|[^\w@$:'"]|::){name}(?:\s*\(|\s+["':]|\s*\{{|\s+do\b)"#),
        // A method is called on something; a function may also stand alone.
        ("lua", NodeKind::Method) => format!(r"[.:]{name}{after}"),
        (_, NodeKind::Method) => format!(r"(?:\.|->|::){name}{after}"),
        _ => format!(r"\b{name}{after}"),
    }
}

/// Places whose call, or other use, of the name leads to some node of that name.
fn attributed<'g>(graph: &'g Graph, name: &str, kind: EdgeKind) -> BTreeSet<(&'g str, u64)> {
    let named = graph.nodes_by_label(name).iter().map(|&at| NodeIx(at));
    let edges = named.flat_map(|node| graph.incoming(node).collect::<Vec<_>>());
    let calls = edges.filter(|edge| edge.kind == kind);
    calls
        .flat_map(|edge| {
            let path = graph.node(edge.source).path();
            edge.lines.iter().map(move |&line| (path, u64::from(line))).collect::<Vec<_>>()
        })
        .collect()
}

/// Whether something of the name is written down at the line, rather than called.
fn is_definition(graph: &Graph, name: &str, path: &str, line: u64) -> bool {
    let named = graph.nodes_by_label(name).iter().map(|&at| graph.node(NodeIx(at)));
    named.filter(|node| node.path() == path).any(|node| {
        let (first, _) = node.lines();
        // Attributes and decorators may stand above the name.
        (u64::from(first)..=u64::from(first) + HEAD_LINES).contains(&line)
    })
}

/// Whether a line may declare a function of the name, rather than call it on something or hand its value on.
fn may_declare(line: &str, name: &str) -> bool {
    let Some(before) = line.find(name).map(|at| line[..at].trim_end()) else { return false };
    before.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | ' ' | '\t'))
}

/// Whether the line declares how a function of the name may be called, before the function itself. Its file is parsed for that.
fn is_overload(root: &Root, graph: &Graph, name: &str, path: &str, line: u64) -> bool {
    let mut named = graph.nodes_by_label(name).iter().map(|&at| graph.node(NodeIx(at)));
    if !named.any(|node| node.path() == path) {
        return false;
    }
    let (Ok(line), Ok(relative)) = (u32::try_from(line), root.relative(path)) else { return false };
    let file = read::text(root, &relative, MAX_FILE_BYTES);
    file.is_ok_and(|file| overloads::function_of(path, file.text.as_bytes(), line).is_some())
}

/// Whether the line is part of what is written about the definition around it.
pub(super) fn is_documentation(graph: &Graph, path: &str, line: u64, text: &str) -> bool {
    let Ok(line) = u32::try_from(line) else { return false };
    let around = graph.node_at(path, line).map(|node| graph.node(node));
    around.is_some_and(|node| !text.trim().is_empty() && node.doc().contains(text.trim()))
}

/// `type *name(`: only words and stars stand before the name, and none of them starts a statement.
fn is_prototype(line: &str, name: &str) -> bool {
    let Some(before) = line.find(name).map(|at| line[..at].trim()) else { return false };
    let mut words = before.split(|c: char| c.is_whitespace() || c == '*').filter(|word| !word.is_empty());
    let is_type = |word: &str| {
        word.chars().all(|c| c.is_alphanumeric() || c == '_')
            && !matches!(word, "return" | "else" | "case" | "do" | "goto" | "throw")
    };
    !before.is_empty() && words.next().is_some_and(is_type) && words.all(is_type)
}

pub(super) fn is_comment(line: &str, family: &str) -> bool {
    let line = line.trim_start();
    let marks: &[&str] = match family {
        "python" | "ruby" | "bash" | "elixir" => &["#"],
        "php" => &["#", "//", "*", "/*"],
        "lua" => &["--"],
        _ => &["//", "*", "/*"],
    };
    // An attribute of PHP calls like one of Rust.
    marks.iter().any(|mark| line.starts_with(mark)) && !line.starts_with("#[")
}
