//! Changes: what differs between two commits, or between a commit and the files as they are, line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gix::diff::blob::{Algorithm, Diff, InternedInput};
use m1nd_graph::change::{ChangedFile, How};
use m1nd_stdx::clock::UnixMs;
use rayon::prelude::*;

use super::base::{Base, Baseline, Content};
use super::git::{HistoryError, open, unreadable};
use super::log::message_of;

/// Larger files are compared as a whole.
const MAX_COMPARED: usize = 4 << 20;
/// A branch of work with more commits than this is a history.
const MAX_OWN: usize = 2_000;

/// Why there is nothing to compare.
#[derive(Debug, thiserror::Error)]
pub enum RangeError {
    #[error("{name:?} names no commit of this repository")]
    Unknown { name: String },
    #[error("{one} and {other} have no common past")]
    NoMergeBase { one: String, other: String },
    #[error(transparent)]
    History(#[from] HistoryError),
}

/// The newer side of a comparison.
enum Newer {
    Commit(Box<Base>),
    /// The files as they are.
    Files,
}

/// A file as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Now {
    Holds(Vec<u8>),
    /// It is there, and too large or not to be read.
    Unread,
    Gone,
}

/// A changed file, and what it held on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    pub file: ChangedFile,
    pub old: Option<Vec<u8>>,
    pub new: Option<Vec<u8>>,
}

/// What a range changes. `a..b` compares two commits, `a...b` the second with where it left the first, `a` alone a commit with
/// the files as they are, which `now` reads.
pub fn changes(
    folder: &Path,
    range: &str,
    today: impl Iterator<Item = String>,
    now: impl Fn(&str) -> Now + Sync,
) -> Result<Vec<ChangedFile>, RangeError> {
    let compared = changes_with_texts(folder, range, today, now)?;
    Ok(compared.into_iter().map(|one| one.file).collect())
}

/// The same, with what the files held.
pub fn changes_with_texts(
    folder: &Path,
    range: &str,
    today: impl Iterator<Item = String>,
    now: impl Fn(&str) -> Now + Sync,
) -> Result<Vec<Compared>, RangeError> {
    let (older, newer) = sides(folder, range.trim())?;
    let old = older.files()?;
    match &newer {
        Newer::Commit(newer) => {
            let new = newer.files()?;
            let bytes = |side: &Base, files: &BTreeMap<String, Content>, path: &str| {
                files.get(path).and_then(|&content| side.bytes(content))
            };
            let differing = |path: &&String| old.get(*path) != new.get(*path);
            let paths: BTreeSet<&String> = old.keys().chain(new.keys()).filter(differing).collect();
            let sides = paths
                .into_iter()
                .map(|path| (path.clone(), bytes(&older, &old, path), bytes(newer, &new, path)));
            Ok(with_renames(sides.collect()))
        }
        Newer::Files => {
            let today: BTreeSet<String> = today.collect();
            let paths: Vec<&String> = old.keys().chain(&today).collect::<BTreeSet<_>>().into_iter().collect();
            let naming = older.naming();
            // Every file is read to be compared, and most are the same.
            let differing: Vec<(&String, Option<Vec<u8>>)> = paths
                .into_par_iter()
                .filter_map(|path| match (old.get(path), now(path)) {
                    (Some(old), Now::Holds(new)) => {
                        (naming.content(&new) != Some(*old)).then_some((path, Some(new)))
                    }
                    (Some(_), Now::Gone) => Some((path, None)),
                    (None, Now::Holds(new)) => today.contains(path).then_some((path, Some(new))),
                    // What nobody reads cannot be compared, and what is neither listed nor there was left out of both.
                    (_, Now::Unread) | (None, Now::Gone) => None,
                })
                .collect();
            let sides = differing.into_iter().map(|(path, new)| {
                (path.clone(), old.get(path).and_then(|&content| older.bytes(content)), new)
            });
            Ok(with_renames(sides.collect()))
        }
    }
}

/// The commit that a range compares with.
pub fn older_side(folder: &Path, range: &str) -> Result<String, RangeError> {
    Ok(sides(folder, range.trim())?.0.id())
}

/// The commit that a range ends with; nothing where it ends with the files as they are.
pub fn newer_side(folder: &Path, range: &str) -> Result<Option<String>, RangeError> {
    Ok(match sides(folder, range.trim())?.1 {
        Newer::Commit(commit) => Some(commit.id()),
        Newer::Files => None,
    })
}

/// A commit of a branch of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommit {
    pub time: UnixMs,
    pub author: String,
    /// As the log has it.
    pub message: String,
}

