//! The log: what each commit was called and which of today's files it touched, under whatever names they had then.

use std::path::Path;

use gix::diff::tree::recorder::Change;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::UnixMs;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::git::{
    HistoryError, OBJECT_CACHE_BYTES, below, cut_off, differences, open, path_of, prefix_of, unreadable,
};
use super::moves::moves;

/// A commit that touches more files than this is about none of them.
const MAX_FILES: usize = 50;
/// Longer messages are lists of what happened elsewhere.
const MAX_MESSAGE: usize = 4_000;

/// One commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogEntry {
    pub time: UnixMs,
    /// By the name that the mailmap gives.
    pub author: String,
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

/// How far a log reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reach {
    /// To the limit, or to the first commit.
    Whole,
    /// As far as time allowed.
    Part,
}

/// The newest `limit` commits of `HEAD` that touched files below a folder.
pub fn log(folder: &Path, limit: usize, cancel: &CancelToken) -> Result<Log, HistoryError> {
    match log_so_far(folder, None, limit, cancel)? {
        (log, Reach::Whole) => Ok(log),
        (_, Reach::Part) => Err(HistoryError::Stopped(Stop::TimedOut)),
    }
}

/// The same, or what of it could be read in time. Of an `older` log whose commit is in today's past only what came after
/// it is read.
pub fn log_so_far(
    folder: &Path,
    older: Option<&Log>,
    limit: usize,
    cancel: &CancelToken,
) -> Result<(Log, Reach), HistoryError> {
    let repo = open(folder)?;
    let prefix = prefix_of(&repo, folder);
    let Ok(head) = repo.head_id() else { return Ok((Log::default(), Reach::Whole)) };
    let head = head.detach();
    if let Some(older) = older
        && let Some(log) = extended(repo.clone(), head, &prefix, older, limit, cancel)
    {
        return Ok((log, Reach::Whole));
    }
    let mut log = Log { head: head.to_string(), entries: Vec::new() };
    match (Walk { prefix: &prefix, limit, names: Names::default() }).run(repo, head, None, &mut log, cancel) {
        Ok(_) => Ok((log, Reach::Whole)),
        Err(HistoryError::Stopped(Stop::TimedOut)) => Ok((log, Reach::Part)),
        Err(err) => Err(err),
    }
}

/// The same from any commit.
pub(super) fn log_from(
    repo: gix::Repository,
    head: gix::ObjectId,
    prefix: &str,
    limit: usize,
    cancel: &CancelToken,
) -> Result<Log, HistoryError> {
    let mut log = Log { head: head.to_string(), entries: Vec::new() };
    Walk { prefix, limit, names: Names::default() }.run(repo, head, None, &mut log, cancel)?;
    Ok(log)
}

/// An older log with what came after it; nothing where its commit is not in the past of `head`, or time is up.
fn extended(
    repo: gix::Repository,
    head: gix::ObjectId,
    prefix: &str,
    older: &Log,
    limit: usize,
    cancel: &CancelToken,
) -> Option<Log> {
    let known = gix::ObjectId::from_hex(older.head.as_bytes()).ok()?;
    let mut log = Log { head: head.to_string(), entries: Vec::new() };
    let mut walk = Walk { prefix, limit, names: Names::default() };
    if walk.run(repo, head, Some(known), &mut log, cancel).ok()? == Met::No {
        return None;
    }
    for entry in &older.entries {
        let now = |path: &String| below(prefix, walk.names.now(&format!("{prefix}{path}")));
        let mut files: Vec<String> = entry.files.iter().filter_map(now).collect();
        files.sort();
        files.dedup();
        log.entries.push(LogEntry { files, ..entry.clone() });
    }
    // A branch that was merged may be older than what was known.
    log.entries.sort_by_key(|entry| std::cmp::Reverse(entry.time));
    log.entries.truncate(limit);
    Some(log)
}

struct Walk<'p> {
    prefix: &'p str,
    limit: usize,
    names: Names,
}

/// Whether the commit at which a walk had to end was a parent of one that it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Met {
    Yes,
    No,
}

impl Walk<'_> {
    /// Adds the commits from `head` back to what `known` already has.
    fn run(
        &mut self,
        mut repo: gix::Repository,
        head: gix::ObjectId,
        known: Option<gix::ObjectId>,
        log: &mut Log,
        cancel: &CancelToken,
    ) -> Result<Met, HistoryError> {
        repo.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        let walk = repo
            .rev_walk([head])
            .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
            .with_hidden(known)
            .all()
            .map_err(unreadable)?;
        let mailmap = repo.open_mailmap();
        let cut_off = cut_off(&repo);
        let mut met = Met::No;
        for info in walk {
            if let Some(stop) = cancel.stop() {
                return Err(HistoryError::Stopped(stop));
            }
            // What is missing, as in a shallow clone, ends what can be known.
            let Ok(info) = info else { break };
            if log.entries.len() >= self.limit {
                break;
            }
            let parents: Vec<_> = info.parent_ids().collect();
            if parents.iter().any(|parent| Some(parent.detach()) == known) {
                met = Met::Yes;
            }
            if parents.len() > 1 || cut_off.contains(&info.id) {
                continue;
            }
            let Ok(commit) = info.object() else { continue };
            let Some(changes) = differences(&repo, &commit, parents.first().copied()) else { continue };
            let changes: Vec<Change> = changes.collect();
            let files = self.names.follow(&repo, &changes);
            if files.len() > MAX_FILES {
                continue;
            }
            let mut files: Vec<String> =
                files.into_iter().filter_map(|path| below(self.prefix, path)).collect();
            files.sort();
            files.dedup();
            if files.is_empty() {
                continue;
            }
            let message = message_of(&commit);
            let time = UnixMs(info.commit_time().saturating_mul(1_000));
            let author = commit.author().ok().map(|author| mailmap.resolve(author).name.to_string());
            log.entries.push(LogEntry { time, author: author.unwrap_or_default(), message, files });
        }
        Ok(met)
    }
}

