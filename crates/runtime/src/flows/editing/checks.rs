//! Checks: what a plan would do to syntax, symbols and callers, before anything is written.

use std::collections::BTreeMap;

use m1nd_edit::{FileChange, Plan};
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::imported::written_in;
use m1nd_ingest::revision::{Change, Changed, State, compare, differs_outside};
use m1nd_ingest::syntax::SyntaxError;
use m1nd_ingest::{Parsed, Said, Trees, code_of_line};
use m1nd_vfs::Root;
use parking_lot::Mutex;
use rayon::prelude::*;

use super::super::calls::{self, Call, Direction};
use super::super::imports::Imports;
use super::aftermath;
use super::dangling::DEFAULT;
use super::defaults::has_default;
use super::shown::{CallerShown, SymbolShown, SyntaxShown, moves_on, old};
use super::texts::Texts;
use crate::workspace::Workspace;

/// What a plan does to one file's definitions.
#[derive(Debug)]
pub struct FileSymbols {
    /// Where they are after the change.
    pub path: String,
    /// Where they were before.
    pub from: String,
    pub changed: Vec<Changed>,
    /// Whether code outside of all definitions differs too.
    pub is_outside: bool,
}

#[derive(Debug)]
pub struct Checked {
    pub syntax: Vec<SyntaxShown>,
    /// Files that could not be looked through for errors, each with the reason.
    pub unchecked: Vec<(String, &'static str)>,
    pub symbols: Vec<FileSymbols>,
    /// What the files will say; whoever reads them next need not parse them.
    pub said: Vec<Said>,
    /// The imports that files have after the change and had before it, by their paths after it.
    pub imports: BTreeMap<String, Imports>,
}

/// A plan whose new contents were looked through for errors.
pub struct Looked<'p> {
    plan: &'p Plan,
    pub syntax: Vec<SyntaxShown>,
    unchecked: Vec<(String, &'static str)>,
    /// What is left of each new content to be read.
    parsed: Vec<Option<Parsed>>,
}

/// Trees take many times the room of their sources: those of larger batches are made again.
const KEPT_BYTES: usize = 4 << 20;

/// Looks for syntax errors that a plan brings.
pub fn look(plan: &Plan) -> Looked<'_> {
    let mut left = KEPT_BYTES;
    let jobs = plan.files.iter().map(|file| {
        let bytes = file.after.as_ref().map_or(0, |after| after.bytes.len());
        let trees = if bytes <= left { Trees::Kept } else { Trees::Dropped };
        left = left.saturating_sub(bytes);
        (file, trees)
    });
    let found =
        largest_first(jobs.collect(), |(file, _)| size(file), |(file, trees)| look_at(plan, file, *trees));
    let mut looked = Looked { plan, syntax: Vec::new(), unchecked: Vec::new(), parsed: Vec::new() };
    for (parsed, syntax) in found {
        match syntax {
            Ok(errors) => looked.syntax.extend(errors),
            Err(unchecked) => looked.unchecked.push(unchecked),
        }
        looked.parsed.push(parsed);
    }
    looked
}

/// The errors that a file gets, or its name and why they are not known.
type Syntax = Result<Vec<SyntaxShown>, (String, &'static str)>;

fn look_at(plan: &Plan, file: &FileChange, trees: Trees) -> (Option<Parsed>, Syntax) {
    let Some(now) = file.after.as_ref().map(|after| &after.bytes[..]) else { return (None, Ok(Vec::new())) };
    let (_, before) = old(&plan.files, file);
    let (parsed, errors) = Parsed::look(&file.path, before, now, trees);
    let shown = |error: SyntaxError| SyntaxShown {
        file_path: file.path.clone(),
        line: error.line,
        column: error.column,
        what: error.what,
    };
    let syntax = match errors {
        Ok(errors) => Ok(errors.into_iter().map(shown).collect()),
        Err(why) => Err((file.path.clone(), why.why())),
    };
    (Some(parsed), syntax)
}

impl Looked<'_> {
    /// Reads what the new contents say, and which definitions differ.
    pub fn read(self, workspace: &Workspace) -> Checked {
        let plan = self.plan;
        let held = plan.files.iter().filter_map(|file| Some((&*file.path, &file.before.as_ref()?.bytes[..])));
        let known = workspace.said(&held.collect::<Vec<_>>());
        let jobs: Vec<(&FileChange, Mutex<Option<Parsed>>)> =
            plan.files.iter().zip(self.parsed.into_iter().map(Mutex::new)).collect();
        let found = largest_first(
            jobs,
            |(file, _)| size(file),
            |(file, parsed)| read_file(plan, file, parsed.lock().take(), &known),
        );
        let (mut symbols, mut said, mut imports) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (file, read) in plan.files.iter().zip(found) {
            symbols.extend(read.symbols);
            said.extend(read.said);
            imports.extend(read.imports.map(|imports| (file.path.clone(), imports)));
        }
        Checked { syntax: self.syntax, unchecked: self.unchecked, symbols, said, imports }
    }
}