/// The commits that the end of a range (`A..B`, `A...B`, or `A` for what `HEAD` has) has and its start has not, newest first.
pub fn commits_since(folder: &Path, range: &str) -> Result<Vec<OwnCommit>, RangeError> {
    let repo = open(folder)?;
    let find = |name: &str| {
        let name = if name.is_empty() { "HEAD" } else { name };
        let unknown = || RangeError::Unknown { name: name.to_owned() };
        commit_of(&repo, name).ok_or_else(unknown)
    };
    let ends = range.split_once("...").or_else(|| range.split_once(".."));
    let (base, head) = ends.unwrap_or((range, "HEAD"));
    let (base, head) = (find(base)?, find(head)?);
    let mailmap = repo.open_mailmap();
    let walk = repo.rev_walk([head]).with_hidden([base]).all().map_err(unreadable)?;
    let commits = walk.take(MAX_OWN).filter_map(|info| {
        let info = info.ok()?;
        let commit = info.object().ok()?;
        let author = commit.author().ok().map(|author| mailmap.resolve(author).name.to_string());
        let message = message_of(&commit);
        let time = UnixMs(commit.time().ok()?.seconds.saturating_mul(1_000));
        Some(OwnCommit { time, author: author.unwrap_or_default(), message })
    });
    Ok(commits.collect())
}

/// The commit that a name stands for: a tag may be an object of its own, which no walk over commits knows.
fn commit_of(repo: &gix::Repository, name: &str) -> Option<gix::ObjectId> {
    Some(repo.rev_parse_single(name).ok()?.object().ok()?.peel_to_commit().ok()?.id)
}

/// Where `HEAD` left another branch: the newest commit that both come from.
pub fn left(folder: &Path, name: &str) -> Result<String, RangeError> {
    let find = |name: &str| {
        let unknown = || RangeError::Unknown { name: name[..name.floor_char_boundary(100)].to_owned() };
        Base::find(folder, Baseline::Name(name))?.ok_or_else(unknown)
    };
    let (head, other) = (find("HEAD")?, find(name)?);
    let none = || RangeError::NoMergeBase { one: head.id(), other: other.id() };
    head.merge_base(&other).ok_or_else(none)
}

/// The commit that a branch of work began from: where `HEAD` left the default branch. Nothing where there is none.
pub fn default_base(folder: &Path) -> Option<String> {
    const NAMES: [&str; 6] = ["origin/HEAD", "origin/main", "origin/master", "main", "master", "trunk"];
    let repo = open(folder).ok()?;
    let head = repo.head_id().ok()?.detach();
    NAMES.iter().find_map(|name| {
        let other = commit_of(&repo, name)?;
        let base = repo.merge_base(head, other).ok()??;
        Some(base.detach().to_string())
    })
}

fn sides(folder: &Path, range: &str) -> Result<(Base, Newer), RangeError> {
    let find = |name: &str| {
        let name = if name.is_empty() { "HEAD" } else { name };
        let unknown = || RangeError::Unknown { name: name[..name.floor_char_boundary(100)].to_owned() };
        Base::find(folder, Baseline::Name(name))?.ok_or_else(unknown)
    };
    if let Some((one, other)) = range.split_once("...") {
        let (one, other) = (find(one)?, find(other)?);
        let base = one
            .merge_base(&other)
            .ok_or_else(|| RangeError::NoMergeBase { one: one.id(), other: other.id() })?;
        return Ok((find(&base)?, Newer::Commit(Box::new(other))));
    }
    match range.split_once("..") {
        Some((one, other)) => Ok((find(one)?, Newer::Commit(Box::new(find(other)?)))),
        None => Ok((find(range)?, Newer::Files)),
    }
}

type Sides = (String, Option<Vec<u8>>, Option<Vec<u8>>);

