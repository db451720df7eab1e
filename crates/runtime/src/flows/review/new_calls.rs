//! New calls: calls that a change wrote and that what they call does not take.

use m1nd_graph::change::How;
use m1nd_graph::{EdgeKind, Graph, NodeIx, NodeKind};
use m1nd_risk::plan::Severity;
use m1nd_risk::signature::{self, Call, Taken, takes};

use super::held::Held;
use super::lines::cut;
use super::{Edited, Finding};

/// Bytes of a signature that are shown.
const LONG: usize = 160;
/// Findings that are told: more of them are one misunderstanding.
pub(super) const MAX_FOUND: usize = 20;
/// Lines above a call that may say that it is meant to fail.
const ABOVE: u32 = 3;
/// Lines that are looked through for what cannot be counted.
const AHEAD: u32 = 6;
/// Lines above a definition that decorate it.
const MARKS: u32 = 4;

/// One finding for each line that the change wrote and that calls something certain with what it does not take.
pub fn unfit(held: &mut Held<'_>, graph: &Graph, edited: &[Edited]) -> Vec<Finding> {
    let mut found = Vec::new();
    for one in readable(edited) {
        let path = one.file.path.as_str();
        let mut calls: Vec<(u32, NodeIx)> = Vec::new();
        for node in graph.nodes_in(path) {
            for edge in graph.outgoing(node).filter(|edge| edge.kind == EdgeKind::Calls) {
                let sites =
                    edge.sites().filter(|(line, evidence)| !evidence.is_inferred() && one.touches(*line));
                calls.extend(sites.map(|(line, _)| (line, edge.target)));
            }
        }
        calls.sort_unstable();
        calls.dedup();
        for &(line, target) in &calls {
            let is_alike = |&(other, to): &(u32, NodeIx)| {
                other == line && to != target && graph.node(to).label() == graph.node(target).label()
            };
            if !calls.iter().any(is_alike) && does_not_take(held, graph, path, line, target) {
                found.push(refused(graph, path, line, target));
            }
        }
    }
    cut(&mut found, MAX_FOUND);
    found
}

/// Decorators of the standard library by which a function goes on taking what it says.
const LEAVE_PARAMETERS: [&str; 9] = [
    "staticmethod",
    "classmethod",
    "abstractmethod",
    "cache",
    "lru_cache",
    "contextmanager",
    "asynccontextmanager",
    "override",
    "final",
];

/// The files that a change left there and that can be read.
pub(super) fn readable(edited: &[Edited]) -> impl Iterator<Item = &Edited> {
    edited.iter().filter(|one| one.file.how != How::Deleted && one.broken.is_none())
}

/// A line calls something with what that does not take.
pub(super) fn refused(graph: &Graph, path: &str, line: u32, target: NodeIx) -> Finding {
    let node = graph.node(target);
    let [_, shown] = signature::shown("", node.signature(), LONG);
    Finding {
        kind: "signature_change",
        severity: Severity::High.name(),
        at: format!("{path}:{line}"),
        message: format!("{} does not take what this call gives: {shown}", node.qualified()),
        places: vec![format!("{}:{}", node.path(), node.lines().0)],
    }
}

