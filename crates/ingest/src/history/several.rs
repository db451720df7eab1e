//! The history of a root, and of other roots and submodules that stand in it, under the paths that they have there.

use std::fs;
use std::path::PathBuf;

use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::Root;

use super::git::{self, HistoryError};
use super::log::{Log, Reach, log_so_far};
use super::mark::mark;
use super::tally::{History, Limits};

/// More are not looked at.
const MAX_SUBMODULES: usize = 50;

/// A repository in the root beside its own: where it lies, and the folder that its paths have in the root.
struct Inner {
    path: PathBuf,
    folder: String,
}

/// Other roots, and submodules that are checked out.
fn inner(root: &Root) -> Vec<Inner> {
    let mounts = root.mounted();
    let mounts = mounts.iter();
    let mut found: Vec<Inner> = mounts
        .map(|mount| Inner { path: mount.root().path().to_owned(), folder: mount.folder().to_owned() })
        .collect();
    found
        .extend(submodules(root).into_iter().map(|folder| Inner { path: root.path().join(&folder), folder }));
    found
}

/// The folders of submodules, as `.gitmodules` names them. It may name anything, so they must lie in the root.
fn submodules(root: &Root) -> Vec<String> {
    let text = fs::read_to_string(root.path().join(".gitmodules")).ok();
    let Some(file) = text.and_then(|text| text.parse::<gix::config::File>().ok()) else {
        return Vec::new();
    };
    let sections = file.sections_by_name("submodule").into_iter().flatten();
    let named = sections.filter_map(|section| section.value("path").map(|path| path.to_string()));
    let inside = named.filter_map(|path| Some(root.relative(&path).ok()?.as_str().to_owned()));
    let is_there = |folder: &String| {
        let path = root.path().join(folder);
        let is_link = path.symlink_metadata().is_ok_and(|meta| meta.is_symlink());
        !folder.is_empty() && !is_link && path.join(".git").exists()
    };
    inside.filter(is_there).take(MAX_SUBMODULES).collect()
}

/// Which commits are checked out; the same as long as no history moved.
pub fn heads(root: &Root) -> String {
    let mut heads = git::head(root.path());
    for one in inner(root) {
        heads += &format!(" {}{}", one.folder, git::head(&one.path));
    }
    heads
}

/// Another one than before whenever commits were made, or others were checked out. What it says is told by
/// [`heads`] alone.
pub fn marks(root: &Root) -> String {
    let mut marks = mark(root.path()).unwrap_or_default();
    for one in inner(root) {
        marks += &format!(" {}{}", one.folder, mark(&one.path).unwrap_or_default());
    }
    marks
}

/// What the histories say about the files. A folder without one says nothing; only being stopped is an error.
pub fn read_all(root: &Root, limits: Limits, cancel: &CancelToken) -> Result<History, HistoryError> {
    let mut all = quiet(git::read(root.path(), limits, cancel), "")?;
    for one in inner(root) {
        let more = quiet(git::read(&one.path, limits, cancel), &one.folder)?;
        let outer = |path: String| one.outer(&path);
        all.files.extend(more.files.into_iter().map(|(path, history)| (outer(path), history)));
        all.pairs.extend(more.pairs.into_iter().map(|mut pair| {
            pair.one = outer(pair.one);
            pair.other = outer(pair.other);
            pair
        }));
        all.commits += more.commits;
        all.wide_commits += more.wide_commits;
        all.is_cut |= more.is_cut;
        all.unreadable = all.unreadable.or(more.unreadable);
    }
    all.head = heads(root);
    Ok(all)
}

