//! The history of a root and of the other roots that stand in it, under the paths that they have there.

use m1nd_stdx::cancel::CancelToken;
use m1nd_vfs::{Mount, Root};

use super::git::{self, HistoryError};
use super::log::{Log, Reach, log_so_far};
use super::tally::{History, Limits};

/// Which commits are checked out; the same as long as no history moved.
pub fn heads(root: &Root) -> String {
    let mut heads = git::head(root.path());
    for mount in root.mounted() {
        heads += &format!(" {}{}", mount.folder(), git::head(mount.root().path()));
    }
    heads
}

/// What the histories say about the files. A folder without one says nothing; only being stopped is an error.
pub fn read_all(root: &Root, limits: Limits, cancel: &CancelToken) -> Result<History, HistoryError> {
    let mut all = quiet(git::read(root.path(), limits, cancel))?;
    for mount in root.mounted() {
        let more = quiet(git::read(mount.root().path(), limits, cancel))?;
        let outer = |path: String| outer(&mount, &path);
        all.files.extend(more.files.into_iter().map(|(path, history)| (outer(path), history)));
        all.pairs.extend(more.pairs.into_iter().map(|mut pair| {
            pair.one = outer(pair.one);
            pair.other = outer(pair.other);
            pair
        }));
        all.commits += more.commits;
        all.wide_commits += more.wide_commits;
        all.is_cut |= more.is_cut;
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
    let elsewhere = root.mounted();
    // What was read of several folders cannot be told apart again.
    let older = older.filter(|_| elsewhere.is_empty());
    let (mut log, mut reach) = quiet_log(log_so_far(root.path(), older, limit, cancel))?;
    for mount in &elsewhere {
        let (more, so_far) = quiet_log(log_so_far(mount.root().path(), None, limit, cancel))?;
        log.entries.extend(more.entries.into_iter().map(|mut entry| {
            entry.files.iter_mut().for_each(|path| *path = outer(mount, path));
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

fn outer(mount: &Mount, path: &str) -> String {
    format!("{}/{path}", mount.folder())
}

fn quiet(read: Result<History, HistoryError>) -> Result<History, HistoryError> {
    read.or_else(|err| match err {
        HistoryError::Stopped(_) => Err(err),
        err => {
            tracing::info!(%err, "no history");
            Ok(History::default())
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
