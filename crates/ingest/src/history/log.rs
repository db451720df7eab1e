//! The log: what each commit was called and which of today's files it touched, under whatever names they had then.

use std::path::Path;

use gix::diff::tree::recorder::Change;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::UnixMs;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::git::{
    HistoryError, OBJECT_CACHE_BYTES, below, differences, open, path_of, prefix_of, unreadable,
};

/// A commit that touches more files than this is about none of them.
const MAX_FILES: usize = 50;
/// Longer messages are lists of what happened elsewhere.
const MAX_MESSAGE: usize = 4_000;

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    pub time: UnixMs,
    pub message: String,
    /// By their newest names, in order.
    pub files: Vec<String>,
}

/// Commits, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    pub head: String,
    pub entries: Vec<LogEntry>,
}

/// The newest `limit` commits of `HEAD` that touched files below a folder.
pub fn log(folder: &Path, limit: usize, cancel: &CancelToken) -> Result<Log, HistoryError> {
    let repo = open(folder)?;
    let prefix = prefix_of(&repo, folder);
    let Ok(head) = repo.head_id() else { return Ok(Log::default()) };
    let head = head.detach();
    log_from(repo, head, &prefix, limit, cancel)
}

/// The same from any commit.
pub(super) fn log_from(
    mut repo: gix::Repository,
    head: gix::ObjectId,
    prefix: &str,
    limit: usize,
    cancel: &CancelToken,
) -> Result<Log, HistoryError> {
    repo.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
    let walk = repo
        .rev_walk([head])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .all()
        .map_err(unreadable)?;
    let mut log = Log { head: head.to_string(), entries: Vec::new() };
    let mut names = Names::default();
    for info in walk {
        if let Some(stop) = cancel.stop() {
            return Err(HistoryError::Stopped(stop));
        }
        // What is missing, as in a shallow clone, ends what can be known.
        let Ok(info) = info else { break };
        if log.entries.len() >= limit {
            break;
        }
        let parents: Vec<_> = info.parent_ids().collect();
        if parents.len() > 1 {
            continue;
        }
        let Ok(commit) = info.object() else { continue };
        let Some(changes) = differences(&repo, &commit, parents.first().copied()) else { continue };
        let changes: Vec<Change> = changes.collect();
        let files = names.follow(&changes);
        if files.len() > MAX_FILES {
            continue;
        }
        let mut files: Vec<String> = files.into_iter().filter_map(|path| below(prefix, path)).collect();
        files.sort();
        files.dedup();
        if files.is_empty() {
            continue;
        }
        let message = commit.message_raw().map(ToString::to_string).unwrap_or_default();
        let message = message.chars().take(MAX_MESSAGE).collect();
        log.entries.push(LogEntry { time: UnixMs(info.commit_time().saturating_mul(1_000)), message, files });
    }
    Ok(log)
}

/// The newest name of every file that was moved.
#[derive(Default)]
struct Names {
    newest: FxHashMap<String, String>,
}

impl Names {
    /// The newest names of what a commit touched; older commits than it are asked after it.
    fn follow(&mut self, changes: &[Change]) -> Vec<String> {
        let mut moved: Vec<(String, String)> = Vec::new();
        for change in changes {
            if let Change::Deletion { oid, path, .. } = change {
                let old = path.to_string();
                let new = arrival(changes, *oid, &old);
                moved.extend(new.map(|new| (old, self.now(&new))));
            }
        }
        self.newest.extend(moved);
        changes.iter().map(|change| self.now(&path_of(change))).collect()
    }

    fn now(&self, path: &str) -> String {
        self.newest.get(path).cloned().unwrap_or_else(|| path.to_owned())
    }
}

/// Where a removed file went: to one with the same content, or to the only one with the same name.
fn arrival(changes: &[Change], content: gix::ObjectId, old: &str) -> Option<String> {
    let added = || {
        changes.iter().filter_map(|change| match change {
            Change::Addition { oid, path, .. } => Some((*oid, path)),
            _ => None,
        })
    };
    if let Some((_, path)) = added().find(|(oid, _)| *oid == content) {
        return Some(path.to_string());
    }
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let old_name = name(old);
    let mut same = added().map(|(_, path)| path.to_string()).filter(|path| name(path) == old_name);
    match (same.next(), same.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{commit, repository};
    use super::*;

    #[test]
    fn a_moved_file_keeps_its_past() {
        let folder = tempfile::tempdir().unwrap();
        let repo = repository(folder.path());
        let one = commit(&repo, 100, "start the parser", &[("old/parse.py", "a"), ("b.py", "b")], None);
        let two = commit(&repo, 200, "move", &[("new/parse.py", "a"), ("b.py", "b")], Some(one));
        commit(&repo, 300, "speed\n\nwhy", &[("new/parse.py", "c"), ("b.py", "b")], Some(two));
        let log = log(folder.path(), 10, &CancelToken::new()).unwrap();
        let shown: Vec<String> =
            log.entries.iter().map(|e| format!("{:?} {}", e.message, e.files.join(" "))).collect();
        assert_eq!(
            shown,
            [
                "\"speed\\n\\nwhy\" new/parse.py",
                "\"move\" new/parse.py",
                "\"start the parser\" b.py new/parse.py"
            ]
        );
    }
}
