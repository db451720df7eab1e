//! Commits of a git repository, read in process: no program is started and no hook, filter or alias runs.

use std::path::Path;

use gix::diff::tree::recorder::{Change, Location};
use gix::diff::tree::{Recorder, State};
use gix::objs::TreeRefIter;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::UnixMs;
use rustc_hash::FxHashSet;

use super::tally::{Commit, History, Limits};

/// Decoded objects kept between commits: neighbouring commits share most of their trees.
pub(super) const OBJECT_CACHE_BYTES: usize = 32 * 1024 * 1024;

/// Why there is no history.
#[derive(Debug, thiserror::Error)]
pub enum HistoryError {
    /// Not an error to a user: the folder is under no version control.
    #[error("the folder is in no git repository")]
    NoRepository,
    #[error("the git repository cannot be read: {0}")]
    Unreadable(String),
    #[error("reading the history was stopped")]
    Stopped(Stop),
}

/// What the history of `HEAD` says about the files below a folder, newest commits first.
///
/// Merge commits are passed over: what they bring was counted where it was made. Commits that are missing,
/// as in a shallow clone, end the history there.
pub fn read(folder: &Path, limits: Limits, cancel: &CancelToken) -> Result<History, HistoryError> {
    let mut repo = open(folder)?;
    repo.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
    let prefix = prefix_of(&repo, folder);
    let Ok(head) = repo.head_id() else {
        let is_new = repo.head().is_ok_and(|head| head.is_unborn());
        let damaged = || Err(HistoryError::Unreadable("HEAD names no commit".to_owned()));
        return if is_new { Ok(History::default()) } else { damaged() };
    };
    repo.find_commit(head.detach()).map_err(unreadable)?;
    let walk = repo
        .rev_walk([head.detach()])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .all()
        .map_err(unreadable)?;
    let mailmap = repo.open_mailmap();
    let cut_off = cut_off(&repo);
    let mut commits = Vec::new();
    let mut is_cut = false;
    for info in walk {
        if let Some(stop) = cancel.stop() {
            return Err(HistoryError::Stopped(stop));
        }
        // An object that is missing or broken ends what can be known.
        let Ok(info) = info else {
            is_cut = true;
            break;
        };
        if commits.len() >= limits.commits {
            is_cut = true;
            break;
        }
        if cut_off.contains(&info.id) {
            is_cut = true;
            continue;
        }
        let parents: Vec<_> = info.parent_ids().collect();
        if parents.len() > 1 {
            continue;
        }
        let read = info.object().ok().and_then(|commit| {
            let author = commit.author().ok().map(|author| mailmap.resolve(author));
            let subject = commit.message().ok().map(|message| message.summary().to_string());
            let files = changed(&repo, &commit, parents.first().copied(), limits)?;
            Some(Commit {
                time: UnixMs(info.commit_time().saturating_mul(1_000)),
                author: author.map(|author| author.name.to_string()).unwrap_or_default(),
                subject: subject.unwrap_or_default(),
                files: files.into_iter().filter_map(|path| below(&prefix, path)).collect(),
            })
        });
        match read {
            Some(commit) => commits.push(commit),
            None => is_cut = true,
        }
    }
    let mut history = History::of(commits, limits);
    history.is_cut |= is_cut;
    history.head = head.to_string();
    Ok(history)
}

/// Why a history tells nothing of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// The folder is under no version control.
    Repository,
    /// There is a repository, and it is damaged.
    Whole,
    Commits,
    /// A shallow clone ends before anything is known.
    CutOff,
    /// Its commits only merge, or touch so many files that they are about none.
    SmallCommits,
}

