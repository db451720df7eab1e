//! Ledger: what the workspace's past says about its files.

use std::collections::BTreeSet;
use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeFlags};
use m1nd_ingest::history::{Lack, LogEntry, OwnCommit, Reach, is_fix, lack};
use m1nd_recall::place;
use m1nd_risk::ledger::{Change, Edit, Ledger, Told};

use crate::ctx::Ctx;
use crate::faults::from_bring;
use crate::workspace::{BringError, Defect, KnownPast, Touch, Workspace};

/// The ledger, and how much of the past it was made of.
pub struct Known {
    pub ledger: Arc<Ledger>,
    pub commits: usize,
    /// Defects that were told besides.
    pub told: usize,
    /// Whether older commits are still being read.
    pub is_partial: bool,
    /// What is missing, where there are no commits.
    lack: Option<Lack>,
}

/// Commits that are looked at rather than learned from, by their times and messages.
#[derive(Clone, Debug, Default)]
pub struct OwnCommits(BTreeSet<(i64, String)>);

impl OwnCommits {
    pub fn of(commits: &[OwnCommit]) -> Self {
        Self(commits.iter().map(|commit| (commit.time.0, commit.message.clone())).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn has(&self, entry: &LogEntry) -> bool {
        !self.0.is_empty() && self.0.contains(&(entry.time.0, entry.message.clone()))
    }
}

/// The ledger is kept for as long as neither graph nor history moves and nobody tells of a defect.
pub fn of(ctx: &Ctx<'_>, graph: &Arc<Graph>) -> Result<Known, Fault> {
    without(ctx, graph, &OwnCommits::default())
}

/// The ledger of a past without some commits; such a one is not kept.
pub fn without(ctx: &Ctx<'_>, graph: &Arc<Graph>, own: &OwnCommits) -> Result<Known, Fault> {
    let workspace = ctx.workspace()?;
    let past = ctx.past()?;
    let defects = workspace.defects();
    let touches = workspace.touches();
    let now = ctx.runtime().clock().now().0;
    let made = || made(&past, own, &defects, &touches, graph, now);
    let ledger = match own.is_empty() {
        true => workspace.ledger(graph, &past, (&defects, &touches), made),
        false => Arc::new(made()),
    };
    let commits = past.log.entries.iter().filter(|entry| !own.has(entry)).count();
    let told = defects.len();
    let lack = (commits == 0).then(|| lack(workspace.root().path()));
    Ok(Known { ledger, commits, told, is_partial: past.reach == Reach::Part, lack })
}

/// A commit that says it is of tomorrow is of `now`: else all others would be long ago.
fn made(
    past: &KnownPast,
    own: &OwnCommits,
    defects: &[Defect],
    touches: &[Touch],
    graph: &Graph,
    now: i64,
) -> Ledger {
    let before = past.log.entries.iter().enumerate().filter(|(_, entry)| !own.has(entry));
    let changes = before.map(|(nth, entry)| {
        let is_fix = mends(past, nth);
        Change { time_ms: entry.time.0.min(now), is_fix, files: &entry.files }
    });
    let mut seen = BTreeSet::new();
    let new = defects.iter().filter(|one| one.source == LEARN || seen.insert((&one.source, &one.path)));
    let told = new.map(|one| Told { time_ms: one.time_ms, path: &one.path, weight: one.weight });
    let told: Vec<Told<'_>> = told.collect();
    let edits = touches.iter().map(|one| Edit { time_ms: one.time_ms, files: &one.files });
    Ledger::of(changes, edits, told, |path| is_program(graph, path))
}

/// Whether a commit of the past mended something. The first of all made its files, whatever it says.
pub fn mends(past: &KnownPast, nth: usize) -> bool {
    let entries = &past.log.entries;
    let is_first = nth + 1 == entries.len() && past.is_whole();
    entries.get(nth).is_some_and(|entry| {
        let subject = entry.message.lines().next().unwrap_or_default();
        !is_first && is_fix(subject)
    })
}

/// What is told of a file by judging answers.
const LEARN: &str = "learn";

/// Writes down that files were told to be wrong, as much as that counts. Says how many files it was.
pub fn tell(ctx: &Ctx<'_>, source: Option<&str>, paths: BTreeSet<&str>, weight: f64) -> Result<usize, Fault> {
    let time_ms = ctx.runtime().clock().now().0;
    let source = source.unwrap_or(LEARN);
    let defects = paths.into_iter().map(|path| Defect {
        time_ms,
        path: path.to_owned(),
        weight,
        source: source.to_owned(),
    });
    let defects: Vec<Defect> = defects.collect();
    let kept = ctx.workspace()?.add_defects(&defects);
    kept.map_err(|err| from_bring::fault(ctx.tool(), BringError::Io(err)))?;
    Ok(defects.len())
}

/// Takes back what a source told of files.
pub fn withdraw(ctx: &Ctx<'_>, source: &str) -> Result<(), Fault> {
    let workspace = ctx.workspace()?;
    let time_ms = ctx.runtime().clock().now().0;
    let told = workspace.defects();
    let paths: BTreeSet<&str> =
        told.iter().filter(|one| one.source == source).map(|one| one.path.as_str()).collect();
    let back = |path: &str| Defect { time_ms, path: path.to_owned(), weight: 0.0, source: source.to_owned() };
    let back: Vec<Defect> = paths.into_iter().map(back).collect();
    workspace.add_defects(&back).map_err(|err| from_bring::fault(ctx.tool(), BringError::Io(err)))
}

/// Whether a path is a file of tests, by what is in it or by its name. What a fix changes there was no defect.
pub fn is_test(graph: &Graph, path: &str) -> bool {
    let node = graph.node_by_path(path).map(|ix| graph.node(ix));
    node.is_some_and(|node| node.flags().has(NodeFlags::TEST_CODE)) || place::is_test(path)
}

/// Whether a path is a file of the program itself.
fn is_program(graph: &Graph, path: &str) -> bool {
    let node = graph.node_by_path(path).map(|ix| graph.node(ix));
    node.is_some_and(|node| !node.language().is_empty()) && !is_test(graph, path)
}

impl Known {
    /// What there is to say where nothing is known.
    pub fn no_data(&self) -> Option<&'static str> {
        self.lack.filter(|_| self.told == 0).map(no_history)
    }
}

/// Why no commit says anything here, if so.
pub fn lacking(ctx: &Ctx<'_>) -> Result<Option<&'static str>, Fault> {
    let workspace = ctx.workspace()?;
    let commits = ctx.past()?.log.entries.len();
    Ok((commits == 0).then(|| no_history(lack(workspace.root().path()))))
}

/// Whether there is a git repository whose history cannot be read.
pub fn is_damaged(workspace: &Workspace) -> bool {
    lack(workspace.root().path()) == Lack::Whole
}

/// Why a history says nothing, and what would make it speak.
pub fn no_history(lack: Lack) -> &'static str {
    match lack {
        Lack::Repository => "no_data: there is no git history here. Commits would provide it.",
        Lack::Whole => {
            "no_data: the git repository here is damaged and its history cannot be read. `git fsck` says what is broken; a fresh clone would provide it."
        }
        Lack::Commits => "no_data: nothing is committed yet. Commits would provide it.",
        Lack::CutOff => {
            "no_data: this is a shallow clone that ends before any change is known. `git fetch --unshallow` would provide it."
        }
        Lack::SmallCommits => {
            "no_data: every commit here is a merge or touches more than 50 files, and so speaks of none. Smaller commits would provide it."
        }
    }
}
