//! Macro made: whether a macro of Rust may make what a file no longer writes down.

use std::collections::BTreeSet;

use m1nd_graph::Graph;
use m1nd_ingest::mentions;

use super::Edited;
use crate::flows::imports::rust::is_derived;

/// Whether a macro that stands where items do is given the name, or the change brought such a macro or a mark that may make items:
/// what they make is written elsewhere.
pub(super) fn may_be(graph: &Graph, one: &Edited, name: &str) -> bool {
    let (path, (Some(old), Some(new))) = (one.file.path.as_str(), &one.texts) else { return false };
    if !path.ends_with(".rs") {
        return false;
    }
    // What stands in a function makes nothing that others see.
    let functions: Vec<(u32, u32)> = graph
        .nodes_in(path)
        .map(|ix| graph.node(ix))
        .filter(|node| node.kind().is_callable())
        .map(|node| node.lines())
        .collect();
    let is_outside = |line: u32| !functions.iter().any(|&(first, last)| (first..=last).contains(&line));
    let said = mentions::of(path, new, name).unwrap_or_default();
    if said.iter().any(|mention| mention.in_macro && is_outside(mention.line)) {
        return true;
    }
    let [old, new] = [old, new].map(|bytes| String::from_utf8_lossy(bytes));
    let had: BTreeSet<&str> = old.lines().map(str::trim).collect();
    let came = (1..).zip(new.lines()).filter(|(line, text)| is_outside(*line) && !had.contains(text.trim()));
    let came: Vec<&str> = came.map(|(_, text)| text.trim()).collect();
    came.iter().any(|line| is_macro_call(line)) || is_derived(&came.join("\n"))
}

/// Whether a line begins with a call of a macro that is not a definition of one.
fn is_macro_call(line: &str) -> bool {
    let Some((name, rest)) = line.split_once('!') else { return false };
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == ':');
    is_name && rest.trim_start().starts_with(['(', '{', '[']) && name != "macro_rules"
}