/// What is missing where a log is empty.
pub fn lack(folder: &Path) -> Lack {
    let repo = match open(folder) {
        Ok(repo) => repo,
        Err(HistoryError::NoRepository) => return Lack::Repository,
        Err(_) => return Lack::Whole,
    };
    let Ok(head) = repo.head_id() else {
        let is_new = repo.head().is_ok_and(|head| head.is_unborn());
        return if is_new { Lack::Commits } else { Lack::Whole };
    };
    let is_there = repo.find_commit(head.detach()).is_ok_and(|commit| commit.tree().is_ok());
    if !is_there {
        return Lack::Whole;
    }
    if cut_off(&repo).is_empty() { Lack::SmallCommits } else { Lack::CutOff }
}

/// The commits at which a shallow clone ends. Without their parents all their files look new, so they say nothing of any.
pub(super) fn cut_off(repo: &gix::Repository) -> FxHashSet<gix::ObjectId> {
    match repo.shallow_commits() {
        Ok(Some(commits)) => commits.iter().copied().collect(),
        Ok(None) => FxHashSet::default(),
        Err(err) => {
            tracing::debug!(%err, "where a shallow clone ends is not known");
            FxHashSet::default()
        }
    }
}

/// The commit that a folder's work tree stands on; empty where there is none.
pub fn head(folder: &Path) -> String {
    let repo = open(folder).ok();
    repo.and_then(|repo| repo.head_id().ok().map(|id| id.to_string())).unwrap_or_default()
}

/// Commits by which a repository is known again: the newest, and ancestors of it at growing distances. None where the
/// folder itself is no repository or has no commits.
pub fn landmarks(folder: &Path) -> Vec<String> {
    let Some(repo) = folder.join(".git").exists().then(|| open(folder).ok()).flatten() else {
        return Vec::new();
    };
    let mut marks = Vec::new();
    let mut at = repo.head_id().ok().map(|id| id.detach());
    for step in 0..=FARTHEST {
        let Some(id) = at else { break };
        let commit = repo.find_commit(id).ok();
        at = commit.as_ref().and_then(|commit| commit.parent_ids().next()).map(|id| id.detach());
        let is_first = commit.is_some() && at.is_none();
        if is_first || step == 0 || step.is_power_of_two() {
            marks.push(id.to_string());
        }
    }
    marks
}

/// Nobody takes back more commits than this at once.
const FARTHEST: u32 = 1_024;

/// Whether the repository of this very folder has one of these commits.
pub fn has_any(folder: &Path, commits: &[String]) -> bool {
    folder.join(".git").exists() && commits.iter().any(|commit| has_commit(folder, commit).unwrap_or(false))
}

/// Whether the repository has the commit that a hash of at least four digits, a branch or a tag names.
pub fn has_commit(folder: &Path, name: &str) -> Result<bool, HistoryError> {
    let repo = open(folder)?;
    let found = repo.rev_parse_single(name).ok().and_then(|id| id.object().ok());
    Ok(found.is_some_and(|object| object.peel_to_commit().is_ok()))
}

pub(super) fn open(folder: &Path) -> Result<gix::Repository, HistoryError> {
    let mut at = Some(folder);
    while let Some(here) = at {
        let inside = here.join(".git");
        // A folder of that name with nothing in it is none.
        let is_empty = inside.read_dir().is_ok_and(|mut entries| entries.next().is_none());
        if inside.exists() && !is_empty {
            // Isolated: the machine's and the user's configuration may name programs.
            let options = gix::open::Options::isolated();
            return gix::open_opts(here, options).map_err(unreadable);
        }
        at = here.parent();
    }
    Err(HistoryError::NoRepository)
}

/// The way from the work tree's root to the folder, with a slash at its end; empty for the root itself.
pub(super) fn prefix_of(repo: &gix::Repository, folder: &Path) -> String {
    let Some(root) = repo.workdir() else { return String::new() };
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match real(folder).strip_prefix(real(root)) {
        Ok(rest) if !rest.as_os_str().is_empty() => format!("{}/", rest.to_string_lossy()),
        _ => String::new(),
    }
}

pub(super) fn below(prefix: &str, path: String) -> Option<String> {
    path.strip_prefix(prefix).map(str::to_owned)
}