/// A file that went and one of the same content that came are one that was renamed.
fn with_renames(sides: Vec<Sides>) -> Vec<Compared> {
    let mut gone: BTreeMap<&[u8], &str> = BTreeMap::new();
    for (path, old, new) in &sides {
        if let (Some(old), None) = (old, new)
            && !old.is_empty()
        {
            gone.insert(old, path);
        }
    }
    let was: BTreeMap<String, String> = sides
        .iter()
        .filter_map(|(path, old, new)| match (old, new) {
            (None, Some(new)) => gone.get(new.as_slice()).map(|was| (path.clone(), (*was).to_owned())),
            _ => None,
        })
        .collect();
    let moved: BTreeSet<&String> = was.values().collect();
    let mut files = Vec::new();
    for (path, old, new) in sides {
        if moved.contains(&path) && new.is_none() {
            continue;
        }
        let renamed = was.get(&path).cloned();
        let (lines, added, removed) = match &renamed {
            Some(_) => (Vec::new(), 0, 0),
            None => compared(old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default()),
        };
        let how = match (&old, &new) {
            _ if renamed.is_some() => How::Renamed,
            (None, _) => How::Added,
            (_, None) => How::Deleted,
            _ => How::Modified,
        };
        let old = if renamed.is_some() { new.clone() } else { old };
        let file = ChangedFile { path, was: renamed, how, lines, added, removed };
        files.push(Compared { file, old, new });
    }
    files
}

/// Where each line of a text stands in a later one, from 1; nothing for those that are not there any more.
pub fn kept(then: &[u8], now: &[u8]) -> Vec<Option<u32>> {
    let input = InternedInput::new(then, now);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let (mut places, mut next) = (Vec::with_capacity(input.before.len()), 1_u32);
    for hunk in diff.hunks() {
        while places.len() < hunk.before.start as usize {
            places.push(Some(next));
            next += 1;
        }
        places.resize(hunk.before.end as usize, None);
        next = hunk.after.end + 1;
    }
    while places.len() < input.before.len() {
        places.push(Some(next));
        next += 1;
    }
    places
}

/// Where lines of a text stand in a later one: those that were changed since, where what came in their place stands.
pub fn carried(lines: &[(u32, u32)], then: &[u8], now: &[u8]) -> Vec<(u32, u32)> {
    let input = InternedInput::new(then, now);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<_> = diff.hunks().collect();
    // From 0, and at the gap where nothing came in its place.
    let place = |line: u32, is_last: bool| {
        let at = line.saturating_sub(1);
        let before = hunks.iter().take_while(|hunk| hunk.before.start <= at).last();
        let to = match before {
            None => at,
            Some(hunk) if at < hunk.before.end && is_last => hunk.after.end.max(hunk.after.start + 1) - 1,
            Some(hunk) if at < hunk.before.end => hunk.after.start,
            Some(hunk) => hunk.after.end + (at - hunk.before.end),
        };
        to + 1
    };
    let moved = lines.iter().map(|&(first, last)| {
        let first = place(first, false);
        (first, place(last, true).max(first))
    });
    moved.collect()
}

