//! Shown: what answers about edits say of files, symbols, callers and tests.

use m1nd_contract::budget::drop_after;
use m1nd_edit::{FileChange, unified};
use m1nd_stdx::digest::sha256_hex;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::impact::TestHit;

/// A file that changed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct FileShown {
    pub file_path: String,
    /// modified, created, deleted or renamed.
    pub change: &'static str,
    /// Its path before, if it was renamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Of what it holds now; missing when deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Lines.
    pub added: usize,
    pub removed: usize,
}

/// A definition that differs.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct SymbolShown {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// added, removed, signature or body.
    pub change: &'static str,
    /// file:line, before for what was removed.
    pub at: String,
    /// The signature before, where it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

/// A place that uses what changed.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct CallerShown {
    /// file:line.
    pub at: String,
    /// The node around it.
    pub node_id: String,
    /// What it uses.
    pub uses: String,
    /// removed or signature: what became of what it uses; default: it was removed, and what every object has runs instead; import: the edit itself
    /// asks for what is not there, or took the import away.
    pub because: &'static str,
    /// How the use is known: precise, resolved or inferred (a guess by name).
    pub evidence: &'static str,
    /// The line.
    pub source: String,
}

impl CallerShown {
    pub fn is_certain(&self) -> bool {
        self.evidence != "inferred"
    }
}

/// A place that does not parse any more.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub struct SyntaxShown {
    pub file_path: String,
    pub line: u32,
    pub column: u32,
    pub what: String,
}

/// Tests that reach what changed.
#[derive(Clone, Debug, Default, JsonSchema, PartialEq, Eq, Serialize)]
pub struct TestsShown {
    /// The nearest first.
    pub run: Vec<TestHit>,
    /// Such tests within so many calls; tests_for with a larger max_hops counts those further away, too.
    pub total: u64,
    pub within_calls: u32,
}

impl TestsShown {
    /// Gives way to a budget; the nearest `kept` stay.
    pub fn shorten(&mut self, kept: usize, excess: usize) -> bool {
        drop_after(&mut self.run, kept, excess) > 0
    }
}

/// A step of a batch, and when it was done.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct PhaseShown {
    /// look (for changes of others), plan, check, write, graph, verify or roll_back.
    pub phase: &'static str,
    /// Since the call began.
    pub elapsed_ms: f64,
}

/// The files of a plan; a renamed file is one of them, not two.
pub(super) fn files(changes: &[FileChange]) -> Vec<FileShown> {
    let mut shown = Vec::new();
    for file in changes.iter().filter(|file| file.after.is_some() || !moves_on(changes, &file.path)) {
        if let Some(gone) = overwritten(changes, file) {
            let (_, removed) = unified::counts(&unified::diff(Some((&file.path, gone)), None));
            let file_path = file.path.clone();
            let (change, from, sha256, added) = ("deleted", None, None, 0);
            shown.push(FileShown { file_path, change, from, sha256, added, removed });
        }
        let (added, removed) = unified::counts(&diff(changes, file));
        shown.push(FileShown {
            file_path: file.path.clone(),
            change: match (&file.from, old(changes, file).1, &file.after) {
                (Some(_), ..) => "renamed",
                (None, None, _) => "created",
                (None, Some(_), None) => "deleted",
                (None, Some(_), Some(_)) => "modified",
            },
            from: file.from.clone(),
            sha256: file.after.as_ref().map(|after| sha256_hex(&after.bytes)),
            added,
            removed,
        });
    }
    shown
}

/// A file's change as a unified diff.
pub(super) fn diff(changes: &[FileChange], file: &FileChange) -> String {
    let (path, old) = old(changes, file);
    let new = file.after.as_ref().map(|after| (file.path.as_str(), &after.bytes[..]));
    unified::diff(old.map(|old| (path, old)), new)
}

/// The same with the lines by which git and `apply_batch` know what comes, goes and moves. A file that only leaves its
/// path is told by the one that takes its content.
pub(super) fn git_diff(changes: &[FileChange], file: &FileChange) -> String {
    if file.after.is_none() && moves_on(changes, &file.path) {
        return String::new();
    }
    let (path, old) = old(changes, file);
    let is_run = |mode: Option<u32>| mode.is_some_and(|mode| mode & 0o111 != 0);
    let was_run = |path: &str| {
        let held = changes.iter().find(|other| other.path == path).and_then(|other| other.before.as_ref());
        is_run(held.map(|held| held.mode))
    };
    let new_runs = is_run(file.after.as_ref().and_then(|after| after.mode));
    let modes = unified::Modes { old_runs: was_run(path), new_runs };
    let new = file.after.as_ref().map(|after| (file.path.as_str(), &after.bytes[..]));
    // What stood there goes before something else comes.
    let gone = overwritten(changes, file).map(|gone| {
        let modes = unified::Modes { old_runs: was_run(&file.path), new_runs };
        unified::git_diff(Some((&file.path, gone)), None, modes)
    });
    let gone = gone.unwrap_or_default();
    gone + &unified::git_diff(old.map(|old| (path, old)), new, modes)
}

/// Where a file was, and what it held.
pub(super) fn old<'a>(changes: &'a [FileChange], file: &'a FileChange) -> (&'a str, Option<&'a [u8]>) {
    let from = file.from.as_deref().and_then(|from| changes.iter().find(|other| other.path == from));
    // What was there moved away, and is told there.
    if from.is_none() && file.after.is_some() && moves_on(changes, &file.path) {
        return (&file.path, None);
    }
    let source = from.unwrap_or(file);
    (&source.path, source.before.as_ref().map(|held| &held.bytes[..]))
}

/// Whether what a path holds goes to another one.
pub(super) fn moves_on(changes: &[FileChange], path: &str) -> bool {
    changes.iter().any(|other| other.from.as_deref() == Some(path))
}

/// What a path held that goes nowhere, because something else moves there: the story of no other content tells of it.
pub(super) fn overwritten<'a>(changes: &[FileChange], file: &'a FileChange) -> Option<&'a [u8]> {
    let held = file.before.as_ref().filter(|_| file.from.is_some() && !moves_on(changes, &file.path));
    held.map(|held| &held.bytes[..])
}