/// What a commit says, as a log keeps it.
pub(super) fn message_of(commit: &gix::Commit<'_>) -> String {
    let message = commit.message_raw().map(ToString::to_string).unwrap_or_default();
    message.chars().take(MAX_MESSAGE).collect()
}

/// The newest name of every file that was moved.
#[derive(Default)]
struct Names {
    newest: FxHashMap<String, String>,
}

impl Names {
    /// The newest names of what a commit touched; older commits than it are asked after it.
    fn follow(&mut self, repo: &gix::Repository, changes: &[Change]) -> Vec<String> {
        // By the names that the others have until here.
        let moved: Vec<(String, String)> =
            moves(repo, changes).into_iter().map(|(old, new)| (old, self.now(&new))).collect();
        self.newest.extend(moved);
        changes.iter().map(|change| self.now(&path_of(change))).collect()
    }

    fn now(&self, path: &str) -> String {
        self.newest.get(path).cloned().unwrap_or_else(|| path.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::git::{Lack, lack};
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

    #[test]
    fn a_file_that_is_edited_while_it_is_moved_keeps_its_past() {
        let folder = tempfile::tempdir().unwrap();
        let repo = repository(folder.path());
        let body: String = (1..20).map(|line| format!("line {line}\n")).collect();
        let text = |first: &str| format!("{first}\n{body}");
        let one =
            [("client.py", text("import api")), ("api.py", text("import client").replace("line", "word"))];
        let one: Vec<(&str, &str)> = one.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let one = commit(&repo, 100, "start", &one, None);
        let two = [
            ("_client.py", text("import _api")),
            ("_api.py", text("import _client").replace("line", "word")),
        ];
        let mut two: Vec<(&str, &str)> = two.iter().map(|(path, text)| (*path, text.as_str())).collect();
        two.push(("new.py", "nothing\nlike\nthem\n"));
        commit(&repo, 200, "move", &two, Some(one));
        let log = log(folder.path(), 10, &CancelToken::new()).unwrap();
        let shown: Vec<String> = log.entries.iter().map(|entry| entry.files.join(" ")).collect();
        assert_eq!(shown, ["_api.py _client.py new.py", "_api.py _client.py"]);
    }

    #[test]
    fn an_older_log_is_extended_where_its_commit_is_in_the_past() {
        let folder = tempfile::tempdir().unwrap();
        let repo = repository(folder.path());
        let one = commit(&repo, 100, "one", &[("old.py", "a")], None);
        let older = log(folder.path(), 10, &CancelToken::new()).unwrap();
        let two = commit(&repo, 200, "move", &[("new.py", "a")], Some(one));
        commit(&repo, 300, "three", &[("new.py", "b")], Some(two));
        let whole = log_so_far(folder.path(), None, 10, &CancelToken::new()).unwrap();
        let extended = log_so_far(folder.path(), Some(&older), 10, &CancelToken::new()).unwrap();
        assert_eq!(extended, whole);
        assert_eq!(whole.0.entries.len(), 3);
        let foreign = Log { head: "0".repeat(40), ..older };
        assert_eq!(log_so_far(folder.path(), Some(&foreign), 10, &CancelToken::new()).unwrap(), whole);
    }

    #[test]
    fn where_a_shallow_clone_ends_nothing_is_told_of_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let repo = repository(folder.path());
        assert_eq!(lack(folder.path()), Lack::Commits);
        let one = commit(&repo, 100, "fix the parser", &[("a.py", "a"), ("b.py", "b")], None);
        let two = commit(&repo, 200, "two", &[("a.py", "aa"), ("b.py", "b")], Some(one));
        std::fs::write(repo.git_dir().join("shallow"), format!("{one}\n")).unwrap();
        let known = log(folder.path(), 10, &CancelToken::new()).unwrap();
        assert_eq!(known.entries.len(), 1);
        assert_eq!(known.entries[0].files, ["a.py"]);
        std::fs::write(repo.git_dir().join("shallow"), format!("{two}\n")).unwrap();
        assert!(log(folder.path(), 10, &CancelToken::new()).unwrap().entries.is_empty());
        assert_eq!(lack(folder.path()), Lack::CutOff);
        assert_eq!(lack(tempfile::tempdir().unwrap().path()), Lack::Repository);
    }

    #[test]
    fn what_was_read_in_time_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        commit(&repository(folder.path()), 100, "one", &[("a.py", "a")], None);
        let late = CancelToken::new().with_timeout(std::time::Duration::ZERO);
        let (log, reach) = log_so_far(folder.path(), None, 10, &late).unwrap();
        assert_eq!((log.entries.len(), reach), (0, Reach::Part));
    }
}
