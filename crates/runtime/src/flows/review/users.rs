//! Users: files that used something before a change, as they are after it.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_graph::{EdgeKind, Graph, NodeIx};
use m1nd_ingest::{history, imported};
use m1nd_risk::blast::DEPENDS;

use super::Edited;

/// A file of before, as it is now.
pub(super) struct User<'g> {
    /// Where it is now.
    pub path: &'g str,
    /// What the change did to it.
    pub edited: Option<&'g Edited>,
    now: Targets,
    moved: Option<Moved>,
}

/// What lines lead to, and whether that is certain.
pub(super) type Targets = BTreeMap<u32, Vec<(NodeIx, bool)>>;

impl<'g> User<'g> {
    /// Nothing where the file is no more.
    pub(super) fn of(graph: &Graph, edited: &'g [Edited], path: &'g str) -> Option<Self> {
        let edited = edited.iter().find(|one| one.path_before() == path);
        let today = edited.map_or(path, |one| one.file.path.as_str());
        graph.node_by_path(today)?;
        let moved = edited.map(|one| Moved::of(one.texts.0.as_deref(), one.texts.1.as_deref()));
        Some(Self { path: today, edited, now: targets(graph, today), moved })
    }

    /// Where a line stands now; nothing where no line says what it said.
    pub(super) fn line(&self, line: u32) -> Option<u32> {
        match &self.moved {
            Some(moved) => moved.line(line),
            None => Some(line),
        }
    }

    /// What a line of before said; nothing where the change left the file alone.
    pub(super) fn said(&self, line: u32) -> Option<&str> {
        let at = (line as usize).checked_sub(1)?;
        self.moved.as_ref()?.then.get(at).map(String::as_str)
    }

    /// Whether a line of before that stands there still may say a name: a statement may stand on more lines than the one that is known
    /// of it, and the change may have touched those.
    pub(super) fn still_says(&self, line: u32, name: &str, kind: EdgeKind) -> bool {
        let Some(one) = self.edited else { return true };
        let is_imported = || {
            let bound = one.texts.1.as_deref().and_then(|new| imported::bound(self.path, new, name));
            bound.is_none_or(|bound| !bound.imports.is_empty())
        };
        self.said(line).is_some_and(|text| says(text, name)) || kind == EdgeKind::Imports && is_imported()
    }

    /// What a line of today leads to.
    pub(super) fn leads_to(&self, today: u32) -> impl Iterator<Item = NodeIx> {
        self.now.get(&today).into_iter().flatten().map(|&(node, _)| node)
    }

    /// The same without guesses.
    pub(super) fn certainly_leads_to(&self, today: u32) -> impl Iterator<Item = NodeIx> {
        let all = self.now.get(&today).into_iter().flatten();
        all.filter(|(_, is_certain)| *is_certain).map(|&(node, _)| node)
    }
}

/// Whether a line says a name as a word.
fn says(line: &str, name: &str) -> bool {
    line.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|word| word == name)
}

/// What the lines of a file lead to.
pub(super) fn targets(graph: &Graph, path: &str) -> Targets {
    let mut found = Targets::new();
    for node in graph.nodes_in(path) {
        for edge in graph.outgoing(node).filter(|edge| DEPENDS.contains(&edge.kind)) {
            for (line, evidence) in edge.sites() {
                found.entry(line).or_default().push((edge.target, !evidence.is_inferred()));
            }
        }
    }
    found
}

/// Where the lines of an earlier text stand now.
struct Moved {
    then: Vec<String>,
    /// Of each line of then, where it was left standing.
    kept: Vec<Option<u32>>,
    /// The lines that came, by what they say.
    came: BTreeMap<String, Vec<u32>>,
}

impl Moved {
    fn of(then: Option<&[u8]>, now: Option<&[u8]>) -> Self {
        let (then, now) = (then.unwrap_or_default(), now.unwrap_or_default());
        let lines = |text: &[u8]| -> Vec<String> {
            let text = String::from_utf8_lossy(text);
            text.lines().map(|line| line.trim().to_owned()).collect()
        };
        let kept = history::kept(then, now);
        let stayed: BTreeSet<u32> = kept.iter().copied().flatten().collect();
        let mut came: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (at, line) in (1..).zip(lines(now)).filter(|(at, _)| !stayed.contains(at)) {
            came.entry(line).or_default().push(at);
        }
        Self { then: lines(then), kept, came }
    }

    /// Of several lines that came and say the same, the nearest.
    fn line(&self, line: u32) -> Option<u32> {
        let at = (line as usize).checked_sub(1)?;
        if let Some(now) = self.kept.get(at)? {
            return Some(*now);
        }
        self.came.get(self.then.get(at)?)?.iter().copied().min_by_key(|&now| now.abs_diff(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_again_where_they_moved_to() {
        let then = Some(b"a\nb\na\n".as_slice());
        let moved = Moved::of(then, Some(b"x\na\nx\nx\n  b\n".as_slice()));
        // One of two stayed, one went, and one came back elsewhere.
        assert_eq!([1, 2, 3, 4].map(|line| moved.line(line)), [Some(2), Some(5), None, None]);
    }
}
