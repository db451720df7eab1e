//! Timeline: the commits that touched one file, under whatever names it had, and how many lines each added and removed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::UnixMs;
use rustc_hash::FxHashMap;

use super::changes::compared;
use super::git::{HistoryError, OBJECT_CACHE_BYTES, cut_off, differences, open, prefix_of, unreadable};
use super::moves::moves;

/// Commits that are looked through.
const MAX_COMMITS: usize = 20_000;
/// Commits of the file whose other files are told.
const MAX_WITH_COMPANIONS: usize = 2_000;

/// A commit that touched the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touch {
    pub id: String,
    pub time: UnixMs,
    pub author: String,
    pub subject: String,
    pub added: u32,
    pub removed: u32,
    /// The name that the file had before, where this commit renamed it.
    pub renamed_from: Option<String>,
    /// The other files that it touched, by the names that they have today as far as these commits tell.
    pub companions: Vec<String>,
}

/// A file's commits, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    pub touches: Vec<Touch>,
    /// Whether older commits were not looked at: time, their number or the end of a shallow clone ended it.
    pub is_cut: bool,
    /// Where the past of the file ends although older commits touched its path.
    pub ends: Option<Ends>,
}

/// A commit by which another file left the path that a file stands under today: what was before is that one's past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ends {
    pub id: String,
    /// Where the other file went.
    pub moved_to: String,
    /// How many commits before touched the path, as far as commits were looked through.
    pub older: usize,
}

/// The commits of `HEAD`, not older than `since`, that touched the file. Merges do not count: what they bring was told by the
/// commits that they bring together.
pub fn timeline(
    folder: &Path,
    path: &str,
    since: Option<UnixMs>,
    cancel: &CancelToken,
) -> Result<Timeline, HistoryError> {
    let mut repo = open(folder)?;
    repo.object_cache_size_if_unset(OBJECT_CACHE_BYTES);
    let prefix = prefix_of(&repo, folder);
    let mut path = format!("{prefix}{path}");
    let mut found = Timeline::default();
    let Ok(head) = repo.head_id() else { return Ok(found) };
    let mut names = Names { head: Some(head.detach()), ..Names::default() };
    let walk = repo
        .rev_walk([head.detach()])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .all()
        .map_err(unreadable)?;
    let cut_off = cut_off(&repo);
    let mut known: FxHashMap<ObjectId, Option<ObjectId>> = FxHashMap::default();
    for (nth, info) in walk.enumerate() {
        if nth >= MAX_COMMITS || cancel.stop().is_some() {
            found.is_cut = true;
            break;
        }
        // An object that is missing or broken ends what can be known.
        let Some(commit) = info.ok().and_then(|info| repo.find_commit(info.id).ok()) else {
            found.is_cut = true;
            break;
        };
        let time = UnixMs(commit.time().map_or(0, |time| time.seconds.saturating_mul(1_000)));
        if since.is_some_and(|since| time < since) {
            break;
        }
        if cut_off.contains(&commit.id) {
            found.is_cut = true;
            continue;
        }
        let mut blob_in = |id: ObjectId, path: &str| -> Option<ObjectId> {
            *known.entry(id).or_insert_with(|| blob(&repo, id, path))
        };
        let own = blob_in(commit.id, &path);
        let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
        if parents.len() > 1 {
            continue;
        }
        let before: Vec<Option<ObjectId>> = parents.iter().map(|&parent| blob_in(parent, &path)).collect();
        if before.contains(&own) || (own.is_none() && before.iter().all(Option::is_none)) {
            continue;
        }
        // Where a file moved away, what was before is the past of that one: what stands under its path today was made anew.
        if let Some(ends) = &mut found.ends {
            ends.older += 1;
            continue;
        }
        if own.is_none()
            && parents.len() == 1
            && let Some((_, to)) = counterpart(&repo, &commit, &path, Side::Came)
        {
            let moved_to = to.strip_prefix(&*prefix).map_or_else(|| to.clone(), str::to_owned);
            found.ends = Some(Ends { id: commit.id.to_string(), moved_to, older: 0 });
            continue;
        }
        // What came with no past may have had another name.
        let renamed_from = match (own, parents.as_slice(), before.first()) {
            (Some(_), [_], Some(None)) => counterpart(&repo, &commit, &path, Side::Went),
            _ => None,
        };
        let (old, renamed_from) = match renamed_from {
            Some((old, was)) => (Some(old), Some(was)),
            None => (before.first().copied().flatten(), None),
        };
        let bytes = |id: Option<ObjectId>| {
            id.and_then(|id| Some(repo.find_blob(id).ok()?.take_data())).unwrap_or_default()
        };
        let (_, added, removed) = compared(&bytes(old), &bytes(own));
        let author = commit.author().ok().map(|author| author.name.to_string()).unwrap_or_default();
        let subject = commit.message().ok().map(|message| message.summary().to_string()).unwrap_or_default();
        let was = renamed_from.clone();
        let companions = match found.touches.len() < MAX_WITH_COMPANIONS {
            true => names.companions(&repo, &commit, [Some(path.as_str()), was.as_deref()], &prefix),
            false => Vec::new(),
        };
        found.touches.push(Touch {
            id: commit.id.to_string(),
            time,
            author,
            subject,
            added,
            removed,
            renamed_from,
            companions,
        });
        if let Some(was) = was {
            path = was;
            known.clear();
        }
    }
    follow(&repo, head.detach(), &prefix, &mut found.touches, cancel)?;
    Ok(found)
}

