//! Removed nodes: definitions that went although something else has their name, and the lines that led to them and lead nowhere
//! now.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{Edge, EdgeKind, Graph, NodeFlags, NodeIx, NodeKind, folder_files};
use m1nd_ingest::mentions::{self, Mention};
use m1nd_ingest::revision::{Change, Changed};
use m1nd_ingest::{imported, languages};
use m1nd_risk::blast::DEPENDS;
use m1nd_risk::plan::Severity;
use m1nd_risk::signature;

use super::contracts::heirs;
use super::lines::{Lines, places};
use super::namesakes::Answer;
use super::removed::UNLESS_ANSWERED;
use super::twins::is_twin;
use super::users::User;
use super::{Edited, Finding, builtins, constants, removed};

/// What went and is to be looked up among the relations of before, each with the file that it was in.
pub fn candidates<'e>(
    graph: &Graph,
    edited: &'e [Edited],
    is_told: impl Fn(&Edited, &Changed) -> bool,
) -> Vec<(&'e Edited, &'e Changed)> {
    let mut found = Vec::new();
    for one in edited {
        let went = |symbol: &&Changed| symbol.change == Change::Removed && removed::counts(symbol);
        let types: BTreeSet<&str> = one
            .symbols
            .iter()
            .flatten()
            .filter(|symbol| symbol.change == Change::Removed && symbol.kind.is_type())
            .map(|symbol| symbol.name.as_str())
            .collect();
        // What goes with its type is told of the type, and one of several of a name leaves the others.
        let is_inner =
            |symbol: &Changed| symbol.name.rsplit_once('.').is_some_and(|(outer, _)| types.contains(outer));
        // Where they are told apart by what they take that is looked at with the one that went.
        let stays = |symbol: &Changed| {
            let mut nodes = graph.nodes_in(&one.file.path).map(|ix| graph.node(ix));
            nodes.any(|node| {
                node.qualified() == symbol.name
                    && !has_overloads(node.language())
                    && stands_for(node.kind(), symbol.kind)
            })
        };
        let went = one.symbols.iter().flatten().filter(went);
        let left = went.filter(|symbol| !is_inner(symbol) && !stays(symbol) && !is_told(one, symbol));
        found.extend(left.map(|symbol| (one, symbol)));
    }
    found
}

/// Lines that led to a definition which went, and lead nowhere of its name now.
#[derive(Default)]
pub struct Related<'g> {
    /// Of tests, path and line.
    pub certain: Lines<'g>,
    /// Those that led to it by the name alone.
    pub guessed: BTreeSet<(&'g str, u32)>,
    /// Whether some of the certain ones are in files that the change left alone.
    pub is_unedited: bool,
    /// Whether some of them say it of the object itself, in a member of the type that it went from.
    pub is_of_itself: bool,
}

impl Related<'_> {
    /// Whether a line led there, as far as anybody knew.
    pub fn has(&self, path: &str, line: u64) -> bool {
        let is_it = |at: &str, found: u32| at == path && u64::from(found) == line;
        self.certain.iter().any(|&(_, at, found)| is_it(at, found))
            || self.guessed.iter().any(|&(at, found)| is_it(at, found))
    }
}

/// What is known of each of these, by the path and the line of what went.
pub type Relations<'g> = BTreeMap<(&'g str, u32), Related<'g>>;

