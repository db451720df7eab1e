//! Changes: what differs between two commits, or between a commit and the files as they are, line by line.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use gix::diff::blob::{Algorithm, Diff, InternedInput};
use m1nd_graph::change::{ChangedFile, How};

use super::base::{Base, Baseline, Content};
use super::git::{HistoryError, open};

/// Larger files are compared as a whole.
const MAX_COMPARED: usize = 4 << 20;

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

/// What a range changes. `a..b` compares two commits, `a...b` the second with where it left the first, `a` alone a commit with
/// the files as they are, which `now` reads.
pub fn changes(
    folder: &Path,
    range: &str,
    today: impl Iterator<Item = String>,
    now: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Vec<ChangedFile>, RangeError> {
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
            let mut sides = Vec::new();
            for path in old.keys().chain(&today).collect::<BTreeSet<_>>() {
                let new = now(path);
                let same = match (old.get(path), &new) {
                    (Some(old), Some(new)) => older.content(new) == Some(*old),
                    // What is neither listed nor there was left out of both.
                    (None, None) => true,
                    (None, Some(_)) => !today.contains(path),
                    (Some(_), None) => false,
                };
                if !same {
                    sides.push((path.clone(), old.get(path).and_then(|&content| older.bytes(content)), new));
                }
            }
            Ok(with_renames(sides))
        }
    }
}

/// The commit that a branch of work began from: where `HEAD` left the default branch. Nothing where there is none.
pub fn default_base(folder: &Path) -> Option<String> {
    const NAMES: [&str; 6] = ["origin/HEAD", "origin/main", "origin/master", "main", "master", "trunk"];
    let repo = open(folder).ok()?;
    let head = repo.head_id().ok()?.detach();
    NAMES.iter().find_map(|name| {
        let other = repo.rev_parse_single(*name).ok()?.detach();
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
fn with_renames(sides: Vec<Sides>) -> Vec<ChangedFile> {
    let mut gone: BTreeMap<&[u8], &str> = BTreeMap::new();
    for (path, old, new) in &sides {
        if let (Some(old), None) = (old, new)
            && !old.is_empty()
        {
            gone.insert(old, path);
        }
    }
    let was: BTreeMap<&str, &str> = sides
        .iter()
        .filter_map(|(path, old, new)| match (old, new) {
            (None, Some(new)) => gone.get(new.as_slice()).map(|was| (path.as_str(), *was)),
            _ => None,
        })
        .collect();
    let moved: BTreeSet<&str> = was.values().copied().collect();
    let mut files = Vec::new();
    for (path, old, new) in &sides {
        if moved.contains(path.as_str()) && new.is_none() {
            continue;
        }
        let renamed = was.get(path.as_str()).map(|&was| was.to_owned());
        let (lines, added, removed) = match &renamed {
            Some(_) => (Vec::new(), 0, 0),
            None => compared(old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default()),
        };
        let how = match (old, new) {
            _ if renamed.is_some() => How::Renamed,
            (None, _) => How::Added,
            (_, None) => How::Deleted,
            _ => How::Modified,
        };
        files.push(ChangedFile { path: path.clone(), was: renamed, how, lines, added, removed });
    }
    files
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
    fn two_commits_and_a_commit_and_the_files_are_compared() {
        let dir = tempfile::tempdir().unwrap();
        let repo = repository(dir.path());
        let one = [("a.py", "1\n2\n3\n"), ("old.py", "moved\n"), ("gone.py", "x\n")];
        let one = commit(&repo, 1, "one", &one, None);
        commit(&repo, 2, "two", &[("a.py", "1\nzwei\n3\n"), ("new.py", "moved\n")], Some(one));
        let range = |range: &str| changes(dir.path(), range, std::iter::empty(), |_| None);
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
        let now = changes(dir.path(), "HEAD", today, |path| fs::read(dir.path().join(path)).ok()).unwrap();
        assert_eq!(shown(&now), ["modified a.py [(4, 4)] +1 -0", "added fresh.py [(1, 1)] +1 -0"]);
        assert!(matches!(range("nope..HEAD"), Err(RangeError::Unknown { .. })));
    }
}