/// Companions that are followed to the names that they have today, and commits that are looked through for it.
const MAX_FOLLOWED: usize = 6;
const MAX_FOLLOWING: usize = 5_000;

/// Tells the most frequent companions that are there no more by what they became, where a commit since then renamed them.
fn follow(
    repo: &gix::Repository,
    head: ObjectId,
    prefix: &str,
    touches: &mut [Touch],
    cancel: &CancelToken,
) -> Result<(), HistoryError> {
    // How often, and the time of the newest.
    let mut times: BTreeMap<&str, (usize, UnixMs)> = BTreeMap::new();
    for touch in touches.iter() {
        for name in &touch.companions {
            times.entry(name).or_insert((0, touch.time)).0 += 1;
        }
    }
    let mut most: Vec<(&str, usize, UnixMs)> =
        times.into_iter().map(|(name, (count, newest))| (name, count, newest)).collect();
    most.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    let full = |name: &str| format!("{prefix}{name}");
    let gone = most.iter().take(2 * MAX_FOLLOWED).filter(|one| blob(repo, head, &full(one.0)).is_none());
    let mut open: Vec<(String, UnixMs)> =
        gone.take(MAX_FOLLOWED).map(|&(name, _, newest)| (full(name), newest)).collect();
    let mut became: FxHashMap<String, String> = FxHashMap::default();
    let mut known: FxHashMap<(ObjectId, String), Option<ObjectId>> = FxHashMap::default();
    let walk = repo
        .rev_walk([head])
        .sorting(Sorting::ByCommitTime(CommitTimeOrder::NewestFirst))
        .all()
        .map_err(unreadable)?;
    for info in walk.take(MAX_FOLLOWING) {
        let Some(commit) = info.ok().and_then(|info| repo.find_commit(info.id).ok()) else { break };
        let time = UnixMs(commit.time().map_or(0, |time| time.seconds.saturating_mul(1_000)));
        // It was still there when it was last touched.
        open.retain(|(_, newest)| time >= *newest);
        if open.is_empty() || cancel.stop().is_some() {
            break;
        }
        let parents: Vec<ObjectId> = commit.parent_ids().map(gix::Id::detach).collect();
        let [parent] = parents[..] else { continue };
        let mut blob_in = |id: ObjectId, path: &str| -> Option<ObjectId> {
            *known.entry((id, path.to_owned())).or_insert_with(|| blob(repo, id, path))
        };
        open.retain(|(name, _)| {
            let went = blob_in(commit.id, name).is_none().then(|| blob_in(parent, name)).flatten();
            if went.is_none() {
                return true;
            }
            if let Some((_, new)) = counterpart(repo, &commit, name, Side::Came) {
                became.insert(name.clone(), new);
            }
            false
        });
    }
    if became.is_empty() {
        return Ok(());
    }
    let today = |name: &String| {
        let new = became.get(&full(name)).and_then(|new| new.strip_prefix(prefix));
        new.map_or_else(|| name.clone(), str::to_owned)
    };
    for touch in touches {
        let renamed: BTreeSet<String> = touch.companions.iter().map(today).collect();
        touch.companions = renamed.into_iter().collect();
    }
    Ok(())
}

