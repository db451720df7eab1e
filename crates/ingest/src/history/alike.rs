//! Alike: which file that a commit removed is which one that it added, by the lines that they have in common.

use std::hash::BuildHasher;

use gix::ObjectId;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

/// More files than this on either side are brought in or thrown out, not renamed one by one.
const MAX_FILES: usize = 64;
/// Larger files are not compared.
const MAX_BYTES: usize = 1 << 20;

/// A file on one side of a commit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side<'p> {
    pub content: ObjectId,
    pub path: &'p str,
}

/// What became of removed files: pairs of a removed and an added one that have at least half of the longer one's lines in common,
/// each file in one of them, the most alike first. Only files with the same ending are compared.
pub(super) fn pairs<'p>(
    repo: &gix::Repository,
    went: &[Side<'p>],
    came: &[Side<'p>],
) -> Vec<(&'p str, &'p str)> {
    if went.is_empty() || came.is_empty() || went.len() > MAX_FILES || came.len() > MAX_FILES {
        return Vec::new();
    }
    let mut known: FxHashMap<ObjectId, Option<Vec<u64>>> = FxHashMap::default();
    let mut found = Vec::new();
    for old in went {
        for new in came.iter().filter(|new| ending(new.path) == ending(old.path)) {
            for side in [old, new] {
                known.entry(side.content).or_insert_with(|| lines(repo, side.content));
            }
            let (Some(Some(one)), Some(Some(other))) = (known.get(&old.content), known.get(&new.content))
            else {
                continue;
            };
            let longest = one.len().max(other.len());
            if one.len().min(other.len()) * 2 < longest {
                continue;
            }
            let common = common(one, other);
            if common * 2 >= longest && common > 0 {
                let is_renamed = name(old.path) != name(new.path);
                found.push((longest - common, is_renamed, old.path, new.path));
            }
        }
    }
    found.sort_unstable();
    let (mut gone, mut there) = (FxHashSet::default(), FxHashSet::default());
    found.retain(|&(_, _, old, new)| {
        let is_free = !gone.contains(old) && !there.contains(new);
        if is_free {
            gone.insert(old);
            there.insert(new);
        }
        is_free
    });
    found.into_iter().map(|(_, _, old, new)| (old, new)).collect()
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ending(path: &str) -> Option<&str> {
    name(path).rsplit_once('.').map(|(_, ending)| ending)
}

/// The lines of a text, as numbers in order; nothing for what is none.
fn lines(repo: &gix::Repository, content: ObjectId) -> Option<Vec<u64>> {
    let size = repo.find_header(content).ok()?.size();
    if size > MAX_BYTES as u64 {
        return None;
    }
    let bytes = repo.find_blob(content).ok()?.take_data();
    if bytes.contains(&0) {
        return None;
    }
    let number = |line: &[u8]| FxBuildHasher.hash_one(line);
    let written = bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    let mut numbers: Vec<u64> = written.map(number).collect();
    numbers.sort_unstable();
    Some(numbers)
}

/// How many numbers two ordered lists have in common.
fn common(one: &[u64], other: &[u64]) -> usize {
    let (mut a, mut b, mut count) = (0, 0, 0);
    while let (Some(left), Some(right)) = (one.get(a), other.get(b)) {
        match left.cmp(right) {
            std::cmp::Ordering::Less => a += 1,
            std::cmp::Ordering::Greater => b += 1,
            std::cmp::Ordering::Equal => {
                (a, b, count) = (a + 1, b + 1, count + 1);
            }
        }
    }
    count
}
