//! Lost ways: lines that led to something which is still there, through a file that no longer leads there.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use m1nd_graph::{Edge, EdgeKind, Graph, NodeFlags, NodeIx, NodeKind, folder_files};
use m1nd_ingest::everything::Listed;
use m1nd_ingest::imported;
use m1nd_risk::blast::DEPENDS;
use m1nd_risk::plan::Severity;

use super::held::Held;
use super::lines::{Lines, cut, places};
use super::namesakes::Answer;
use super::removed::UNLESS_ANSWERED;
use super::users::User;
use super::{Edited, Finding};
use crate::flows::imports::led_to;

/// Findings that are told of each kind: more of them are one move of many.
const MAX_FOUND: usize = 20;

/// Where a way ended: the file of the change, and what it led to.
type Cause<'g> = (&'g str, &'g str);

/// One finding for each name that lines reached through a file of the change and do not any more.
pub fn lost(held: &mut Held<'_>, before: &Graph, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let doors: Vec<Door<'_>> = edited.iter().filter_map(Door::of).collect();
    if doors.is_empty() {
        return Vec::new();
    }
    let mut users: BTreeMap<&str, Option<User<'_>>> = BTreeMap::new();
    let mut lines: BTreeMap<Cause<'_>, Lines<'_>> = BTreeMap::new();
    // Every node is asked whether any door says its name no more.
    let closes_a_way = doors.iter().any(Door::closes_a_way);
    let fewer: HashSet<&str> = doors.iter().flat_map(Door::fewer).collect();
    for node in before.nodes() {
        let target = node.ix();
        let name = before.node(target).label();
        if before.node(target).kind() == NodeKind::File {
            continue;
        }
        let is_closed = closes_a_way || fewer.contains(name);
        let certain = |edge: &Edge<'_>| {
            let is_asked = edge.kind == EdgeKind::Imports || is_closed && DEPENDS.contains(&edge.kind);
            is_asked && !edge.evidence.is_inferred() && !is_kept(before, graph, edge)
        };
        let mut left = before.incoming(target).filter(certain).peekable();
        if left.peek().is_none() || !is_there(before, graph, edited, target) {
            continue;
        }
        for edge in left {
            let source = before.node(edge.source);
            let user = users.entry(source.path()).or_insert_with(|| User::of(graph, edited, source.path()));
            let Some(user) = user else { continue };
            for &then in edge.lines {
                let Some(today) = user.line(then) else { continue };
                let is_found = user.leads_to(today).any(|ix| graph.node(ix).label() == name);
                if is_found || !user.still_says(then, name, edge.kind) {
                    continue;
                }
                let text = held.line(user.path, today);
                // Neither the file that takes it nor the one that has it hands it on.
                let home = before.node(target).path();
                let others = doors.iter().filter(|door| door.path != user.path && door.path_before != home);
                let mut through = others.filter(|door| match edge.kind {
                    EdgeKind::Imports => {
                        door.took_a_word_of(&text)
                            || door.says_no_more(name)
                                && (door.is_named_in(&text)
                                    || before_imports(before, source.path(), then, door.path_before))
                    }
                    _ => door.is_said_before(&text, name),
                });
                let Some(door) = through.next() else { continue };
                let is_test = source.flags().has(NodeFlags::TEST_CODE);
                lines.entry((door.path, name)).or_default().insert((is_test, user.path, today));
            }
        }
    }
    let shown = |((path, name), lines): (Cause<'_>, Lines<'_>)| {
        let text = edited.iter().find(|one| one.file.path == path).and_then(|one| one.texts.1.as_deref());
        // What is taken as a whole from what is not ours may have the name.
        if text.is_some_and(|text| takes_all_of_others(graph, path, text)) {
            return None;
        }
        let (severity, unless) = match text.map_or(Answer::No, |text| Answer::of(path, text, name)) {
            Answer::No => (Severity::High, ""),
            Answer::Maybe => (Severity::Medium, UNLESS_ANSWERED),
            Answer::Yes => return None,
        };
        let take = match lines.len() {
            1 => "1 line still takes".to_owned(),
            count => format!("{count} lines still take"),
        };
        Some(Finding {
            kind: "broken_import",
            severity: severity.name(),
            at: format!("{path}:{}", first_line(edited, path)),
            message: format!("{path} no longer leads to {name}, and {take} it from there{unless}"),
            places: places(&lines),
        })
    };
    let mut found = lines.into_iter().filter_map(shown).collect();
    cut(&mut found, MAX_FOUND);
    found
}

