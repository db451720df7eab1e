//! Statics: methods that are of their type since a change, or of its values, and the calls that go on as before.

use m1nd_graph::NodeKind;
use m1nd_risk::plan::Severity;
use m1nd_risk::signature;

use super::contracts::heirs;
use super::held::Held;
use super::lines::{Lines, places};
use super::signatures::{Shape, Site, Told, untouched};

/// What is told of a method of Java, C# or TypeScript that came or ceased to be static. `known` are lines that certainly called it.
pub(super) fn called_otherwise(shape: &Shape<'_>, held: &mut Held<'_>, known: &[Site<'_>]) -> Option<Told> {
    let graph = shape.graph;
    let is_static = |signature: &str| {
        let before = signature.find(shape.name).map_or(signature, |at| &signature[..at]);
        before.split_whitespace().any(|word| word == "static")
    };
    let [was, is] = shape.heads.map(|head| is_static(&head.signature));
    let owner = graph.owner(shape.node)?;
    let is_known = matches!(shape.language, "java" | "csharp" | "typescript" | "tsx");
    // Java lets a value stand before a method of its type.
    if was == is
        || !is_known
        || is && shape.language == "java"
        || graph.node(shape.node).kind() != NodeKind::Method
    {
        return None;
    }
    let types: Vec<&str> =
        heirs(graph, owner).into_iter().chain([owner]).map(|ix| graph.node(ix).label()).collect();
    let mut lines = Lines::new();
    for &(is_test, path, line) in known {
        let Some(text) = held.text(path) else { continue };
        let calls = signature::calls(shape.language, &text, line, shape.name);
        let [call] = &calls[..] else { continue };
        let Some(of) = call.before.strip_suffix('.') else { continue };
        let from = of.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
        let (outer, word) = (&of[from.saturating_sub(1)..from], &of[from..]);
        let is_of_type = types.contains(&word) && outer != ".";
        // What `this` is, is another thing in a method of the type; and what is called may be the type after all.
        let is_of_value =
            !matches!(word, "" | "this" | "super" | "base") && word.starts_with(char::is_lowercase);
        if is && is_of_value && outer != "." || !is && is_of_type {
            lines.insert((is_test, path, line));
        }
    }
    let what = match is {
        true => "is called on its type now",
        false => "is called on a value now",
    };
    let on = if is { "a value" } else { "the type" };
    let it = if lines.len() == 1 { "calls" } else { "call" };
    (!lines.is_empty()).then(|| Told {
        severity: Severity::High,
        what: format!("{what}, and {} {it} it on {on}", untouched(lines.len())),
        places: places(&lines),
    })
}
