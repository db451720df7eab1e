//! Constructors: types that are made otherwise since a change, and the calls that make them as before.

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_risk::plan::Severity;
use m1nd_risk::signature::{self, Call, Taken, takes};

use super::contracts::knows_bases;
use super::fields::{has_known_bases, made_from};
use super::held::Held;
use super::lines::{Lines, places};
use super::users::User;
use super::{Edited, Finding};

/// Bases that are gone up to for a constructor.
const MAX_UP: u32 = 10;
/// Bytes of constructors that are shown.
const LONG: usize = 160;

/// One finding for each type whose constructors came, went or changed and that lines go on making as nobody can any more. `told` are
/// places that were told already.
pub fn unfit(
    held: &mut Held<'_>,
    before: &Graph,
    graph: &Graph,
    edited: &[Edited],
    told: &[Finding],
) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in edited.iter().filter(|one| one.broken.is_none() && one.symbols.is_some()) {
        for ix in graph.nodes_in(&one.file.path) {
            let now = graph.node(ix);
            if !matches!(now.kind(), NodeKind::Class | NodeKind::Struct) {
                continue;
            }
            let is_it = |&was: &NodeIx| {
                let node = before.node(was);
                node.kind() == now.kind() && node.qualified() == now.qualified()
            };
            let Some(was) = before.nodes_in(one.path_before()).find(is_it) else { continue };
            let [old, new] =
                [(before, Time::Before, was), (graph, Time::Now, ix)].map(|(graph, time, ix)| {
                    let mut side = Side { graph, time, held: &mut *held, edited };
                    side.ways(ix, MAX_UP)
                });
            let (Some(old), Some(new)) = (old, new) else { continue };
            if old != new {
                found.extend(left(held, (before, was), (graph, ix), edited, one, (&old, &new), told));
            }
        }
    }
    found
}

/// The lines that made one, fitted and do not any more.
fn left(
    held: &mut Held<'_>,
    (before, was): (&Graph, NodeIx),
    (graph, ix): (&Graph, NodeIx),
    edited: &[Edited],
    one: &Edited,
    (old, new): (&[String], &[String]),
    told: &[Finding],
) -> Option<Finding> {
    let ty = graph.node(ix);
    let (label, language) = (ty.label(), ty.language());
    let mut breaks = Lines::new();
    // A type that has none of its own is made by one of those above it.
    let makers = before.lineage(was).into_iter().flat_map(|ty| {
        let members =
            before.members(ty).into_iter().filter(move |&member| is_constructor(before, ty, member));
        members.collect::<Vec<_>>()
    });
    let asked: Vec<NodeIx> = makers.chain([was]).collect();
    for edge in
        asked.into_iter().flat_map(|ix| before.incoming(ix)).filter(|edge| edge.kind == EdgeKind::Calls)
    {
        let source = before.node(edge.source);
        let Some(user) = User::of(graph, edited, source.path()) else { continue };
        for (line, _) in edge.sites().filter(|(_, evidence)| !evidence.is_inferred()) {
            let is_left = |today: &u32| user.edited.is_none_or(|one| !one.touches(*today));
            let Some(today) = user.line(line).filter(is_left) else { continue };
            // It may make another one of the name.
            let is_other = user.leads_to(today).any(|to| {
                let node = graph.node(to);
                node.kind().is_type() && node.label() == label && to != ix
            });
            let Some(text) = held.text(user.path) else { continue };
            let calls = signature::calls(language, &text, today, label);
            let [call] = &calls[..] else { continue };
            let call = Call { is_of_type: false, ..call.clone() };
            let takes = |ways: &[String]| -> Vec<Taken> {
                ways.iter().map(|way| takes(language, name_of(language, label), way, &call)).collect()
            };
            let (then, now) = (takes(old), takes(new));
            let place = format!("{}:{today}", user.path);
            let is_told =
                told.iter().any(|one| one.kind == "signature_change" && one.places.contains(&place));
            let breaks_now = then.contains(&Taken::Yes) && now.iter().all(|taken| *taken == Taken::No);
            if breaks_now && !is_other && !is_told && makes(language, &call) {
                breaks.insert((source.flags().has(NodeFlags::TEST_CODE), user.path, today));
            }
        }
    }
    if breaks.is_empty() {
        return None;
    }
    let still = match breaks.len() {
        1 => "1 line that was not touched makes".to_owned(),
        count => format!("{count} lines that were not touched make"),
    };
    let [was, is] = signature::shown(&old.join(" or "), &new.join(" or "), LONG);
    let line = graph
        .members(ix)
        .into_iter()
        .find(|&member| is_constructor(graph, ix, member) && graph.node(member).path() == ty.path())
        .map_or(ty.lines().0, |member| graph.node(member).lines().0);
    Some(Finding {
        kind: "signature_change",
        severity: Severity::High.name(),
        at: format!("{}:{line}", one.file.path),
        message: format!(
            "{}: {still} one as no constructor takes it any more. Was: {was}. Is: {is}",
            ty.qualified()
        ),
        places: places(&breaks),
    })
}

/// What the constructors of a language are called by those that declare them.
fn name_of<'n>(language: &str, label: &'n str) -> &'n str {
    match language {
        "python" => "__init__",
        "typescript" | "tsx" => "constructor",
        _ => label,
    }
}