/// What files that were renamed are called today, by the names that they had.
#[derive(Default)]
struct Names {
    head: Option<ObjectId>,
    today: FxHashMap<String, String>,
}

impl Names {
    /// The files besides `own` that a commit touched, below the prefix. Commits come newest first: what one renames had its
    /// earlier name in those that follow.
    fn companions(
        &mut self,
        repo: &gix::Repository,
        commit: &gix::Commit<'_>,
        own: [Option<&str>; 2],
        prefix: &str,
    ) -> Vec<String> {
        use gix::diff::tree::recorder::Change;
        let Some(changes) = differences(repo, commit, commit.parent_ids().next()) else { return Vec::new() };
        let (mut came, mut went, mut found) = (FxHashMap::default(), Vec::new(), BTreeSet::new());
        for change in changes {
            let (Change::Addition { path, .. }
            | Change::Modification { path, .. }
            | Change::Deletion { path, .. }) = &change;
            let path = path.to_string();
            if own.contains(&Some(path.as_str())) {
                continue;
            }
            match change {
                Change::Deletion { oid, .. } => went.push((oid, path)),
                Change::Modification { .. } => {
                    found.insert(self.name(path));
                }
                Change::Addition { oid, .. } => {
                    let today = self.name(path);
                    came.insert(oid, today.clone());
                    found.insert(today);
                }
            }
        }
        for (oid, path) in went {
            match came.get(&oid) {
                // What was made anew under its old name keeps that.
                Some(today) if self.head.is_some_and(|head| blob(repo, head, &path).is_none()) => {
                    self.today.insert(path, today.clone());
                }
                _ => {
                    found.insert(self.name(path));
                }
            }
        }
        found.into_iter().filter_map(|path| Some(path.strip_prefix(prefix)?.to_owned())).collect()
    }

    fn name(&self, path: String) -> String {
        self.today.get(&path).cloned().unwrap_or(path)
    }
}

/// The content of a path in a commit.
fn blob(repo: &gix::Repository, commit: ObjectId, path: &str) -> Option<ObjectId> {
    let tree = repo.find_commit(commit).ok()?.tree().ok()?;
    let entry = tree.lookup_entry_by_path(path).ok()??;
    entry.mode().is_blob().then(|| entry.object_id())
}

/// What a commit did with the file that is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Went,
    Came,
}

