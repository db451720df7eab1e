//! Connected: the lines of other files that matter to an edit, ranked.

use std::collections::BTreeMap;

use m1nd_graph::{EdgeKind, Graph, NodeFlags, NodeIx};
use m1nd_vfs::Root;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::calls::Files;
use super::context::Target;

/// A file that an edit of the target touches on.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct Connected {
    pub file_path: String,
    /// Of its bytes, for edits of it.
    pub sha256: String,
    /// What connects it.
    pub why: String,
    /// The lines that matter, each as number, tab, text.
    pub excerpt: String,
}

/// Lines shown before and after a call.
const AROUND: u32 = 2;
/// Lines of a definition that is called.
const HEAD: u32 = 5;
/// Lines of one file.
const MAX_LINES: usize = 36;
const MAX_LINE_BYTES: usize = 200;

#[derive(Default)]
struct Links {
    calls: usize,
    /// Lines that name it without calling it.
    uses: usize,
    tests: usize,
    called: usize,
    guesses: usize,
    /// First and last line, and how much it matters.
    spots: Vec<(u32, u32, u8)>,
}

impl Links {
    /// Callers must follow a changed signature; tests show what is expected; what is called is context.
    fn weight(&self) -> usize {
        4 * self.calls.min(10)
            + 3 * self.tests.min(5)
            + 2 * self.uses.min(10)
            + 2 * self.called.min(5)
            + self.guesses.min(3)
    }

    fn why(&self) -> String {
        let some = |count: usize, words: &str| (count > 0).then(|| format!("{count} {words}"));
        let parts = [
            some(self.calls, "calls of it"),
            some(self.uses, "lines that name it"),
            some(self.tests, "calls in tests"),
            some(self.called, "definitions that it calls"),
            some(self.guesses, "relations guessed by name"),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The files that matter most, best first, with their lines that matter; and how many there are. `users` are lines that name the target.
pub fn files(
    root: &Root,
    graph: &Graph,
    target: &Target,
    users: &[(String, u32)],
    most: usize,
) -> (Vec<Connected>, u64) {
    let mut links: BTreeMap<&str, Links> = BTreeMap::new();
    for (path, line) in users.iter().filter(|(path, _)| *path != target.path) {
        let of = links.entry(path).or_default();
        of.uses += 1;
        of.spots.push((line.saturating_sub(AROUND).max(1), line + AROUND, 2));
    }
    for &ix in &target.nodes {
        for edge in graph.incoming(ix).filter(|edge| edge.kind == EdgeKind::Calls) {
            let user = graph.node(edge.source);
            if user.path() == target.path {
                continue;
            }
            let of = links.entry(user.path()).or_default();
            let is_test = user.flags().has(NodeFlags::TEST_CODE);
            for (line, evidence) in edge.sites() {
                let (first, last) = user.lines();
                let around =
                    (line.saturating_sub(AROUND).max(first.max(1)), (line + AROUND).min(last.max(line)));
                let rank = match (evidence.is_inferred(), is_test) {
                    (true, _) => 1,
                    (false, true) => 2,
                    (false, false) => 3,
                };
                of.spots.push((around.0, around.1, rank));
                if first > 0 && first < around.0 {
                    of.spots.push((first, first, rank));
                }
                match rank {
                    1 => of.guesses += 1,
                    2 => of.tests += 1,
                    _ => of.calls += 1,
                }
            }
        }
        for edge in graph.outgoing(ix).filter(|edge| edge.kind == EdgeKind::Calls) {
            called(graph, target, edge.target, edge.evidence.is_inferred(), &mut links);
        }
    }
    let total = links.len() as u64;
    let mut ranked: Vec<(&str, Links)> = links.into_iter().collect();
    ranked.sort_by(|a, b| b.1.weight().cmp(&a.1.weight()).then(a.0.cmp(b.0)));
    let mut texts = Files::of(root);
    let shown = ranked.into_iter().take(most).filter_map(|(path, links)| {
        let file = texts.file(path)?;
        let excerpt = excerpt(&file.text, links.spots.clone());
        Some(Connected { file_path: path.to_owned(), sha256: file.sha256.clone(), why: links.why(), excerpt })
    });
    (shown.collect(), total)
}

fn called<'g>(
    graph: &'g Graph,
    target: &Target,
    ix: NodeIx,
    is_guess: bool,
    links: &mut BTreeMap<&'g str, Links>,
) {
    let node = graph.node(ix);
    let (first, last) = node.lines();
    if node.path() == target.path || first == 0 {
        return;
    }
    let of = links.entry(node.path()).or_default();
    let spot = (first, last.min(first + HEAD), if is_guess { 0 } else { 1 });
    if of.spots.contains(&spot) {
        return;
    }
    of.spots.push(spot);
    if is_guess {
        of.guesses += 1;
    } else {
        of.called += 1;
    }
}

/// The lines of the spots that matter most, in the order of the file.
fn excerpt(text: &str, mut spots: Vec<(u32, u32, u8)>) -> String {
    spots.sort_by(|a, b| b.2.cmp(&a.2).then(a.0.cmp(&b.0)));
    let mut wanted: Vec<u32> = Vec::new();
    for (first, last, _) in spots {
        let new: Vec<u32> = (first..=last).filter(|line| !wanted.contains(line)).collect();
        if wanted.len() + new.len() > MAX_LINES && !wanted.is_empty() {
            continue;
        }
        wanted.extend(new);
    }
    wanted.sort_unstable();
    let lines: Vec<&str> = text.lines().collect();
    let mut out = String::new();
    let mut before = None;
    for number in wanted {
        let Some(line) = lines.get(number as usize - 1) else { continue };
        if before.is_some_and(|before| before + 1 != number) {
            out.push_str("…\n");
        }
        let line = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
        out.push_str(&format!("{number}\t{}\n", line.trim_end()));
        before = Some(number);
    }
    out
}