/// Whether a call makes a value, rather than declaring or extending something.
fn makes(language: &str, call: &Call) -> bool {
    let before = call.before.trim_end_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'));
    let is_qualified = call.before.ends_with('.');
    let before = if is_qualified { before } else { call.before.as_str() };
    match language {
        "python" => !before.trim_end().ends_with("class"),
        _ => before.trim_end().ends_with("new") || is_qualified && call.before.trim_end().ends_with("new."),
    }
}

fn is_constructor(graph: &Graph, ty: NodeIx, member: NodeIx) -> bool {
    let (ty, member) = (graph.node(ty), graph.node(member));
    member.kind().is_callable() && member.label() == name_of(ty.language(), ty.label())
}

/// Which of both states is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Time {
    Before,
    Now,
}

/// A state with its files.
struct Side<'s, 'h> {
    graph: &'s Graph,
    time: Time,
    held: &'s mut Held<'h>,
    edited: &'s [Edited],
}

impl Side<'_, '_> {
    /// All that makes a type, as signatures; nothing where something that is not written there may.
    fn ways(&mut self, ty: NodeIx, up: u32) -> Option<Vec<String>> {
        let graph = self.graph;
        let node = graph.node(ty);
        let (label, language) = (node.label(), node.language());
        let mut own: Vec<String> = graph
            .members(ty)
            .into_iter()
            .filter(|&member| is_constructor(graph, ty, member))
            .map(|member| graph.node(member).signature().to_owned())
            .collect();
        if own.iter().any(|signature| signature.ends_with('…')) || node.signature().ends_with('…') {
            return None;
        }
        let mut words = node.signature().split(|c: char| !c.is_alphanumeric());
        let mut is_one_of = |wanted: &[&str]| words.any(|word| wanted.contains(&word));
        match language {
            "java" => {
                if self.text(node.path())?.contains("lombok") || node.kind() != NodeKind::Class {
                    return None;
                }
                // What a record is made of stands in its head; a constructor without a list belongs to that.
                own.retain(|signature| signature::count(signature, label).is_some());
                let is_record = is_one_of(&["record"]);
                match (signature::count(node.signature(), label).filter(|_| is_record), own.is_empty()) {
                    (Some(_), _) => own.push(node.signature().to_owned()),
                    (None, true) => own.push(format!("{label}()")),
                    (None, false) => {}
                }
                own.sort();
                Some(own)
            }
            "csharp" => {
                if is_one_of(&["partial", "record", "static"]) || node.signature().contains('(') {
                    return None;
                }
                if own.is_empty() || node.kind() == NodeKind::Struct {
                    own.push(format!("{label}()"));
                }
                own.sort();
                Some(own)
            }
            "typescript" | "tsx" => match own.len() {
                // Of several only the first ones can be called.
                2.. => None,
                1 => Some(own),
                _ if !knows_bases(graph, ty) => None,
                _ => self.inherited(ty, up, "constructor()"),
            },
            "python" => {
                let head = node.signature();
                let has = |name: &str| graph.members(ty).iter().any(|&ix| graph.node(ix).label() == name);
                if has("__new__") || head.contains("metaclass") || !has_known_bases(graph, ty) {
                    return None;
                }
                let text = self.text(node.path())?;
                match (made_from(&text, &node), own.len()) {
                    (Some(ways), _) => ways.map(|way| vec![way]),
                    (None, 1) if !self.is_marked(ty) => Some(own),
                    (None, 0) => self.inherited(ty, up, "def __init__(self)"),
                    (None, _) => None,
                }
            }
            _ => None,
        }
    }

    /// What makes the bases, where that is the same of all, or what makes a type without one.
    fn inherited(&mut self, ty: NodeIx, up: u32, implicit: &str) -> Option<Vec<String>> {
        let bases: Vec<NodeIx> = self.graph.targets(ty, EdgeKind::Inherits).collect();
        let Some((&first, others)) = bases.split_first() else { return Some(vec![implicit.to_owned()]) };
        let ways = self.ways(first, up.checked_sub(1)?)?;
        others.iter().all(|&base| self.ways(base, up - 1).as_ref() == Some(&ways)).then_some(ways)
    }

    /// Whether something stands above a constructor of Python that may change what it takes.
    fn is_marked(&mut self, ty: NodeIx) -> bool {
        let graph = self.graph;
        let Some(member) = graph.members(ty).into_iter().find(|&member| is_constructor(graph, ty, member))
        else {
            return false;
        };
        let node = graph.node(member);
        let Some(text) = self.text(node.path()) else { return true };
        let first = text.lines().nth((node.lines().0 as usize).saturating_sub(1)).unwrap_or_default();
        let above = text.lines().nth((node.lines().0 as usize).saturating_sub(2)).unwrap_or_default();
        [first, above].iter().any(|line| line.trim_start().starts_with('@'))
    }

    fn text(&mut self, path: &str) -> Option<String> {
        let old = match self.time {
            Time::Before => self.edited.iter().find(|one| one.path_before() == path),
            Time::Now => None,
        };
        match old {
            Some(one) => one.texts.0.as_deref().map(|old| String::from_utf8_lossy(old).into_owned()),
            None => self.held.text(path).map(|text| text.into_owned()),
        }
    }
}
