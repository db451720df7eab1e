//! Dangling: uses of what a batch removed or hid that are still written, and find nothing any more.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_edit::{FileChange, Plan};
use m1nd_graph::{Edge, EdgeKind, Evidence, Graph, NodeFlags, NodeIx, NodeKind, folder_files, near};
use m1nd_ingest::given::is_given_otherwise;
use m1nd_ingest::mentions::{self, Mention, Role};
use m1nd_ingest::revision::{Change, Changed};
use m1nd_risk::signature::{self, Taken};
use m1nd_vfs::Root;
use rayon::prelude::*;

use super::checks::{Checked, node_of};
use super::defaults::has_default;
use super::entry_points;
use super::otherwise_asked::{asking, setting};
use super::shown::{CallerShown, old};
use super::texts::{self, Texts, has_word};
use crate::flows::review::namesakes::{Answer, has_answer};

/// Relations that hang in the air when their target goes.
pub(super) const HOLDS: [EdgeKind; 5] =
    [EdgeKind::Calls, EdgeKind::References, EdgeKind::Inherits, EdgeKind::Implements, EdgeKind::Imports];

/// Why a use of what was removed still finds something: the language gives every object one of that name.
pub(super) const DEFAULT: &str = "default";

/// All such uses, certain ones first; and those that find a [`DEFAULT`] now.
pub(super) fn find(
    root: &Root,
    before: &Graph,
    after: &Graph,
    plan: &Plan,
    checked: &Checked,
) -> Vec<CallerShown> {
    let gone = removed(before, after, plan, checked).into_iter().map(|node| (node, "removed", None));
    // What is still there may be out of reach, or be another one of its name.
    let hidden = hidden(before, after, checked).map(|node| (node, "signature", None));
    let overloads = overloads(before, after, checked).map(|(node, one)| (node, "signature", Some(one)));
    let changed: Vec<(NodeIx, &'static str, Option<&Changed>)> =
        gone.chain(hidden).chain(overloads).collect();
    let written = &texts::written(plan);
    // Files are parsed for the name of each.
    let uses = changed.par_iter().map(|&(node, because, changed)| {
        let mut states = States { before, after, plan, texts: Texts::after(root, written) };
        let mut uses = states.uses(node, because);
        if let Some(changed) = changed {
            uses.retain(|one| states.is_unfit(node, changed, one));
        }
        uses
    });
    let uses: Vec<Vec<CallerShown>> = uses.collect();
    let mut uses = uses;
    let mut states = States { before, after, plan, texts: Texts::after(root, written) };
    let gone: Vec<NodeIx> = changed.iter().filter(|one| one.1 == "removed").map(|one| one.0).collect();
    let gone: Vec<NodeIx> = gone.into_iter().filter(|&node| !states.is_named_still(node)).collect();
    uses.push(entry_points::left(&mut states.texts, before, &gone));
    uses.push(asking(root, before, after, (plan, written)));
    uses.push(setting(root, before, after, (plan, written)));
    let mut told: BTreeSet<String> = BTreeSet::new();
    let mut found: Vec<CallerShown> =
        uses.into_iter().flatten().filter(|one| told.insert(one.at.clone())).collect();
    found.sort_by(|a, b| (!a.is_certain(), &a.at).cmp(&(!b.is_certain(), &b.at)));
    found
}

/// The word by which a node is used.
pub(super) fn word_of(graph: &Graph, node: NodeIx) -> &str {
    let label = graph.node(node).label();
    match graph.node(node).kind() {
        NodeKind::File => folder_files::word(graph.node(node).path()),
        _ => label,
    }
}

/// What is known of the places that say one name, by file: nothing where the file cannot be read so.
#[derive(Default)]
struct Said<'g> {
    word: &'g str,
    /// The word is a file's, and may stand in a string.
    is_file: bool,
    before: BTreeMap<String, Option<Vec<Mention>>>,
    after: BTreeMap<String, Option<Vec<Mention>>>,
}

