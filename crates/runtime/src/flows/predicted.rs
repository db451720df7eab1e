//! Predicted: which files change when others do, by the past and by what the code says.

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::history::lack;
use m1nd_recall::corpus::{Corpus, NamedCommit};
use m1nd_recall::predict::{Clue, Companion, likely};
use rustc_hash::FxHashMap;

use super::ledger::{self, OwnCommits};
use crate::ctx::{Ctx, GraphView};
use crate::faults;

/// A file that is likely to change, too.
#[derive(Clone, Debug)]
pub struct Prediction {
    pub path: String,
    /// 0 to 1; for several given files that of the one that speaks most for it.
    pub confidence: f32,
    /// What it is ordered by: that any of the given files brings it along.
    pub rank: f32,
    /// The given file that speaks most for it.
    pub because_of: String,
    /// In words.
    pub reason: String,
    /// Common changes lately, by how fresh the newest is; 0 to 1.
    pub velocity: f32,
    /// How many commits touched both.
    pub times: u32,
}

/// With fewer commits nothing says how likely a prediction is.
const MIN_COMMITS: usize = 5;

/// Why predictions carry no likelihood here, if so.
pub fn no_data(ctx: &Ctx<'_>) -> Result<Option<String>, Fault> {
    no_data_without(ctx, &OwnCommits::default())
}

/// The same where some commits do not count.
pub fn no_data_without(ctx: &Ctx<'_>, own: &OwnCommits) -> Result<Option<String>, Fault> {
    let workspace = ctx.workspace()?;
    let past = ctx.past()?;
    let commits = past.log.entries.iter().filter(|entry| !own.has(entry)).count();
    let lacks = || match commits {
        0 => ledger::no_history(lack(workspace.root().path())).to_owned(),
        few => format!(
            "no_data: {few} commits are too few to say how likely files change together. {MIN_COMMITS} would provide it."
        ),
    };
    Ok((commits < MIN_COMMITS).then(lacks))
}

/// Predictions that are looked at for each given file.
const EACH: usize = 40;

/// The files most likely to change with the given ones, best first; nothing that is given. Files that hold no code are not known.
pub fn companions(ctx: &Ctx<'_>, at: &GraphView, given: &[&str]) -> Result<Vec<Prediction>, Fault> {
    let corpus = ctx.workspace()?.corpus(&at.view, &at.graph, ctx.cancel()).map_err(faults::stopped)?;
    Ok(of(&corpus, given))
}

/// The same by a past without some commits.
pub fn companions_without(
    ctx: &Ctx<'_>,
    at: &GraphView,
    given: &[&str],
    own: &OwnCommits,
) -> Result<Vec<Prediction>, Fault> {
    if own.is_empty() {
        return companions(ctx, at, given);
    }
    let workspace = ctx.workspace()?;
    let corpus = workspace.corpus(&at.view, &at.graph, ctx.cancel()).map_err(faults::stopped)?;
    let past = ctx.past()?;
    let before = past.log.entries.iter().filter(|entry| !own.has(entry));
    // What changes were called is no part of it.
    let before = before.map(|entry| NamedCommit { message: "", time_ms: entry.time.0, files: &entry.files });
    Ok(of(&corpus.with_past(before), given))
}

/// The same of a corpus.
pub fn of(corpus: &Corpus, given: &[&str]) -> Vec<Prediction> {
    let mut found: FxHashMap<String, Prediction> = FxHashMap::default();
    for path in given {
        let Some(file) = corpus.text.file(path) else { continue };
        let company = corpus.past.company(file);
        let changes = corpus.past.touched(file) as u32;
        for (companion, confidence) in likely(corpus, file, EACH) {
            let other = corpus.text.path(companion.file);
            if given.contains(&other) {
                continue;
            }
            let times = company.iter().find(|one| one.file == companion.file).map_or(0, |one| one.times);
            let one = || Prediction {
                path: other.to_owned(),
                confidence,
                rank: confidence,
                because_of: (*path).to_owned(),
                reason: reason(&companion, times, changes, corpus.past.touched(companion.file) as u32),
                velocity: companion.clue(Clue::Lately),
                times,
            };
            match found.get_mut(other) {
                None => {
                    found.insert(other.to_owned(), one());
                }
                Some(known) => {
                    let rank = 1.0 - (1.0 - known.rank) * (1.0 - confidence);
                    if confidence > known.confidence {
                        *known = one();
                    }
                    known.rank = rank;
                }
            }
        }
    }
    let mut found: Vec<Prediction> = found.into_values().collect();
    found.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.path.cmp(&b.path)));
    found
}

/// `changes` is how many commits touched the given file, `own` how many the other.
fn reason(companion: &Companion, times: u32, changes: u32, own: u32) -> String {
    let speaks = match companion.reason() {
        Some(Clue::Exercises) => "a test that uses it",
        Some(Clue::Pair) => "named like its test",
        Some(Clue::Related) => "one uses the other",
        Some(Clue::Mentions) => "says names that it defines",
        Some(Clue::Mentioned) => "defines names that it says",
        Some(Clue::Alike) => "shares rare words with it",
        Some(Clue::Named) => "is named alike",
        Some(Clue::Folder | Clue::Near) => "stands close by",
        Some(Clue::Through) => "changes with what changes with it",
        _ if times > 0 => "",
        _ => "changes often these days",
    };
    if times > 0 {
        let together = format!("changed together in {times} of {changes} commits");
        // A small share does not carry a prediction alone.
        let is_seldom = 2 * times < changes;
        let of_own = match is_seldom && own < changes {
            true => format!(", {times} of {own} of its own"),
            false => String::new(),
        };
        return match is_seldom && !speaks.is_empty() {
            true => format!("{together}{of_own}; {speaks}"),
            false => format!("{together}{of_own}"),
        };
    }
    match changes {
        0 => speaks.to_owned(),
        _ => format!("{speaks}; changed with it in none of {changes} commits"),
    }
}

/// The files of nodes, each once.
pub fn files_of<'g>(graph: &'g Graph, nodes: &[NodeIx]) -> Vec<&'g str> {
    let mut files: Vec<&str> = Vec::new();
    for &node in nodes {
        let path = graph.node(node).path();
        if !files.contains(&path) {
            files.push(path);
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use m1nd_recall::predict::FEATURES;

    use super::*;

    #[test]
    fn a_reason_says_what_carries_the_number() {
        let with = |clues: &[(Clue, f32)], times, changes, own| {
            let mut companion = Companion { file: 0, score: 0.0, clues: [0.0; FEATURES] };
            for &(clue, value) in clues {
                companion.clues[clue as usize] = value;
            }
            reason(&companion, times, changes, own)
        };
        let tests = [(Clue::Exercises, 1.0), (Clue::Tight, 0.1)];
        assert_eq!(with(&tests, 5, 5, 9), "changed together in 5 of 5 commits");
        assert_eq!(
            with(&tests, 2, 300, 4),
            "changed together in 2 of 300 commits, 2 of 4 of its own; a test that uses it"
        );
        assert_eq!(with(&[(Clue::Tight, 0.1)], 2, 300, 400), "changed together in 2 of 300 commits");
        assert_eq!(with(&tests, 0, 3, 1), "a test that uses it; changed with it in none of 3 commits");
    }
}