/// What a file of a plan will say, and what it does to what was said before.
#[derive(Default)]
struct ReadFile {
    symbols: Vec<FileSymbols>,
    said: Option<Said>,
    imports: Option<Imports>,
}

fn read_file(
    plan: &Plan,
    file: &FileChange,
    parsed: Option<Parsed>,
    known: &BTreeMap<String, Said>,
) -> ReadFile {
    if moves_on(&plan.files, &file.path) && file.after.is_none() {
        return ReadFile::default();
    }
    let (from, before) = old(&plan.files, file);
    let now = file.after.as_ref().map(|after| &after.bytes[..]);
    let said = now.zip(parsed).and_then(|(now, parsed)| parsed.read(&file.path, now));
    let imports = said.as_ref().and_then(written_in).and_then(|new| {
        let old = before.map_or(Some(Vec::new()), |_| known.get(from).and_then(written_in));
        Some(Imports { old: old?, new })
    });
    let before = before.map(|bytes| State { bytes, said: known.get(from) });
    let now = now.map(|bytes| State { bytes, said: said.as_ref() });
    let is_outside = before.zip(now).is_some_and(|(before, now)| differs_outside(&file.path, before, now));
    let symbols = |from: &str, changed| FileSymbols {
        path: file.path.clone(),
        from: from.to_owned(),
        changed,
        is_outside,
    };
    let mut found: Vec<FileSymbols> = Vec::new();
    let taken = now.and_then(|now| taken_over(plan, file, known, now));
    if let Some(mut changed) = compare(&file.path, before, now) {
        // What callers find otherwise under its old name is not new to them.
        let is_otherwise = |one: &Changed| {
            let others = taken.iter().flatten();
            one.change == Change::Added
                && others.clone().any(|other| (&other.name, other.kind) == (&one.name, one.kind))
        };
        changed.retain(|one| !is_otherwise(one));
        found.push(symbols(from, changed));
    }
    found.extend(taken.map(|changed| symbols(&file.path, changed)));
    ReadFile { symbols: found, said, imports }
}

/// What callers find otherwise at a path that other content takes over; what has moved on is told where it went.
fn taken_over(
    plan: &Plan,
    file: &FileChange,
    known: &BTreeMap<String, Said>,
    now: State<'_>,
) -> Option<Vec<Changed>> {
    let has_left = moves_on(&plan.files, &file.path);
    let held = file.before.as_ref().filter(|_| file.from.is_some() || has_left)?;
    let before = State { bytes: &held.bytes, said: known.get(&file.path) };
    let mut changed = compare(&file.path, Some(before), Some(now))?;
    changed.retain(|one| match one.change {
        Change::Added => false,
        Change::Removed => !has_left,
        Change::Signature | Change::Body => true,
    });
    Some(changed)
}

fn size(file: &FileChange) -> usize {
    file.after.as_ref().map_or(0, |after| after.bytes.len())
}

/// Does something with each, on all processors: what takes longest is begun first, so that nobody waits for it alone.
fn largest_first<J: Sync, T: Send>(
    jobs: Vec<J>,
    size: impl Fn(&J) -> usize,
    work: impl Fn(&J) -> T + Sync,
) -> Vec<T> {
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|&at| std::cmp::Reverse(size(&jobs[at])));
    let mut done: Vec<(usize, T)> =
        order.into_par_iter().with_max_len(1).map(|at| (at, work(&jobs[at]))).collect();
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, found)| found).collect()
}

pub fn check(workspace: &Workspace, plan: &Plan) -> Checked {
    look(plan).read(workspace)
}

impl Checked {
    pub fn shown(&self) -> Vec<SymbolShown> {
        let mut shown = Vec::new();
        for file in &self.symbols {
            shown.extend(file.changed.iter().map(|one| SymbolShown {
                name: one.name.clone(),
                kind: one.kind.name(),
                change: one.change.name(),
                at: match one.change {
                    Change::Removed => format!("{}:{}", file.from, one.line),
                    _ => format!("{}:{}", file.path, one.line),
                },
                before: one.before.clone(),
            }));
        }
        // What callers notice first.
        let weight = |one: &SymbolShown| match one.change {
            "removed" => 0,
            "signature" => 1,
            "added" => 2,
            _ => 3,
        };
        shown.sort_by_key(weight);
        shown
    }

    /// What goes, as a graph knows it.
    pub fn removed(&self, graph: &Graph) -> Vec<NodeIx> {
        let all = self.symbols.iter().flat_map(|file| file.changed.iter().map(move |one| (file, one)));
        let removed = all.filter(|(_, one)| one.change == Change::Removed);
        removed.filter_map(|(file, one)| node_of(graph, &file.from, one)).collect()
    }