/// The workspace before and after a batch.
struct States<'a> {
    before: &'a Graph,
    after: &'a Graph,
    plan: &'a Plan,
    texts: Texts<'a>,
}

impl States<'_> {
    /// Uses of a node of the graph before that are still written and lead nowhere.
    fn uses(&mut self, node: NodeIx, because: &'static str) -> Vec<CallerShown> {
        let (before, after) = (self.before, self.after);
        let gone = before.node(node);
        if because == "removed" && self.is_named_still(node) {
            return Vec::new();
        }
        let because = if because == "removed" && has_default(before, node) { DEFAULT } else { because };
        // What goes with its class is not asked for any more, or is found with it elsewhere.
        let owner = before.owner(node);
        if because == DEFAULT && owner.is_some_and(|ix| survivor(before, after, self.plan, ix).is_none()) {
            return Vec::new();
        }
        if because == DEFAULT && is_constructor(gone.label()) {
            return self.made_by(node);
        }
        let mut said =
            Said { word: word_of(before, node), is_file: gone.kind() == NodeKind::File, ..Said::default() };
        let mut found = Vec::new();
        for edge in before.incoming(node).filter(|edge| HOLDS.contains(&edge.kind)) {
            if because == "signature" && edge.evidence.is_inferred() {
                continue;
            }
            let Some(source) = survivor(before, after, self.plan, edge.source) else { continue };
            let user = after.node(source);
            for (line, known) in self.lost(&mut said, &edge, source) {
                found.push(CallerShown {
                    at: format!("{}:{line}", user.path()),
                    node_id: user.id().to_owned(),
                    uses: gone.label().to_owned(),
                    because,
                    evidence: known.name(),
                    source: self.texts.line(user.path(), line),
                });
            }
        }
        found
    }

    /// Whether a call is one that a callable does not take any more: it gives too little or too much, or nothing of its
    /// name is left that it could mean.
    fn is_unfit(&mut self, node: NodeIx, changed: &Changed, call: &CallerShown) -> bool {
        let Some([_, is]) = changed.heads.as_deref() else { return changed.change == Change::Removed };
        let called = self.before.node(node);
        let Some((path, line)) = call.at.rsplit_once(':') else { return false };
        let (Some(text), Ok(line)) = (self.texts.text(path), line.parse()) else { return false };
        let calls = signature::calls(called.language(), text, line, called.label());
        let fits = |call| signature::takes(called.language(), called.label(), &is.signature, call);
        calls.iter().any(|call| fits(call) == Taken::No)
    }

    /// Places that make objects by a constructor that goes, or run it from another one.
    fn made_by(&mut self, constructor: NodeIx) -> Vec<CallerShown> {
        let (before, after) = (self.before, self.after);
        let gone = before.node(constructor);
        let class = before.owner(constructor).map_or("", |owner| before.node(owner).label());
        let mut found = Vec::new();
        for edge in before.incoming(constructor).filter(|edge| edge.kind == EdgeKind::Calls) {
            let Some(source) = survivor(before, after, self.plan, edge.source) else { continue };
            let user = after.node(source);
            let is_written = self.plan.files.iter().any(|file| file.path == user.path());
            let known: &[u32] = if is_written { &[] } else { edge.lines };
            let mut lines = self.texts.lines_with(user.path(), user.lines(), class, known);
            if lines.is_empty() {
                // `super().__init__()`
                let text = self.texts.text(user.path()).unwrap_or_default();
                let said = mentions::of(user.path(), text.as_bytes(), gone.label()).unwrap_or_default();
                let is_inside = in_lines(user.lines());
                let uses = said.iter().filter(|one| one.is_use() && is_inside(one.line));
                lines = uses.map(|one| one.line).take(1).collect();
            }
            found.extend(lines.into_iter().map(|line| CallerShown {
                at: format!("{}:{line}", user.path()),
                node_id: user.id().to_owned(),
                uses: gone.label().to_owned(),
                because: DEFAULT,
                evidence: edge.evidence.name(),
                source: self.texts.line(user.path(), line),
            }));
        }
        found
    }

    /// Lines of a file that import another one, which goes, and were left as they are.
    fn imports_left(&mut self, word: &str, edge: &Edge<'_>, source: NodeIx) -> Vec<(u32, Evidence)> {
        let user = self.after.node(source);
        let names_it = |line: &str| {
            has_word(line, word) || folder_files::stands_for_folder(self.before.node(edge.target).path())
        };
        let alike = alike(self.after, word, true, source);
        let lost = lost_somewhere(edge, &alike);
        let Some((_, evidence)) = lost.first().copied() else { return Vec::new() };
        // A line that imports something else now finds it: what was a module may have become a package.
        let imports = self.after.outgoing(source).filter(|now| now.kind == EdgeKind::Imports);
        let found: BTreeSet<u32> = imports
            .flat_map(|now| now.sites().collect::<Vec<_>>())
            .filter(|(_, known)| as_well(edge.evidence, *known))
            .map(|(line, _)| line)
            .collect();
        let now = self.texts.text(user.path()).unwrap_or_default();
        let Some(written) = self.plan.files.iter().find(|file| file.path == user.path()) else {
            let line_of =
                |line: &u32| now.lines().nth((*line as usize).saturating_sub(1)).unwrap_or_default();
            let is_left = |line: &u32| names_it(line_of(line)) && !found.contains(line);
            let left = edge.lines.iter().copied().filter(is_left);
            return left.map(|line| (line, evidence)).collect();
        };
        let (_, held) = old(&self.plan.files, written);
        let held = held.map(String::from_utf8_lossy).unwrap_or_default();
        let imports: BTreeSet<&str> = edge
            .lines
            .iter()
            .filter_map(|line| held.lines().nth((*line as usize).saturating_sub(1)))
            .map(str::trim)
            .filter(|line| names_it(line))
            .collect();
        let is_left = |(line, text): &(u32, &str)| imports.contains(text.trim()) && !found.contains(line);
        let left = (1..).zip(now.lines()).filter(is_left);
        left.map(|(line, _)| (line, evidence)).collect()
    }

    /// Lines on which a relation is still written and leads nowhere, and how it was known there.
    fn lost(&mut self, said: &mut Said<'_>, edge: &Edge<'_>, source: NodeIx) -> Vec<(u32, Evidence)> {
        if said.is_file {
            return self.imports_left(said.word, edge, source);
        }
        let user = self.after.node(source);
        let after = self.after;
        let alike = alike(after, said.word, false, source);
        // Lines stand where they stood, unless the batch wrote the file.
        let written = self.plan.files.iter().find(|file| file.path == user.path());
        if let Some(written) = written
            && let Some(lost) = self.lost_in_written(said, edge, source, written)
        {
            return lost;
        }
        let is_moved = written.is_some() || edge.lines.is_empty();
        let lost = if is_moved { lost_somewhere(edge, &alike) } else { lost_sites(edge, &alike) };
        let Some(evidence) = lost.iter().map(|(_, known)| *known).reduce(Evidence::strongest) else {
            return Vec::new();
        };
        let known: Vec<u32> = lost.iter().map(|(line, _)| *line).filter(|line| *line > 0).collect();
        let texts = &mut self.texts;
        let read = || mentions::of(user.path(), texts.text(user.path())?.as_bytes(), said.word);
        let mentions = said.after.entry(user.path().to_owned()).or_insert_with(read).as_ref();
        let lines: Vec<u32> = match mentions {
            None => self.texts.lines_with(user.path(), user.lines(), said.word, &known),
            Some(mentions) => {
                let is_inside = in_lines(user.lines());
                let could_mean = could_mean(self.before, edge.target, user.path());
                let uses = || mentions.iter().filter(|one| one.is_use() && could_mean(one));
                let here: Vec<u32> = uses().map(|one| one.line).filter(|line| known.contains(line)).collect();
                // A relation is told by the line on which its expression begins.
                let first = || uses().map(|one| one.line).find(|&line| is_inside(line));
                if here.is_empty() { first().into_iter().collect() } else { here }
            }
        };
        let known = |line: u32| lost.iter().find(|(at, _)| *at == line).map_or(evidence, |(_, known)| *known);
        lines.into_iter().map(|line| (line, known(line))).collect()
    }

    /// The same in a file that the batch wrote: the name is said of the same thing as before, by the same user, and nothing
    /// explains it. Nothing where the file cannot be read so.
    fn lost_in_written(
        &mut self,
        said: &mut Said<'_>,
        edge: &Edge<'_>,
        source: NodeIx,
        written: &FileChange,
    ) -> Option<Vec<(u32, Evidence)>> {
        let user = self.after.node(source);
        let (graph, word) = (self.after, said.word);
        let found = alike(graph, word, false, source);
        if edge.lines.is_empty() && found.iter().any(|now| as_well(edge.evidence, now.evidence)) {
            return Some(Vec::new());
        }
        let (from, held) = old(&self.plan.files, written);
        let read = || mentions::of(from, held?, said.word);
        let before = said.before.entry(from.to_owned()).or_insert_with(read).as_ref()?;
        let bytes = written.after.as_ref().map(|after| &after.bytes[..]);
        let read = || mentions::of(user.path(), bytes?, said.word);
        let after = said.after.entry(user.path().to_owned()).or_insert_with(read).as_ref()?;
        let was_inside = in_lines(self.before.node(edge.source).lines());
        let uses = || before.iter().filter(|one| one.is_use());
        let mut sites: Vec<&Mention> = uses().filter(|one| edge.lines.contains(&one.line)).collect();
        if sites.is_empty() {
            sites = uses().filter(|one| was_inside(one.line)).collect();
        }
        // A relation may be told by another line than the one that says the name, as of a head over several lines.
        let is_elsewhere = |line: u32| after.iter().all(|one| one.line != line);
        let is_told = |now: &Edge<'_>| {
            now.sites().any(|(line, known)| as_well(edge.evidence, known) && is_elsewhere(line))
        };
        if found.iter().any(is_told) {
            return Some(Vec::new());
        }
        let is_inside = in_lines(user.lines());
        // Of several things that have the name on a line, the one that is said no more was meant.
        let is_left = |site: &&Mention| after.iter().any(|one| one.of == site.of && is_inside(one.line));
        let are_several = sites.iter().any(|site| site.of != sites[0].of);
        if are_several && !sites.iter().all(is_left) {
            return Some(Vec::new());
        }
        let is_said_so = |one: &Mention| {
            let is_import = one.role == Role::Import;
            sites.iter().any(|site| site.of == one.of && (site.role == Role::Import) == is_import)
        };
        let explained: BTreeSet<u32> = self
            .after
            .nodes_in(user.path())
            .flat_map(|ix| alike(graph, word, false, ix))
            .flat_map(|now| {
                now.sites().filter(|(_, known)| as_well(edge.evidence, *known)).collect::<Vec<_>>()
            })
            .map(|(line, _)| line)
            .collect();
        // What is imported from elsewhere now is another thing.
        let imports = |one: &&Mention| one.role == Role::Import;
        let is_new_import =
            |one: &Mention| imports(&one) && !before.iter().filter(imports).any(|old| old.of == one.of);
        let is_bound = |one: &Mention| {
            let binds = |other: &Mention| match &other.role {
                Role::Binding { reach, .. } => reach.contains(&one.at),
                _ => is_new_import(other),
            };
            one.of.is_empty() && after.iter().any(binds)
        };
        let could_mean = could_mean(self.before, edge.target, user.path());
        // Where a field may have the name of a method, only what is called is the method.
        let by_call = edge.kind == EdgeKind::Calls && user.language() == "rust";
        let may_call = |one: &Mention| {
            let rest = bytes.and_then(|bytes| bytes.get(one.at + word.len()..)).unwrap_or_default();
            matches!(rest.trim_ascii_start().first(), None | Some(b'(' | b':' | b'!'))
        };
        let left = after.iter().filter(|one| {
            one.is_use()
                && could_mean(one)
                && (!by_call || one.in_macro || may_call(one))
                && is_inside(one.line)
                && is_said_so(one)
                && !explained.contains(&one.line)
                && !is_bound(one)
        });
        let mut lines: Vec<u32> = left.map(|one| one.line).collect();
        lines.dedup();
        Some(lines.into_iter().map(|line| (line, edge.evidence)).collect())
    }

    /// Whether something else has the name now where the node had it: a variable, an import, a field.
    fn is_named_still(&self, node: NodeIx) -> bool {
        let gone = self.before.node(node);
        // Users look for it where it was, whatever has moved from there.
        let file = self.plan.files.iter().find(|file| file.path == gone.path());
        let Some((file, now)) = file.and_then(|file| Some((file, file.after.as_ref()?))) else {
            return false;
        };
        // A field is no method: what calls one does not find it.
        let by_call = gone.kind() == NodeKind::Method && matches!(gone.language(), "rust" | "java");
        let word = word_of(self.before, node);
        // What makes methods that nobody writes may make this one.
        if by_call && is_given_otherwise(&file.path, &String::from_utf8_lossy(&now.bytes), word) {
            return true;
        }
        if gone.kind() == NodeKind::File || by_call {
            return false;
        }
        let Some(mentions) = mentions::of(&file.path, &now.bytes, word) else { return false };
        let around = self.before.owner(node).or_else(|| self.before.parent(node));
        let around = around.filter(|&ix| self.before.node(ix).kind() != NodeKind::File);
        let Some(around) = around else {
            let text = String::from_utf8_lossy(&now.bytes);
            let is_answered = Answer::of(&file.path, &now.bytes, word) != Answer::No;
            if is_answered || is_given_otherwise(&file.path, &text, word) {
                return true;
            }
            let (from, held) = old(&self.plan.files, file);
            let was = held.and_then(|held| mentions::of(from, held, word)).unwrap_or_default();
            let is_new = |one: &Mention| !was.iter().any(|old| old.role == Role::Import && old.of == one.of);
            return mentions.iter().any(|one| match &one.role {
                Role::Binding { at_top, .. } => *at_top,
                // `try: import x` with `x = None` where it fails.
                Role::Import => is_new(one) || gone.kind() == NodeKind::Constant,
                Role::Use | Role::Label => false,
            });
        };
        let Some(around) = survivor(self.before, self.after, self.plan, around) else { return false };
        let class = self.after.node(around);
        if has_answer(self.after, class.path(), class.qualified()) {
            return true;
        }
        let is_inside = in_lines(self.after.node(around).lines());
        // What a member has for itself, as a parameter or an argument that it names, is nobody else's.
        let members = self.after.members(around).into_iter().map(|ix| self.after.node(ix));
        let own: Vec<(u32, u32)> =
            members.filter(|node| node.kind().is_callable()).map(|node| node.lines()).collect();
        let is_own = |line: u32| own.iter().any(|(first, last)| (*first..=*last).contains(&line));
        let is_given = |one: &Mention| match &one.role {
            _ if is_of_this(&one.of) => true,
            Role::Label => one.of.is_empty() && !is_own(one.line),
            Role::Binding { .. } => one.of.is_empty() && is_kept(&now.bytes, one.at),
            Role::Import | Role::Use => false,
        };
        let mut given = mentions.iter().filter(|one| matches!(one.role, Role::Binding { .. } | Role::Label));
        self.after.node(around).path() == file.path && given.any(|one| is_inside(one.line) && is_given(one))
    }
}