/// Changed lines of the newer text, and how many came and went.
pub fn compared(old: &[u8], new: &[u8]) -> (Vec<(u32, u32)>, u32, u32) {
    let count = |bytes: &[u8]| {
        let ends = bytes.iter().filter(|&&byte| byte == b'\n').count();
        u32::try_from(ends + usize::from(!bytes.is_empty() && !bytes.ends_with(b"\n"))).unwrap_or(u32::MAX)
    };
    let is_binary = |bytes: &[u8]| bytes.iter().take(8_000).any(|&byte| byte == 0);
    if old.len().max(new.len()) > MAX_COMPARED || is_binary(old) || is_binary(new) {
        return (vec![(1, count(new).max(1))], 0, 0);
    }
    let input = InternedInput::new(old, new);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let last = count(new);
    let mut lines: Vec<(u32, u32)> = Vec::new();
    for hunk in diff.hunks() {
        let (first, end) = if hunk.after.is_empty() {
            // Around the gap; lines count from 1.
            (hunk.after.start.max(1), (hunk.after.start + 1).min(last.max(1)))
        } else {
            (hunk.after.start + 1, hunk.after.end)
        };
        lines.push((first, end.max(first)));
    }
    (lines, diff.count_additions(), diff.count_removals())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{commit, repository};
    use super::*;
    use std::fs;

    fn shown(files: &[ChangedFile]) -> Vec<String> {
        let one = |file: &ChangedFile| {
            format!("{} {} {:?} +{} -{}", file.how.name(), file.path, file.lines, file.added, file.removed)
        };
        files.iter().map(one).collect()
    }

    #[test]
    fn lines_of_the_newer_text_are_told() {
        assert_eq!(compared(b"a\nb\nc\n", b"a\nB\nc\n"), (vec![(2, 2)], 1, 1));
        assert_eq!(compared(b"a\nb\nc\n", b"a\nc\n"), (vec![(1, 2)], 0, 1));
        assert_eq!(compared(b"", b"x\ny"), (vec![(1, 2)], 2, 0));
        assert_eq!(compared(b"x\n", b""), (vec![(1, 1)], 0, 1));
        assert_eq!(compared(b"x\n", b"x\n"), (vec![], 0, 0));
    }

    #[test]
    fn lines_that_stay_are_found_where_they_stand() {
        assert_eq!(kept(b"a\nb\nc\n", b"x\na\nc\nd\n"), [Some(2), None, Some(3)]);
        assert_eq!(kept(b"a\n", b"a\n"), [Some(1)]);
        assert_eq!(kept(b"a\nb\n", b""), [None, None]);
    }

    #[test]
    fn lines_are_carried_to_where_they_stand_later() {
        let then = b"a\nb\nc\nd\n";
        assert_eq!(carried(&[(2, 3)], then, b"new\nnew\na\nb\nc\nd\n"), [(4, 5)]);
        assert_eq!(carried(&[(1, 1), (4, 4)], then, b"a\nB\nB\nc\nd\n"), [(1, 1), (5, 5)]);
        assert_eq!(carried(&[(2, 2)], then, b"a\nB\nB\nc\nd\n"), [(2, 3)]);
        assert_eq!(carried(&[(2, 2)], then, b"a\nc\nd\n"), [(2, 2)]);
        assert_eq!(carried(&[(2, 2)], then, then), [(2, 2)]);
    }

    #[test]
    fn the_commits_of_a_range_are_those_between_tags_too() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = commit(&repo, 1, "one", &[("a.py", "1\n")], None);
        let two = commit(&repo, 2, "two", &[("a.py", "2\n")], Some(one));
        let three = commit(&repo, 3, "three", &[("a.py", "3\n")], Some(two));
        let who = gix::actor::SignatureRef { name: "Ann".into(), email: "a@x".into(), time: "4 +0000" };
        for (name, at) in [("v1", one), ("v2", three)] {
            let must = gix::refs::transaction::PreviousValue::MustNotExist;
            repo.tag(name, at, gix::objs::Kind::Commit, Some(who), "said", must).unwrap();
        }
        let of = |range: &str| commits_since(dir.path(), range).unwrap().len();
        assert_eq!(["v1..v2", "v1", "v1...v2", "v2..HEAD"].map(of), [2, 2, 2, 0]);
        assert_eq!(of(&format!("v1..{two}")), 1);
    }

    #[test]
    fn two_commits_and_a_commit_and_the_files_are_compared() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = [("a.py", "1\n2\n3\n"), ("old.py", "moved\n"), ("gone.py", "x\n")];
        let one = commit(&repo, 1, "one", &one, None);
        commit(&repo, 2, "two", &[("a.py", "1\nzwei\n3\n"), ("new.py", "moved\n")], Some(one));
        let range = |range: &str| changes(dir.path(), range, std::iter::empty(), |_| Now::Gone);
        let found = shown(&range("HEAD~1..HEAD").unwrap());
        assert_eq!(
            found,
            ["modified a.py [(2, 2)] +1 -1", "deleted gone.py [(1, 1)] +0 -1", "renamed new.py [] +0 -0"]
        );
        assert_eq!(shown(&range("HEAD~1...HEAD").unwrap()), found);
        fs::write(dir.path().join("a.py"), "1\nzwei\n3\n4\n").unwrap();
        fs::write(dir.path().join("new.py"), "moved\n").unwrap();
        fs::write(dir.path().join("fresh.py"), "f\n").unwrap();
        let today = ["a.py", "new.py", "fresh.py"].map(str::to_owned).into_iter();
        let read = |path: &str| fs::read(dir.path().join(path)).map_or(Now::Gone, Now::Holds);
        let now = changes(dir.path(), "HEAD", today.clone(), read).unwrap();
        assert_eq!(shown(&now), ["modified a.py [(4, 4)] +1 -0", "added fresh.py [(1, 1)] +1 -0"]);
        let secret = |path: &str| if path == "a.py" { Now::Unread } else { read(path) };
        let now = changes(dir.path(), "HEAD", today, secret).unwrap();
        assert_eq!(shown(&now), ["added fresh.py [(1, 1)] +1 -0"]);
        assert!(matches!(range("nope..HEAD"), Err(RangeError::Unknown { .. })));
        let own = commits_since(dir.path(), "HEAD~1").unwrap();
        let own: Vec<(&str, &str)> =
            own.iter().map(|one| (one.author.as_str(), one.message.as_str())).collect();
        assert_eq!((own, left(dir.path(), "HEAD~1").unwrap()), (vec![("Ann", "two")], one.to_string()));
    }
}
