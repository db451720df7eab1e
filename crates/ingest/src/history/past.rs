//! A repository as it was: an earlier state of all files, and the commits that came after it.
//!
//! For experiments that ask at an earlier state what later commits answer. Objects are read from the object store; no
//! work tree is touched, and a bare repository will do.

use std::collections::BTreeSet;
use std::path::Path;

use gix::diff::tree::recorder::Change;
use gix::traverse::tree::Recorder;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::UnixMs;

use super::git::{HistoryError, OBJECT_CACHE_BYTES, differences, path_of, unreadable};
use super::log::{Log, log_from};

/// A repository that is asked about its past.
pub struct Past {
    repo: gix::Repository,
    /// `HEAD`, its first parent, and so on.
    line: Vec<gix::ObjectId>,
}

/// A commit after a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaterCommit {
    pub id: String,
    pub time: UnixMs,
    pub message: String,
    /// Files whose content it changed.
    pub modified: Vec<String>,
    /// Files it added or removed.
    pub other: Vec<String>,
}

impl Past {
    /// Opens a work tree's repository or a bare git directory, and walks back at most `depth` first parents.
    pub fn open(folder: &Path, depth: usize) -> Result<Self, HistoryError> {
        let mut repo = gix::open_opts(folder, gix::open::Options::isolated()).map_err(unreadable)?;
        repo.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        let head = repo.head_id().map_err(unreadable)?.detach();
        let mut line = vec![head];
        while line.len() <= depth {
            let commit = repo.find_commit(line[line.len() - 1]).map_err(unreadable)?;
            let Some(parent) = commit.parent_ids().next().map(gix::Id::detach) else { break };
            // A shallow clone ends here.
            if repo.find_commit(parent).is_err() {
                break;
            }
            line.push(parent);
        }
        Ok(Self { repo, line })
    }

    /// How many first parents `HEAD` has, up to the depth it was opened with.
    pub fn depth(&self) -> usize {
        self.line.len() - 1
    }

    /// The id of the commit `back` first parents before `HEAD`.
    pub fn id(&self, back: usize) -> String {
        self.line[back].to_string()
    }

    /// The files of that commit.
    pub fn paths(&self, back: usize) -> Result<BTreeSet<String>, HistoryError> {
        Ok(self.entries(back)?.into_iter().map(|(path, _)| path).collect())
    }

    /// Hands over each file of that commit that `wanted` asks for, with its bytes.
    pub fn files(
        &self,
        back: usize,
        wanted: impl Fn(&str) -> bool,
        mut found: impl FnMut(&str, &[u8]),
    ) -> Result<(), HistoryError> {
        for (path, id) in self.entries(back)? {
            if !wanted(&path) {
                continue;
            }
            // A partial clone lacks some.
            match self.repo.find_blob(id) {
                Ok(blob) => found(&path, &blob.data),
                Err(_) => continue,
            }
        }
        Ok(())
    }

    /// Commits that `HEAD` has and that commit has not, oldest first, without merges.
    pub fn after(&self, back: usize) -> Result<Vec<LaterCommit>, HistoryError> {
        let walk =
            self.repo.rev_walk([self.line[0]]).with_hidden([self.line[back]]).all().map_err(unreadable)?;
        let mut later = Vec::new();
        for info in walk {
            let info = info.map_err(unreadable)?;
            let parents: Vec<_> = info.parent_ids().collect();
            let [parent] = parents[..] else { continue };
            let commit = info.object().map_err(unreadable)?;
            let Some(changes) = differences(&self.repo, &commit, Some(parent)) else { continue };
            let (modified, other): (Vec<Change>, Vec<Change>) =
                changes.partition(|change| matches!(change, Change::Modification { .. }));
            let message = commit.message_raw().map(ToString::to_string).unwrap_or_default();
            let seconds = commit.time().map(|time| time.seconds).unwrap_or_default();
            later.push(LaterCommit {
                id: info.id.to_string(),
                time: UnixMs(seconds.saturating_mul(1_000)),
                message,
                modified: modified.iter().map(path_of).collect(),
                other: other.iter().map(path_of).collect(),
            });
        }
        later.sort_by(|a, b| a.time.cmp(&b.time).then_with(|| a.id.cmp(&b.id)));
        Ok(later)
    }

