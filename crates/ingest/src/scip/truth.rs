//! How true the call edges of a graph are, measured against a compiler's index.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use m1nd_graph::{EdgeKind, Evidence, Graph, NodeIx};

use super::{Callables, Index};

/// Call edges between functions, compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Truth {
    /// Call edges the compiler sees.
    pub true_edges: usize,
    /// Of those, edges whose target is no node of the graph.
    pub unknown_targets: usize,
    /// `resolved` edges of the graph within the files the index covers.
    pub resolved: usize,
    /// Of those, edges the compiler sees too.
    pub resolved_true: usize,
    pub inferred: usize,
    pub inferred_true: usize,
    /// Resolved edges the compiler does not see: caller, target, line.
    pub wrong: Vec<(String, String, u32)>,
    /// Edges only the compiler sees: caller, target, line.
    pub missed: Vec<(String, String, u32)>,
}

impl Truth {
    /// Share of `resolved` edges that are right.
    pub fn precision(&self) -> f64 {
        ratio(self.resolved_true, self.resolved)
    }

    /// Share of the compiler's edges found as `resolved`.
    pub fn recall(&self) -> f64 {
        ratio(self.resolved_true, self.true_edges)
    }

    /// Share of the compiler's edges found on any evidence.
    pub fn recall_with_inferred(&self) -> f64 {
        ratio(self.resolved_true + self.inferred_true, self.true_edges)
    }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

/// Compares function-level call edges.
///
/// A true edge is a reference to a function, written as a call, inside a function. Constructors are left
/// out: indexes refer to the class there, not to the function that runs. So are functions that the index
/// gives the same name as others, because a reference to them does not say which is meant. `source` gives
/// a file's bytes.
pub fn measure(graph: &Graph, index: &Index, source: impl Fn(&str) -> Option<Vec<u8>>) -> Truth {
    let callables = Callables::of(graph);
    let mut texts: FxHashMap<&str, Vec<Vec<u8>>> = FxHashMap::default();
    for path in &index.files {
        let bytes = source(path).unwrap_or_default();
        texts.insert(path, bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect());
    }
    let mut truth = Truth::default();
    let mut homonyms: BTreeSet<NodeIx> = BTreeSet::new();
    for places in index.definitions.values().filter(|places| places.len() > 1) {
        for place in places {
            let name = slice(&texts, &place.path, place.line, place.columns).unwrap_or_default();
            homonyms.extend(callables.named(graph, &place.path, place.line, &name));
        }
    }
    let mut seen: BTreeMap<(NodeIx, NodeIx), u32> = BTreeMap::new();
    let mut referred: BTreeSet<(NodeIx, NodeIx)> = BTreeSet::new();
    let mut unknown: BTreeSet<(NodeIx, &str)> = BTreeSet::new();
    for reference in &index.references {
        let Some([definition]) = index.definitions.get(&reference.symbol).map(Vec::as_slice) else {
            continue;
        };
        let at = &reference.at;
        let Some(caller) = callables.around(&at.path, at.line) else {
            continue;
        };
        let Some(name) = slice(&texts, &definition.path, definition.line, definition.columns) else {
            continue;
        };
        let is_call = followed_by_call(&texts, &at.path, at.line, at.columns.1);
        match callables.named(graph, &definition.path, definition.line, &name) {
            Some(target) => {
                if is_constructor(&name) || homonyms.contains(&target) {
                    continue;
                }
                referred.insert((caller, target));
                if is_call {
                    seen.entry((caller, target)).or_insert(at.line);
                }
            }
            None if is_call && reference.symbol.ends_with("().") && !is_constructor(&name) => {
                unknown.insert((caller, &reference.symbol));
            }
            None => {}
        }
    }
    truth.true_edges = seen.len() + unknown.len();
    truth.unknown_targets = unknown.len();
    let covered: BTreeSet<&str> = index.files.iter().map(String::as_str).collect();
    let mut found = BTreeSet::new();
    for edge in graph.edges().filter(|edge| edge.kind == EdgeKind::Calls) {
        let (source, target) = (graph.node(edge.source), graph.node(edge.target));
        let inside = covered.contains(source.path()) && covered.contains(target.path());
        let functions = source.kind().is_callable() && target.kind().is_callable();
        let told = !is_constructor(target.label()) && !homonyms.contains(&edge.target);
        if !inside || !functions || !told {
            continue;
        }
        let right = seen.contains_key(&(edge.source, edge.target));
        if right {
            found.insert((edge.source, edge.target));
        }
        if let Evidence::Inferred { .. } = edge.evidence {
            truth.inferred += 1;
            truth.inferred_true += usize::from(right);
            continue;
        }
        // The compiler sees the reference, only not in the form of a call (a decorator, a component).
        if !right && referred.contains(&(edge.source, edge.target)) {
            continue;
        }
        truth.resolved += 1;
        truth.resolved_true += usize::from(right);
        if !right {
            let line = edge.lines.first().copied().unwrap_or(0);
            truth
                .wrong
                .push((source.id().to_owned(), target.id().to_owned(), line));
        }
    }
    for ((caller, target), line) in seen {
        if !found.contains(&(caller, target)) {
            truth.missed.push((
                graph.node(caller).id().to_owned(),
                graph.node(target).id().to_owned(),
                line,
            ));
        }
    }
    for (caller, symbol) in unknown {
        truth
            .missed
            .push((graph.node(caller).id().to_owned(), symbol.to_owned(), 0));
    }
    truth
}

fn is_constructor(name: &str) -> bool {
    matches!(name, "__init__" | "__new__" | "constructor")
}

fn slice(
    texts: &FxHashMap<&str, Vec<Vec<u8>>>,
    path: &str,
    line: u32,
    columns: (u32, u32),
) -> Option<String> {
    let line = texts.get(path)?.get(line as usize - 1)?;
    let text = String::from_utf8_lossy(line);
    let skip = columns.0 as usize;
    Some(
        text.chars()
            .skip(skip)
            .take((columns.1 as usize).saturating_sub(skip))
            .collect(),
    )
}

/// Whether what stands after a name calls it: `(`, `::<…>(`, `<…>(`, `?.(`.
fn followed_by_call(texts: &FxHashMap<&str, Vec<Vec<u8>>>, path: &str, line: u32, column: u32) -> bool {
    let Some(lines) = texts.get(path) else {
        return false;
    };
    let first = lines
        .get(line as usize - 1)
        .map(|l| String::from_utf8_lossy(l))
        .unwrap_or_default();
    let mut rest: String = first.chars().skip(column as usize).collect();
    if rest.trim().is_empty() {
        let next = lines
            .get(line as usize)
            .map(|l| String::from_utf8_lossy(l))
            .unwrap_or_default();
        rest = next.into_owned();
    }
    let rest = rest.trim_start();
    let rest = rest
        .strip_prefix("::")
        .or_else(|| rest.strip_prefix("?."))
        .unwrap_or(rest);
    if rest.starts_with('<') {
        let mut depth = 0;
        for (at, c) in rest.char_indices() {
            match c {
                '<' => depth += 1,
                '>' => depth -= 1,
                ';' | '{' => return false,
                _ => {}
            }
            if depth == 0 {
                return rest[at + 1..].trim_start().starts_with('(');
            }
        }
        // The closing bracket is on a later line.
        return true;
    }
    rest.starts_with('(')
}