/// The lines that led to each of these.
pub fn relations<'g>(
    before: &'g Graph,
    graph: &Graph,
    edited: &'g [Edited],
    candidates: &[(&'g Edited, &'g Changed)],
) -> Relations<'g> {
    let mut users: BTreeMap<&str, Option<User<'g>>> = BTreeMap::new();
    let mut found = Relations::new();
    for &(one, symbol) in candidates {
        let is_it = |&ix: &NodeIx| {
            let node = before.node(ix);
            node.kind() == symbol.kind && node.lines().0 == symbol.line && symbol.name.ends_with(node.label())
        };
        let Some(node) = before.nodes_in(one.path_before()).find(is_it) else { continue };
        let name = before.node(node).label();
        let was = before.node(node).signature();
        let mut now = graph.nodes_in(&one.file.path).map(|ix| graph.node(ix));
        let stays = now.any(|now| {
            now.qualified() == symbol.name
                && stands_for(now.kind(), symbol.kind)
                && may_take(was, now.signature(), now.language(), name)
        });
        if stays
            || survives(graph, edited, one, symbol, name)
            || removed::is_given_now(graph, one, symbol, name)
        {
            continue;
        }
        let mut related = Related::default();
        let is_default = removed::is_still_default(one, symbol);
        // What an edited file says of the name now.
        let mut said: BTreeMap<&str, Vec<Mention>> = BTreeMap::new();
        for edge in before.incoming(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
            let source = before.node(edge.source);
            let user = users.entry(source.path()).or_insert_with(|| User::of(graph, edited, source.path()));
            let Some(user) = user else { continue };
            if symbol.kind != NodeKind::Method && takes_another(user, name)
                || is_default && user.path != one.file.path
            {
                continue;
            }
            for (line, evidence) in edge.sites() {
                let Some(today) = left(user, (before, graph), &edge, line, name) else { continue };
                let new = user.edited.and_then(|one| one.texts.1.as_deref());
                let said = said.entry(user.path).or_insert_with(|| {
                    new.and_then(|new| mentions::of(user.path, new, name)).unwrap_or_default()
                });
                // A parameter or a variable has the name since the change.
                if symbol.kind != NodeKind::Method && removed::is_local_use(said, u64::from(today)) {
                    continue;
                }
                // What stands in a function is said in it alone.
                if symbol.is_local && !is_within(graph, user.path, &symbol.name, today) {
                    continue;
                }
                if evidence.is_inferred() {
                    related.guessed.insert((user.path, today));
                    continue;
                }
                related.is_unedited |= user.edited.is_none();
                let is_own = || {
                    before.owner(node).is_some_and(|owner| before.owner(edge.source) == Some(owner))
                        && !is_below(graph, before, node)
                };
                related.is_of_itself |= new.is_some_and(|new| {
                    let text = String::from_utf8_lossy(new);
                    let said = text.lines().nth((today as usize).saturating_sub(1)).unwrap_or_default();
                    says_of_itself(said, source.signature(), name) && is_own()
                });
                let is_test = source.flags().has(NodeFlags::TEST_CODE);
                related.certain.insert((is_test, user.path, today));
            }
        }
        found.insert((one.file.path.as_str(), symbol.line), related);
    }
    found
}

/// One finding for each of these that lines still mean.
pub fn still_used(
    graph: &Graph,
    candidates: &[(&Edited, &Changed)],
    relations: &Relations<'_>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for &(one, symbol) in candidates {
        let related = relations.get(&(one.file.path.as_str(), symbol.line));
        let Some(related) = related.filter(|related| !related.certain.is_empty()) else { continue };
        let lines = &related.certain;
        let name = symbol.name.rsplit('.').next().unwrap_or(&symbol.name);
        let severity = severity(graph, one, symbol, related);
        let what =
            if lines.len() == 1 { "1 line that means it still says" } else { "lines that mean it still say" };
        let count = if lines.len() == 1 { String::new() } else { format!("{} ", lines.len()) };
        let others = match graph.nodes_by_label(name).is_empty() {
            true => "",
            false => "; what else has that name is not what they lead to",
        };
        let unless = if one.answers_for(symbol) == Answer::Maybe { UNLESS_ANSWERED } else { "" };
        found.push(Finding {
            kind: "removed_but_used",
            severity: severity.name(),
            at: format!("{}:{}", one.file.path, symbol.line),
            message: format!("{} was removed, and {count}{what} {name}{others}{unless}", symbol.name),
            places: places(lines),
        });
    }
    found
}

/// How grave it is that lines led to what went.
pub fn severity(graph: &Graph, one: &Edited, symbol: &Changed, related: &Related<'_>) -> Severity {
    match symbol.kind {
        _ if one.answers_for(symbol) == Answer::Maybe => Severity::Medium,
        // A method may be one that its type takes over from what is not ours, or be called on another type now.
        NodeKind::Method
            if !related.is_unedited && !related.is_of_itself
                || has_unknown_base(graph, &one.file.path, &symbol.name) =>
        {
            Severity::Medium
        }
        _ => Severity::High,
    }
}

/// Whether a line of a method says a member of the object that the method belongs to.
fn says_of_itself(line: &str, head: &str, name: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    // Methods of Go say in their heads what they call it.
    let receiver = head.strip_prefix("func (").and_then(|rest| rest.split([' ', ')']).next());
    let own = ["self", "this", "cls"].into_iter().chain(receiver.filter(|word| !word.is_empty()));
    own.into_iter().any(|word| {
        let said = format!("{word}.{name}");
        line.match_indices(&said).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + said.len()..]);
            !before.ends_with(|c| is_letter(c) || c == '.') && !after.starts_with(is_letter)
        })
    })
}

/// Whether a type below the one that a member went from has one of its name: then it may be meant.
fn is_below(graph: &Graph, before: &Graph, member: NodeIx) -> bool {
    let owner = before.owner(member).and_then(|ix| graph.node_by_id(before.node(ix).id()));
    let name = before.node(member).label();
    let below = owner.map_or_else(Vec::new, |owner| heirs(graph, owner));
    below.into_iter().any(|ty| graph.members(ty).iter().any(|&ix| graph.node(ix).label() == name))
}