/// Files that differ between a commit and its parent; nothing when an object is missing.
fn changed(
    repo: &gix::Repository,
    commit: &gix::Commit<'_>,
    parent: Option<gix::Id<'_>>,
    limits: Limits,
) -> Option<Vec<String>> {
    // One more than the limit is enough to know that the commit is too wide.
    let files = differences(repo, commit, parent)?.take(limits.files_per_commit.saturating_add(MAX_TIMED));
    Some(files.map(|change| path_of(&change)).collect())
}

/// Files that were added, removed or changed by a commit.
pub(super) fn differences(
    repo: &gix::Repository,
    commit: &gix::Commit<'_>,
    parent: Option<gix::Id<'_>>,
) -> Option<impl Iterator<Item = Change> + use<>> {
    let new = commit.tree().ok()?;
    let old = match parent {
        Some(id) => id.object().ok()?.try_into_commit().ok()?.tree().ok()?,
        None => repo.empty_tree(),
    };
    let mut recorder = Recorder::default().track_location(Some(Location::Path));
    let kind = new.id.kind();
    gix::diff::tree(
        TreeRefIter::from_bytes(&old.data, kind),
        TreeRefIter::from_bytes(&new.data, kind),
        State::default(),
        &repo.objects,
        &mut recorder,
    )
    .ok()?;
    let is_file = |change: &Change| {
        let mode = match change {
            Change::Addition { entry_mode, .. }
            | Change::Deletion { entry_mode, .. }
            | Change::Modification { entry_mode, .. } => entry_mode,
        };
        mode.is_blob()
    };
    Some(recorder.records.into_iter().filter(is_file))
}

pub(super) fn path_of(change: &Change) -> String {
    match change {
        Change::Addition { path, .. } | Change::Deletion { path, .. } | Change::Modification { path, .. } => {
            path.to_string()
        }
    }
}

/// How many files beyond the limit still learn when they were last changed.
const MAX_TIMED: usize = 20_000;

pub(super) fn unreadable(err: impl std::fmt::Display) -> HistoryError {
    HistoryError::Unreadable(err.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{commit, repository};
    use super::*;

    #[test]
    fn a_folder_without_git_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let result = read(folder.path(), Limits::default(), &CancelToken::new());
        assert!(matches!(result, Err(HistoryError::NoRepository)));
    }

    #[test]
    fn a_corrupt_git_folder_is_an_error_and_no_panic() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join(".git/HEAD"), "nonsense").unwrap();
        let result = read(folder.path(), Limits::default(), &CancelToken::new());
        assert!(matches!(result, Err(HistoryError::Unreadable(_))));
    }

    #[test]
    fn commits_are_counted_for_the_folder_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let repo = repository(folder.path());
        std::fs::create_dir(folder.path().join("app")).unwrap();
        let mut parent: Option<gix::ObjectId> = None;
        for (time, subject, files) in [
            (100, "start", vec![("app/a.py", "1"), ("app/b.py", "1"), ("top.py", "1")]),
            (200, "fix a", vec![("app/a.py", "2"), ("app/b.py", "2"), ("top.py", "1")]),
            (300, "only a", vec![("app/a.py", "3"), ("app/b.py", "2"), ("top.py", "1")]),
        ] {
            parent = Some(commit(&repo, time, subject, &files, parent));
        }
        let history = read(&folder.path().join("app"), Limits::default(), &CancelToken::new()).unwrap();
        let a = &history.files["a.py"];
        assert_eq!((a.commits, a.fixes, a.changed_at), (3, 1, UnixMs(300_000)));
        assert_eq!(history.files.len(), 2);
        assert_eq!(history.pairs[0].times, 2);
        let few = Limits { commits: 1, ..Limits::default() };
        let history = read(folder.path(), few, &CancelToken::new()).unwrap();
        assert_eq!((history.commits, history.is_cut), (1, true));
        assert_eq!(history.files.keys().collect::<Vec<_>>(), ["app/a.py"]);
    }
}