/// The commits of all, newest first, as [`log_so_far`] reads them.
pub fn logs_so_far(
    root: &Root,
    older: Option<&Log>,
    limit: usize,
    cancel: &CancelToken,
) -> Result<(Log, Reach), HistoryError> {
    let elsewhere = inner(root);
    // What was read of several folders cannot be told apart again.
    let older = older.filter(|_| elsewhere.is_empty());
    let (mut log, mut reach) = quiet_log(log_so_far(root.path(), older, limit, cancel))?;
    for one in &elsewhere {
        let (more, so_far) = quiet_log(log_so_far(&one.path, None, limit, cancel))?;
        log.entries.extend(more.entries.into_iter().map(|mut entry| {
            entry.files.iter_mut().for_each(|path| *path = one.outer(path));
            entry
        }));
        if so_far == Reach::Part {
            reach = Reach::Part;
        }
    }
    if !elsewhere.is_empty() {
        log.entries.sort_by_key(|entry| std::cmp::Reverse(entry.time));
        log.entries.truncate(limit);
    }
    log.head = heads(root);
    Ok((log, reach))
}

impl Inner {
    /// The path that one of its files has in the root.
    fn outer(&self, path: &str) -> String {
        format!("{}/{path}", self.folder)
    }
}

fn quiet(read: Result<History, HistoryError>, folder: &str) -> Result<History, HistoryError> {
    read.or_else(|err| match err {
        HistoryError::Stopped(_) => Err(err),
        HistoryError::NoRepository => Ok(History::default()),
        err => {
            tracing::info!(%err, "no history");
            let place = if folder.is_empty() { String::new() } else { format!("{folder}: ") };
            Ok(History { unreadable: Some(format!("{place}{err}")), ..History::default() })
        }
    })
}

fn quiet_log(read: Result<(Log, Reach), HistoryError>) -> Result<(Log, Reach), HistoryError> {
    read.or_else(|err| match err {
        HistoryError::Stopped(_) => Err(err),
        err => {
            tracing::info!(%err, "no log");
            Ok((Log::default(), Reach::Whole))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{commit, repository};
    use super::*;

    fn read(root: &Root) -> History {
        read_all(root, Limits::default(), &CancelToken::new()).unwrap()
    }

    #[test]
    fn submodules_have_a_history_of_their_own_and_paths_outside_none() {
        let folder = tempfile::tempdir().unwrap();
        let outer = folder.path().join("outer");
        fs::create_dir_all(outer.join("lib/sub")).unwrap();
        let elsewhere = repository(&folder.path().join("elsewhere"));
        commit(&elsewhere, 1, "one", &[("secret.rs", "1")], None);
        commit(&repository(&outer), 1, "one", &[("a.rs", "1")], None);
        let sub = repository(&outer.join("lib/sub"));
        let first = commit(&sub, 2, "two", &[("b.rs", "1")], None);
        let modules = "[submodule \"s\"]\n\tpath = lib/sub\n[submodule \"e\"]\n\tpath = ../elsewhere\n\
            [submodule \"n\"]\n\tpath = not/there\n[submodule \"self\"]\n\tpath = .\n";
        fs::write(outer.join(".gitmodules"), modules).unwrap();
        let root = Root::open(&outer).unwrap();
        let history = read(&root);
        assert_eq!(history.files.keys().collect::<Vec<_>>(), ["a.rs", "lib/sub/b.rs"]);
        assert_eq!((history.commits, history.unreadable), (2, None));
        let (heads_before, marks_before) = (heads(&root), marks(&root));
        commit(&sub, 3, "three", &[("b.rs", "2")], Some(first));
        assert!(heads(&root) != heads_before && marks(&root) != marks_before, "a commit in it is seen");
        fs::write(outer.join(".gitmodules"), "[submodule \"s\n\tpath = lib/sub").unwrap();
        assert_eq!(read(&root).commits, 1, "what cannot be read names nothing");
    }

    #[test]
    fn a_damaged_repository_is_said_and_a_missing_or_empty_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        assert_eq!(read(&root).unreadable, None);
        let repo = repository(folder.path());
        assert_eq!(read(&root).unreadable, None, "no commits yet");
        commit(&repo, 1, "one", &[("a.rs", "1")], None);
        assert_eq!(read(&root).commits, 1);
        fs::write(folder.path().join(".git/HEAD"), "0123456789012345678901234567890123456789\n").unwrap();
        assert!(read(&root).unreadable.is_some(), "{:?}", read(&root));
        fs::write(folder.path().join(".git/HEAD"), "nonsense").unwrap();
        assert!(read(&root).unreadable.is_some());
    }
}