/// Whether a file imports everything from something that is not in the graph.
fn takes_all_of_others(graph: &Graph, path: &str, text: &[u8]) -> bool {
    let imports = imported::written(path, text).unwrap_or_default();
    imports.iter().any(|import| import.is_all && led_to(graph, path, import.line).is_empty())
}

/// Names that a module of Python does not list any more as all that it offers, and the lines that say them of a file which takes
/// everything from it.
pub fn unlisted(held: &mut Held<'_>, before: &Graph, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none() && one.file.path.ends_with(".py")) {
        let (Some(old), Some(new)) = (&one.texts.0, &one.texts.1) else { continue };
        let [old, new] = [old, new].map(|text| Listed::of(&String::from_utf8_lossy(text)));
        let (Listed::Names(old), Listed::Names(new)) = (old, new) else { continue };
        for name in old.iter().filter(|name| !new.contains(name)) {
            let is_it =
                |&ix: &NodeIx| before.node(ix).qualified() == name && is_there(before, graph, edited, ix);
            let Some(target) = before.nodes_in(one.path_before()).find(is_it) else { continue };
            let mut lines = Lines::new();
            for edge in before.incoming(target).filter(|edge| DEPENDS.contains(&edge.kind)) {
                let source = before.node(edge.source);
                let Some(user) = User::of(graph, edited, source.path()) else { continue };
                let certain = edge.sites().filter(|(_, evidence)| !evidence.is_inferred());
                for today in certain.filter_map(|(line, _)| user.line(line)) {
                    let is_found = user.leads_to(today).any(|ix| graph.node(ix).label() == name);
                    if !is_found && held.line(user.path, today).contains(&format!(".{name}")) {
                        lines.insert((source.flags().has(NodeFlags::TEST_CODE), user.path, today));
                    }
                }
            }
            let take = match lines.len() {
                0 => continue,
                1 => "1 line takes".to_owned(),
                count => format!("{count} lines take"),
            };
            found.push(Finding {
                kind: "broken_import",
                severity: Severity::High.name(),
                at: format!("{}:{}", one.file.path, first_line(edited, &one.file.path)),
                message: format!(
                    "{name} is not listed in __all__ any more, and {take} it from a file that imports everything from here"
                ),
                places: places(&lines),
            });
        }
    }
    cut(&mut found, MAX_FOUND);
    found
}

/// Definitions of TypeScript and JavaScript that are not exported any more, with the imports of them that are left.
pub fn hidden(before: &Graph, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none()) {
        let is_module = |language: &str| matches!(language, "typescript" | "tsx" | "javascript");
        for ix in graph.nodes_in(&one.file.path) {
            let now = graph.node(ix);
            if !is_module(now.language()) || now.flags().has(NodeFlags::EXPORTED) || graph.owner(ix).is_some()
            {
                continue;
            }
            let was = before.nodes_in(one.path_before()).find(|&ix| {
                let then = before.node(ix);
                then.kind() == now.kind() && then.qualified() == now.qualified()
            });
            let Some(was) = was.filter(|&ix| before.node(ix).flags().has(NodeFlags::EXPORTED)) else {
                continue;
            };
            let mut lines: Lines<'_> = BTreeSet::new();
            let certain = |edge: &Edge<'_>| DEPENDS.contains(&edge.kind) && !edge.evidence.is_inferred();
            for edge in before.incoming(was).filter(certain) {
                let source = before.node(edge.source);
                let Some(user) =
                    User::of(graph, edited, source.path()).filter(|_| source.path() != one.path_before())
                else {
                    continue;
                };
                // Of a statement of several lines the one that says the name may have gone.
                let left = edge.lines.iter().filter(|&&line| user.still_says(line, now.label(), edge.kind));
                let today = left.filter_map(|&line| user.line(line));
                // It may come from elsewhere now.
                let is_other = |line: u32| {
                    user.leads_to(line).any(|to| to != ix && graph.node(to).label() == now.label())
                };
                let is_test = source.flags().has(NodeFlags::TEST_CODE);
                lines.extend(today.filter(|&line| !is_other(line)).map(|line| (is_test, user.path, line)));
            }
            if lines.is_empty() {
                continue;
            }
            let count = lines.len();
            found.push(Finding {
                kind: "broken_import",
                severity: Severity::High.name(),
                at: format!("{}:{}", one.file.path, now.lines().0),
                message: match count {
                    1 => format!("{} is not exported any more, and 1 line still takes it", now.label()),
                    count => {
                        format!("{} is not exported any more, and {count} lines still take it", now.label())
                    }
                },
                places: places(&lines),
            });
        }
    }
    found
}