/// Whether a parameter of a constructor is a field, by the word before it.
fn is_kept(text: &[u8], at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_ascii_end();
    let start = before.iter().rposition(|byte| !byte.is_ascii_alphabetic()).map_or(0, |at| at + 1);
    matches!(&before[start..], b"public" | b"private" | b"protected" | b"readonly" | b"override")
}

/// Whether a mention in a file can mean a node, whatever the graph said: in Go what is said of a package is not of one's own.
fn could_mean<'g>(graph: &'g Graph, node: NodeIx, path: &str) -> impl Fn(&Mention) -> bool + use<'g> {
    let meant = graph.node(node);
    let is_own = meant.language() == "go"
        && near::folder(meant.path()) == near::folder(path)
        && graph.owner(node).is_none();
    move |one: &Mention| !is_own || one.of.is_empty()
}

/// Relations of a node of today that lead to something of a name.
fn alike<'g>(after: &'g Graph, word: &str, is_file: bool, source: NodeIx) -> Vec<Edge<'g>> {
    let leads_there = |other: &Edge<'_>| {
        let target = after.node(other.target);
        let is_stem = target.kind() == NodeKind::File && folder_files::word(target.path()) == word;
        HOLDS.contains(&other.kind) && (is_stem || !is_file && target.label() == word)
    };
    after.outgoing(source).filter(leads_there).collect()
}