    /// The log as it was at that commit.
    pub fn log(&self, back: usize, limit: usize, cancel: &CancelToken) -> Result<Log, HistoryError> {
        log_from(self.repo.clone(), self.line[back], "", limit, cancel)
    }

    /// The files of every commit up to that one as they were called then, without merges: what `git log --name-only` says.
    pub fn named(&self, back: usize) -> Result<Vec<Vec<String>>, HistoryError> {
        let mut all = Vec::new();
        for info in self.repo.rev_walk([self.line[back]]).all().map_err(unreadable)? {
            // A shallow clone ends here.
            let Ok(info) = info else { break };
            let parents: Vec<_> = info.parent_ids().collect();
            if parents.len() > 1 {
                continue;
            }
            let commit = info.object().map_err(unreadable)?;
            let Some(changes) = differences(&self.repo, &commit, parents.first().copied()) else { continue };
            all.push(changes.map(|change| path_of(&change)).collect());
        }
        Ok(all)
    }

    fn entries(&self, back: usize) -> Result<Vec<(String, gix::ObjectId)>, HistoryError> {
        let tree = self.repo.find_commit(self.line[back]).map_err(unreadable)?.tree().map_err(unreadable)?;
        let mut recorder = Recorder::default();
        tree.traverse().breadthfirst(&mut recorder).map_err(unreadable)?;
        let files = recorder.records.into_iter().filter(|entry| entry.mode.is_blob());
        let mut files: Vec<_> = files.map(|entry| (entry.filepath.to_string(), entry.oid)).collect();
        files.sort();
        Ok(files)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{commit, repository};
    use super::*;

    #[test]
    fn a_snapshot_knows_nothing_of_what_came_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let repo = repository(folder.path());
        let one = commit(&repo, 100, "one", &[("a.py", "1")], None);
        let two = commit(&repo, 200, "two", &[("a.py", "2"), ("b.py", "1")], Some(one));
        commit(&repo, 300, "three", &[("a.py", "3"), ("b.py", "1")], Some(two));
        let past = Past::open(folder.path(), 10).unwrap();
        assert_eq!(past.depth(), 2);
        assert_eq!(past.paths(2).unwrap().into_iter().collect::<Vec<_>>(), ["a.py"]);
        let mut texts = Vec::new();
        past.files(1, |_| true, |path, bytes| texts.push((path.to_owned(), bytes.to_vec()))).unwrap();
        assert_eq!(texts, [("a.py".to_owned(), b"2".to_vec()), ("b.py".to_owned(), b"1".to_vec())]);
        let after = past.after(2).unwrap();
        let shown: Vec<_> =
            after.iter().map(|c| (c.message.as_str(), c.modified.len(), c.other.len())).collect();
        assert_eq!(shown, [("two", 1, 1), ("three", 1, 0)]);
        let log = past.log(1, 10, &CancelToken::new()).unwrap();
        assert_eq!(log.entries.iter().map(|e| e.message.as_str()).collect::<Vec<_>>(), ["two", "one"]);
    }

    #[test]
    fn files_are_named_as_they_were_called_then() {
        let folder = tempfile::tempdir().unwrap();
        let repo = repository(folder.path());
        let one = commit(&repo, 100, "one", &[("old.py", "1"), ("b.py", "1")], None);
        commit(&repo, 200, "two", &[("new.py", "1"), ("b.py", "1")], Some(one));
        let mut named = Past::open(folder.path(), 10).unwrap().named(0).unwrap();
        named.iter_mut().for_each(|files| files.sort());
        assert_eq!(named, [["new.py", "old.py"], ["b.py", "old.py"]]);
    }
}
