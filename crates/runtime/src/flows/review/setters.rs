//! Setters: properties of Python that cannot be set any more, and the lines that certainly set them.

use std::collections::BTreeSet;

use m1nd_graph::{Graph, NodeIx};
use m1nd_risk::plan::Severity;

use super::contracts::heirs;
use super::fields::{has_known_bases, said_of};
use super::held::Held;
use super::lines::MAX_PLACES;
use super::{Edited, Finding};

/// A property whose setter went.
pub(crate) struct Lost {
    /// Its class, as it is called in its file, and its name.
    pub class: String,
    pub name: String,
    /// Where it is read from now.
    pub at: (String, u32),
    /// Lines that set it.
    pub lines: Vec<(String, u32)>,
}

/// A file in both of its states.
pub(crate) struct States<'f> {
    pub path_before: &'f str,
    pub path: &'f str,
    pub old: &'f [u8],
    pub new: &'f [u8],
}

/// What a change left without a setter, where somebody sets it.
pub(super) fn still_set(
    held: &mut Held<'_>,
    before: &Graph,
    graph: &Graph,
    edited: &[Edited],
) -> Vec<Finding> {
    let states = edited.iter().filter_map(|one| {
        let (old, new) = (one.texts.0.as_deref()?, one.texts.1.as_deref()?);
        Some(States { path_before: one.path_before(), path: &one.file.path, old, new })
    });
    let found = lost(held, before, graph, states).into_iter().map(|one| Finding {
        kind: "removed_but_used",
        severity: Severity::High.name(),
        at: format!("{}:{}", one.at.0, one.at.1),
        message: match one.lines.len() {
            1 => format!("{}.{} cannot be set any more, and 1 line still sets it", one.class, one.name),
            count => {
                format!("{}.{} cannot be set any more, and {count} lines still set it", one.class, one.name)
            }
        },
        places: one.lines.iter().take(MAX_PLACES).map(|(path, line)| format!("{path}:{line}")).collect(),
    });
    found.collect()
}

/// The same of any files.
pub(crate) fn lost<'f>(
    held: &mut Held<'_>,
    before: &Graph,
    graph: &Graph,
    files: impl Iterator<Item = States<'f>>,
) -> Vec<Lost> {
    let mut found = Vec::new();
    for file in files.filter(|file| file.path.ends_with(".py")) {
        let [old, new] = [file.old, file.new].map(String::from_utf8_lossy);
        if !old.contains(".setter") {
            continue;
        }
        let has = accessors(graph, file.path, &new);
        for (class, name) in accessors(before, file.path_before, &old).settable {
            if has.settable.contains(&(class.clone(), name.clone())) {
                continue;
            }
            let Some(&(_, _, line)) = has.read.iter().find(|one| (&one.0, &one.1) == (&class, &name)) else {
                continue;
            };
            let Some(owner) = graph
                .nodes_in(file.path)
                .find(|&ix| graph.node(ix).kind().is_type() && graph.node(ix).qualified() == class)
            else {
                continue;
            };
            let lines = set_in(held, graph, owner, &name);
            if !lines.is_empty() {
                found.push(Lost { class, name, at: (file.path.to_owned(), line), lines });
            }
        }
    }
    found
}

/// Lines that certainly set a property of a class; nothing where it may have it from elsewhere, too.
fn set_in(held: &mut Held<'_>, graph: &Graph, owner: NodeIx, name: &str) -> Vec<(String, u32)> {
    let has = |ix: NodeIx| graph.members(ix).iter().any(|&member| graph.node(member).label() == name);
    let bases: Vec<NodeIx> = graph.lineage(owner).into_iter().filter(|&ix| ix != owner).collect();
    let is_known = bases.iter().chain([&owner]).all(|&ix| has_known_bases(graph, ix));
    let text = held.text(graph.node(owner).path()).map(|text| text.into_owned()).unwrap_or_default();
    if !is_known || bases.into_iter().any(has) || text.contains("__setattr__") {
        return Vec::new();
    }
    let below = heirs(graph, owner).into_iter().filter(|&heir| !has(heir) && has_known_bases(graph, heir));
    let family: Vec<NodeIx> = [owner].into_iter().chain(below).collect();
    let said = said_of(held, graph, owner, &family, &["self"], name);
    let mut found = Vec::new();
    for (path, line) in said {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        if is_set(&held.line(&path, line), name) {
            found.push((path, line));
        }
    }
    found
}

/// Whether a line gives a member a value.
fn is_set(line: &str, name: &str) -> bool {
    let said = format!(".{name}");
    line.match_indices(&said).any(|(at, _)| {
        let rest = line[at + said.len()..].trim_start();
        let by = rest.trim_start_matches(['+', '-', '*', '/', '%', '|', '&', '^', '@', '<', '>']);
        by.starts_with('=') && !rest.starts_with("==") && !rest.starts_with(">=") && !rest.starts_with("<=")
    })
}

/// The properties of a file, each with its class and name.
#[derive(Default)]
struct Accessors {
    settable: BTreeSet<(String, String)>,
    /// Plain properties, with the line of each.
    read: Vec<(String, String, u32)>,
}

fn accessors(graph: &Graph, path: &str, text: &str) -> Accessors {
    let mut found = Accessors::default();
    let mut marks: Vec<&str> = Vec::new();
    for (number, line) in (1_u32..).zip(text.lines()) {
        let line = line.trim();
        if let Some(mark) = line.strip_prefix('@') {
            marks.push(mark.split(['#', '(']).next().unwrap_or(mark).trim());
            continue;
        }
        if let Some(rest) = line.strip_prefix("def ")
            && !marks.is_empty()
        {
            let name = rest.split('(').next().unwrap_or(rest).trim();
            let around = |ix: &NodeIx| {
                let (first, last) = graph.node(*ix).lines();
                graph.node(*ix).kind().is_type() && (first..=last).contains(&number)
            };
            let class = graph.nodes_in(path).filter(around).max_by_key(|&ix| graph.node(ix).lines().0);
            if let Some(class) = class.map(|ix| graph.node(ix).qualified().to_owned()) {
                if marks.iter().any(|mark| mark.strip_suffix(".setter") == Some(name)) {
                    found.settable.insert((class, name.to_owned()));
                } else if marks.contains(&"property") {
                    found.read.push((class, name.to_owned(), number));
                }
            }
        }
        if !line.is_empty() {
            marks.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::is_set;

    #[test]
    fn what_gives_a_value_is_told_from_what_compares() {
        for line in ["box.size = 1", "self.size += 2", "a.size=b"] {
            assert!(is_set(line, "size"), "{line}");
        }
        for line in ["box.size == 1", "box.size >= 1", "print(box.size)", "f(x=box.size)", "box.sizes = 1"] {
            assert!(!is_set(line, "size"), "{line}");
        }
    }
}