/// A file of the change through which others may reach what stands elsewhere.
struct Door<'e> {
    path: &'e str,
    path_before: &'e str,
    /// How many times it said a word, and says it.
    before: BTreeMap<String, usize>,
    now: BTreeMap<String, usize>,
}

impl<'e> Door<'e> {
    fn of(one: &'e Edited) -> Option<Self> {
        let (Some(old), Some(new)) = &one.texts else { return None };
        one.symbols.as_ref()?;
        let words = |text: &[u8]| {
            let mut found: BTreeMap<String, usize> = BTreeMap::new();
            for word in words_of(&String::from_utf8_lossy(text)) {
                *found.entry(word.to_owned()).or_default() += 1;
            }
            found
        };
        Some(Self {
            path: &one.file.path,
            path_before: one.path_before(),
            before: words(old),
            now: words(new),
        })
    }

    /// Whether the change took the word away somewhere.
    fn is_fewer(&self, word: &str) -> bool {
        let count = |words: &BTreeMap<String, usize>| words.get(word).copied().unwrap_or(0);
        count(&self.now) < count(&self.before)
    }

    /// Whether the change took the word away, or an import that all names of a module came by.
    fn says_no_more(&self, name: &str) -> bool {
        self.is_fewer(name) || self.closes_a_way()
    }

    fn closes_a_way(&self) -> bool {
        let ways = ["export", "import", "from", "pub", "mod", "use"];
        ways.into_iter().any(|word| self.is_fewer(word))
    }

    /// The words that it says less often.
    fn fewer(&self) -> impl Iterator<Item = &str> {
        self.before.keys().map(String::as_str).filter(|word| self.is_fewer(word))
    }

    /// Whether the change took a word away that an import says.
    fn took_a_word_of(&self, line: &str) -> bool {
        const SMALL: [&str; 10] =
            ["import", "from", "export", "use", "pub", "as", "type", "const", "self", "crate"];
        words_of(line).any(|word| !SMALL.contains(&word) && self.is_fewer(word))
    }

    fn is_named_in(&self, line: &str) -> bool {
        let (stem, module) = (folder_files::stem(self.path), folder_files::word(self.path));
        words_of(line).any(|word| word == stem || word == module)
    }

    /// Whether a line says the name as one of this module.
    fn is_said_before(&self, line: &str, name: &str) -> bool {
        let module = folder_files::word(self.path);
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        [".", "::"].iter().any(|mark| {
            let said = format!("{module}{mark}{name}");
            line.match_indices(&said).any(|(at, _)| {
                let (before, after) = (&line[..at], &line[at + said.len()..]);
                !module.is_empty()
                    && !before.ends_with(|c| is_letter(c) || c == '.')
                    && !after.starts_with(is_letter)
            })
        })
    }
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Whether a relation is there as it was.
fn is_kept(before: &Graph, graph: &Graph, edge: &Edge<'_>) -> bool {
    // Most nodes are where they were.
    let stayed = |ix: NodeIx, id: &str| ix.index() < graph.node_count() && graph.node(ix).id() == id;
    let now = |ix: NodeIx| match before.node(ix).id() {
        id if stayed(ix, id) => Some(ix),
        id => graph.node_by_id(id),
    };
    let ends = now(edge.source).zip(now(edge.target));
    ends.is_some_and(|(source, target)| graph.edge_between(source, edge.kind, target).is_some())
}

/// Whether a line of a file imported from another.
fn before_imports(before: &Graph, path: &str, line: u32, from: &str) -> bool {
    let Some((file, other)) = before.node_by_path(path).zip(before.node_by_path(from)) else { return false };
    let edge = before.edge_between(file, EdgeKind::Imports, other).map(|edge| before.edge(edge));
    edge.is_some_and(|edge| edge.lines.contains(&line))
}

/// Whether a definition of before is still where it was.
fn is_there(before: &Graph, graph: &Graph, edited: &[Edited], ix: NodeIx) -> bool {
    let node = before.node(ix);
    let path = match edited.iter().find(|one| one.path_before() == node.path()) {
        Some(one) => one.file.path.as_str(),
        None => node.path(),
    };
    graph.nodes_in(path).any(|ix| {
        let now = graph.node(ix);
        now.kind() == node.kind() && now.qualified() == node.qualified()
    })
}

fn first_line(edited: &[Edited], path: &str) -> u32 {
    let file = edited.iter().find(|one| one.file.path == path);
    file.and_then(|one| one.file.lines.first()).map_or(1, |lines| lines.0)
}
