//! Base: the files of an earlier commit, to compare today's with.

use std::collections::BTreeMap;
use std::path::Path;

use gix::traverse::tree::Recorder;
use m1nd_stdx::clock::UnixMs;

use super::git::{HistoryError, OBJECT_CACHE_BYTES, below, open, prefix_of, unreadable};

/// First parents that are looked through for a time.
const MAX_BACK: usize = 50_000;
/// Commits since a base are counted up to this.
const MAX_COUNTED: usize = 10_000;

/// Which commit is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline<'a> {
    /// A hash, a branch, a tag, or anything else that names a commit.
    Name(&'a str),
    /// The newest on the line of `HEAD` that is not younger.
    Time(UnixMs),
}

/// An earlier commit of a folder.
pub struct Base {
    repo: gix::Repository,
    prefix: String,
    commit: gix::ObjectId,
    time: UnixMs,
}

/// The content of a file as git names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Content(gix::ObjectId);

impl Base {
    /// Nothing where no commit is meant.
    pub fn find(folder: &Path, baseline: Baseline<'_>) -> Result<Option<Self>, HistoryError> {
        let mut repo = open(folder)?;
        repo.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
        let prefix = prefix_of(&repo, folder);
        let found = match baseline {
            Baseline::Name(name) => {
                let object = repo.rev_parse_single(name).ok().and_then(|id| id.object().ok());
                object.and_then(|object| object.peel_to_commit().ok()).map(|commit| commit.id)
            }
            Baseline::Time(at) => on_the_line(&repo, at)?,
        };
        let Some(commit) = found else { return Ok(None) };
        let time = time_of(&repo, commit)?;
        Ok(Some(Self { repo, prefix, commit, time }))
    }

    pub fn id(&self) -> String {
        self.commit.to_string()
    }

    /// The newest commit that both come from.
    pub(super) fn merge_base(&self, other: &Self) -> Option<String> {
        self.repo.merge_base(self.commit, other.commit).ok()?.map(|id| id.detach().to_string())
    }

    pub fn time(&self) -> UnixMs {
        self.time
    }

    /// Commits that `HEAD` has and this has not, counted up to 10,000.
    pub fn commits_since(&self) -> Result<usize, HistoryError> {
        let head = self.repo.head_id().map_err(unreadable)?.detach();
        let walk = self.repo.rev_walk([head]).with_hidden([self.commit]).all().map_err(unreadable)?;
        Ok(walk.take(MAX_COUNTED).filter(Result::is_ok).count())
    }

    /// The files below the folder.
    pub fn files(&self) -> Result<BTreeMap<String, Content>, HistoryError> {
        let tree = self.repo.find_commit(self.commit).map_err(unreadable)?.tree().map_err(unreadable)?;
        let mut recorder = Recorder::default();
        tree.traverse().breadthfirst(&mut recorder).map_err(unreadable)?;
        let files = recorder.records.into_iter().filter(|entry| entry.mode.is_blob());
        let named = files
            .filter_map(|entry| Some((below(&self.prefix, entry.filepath.to_string())?, Content(entry.oid))));
        Ok(named.collect())
    }

    /// The bytes of a file; nothing where a partial clone lacks them.
    pub fn bytes(&self, content: Content) -> Option<Vec<u8>> {
        Some(self.repo.find_blob(content.0).ok()?.take_data())
    }

    /// What git would call these bytes.
    pub fn content(&self, bytes: &[u8]) -> Option<Content> {
        self.naming().content(bytes)
    }

    /// How the repository names contents, for several threads.
    pub(super) fn naming(&self) -> Naming {
        Naming(self.repo.object_hash())
    }
}

/// How a repository names contents.
#[derive(Clone, Copy, Debug)]
pub(super) struct Naming(gix::hash::Kind);

impl Naming {
    pub(super) fn content(self, bytes: &[u8]) -> Option<Content> {
        gix::objs::compute_hash(self.0, gix::objs::Kind::Blob, bytes).ok().map(Content)
    }
}

fn on_the_line(repo: &gix::Repository, at: UnixMs) -> Result<Option<gix::ObjectId>, HistoryError> {
    let mut here = repo.head_id().map_err(unreadable)?.detach();
    for _ in 0..MAX_BACK {
        if time_of(repo, here)? <= at {
            return Ok(Some(here));
        }
        let commit = repo.find_commit(here).map_err(unreadable)?;
        match commit.parent_ids().next().map(gix::Id::detach) {
            // A shallow clone ends where a parent is missing.
            Some(parent) if repo.find_commit(parent).is_ok() => here = parent,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

fn time_of(repo: &gix::Repository, commit: gix::ObjectId) -> Result<UnixMs, HistoryError> {
    let seconds = repo.find_commit(commit).map_err(unreadable)?.time().map_err(unreadable)?.seconds;
    Ok(UnixMs(seconds.saturating_mul(1_000)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{commit, repository};
    use super::*;

    #[test]
    fn a_base_is_found_by_name_and_time_and_tells_its_files() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let first = commit(&repo, 1_000, "one", &[("a.rs", "one"), ("b/c.rs", "two")], None);
        commit(&repo, 2_000, "two", &[("a.rs", "three")], Some(first));
        let find = |baseline: Baseline<'_>| Base::find(dir.path(), baseline).unwrap();
        let by_time = find(Baseline::Time(UnixMs(1_500_000))).unwrap();
        let name = first.to_string();
        let by_name = find(Baseline::Name(&name[..9])).unwrap();
        assert_eq!((by_time.id(), by_name.time()), (name.clone(), UnixMs(1_000_000)));
        let files = by_time.files().unwrap();
        assert_eq!(by_time.bytes(files["a.rs"]).unwrap(), b"one");
        assert_eq!(by_time.content(b"one"), Some(files["a.rs"]));
        assert_eq!(by_time.commits_since().unwrap(), 1);
        assert!(find(Baseline::Name("nowhere")).is_none());
        assert!(find(Baseline::Time(UnixMs(5))).is_none());
    }
}