/// Whether the file that something went from still gives its name to something, or the language does.
fn survives(graph: &Graph, edited: &[Edited], one: &Edited, symbol: &Changed, name: &str) -> bool {
    let family = languages::of_path(&one.file.path).map_or("", |language| language.family);
    if builtins::has(family, name) || one.answers_for(symbol) == Answer::Yes {
        return true;
    }
    if removed::is_field_now(graph, one, symbol, name) {
        return true;
    }
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
    let shares_names = matches!(family, "go" | "c" | "java" | "kotlin" | "csharp" | "swift");
    let is_home = |other: &&Edited| {
        other.file.path == one.file.path || shares_names && folder(&other.file.path) == folder(&one.file.path)
    };
    edited.iter().filter(is_home).any(|home| {
        let Some(new) = &home.texts.1 else { return false };
        let is_bound = || {
            let bound = imported::bound(&home.file.path, new, name).unwrap_or_default();
            // What a module within the file imports, as that of its tests, holds there alone.
            let is_imported = || {
                let imports = imported::written(&home.file.path, new).unwrap_or_default();
                imports.iter().any(|import| import.bind == name && import.within.is_none())
            };
            bound.is_made_here || home.file.path == one.file.path && is_imported()
        };
        !symbol.name.contains('.') && is_bound() || {
            let text = String::from_utf8_lossy(new);
            let mut lines = (1..).zip(text.lines()).filter(|(line, _)| home.touches(*line));
            lines.any(|(_, line)| constants::binds(line, name, family))
        }
    })
}

/// Whether a line stands in the function that a local one stood in.
fn is_within(graph: &Graph, path: &str, name: &str, line: u32) -> bool {
    let Some((outer, _)) = name.rsplit_once('.') else { return true };
    let mut outers = graph.nodes_in(path).filter(|&ix| graph.node(ix).qualified() == outer);
    outers.any(|ix| {
        let (first, last) = graph.node(ix).lines();
        first <= line && line <= last
    })
}

/// Whether the type that a member went from has bases that the graph does not know.
fn has_unknown_base(graph: &Graph, path: &str, member: &str) -> bool {
    let Some((owner, _)) = member.rsplit_once('.') else { return false };
    let Some(node) = graph.nodes_in(path).find(|&ix| graph.node(ix).qualified() == owner) else {
        return false;
    };
    let signature = graph.node(node).signature();
    let bases = graph
        .lineage(node)
        .into_iter()
        .flat_map(|ix| graph.outgoing(ix))
        .filter(|edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements));
    let says_bases = signature.contains('(') || signature.contains(" extends ") || signature.contains(':');
    says_bases && bases.count() == 0
}

/// The line as it stands now, where it still says what it said and leads to nothing of that name.
fn left(
    user: &User<'_>,
    (before, graph): (&Graph, &Graph),
    edge: &Edge<'_>,
    line: u32,
    name: &str,
) -> Option<u32> {
    let today = user.line(line)?;
    let gone = before.node(edge.target).path();
    let is_it = |ix: NodeIx| {
        let now = graph.node(ix);
        // A module of the name is imported as well as anything.
        let is_way = now.path() == gone;
        if edge.kind == EdgeKind::Imports
            && now.kind() == NodeKind::File
            && !is_way
            && folder_files::word(now.path()) == name
        {
            return true;
        }
        now.label() == name
            && (edge.kind == EdgeKind::Imports || stands_for(now.kind(), before.node(edge.target).kind()))
            && !is_twin(before, user.path, gone, now.path())
            && may_take(before.node(edge.target).signature(), now.signature(), now.language(), name)
    };
    if user.certainly_leads_to(today).any(is_it) {
        return None;
    }
    user.still_says(line, name, edge.kind).then_some(today)
}

/// Whether something of a kind can be meant where something of another kind was: nobody calls or reads a module.
fn stands_for(now: NodeKind, was: NodeKind) -> bool {
    now != NodeKind::Module || !(was.is_callable() || was == NodeKind::Constant)
}

fn has_overloads(language: &str) -> bool {
    matches!(language, "java" | "csharp" | "cpp")
}

/// Whether a callable may take the calls of another one of its name. Where several of a name are told apart by what they are given
/// one that takes another number of arguments does not.
fn may_take(gone: &str, now: &str, language: &str, name: &str) -> bool {
    let is_open = |text: &str| text.contains("...") || text.contains('=') || text.contains("vararg");
    !has_overloads(language) || is_open(now) || signature::count(gone, name) == signature::count(now, name)
}

/// Whether the change lets a file take a name from elsewhere.
fn takes_another(user: &User<'_>, name: &str) -> bool {
    let Some((Some(old), Some(new))) = user.edited.map(|one| (&one.texts.0, &one.texts.1)) else {
        return false;
    };
    let from = |text: &[u8]| {
        let bound = imported::bound(user.path, text, name).unwrap_or_default();
        let modules: Vec<Vec<String>> = bound.imports.into_iter().map(|one| one.module).collect();
        (modules, bound.is_made_here)
    };
    let (old, new) = (from(old), from(new));
    // An import that went leaves the name to nobody.
    old != new && (!new.0.is_empty() || new.1)
}
