//! Ghosts: files that change together without a relation in the code, shown with how often.

use m1nd_graph::{Graph, Node, NodeIx, NodeKind};
use m1nd_ingest::history::LogEntry;
use m1nd_recall::engines::ghosts::{files_with_partners, ghosts};
use m1nd_stdx::round::round2;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::survey::is_within;

/// Fewer common changes are chance.
const MIN_TIMES: u32 = 3;
/// A commit that changes more files than this was one sweep over them, which says nothing about any two.
const MAX_FILES: usize = 20;

/// A relation that only the history knows.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct GhostEdge {
    pub source: String,
    pub target: String,
    /// Commits of at most 20 files that changed both.
    pub co_changes: u32,
    /// How often one changes when the other does: 0 to 1.
    pub strength: f64,
}

/// Ghost edges with at least one end in a scope.
pub fn within(graph: &Graph, log: &[LogEntry], scope: &str, depth: usize) -> Vec<GhostEdge> {
    let files: Vec<NodeIx> = files_with_partners(graph)
        .into_iter()
        .filter(|&file| is_within(graph.node(file).path(), scope))
        .collect();
    of_files(graph, log, &files, depth)
}

/// Whether any file of a scope is parsed.
pub fn has_parsed(graph: &Graph, scope: &str) -> bool {
    let is_parsed = |node: &Node<'_>| node.kind() == NodeKind::File && !node.language().is_empty();
    graph.nodes().any(|node| is_parsed(&node) && is_within(node.path(), scope))
}

/// Ghost edges of some files: the strongest habit first, one of many commits before one of a few that is as strong.
pub(super) fn of_files(graph: &Graph, log: &[LogEntry], files: &[NodeIx], depth: usize) -> Vec<GhostEdge> {
    // Of files that are not parsed no relation is known, and that a lock file changes with its manifest is no news.
    let parsed = |node: NodeIx| !graph.node(node).language().is_empty();
    let path = |node: NodeIx| graph.node(node).path();
    let secret = ghosts(graph, files, depth).into_iter();
    let secret = secret.filter(|&(one, other)| parsed(one) && parsed(other));
    let pairs: Vec<(&str, &str)> = secret.map(|(one, other)| (path(one), path(other))).collect();
    let habits = Habits::of(log, &pairs);
    let mut found: Vec<(f64, GhostEdge)> = pairs
        .into_iter()
        .map(|pair| (habits.together(pair), pair))
        .filter(|&(times, _)| times >= MIN_TIMES)
        .map(|(times, pair)| {
            let strength = habits.strength(times, pair);
            let (source, target) = (pair.0.to_owned(), pair.1.to_owned());
            let edge = GhostEdge { source, target, co_changes: times, strength: round2(strength) };
            (strength * f64::from(times).ln_1p(), edge)
        })
        .collect();
    found.sort_by(|(a, one), (b, other)| {
        b.total_cmp(a).then_with(|| (&one.source, &one.target).cmp(&(&other.source, &other.target)))
    });
    found.into_iter().map(|(_, edge)| edge).collect()
}

/// How often files changed, alone and together, in commits that were about them.
struct Habits<'a> {
    alone: FxHashMap<&'a str, u32>,
    together: FxHashMap<(&'a str, &'a str), u32>,
}

impl<'a> Habits<'a> {
    fn of(log: &[LogEntry], pairs: &[(&'a str, &'a str)]) -> Self {
        let mut alone: FxHashMap<&str, u32> = pairs.iter().flat_map(|&(a, b)| [(a, 0), (b, 0)]).collect();
        let mut together: FxHashMap<(&str, &str), u32> = pairs.iter().map(|&pair| (pair, 0)).collect();
        let mut here: Vec<&str> = Vec::new();
        for entry in log.iter().filter(|entry| entry.files.len() <= MAX_FILES) {
            here.clear();
            for file in &entry.files {
                if let Some((&path, _)) = alone.get_key_value(file.as_str()) {
                    here.push(path);
                }
            }
            for (at, one) in here.iter().enumerate() {
                *alone.entry(one).or_default() += 1;
                for other in &here[at + 1..] {
                    for pair in [(*one, *other), (*other, *one)] {
                        if let Some(times) = together.get_mut(&pair) {
                            *times += 1;
                        }
                    }
                }
            }
        }
        Self { alone, together }
    }

    fn together(&self, pair: (&str, &str)) -> u32 {
        self.together.get(&pair).copied().unwrap_or_default()
    }

    /// The geometric mean of both shares.
    fn strength(&self, times: u32, (one, other): (&str, &str)) -> f64 {
        let all = |path: &str| f64::from(self.alone.get(path).copied().unwrap_or_default().max(1));
        f64::from(times) / (all(one) * all(other)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use m1nd_stdx::clock::UnixMs;

    use super::*;

    fn entry(files: &[&str]) -> LogEntry {
        let files = files.iter().map(|&file| file.to_owned()).collect();
        LogEntry { time: UnixMs(1), author: "ann".into(), message: "change".into(), files }
    }

    #[test]
    fn a_sweep_over_many_files_is_no_habit_of_two_of_them() {
        let names: Vec<String> = (0..MAX_FILES + 1).map(|n| format!("f{n:02}")).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let log = [entry(&all), entry(&all[..MAX_FILES]), entry(&["f00", "f01"]), entry(&["f01"])];
        let habits = Habits::of(&log, &[("f01", "f00"), ("f00", "f20")]);
        assert_eq!((habits.together(("f01", "f00")), habits.together(("f00", "f20"))), (2, 0));
        assert_eq!(habits.strength(2, ("f01", "f00")), 2.0 / 6f64.sqrt());
    }
}