    /// Callers, in the files as they are, of what goes or is to be called otherwise. A line that the plan itself changes
    /// is not one.
    pub fn callers(&self, root: &Root, graph: &Graph, plan: &Plan) -> Vec<CallerShown> {
        let mut texts = Texts::of(root);
        let mut found = Vec::new();
        for file in &self.symbols {
            for one in &file.changed {
                let Some(node) = node_of(graph, &file.from, one) else { continue };
                let because = match one.change {
                    Change::Removed if has_default(graph, node) => DEFAULT,
                    Change::Removed => "removed",
                    Change::Signature => "signature",
                    _ if aftermath::turns_property(one) => "signature",
                    _ => continue,
                };
                // What goes with its class is not asked for any more, or is found with it elsewhere.
                if because == DEFAULT && goes_with_owner(&file.changed, one) {
                    continue;
                }
                let all = match one.change {
                    Change::Removed => calls::find(root, graph, node, Direction::Callers),
                    _ => aftermath::unfit_calls(root, graph, node, one, &mut texts),
                };
                let mut all: Vec<CallerShown> =
                    all.into_iter().map(|call| shown(call, graph.node(node).label(), because)).collect();
                if one.change == Change::Removed {
                    let others = aftermath::other_uses(root, graph, node);
                    let new = others.into_iter().filter(|use_| all.iter().all(|known| known.at != use_.at));
                    let new: Vec<CallerShown> = new.collect();
                    all.extend(new);
                }
                found.extend(all.into_iter().filter(|use_| !is_rewritten(plan, use_)));
            }
        }
        found.sort_by_key(|one| !one.is_certain());
        found
    }
}

pub(super) fn shown(call: Call, uses: &str, because: &'static str) -> CallerShown {
    CallerShown {
        at: format!("{}:{}", call.file_path, call.line),
        node_id: call.node_id,
        uses: uses.to_owned(),
        because,
        evidence: call.evidence,
        source: call.source,
    }
}

/// Whether the type that a member belongs to goes, too.
fn goes_with_owner(changed: &[Changed], member: &Changed) -> bool {
    let owner = member.name.rsplit_once('.').map(|(owner, _)| owner);
    changed.iter().any(|one| one.change == Change::Removed && Some(one.name.as_str()) == owner)
}

/// The node of a graph that a definition is.
pub(super) fn node_of(graph: &Graph, path: &str, one: &Changed) -> Option<NodeIx> {
    let last = one.name.rsplit('.').next().unwrap_or(&one.name);
    let alike: Vec<NodeIx> = graph
        .nodes_in(path)
        .filter(|&ix| {
            let node = graph.node(ix);
            node.label() == last && node.kind() == one.kind
        })
        .collect();
    let exact = || alike.iter().copied().filter(|&ix| graph.node(ix).qualified() == one.name);
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let same_signature = |ix: &NodeIx| {
        one.before.as_deref().is_some_and(|before| plain(graph.node(*ix).signature()) == plain(before))
    };
    // What went is told by where it stood: what is left may have its name.
    let same_place = |ix: &NodeIx| one.change == Change::Removed && graph.node(*ix).lines().0 == one.line;
    let found = exact().find(same_signature).or_else(|| exact().find(same_place));
    found.or_else(|| exact().next()).or_else(|| match alike[..] {
        [only] => Some(only),
        _ => None,
    })
}

/// Whether the plan takes away the line of a call, or writes it anew.
pub(super) fn is_rewritten(plan: &Plan, call: &CallerShown) -> bool {
    let path = call.at.rsplit_once(':').map_or(call.at.as_str(), |(path, _)| path);
    let Some(file) = plan.files.iter().find(|file| file.path == path) else { return false };
    let moved = plan.files.iter().find(|other| other.from.as_deref() == Some(file.path.as_str()));
    // What something else moves onto is gone with all its lines.
    let target = moved.or(Some(file).filter(|file| file.from.is_none()));
    target.is_none_or(|target| !has_line(target, &call.source))
}

/// Whether a file still holds the code of a line, wherever.
fn has_line(file: &FileChange, line: &str) -> bool {
    has_code(&file.path, file.after.as_ref().map(|after| &after.bytes[..]), line)
}

/// Shown lines are cut after this many bytes.
const SHOWN_BYTES: usize = 150;

/// Whether a content has a line with the same code as one that is shown: a comment makes no other line of it.
pub(super) fn has_code(path: &str, bytes: Option<&[u8]>, shown: &str) -> bool {
    let text = bytes.map(String::from_utf8_lossy).unwrap_or_default();
    let code = code_of_line(path, shown);
    text.lines().any(|line| {
        line.trim() == shown
            || shown.len() >= SHOWN_BYTES && line.trim().starts_with(shown)
            || !code.is_empty() && code_of_line(path, line) == code
    })
}