/// The file that went when this one came, or came when this one went, by the rule that the log follows files by.
fn counterpart(
    repo: &gix::Repository,
    commit: &gix::Commit<'_>,
    path: &str,
    side: Side,
) -> Option<(ObjectId, String)> {
    use gix::diff::tree::recorder::Change;
    let changes: Vec<Change> = differences(repo, commit, commit.parent_ids().next())?.collect();
    let (was, is) = moves(repo, &changes).into_iter().find(|(was, is)| match side {
        Side::Went => is == path,
        Side::Came => was == path,
    })?;
    let other = if side == Side::Went { was } else { is };
    let content = changes.iter().find_map(|change| match (change, side) {
        (Change::Deletion { oid, path, .. }, Side::Went)
        | (Change::Addition { oid, path, .. }, Side::Came) => (*path == other).then_some(*oid),
        _ => None,
    })?;
    Some((content, other))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{commit, repository};
    use super::*;

    #[test]
    fn commits_of_a_file_are_told_through_a_rename() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = commit(&repo, 100, "add it", &[("old.py", "1\n2\n"), ("x.py", "x\n")], None);
        let two = commit(&repo, 200, "fix it", &[("old.py", "1\nzwei\n3\n"), ("x.py", "x\n")], Some(one));
        let three =
            commit(&repo, 300, "elsewhere", &[("old.py", "1\nzwei\n3\n"), ("x.py", "y\n")], Some(two));
        let four = commit(&repo, 400, "move it", &[("new.py", "1\nzwei\n3\n"), ("x.py", "y\n")], Some(three));
        commit(&repo, 500, "cut it", &[("new.py", "1\n"), ("x.py", "y\n")], Some(four));
        let found = timeline(dir.path(), "new.py", None, &CancelToken::new()).unwrap();
        let shown: Vec<String> = found
            .touches
            .iter()
            .map(|touch| {
                let was = touch.renamed_from.as_deref().unwrap_or_default();
                format!("{} +{} -{} {was}", touch.subject, touch.added, touch.removed).trim_end().to_owned()
            })
            .collect();
        assert_eq!(shown, ["cut it +0 -2", "move it +0 -0 old.py", "fix it +2 -1", "add it +2 -0"]);
        assert_eq!((found.touches[0].author.as_str(), found.is_cut), ("Ann", false));
        let late = timeline(dir.path(), "new.py", Some(UnixMs(350_000)), &CancelToken::new()).unwrap();
        assert_eq!(late.touches.len(), 2);
        assert!(timeline(dir.path(), "none.py", None, &CancelToken::new()).unwrap().touches.is_empty());
    }

    #[test]
    fn what_changed_with_it_is_told_under_todays_names() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = commit(&repo, 100, "add", &[("old.py", "1\n"), ("LOG", "a\n"), ("x.py", "x\n")], None);
        let two = commit(&repo, 200, "fix", &[("old.py", "2\n"), ("LOG", "b\n"), ("x.py", "x\n")], Some(one));
        let three =
            commit(&repo, 300, "move", &[("new.py", "2\n"), ("LOG.md", "b\n"), ("x.py", "x\n")], Some(two));
        commit(&repo, 400, "drop", &[("new.py", "3\n"), ("LOG.md", "b\n")], Some(three));
        let found = timeline(dir.path(), "new.py", None, &CancelToken::new()).unwrap();
        let shown: Vec<String> = found
            .touches
            .iter()
            .map(|touch| format!("{} {}", touch.subject, touch.companions.join(" ")))
            .collect();
        assert_eq!(shown, ["drop x.py", "move LOG.md", "fix LOG.md", "add LOG.md x.py"]);
    }

    #[test]
    fn companions_that_another_commit_renamed_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = commit(&repo, 100, "add", &[("a.py", "1\n"), ("LOG.md", "a\nb\n"), ("b.py", "1\n")], None);
        let two =
            commit(&repo, 200, "log", &[("a.py", "1\n"), ("LOG.rst", "a\nb\n"), ("b.py", "1\n")], Some(one));
        // What moved away and was made anew is told under its name.
        let three = commit(
            &repo,
            300,
            "split",
            &[("a.py", "2\n"), ("LOG.rst", "c\n"), ("in/b.py", "1\n"), ("b.py", "2\n")],
            Some(two),
        );
        let four = commit(
            &repo,
            400,
            "move",
            &[("in/a.py", "2\n"), ("LOG.rst", "c\n"), ("in/b.py", "1\n"), ("b.py", "2\n")],
            Some(three),
        );
        commit(
            &repo,
            500,
            "again",
            &[("in/a.py", "2\n"), ("a.py", "3\n"), ("LOG.rst", "c\n"), ("in/b.py", "1\n"), ("b.py", "2\n")],
            Some(four),
        );
        let past = |path: &str| -> Vec<String> {
            let found = timeline(dir.path(), path, None, &CancelToken::new()).unwrap();
            let told = |touch: &Touch| format!("{} {}", touch.subject, touch.companions.join(" "));
            found.touches.iter().map(|touch| told(touch).trim_end().to_owned()).collect()
        };
        assert_eq!(past("in/a.py"), ["move", "split LOG.rst b.py in/b.py", "add LOG.rst b.py"]);
        // What was made under the path since has no past before that.
        assert_eq!(past("a.py"), ["again"]);
        let ends = timeline(dir.path(), "a.py", None, &CancelToken::new()).unwrap().ends;
        assert_eq!(ends, Some(Ends { id: four.to_string(), moved_to: "in/a.py".to_owned(), older: 2 }));
    }

    #[test]
    fn the_log_and_the_timeline_count_the_same_commits_of_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let states: [&[(&str, &str)]; 6] = [
            &[("app.py", "1\n2\n3\n")],
            &[("app.py", "1\n2\n4\n")],
            &[("pure/app.py", "1\n2\n4\n")],
            &[("pure/app.py", "1\n2\n4\n"), ("app.py", "new\n"), ("gone.py", "x\n")],
            &[("pure/app.py", "1\n2\n4\n"), ("app.py", "newer\n")],
            // Removed and made again under its own name is the same file.
            &[("pure/app.py", "1\n5\n4\n"), ("app.py", "newer\n"), ("gone.py", "y\n")],
        ];
        let mut last = None;
        for (at, files) in (1..).zip(states) {
            last = Some(commit(&repo, at * 100, "change", files, last));
        }
        let log = super::super::log(dir.path(), 100, &CancelToken::new()).unwrap();
        let count = |path: &str| {
            let told = timeline(dir.path(), path, None, &CancelToken::new()).unwrap().touches.len();
            let logged =
                log.entries.iter().filter(|entry| entry.files.iter().any(|file| file == path)).count();
            (told, logged)
        };
        assert_eq!(["app.py", "pure/app.py", "gone.py"].map(count), [(2, 2), (4, 4), (3, 3)]);
    }

    #[test]
    fn a_shallow_clone_is_told_to_be_cut() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = commit(&repo, 100, "add", &[("a.py", "1\n")], None);
        commit(&repo, 200, "change", &[("a.py", "2\n")], Some(one));
        std::fs::write(repo.git_dir().join("shallow"), format!("{one}\n")).unwrap();
        let found = timeline(dir.path(), "a.py", None, &CancelToken::new()).unwrap();
        assert_eq!((found.touches.len(), found.is_cut), (1, true));
        let late = timeline(dir.path(), "a.py", Some(UnixMs(150_000)), &CancelToken::new()).unwrap();
        assert_eq!((late.touches.len(), late.is_cut), (1, false));
    }

    #[test]
    fn a_rename_with_a_change_is_followed_and_another_file_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = commit(&repo, 100, "add", &[("new.py", "1\n2\n3\n4\n"), ("x.py", "y\n")], None);
        let files = [("last.py", "1\n2\nthree\n4\n"), ("x.py", "y\n")];
        let two = commit(&repo, 200, "rename and change", &files, Some(one));
        let changed = timeline(dir.path(), "last.py", None, &CancelToken::new()).unwrap();
        let first = &changed.touches[0];
        assert_eq!((first.renamed_from.as_deref(), first.added, first.removed), (Some("new.py"), 1, 1));
        assert_eq!(changed.touches.len(), 2);
        commit(&repo, 300, "something else", &[("other.py", "a\nb\nc\n"), ("x.py", "y\n")], Some(two));
        assert_eq!(timeline(dir.path(), "other.py", None, &CancelToken::new()).unwrap().touches.len(), 1);
    }
}