/// Whether the only call of a name on a line certainly does not fit.
fn does_not_take(held: &mut Held<'_>, graph: &Graph, path: &str, line: u32, target: NodeIx) -> bool {
    let node = graph.node(target);
    let language = node.language();
    let is_counted = matches!(language, "python" | "go" | "rust" | "java" | "typescript" | "tsx");
    let is_callable = matches!(node.kind(), NodeKind::Function | NodeKind::Method);
    let written = node.signature();
    let is_declared = is_declared_as(written, node.label());
    if !is_counted || !is_callable || is_declared || written.ends_with('…') || written.contains("(this") {
        return false;
    }
    // Of several declarations of one name any may be meant.
    let same = graph.nodes_in(node.path()).filter(|&ix| {
        let other = graph.node(ix);
        other.kind().is_callable() && other.qualified() == node.qualified()
    });
    if same.count() > 1 || is_made_otherwise(held, graph, target) {
        return false;
    }
    let said = match (node.label(), graph.owner(target)) {
        ("__init__" | "constructor", Some(owner)) => graph.node(owner).label(),
        _ => node.label(),
    };
    let lines: Vec<String> = (line..line + AHEAD).map(|line| held.line(path, line)).collect();
    // Commas between the brackets of types, and within strings of several lines, are no places.
    let is_typed = matches!(language, "java" | "typescript" | "tsx");
    let is_unclear = |line: &String| line.contains("\"\"\"") || line.contains("r#\"");
    if lines.iter().any(is_unclear) || is_meant_to_fail(held, path, line) {
        return false;
    }
    let Some(text) = held.text(path) else { return false };
    let calls = signature::calls(language, &text, line, said);
    if !are_of_one(&calls) || is_typed && calls.iter().any(|call| call.has_angles) {
        return false;
    }
    // What runs may be a method below it that takes more.
    let may_take = |ix: NodeIx, call: &Call| {
        let other = graph.node(ix);
        takes(other.language(), other.label(), other.signature(), call) != Taken::No
    };
    calls.iter().any(|call| {
        takes(language, node.label(), written, call) == Taken::No
            && !graph.overriding(target).into_iter().any(|ix| may_take(ix, call))
    })
}

/// Whether all calls of a name on a line are made on the same, so that they mean the same.
pub(super) fn are_of_one(calls: &[Call]) -> bool {
    let said_of = |call: &Call| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '$');
        let before = call.before.as_str();
        let from = before.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
        // What a call gives may be anything.
        let is_known = !before[from..].starts_with('.') && !before.ends_with('>');
        is_known.then(|| before[from..].to_owned())
    };
    match calls {
        [] => false,
        [_] => true,
        [first, rest @ ..] => {
            said_of(first).is_some_and(|of| rest.iter().all(|call| said_of(call).as_ref() == Some(&of)))
        }
    }
}

/// Whether a function of TypeScript is a value whose type is written, and says what it takes.
fn is_declared_as(written: &str, name: &str) -> bool {
    let value = ["const ", "let ", "var "].iter().find_map(|word| written.split_once(word));
    value.and_then(|(_, rest)| rest.strip_prefix(name)).is_some_and(|rest| rest.trim_start().starts_with(':'))
}

/// Whether what is around a definition may change what it takes.
fn is_made_otherwise(held: &mut Held<'_>, graph: &Graph, target: NodeIx) -> bool {
    let node = graph.node(target);
    if node.language() != "python" {
        return false;
    }
    let first = node.lines().0;
    let is_plain = |line: &str| {
        let mark = line.trim().trim_start_matches('@');
        let mark = mark.split('(').next().unwrap_or(mark).rsplit('.').next().unwrap_or(mark);
        LEAVE_PARAMETERS.contains(&mark)
    };
    let mut marks = (first.saturating_sub(MARKS).max(1)..=first).map(|line| held.line(node.path(), line));
    let has_marks = marks.any(|line| line.trim_start().starts_with('@') && !is_plain(&line));
    let is_made = graph.owner(target).is_some_and(|owner| {
        let has_new = graph.members(owner).iter().any(|&ix| graph.node(ix).label() == "__new__");
        has_new || graph.node(owner).signature().contains("metaclass")
    });
    has_marks || node.label() == "__init__" && is_made
}

/// Whether lines above a call say that it must not work.
pub(super) fn is_meant_to_fail(held: &mut Held<'_>, path: &str, line: u32) -> bool {
    let words =
        ["raises", "assertRaises", "@ts-expect-error", "@ts-ignore", "except TypeError", "type: ignore"];
    (line.saturating_sub(ABOVE).max(1)..=line).any(|line| {
        let text = held.line(path, line);
        words.iter().any(|word| text.contains(word))
    })
}