/// Constructors, however a language calls them.
pub(super) fn is_constructor(name: &str) -> bool {
    matches!(name, "__init__" | "__new__" | "constructor" | "initialize")
}

/// Whether a member is said of the object that says it.
fn is_of_this(of: &str) -> bool {
    matches!(of, "self." | "this." | "cls." | "this->" | "@")
}

/// Whether a line is one of a node's; a node without lines has all.
fn in_lines((first, last): (u32, u32)) -> impl Fn(u32) -> bool {
    move |line| first == 0 || last < first || (first..=last).contains(&line)
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

/// Nodes, in the graph before, that are not exported any more.
fn hidden<'a>(
    before: &'a Graph,
    after: &'a Graph,
    checked: &'a Checked,
) -> impl Iterator<Item = NodeIx> + 'a {
    let is_shown = |graph: &Graph, node: NodeIx| graph.node(node).flags().has(NodeFlags::EXPORTED);
    let changed = checked.symbols.iter().flat_map(move |file| {
        let changed = file.changed.iter().filter(|one| one.change == Change::Signature);
        changed.filter_map(move |one| node_of(before, &file.from, one))
    });
    changed.filter(move |&node| {
        let now = after.node_by_id(before.node(node).id());
        is_shown(before, node) && now.is_some_and(|now| !is_shown(after, now))
    })
}

/// Callables of which another one has the name and the place now, and those that are called otherwise: who called one of
/// several may find none that takes the call.
fn overloads<'a>(
    before: &'a Graph,
    after: &'a Graph,
    checked: &'a Checked,
) -> impl Iterator<Item = (NodeIx, &'a Changed)> + 'a {
    checked.symbols.iter().flat_map(move |file| {
        let changed = file.changed.iter().filter(|one| one.kind.is_callable());
        changed.filter_map(move |one| {
            let node = node_of(before, &file.from, one)?;
            let is_there = || after.node_by_id(before.node(node).id()).is_some();
            let is_otherwise = match one.change {
                Change::Signature => true,
                Change::Removed => is_there(),
                Change::Body | Change::Added => false,
            };
            is_otherwise.then_some((node, one))
        })
    })
}

/// Nodes that were there before and are not any more.
pub(super) fn removed(before: &Graph, after: &Graph, plan: &Plan, checked: &Checked) -> Vec<NodeIx> {
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
