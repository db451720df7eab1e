//! Near: which of several things of one name is meant, by where they are.
//!
//! A repository may stand in a workspace twice (a clone, a fork, an older version, examples), and two copies say the
//! same names. What a name means is looked for in the copy that says it, and only then elsewhere: in the same root,
//! and there in the nearest folder.

use std::cmp::{Ordering, Reverse};

/// Ends the first part of every path that leads into another root.
const MARK: &str = "::";

/// How near a file is to another: in the same root or not, and how many folders lead to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nearness {
    /// Whether both lie in the same root.
    pub same_root: bool,
    pub shared_folders: usize,
}

/// How near a folder is to a file.
pub fn nearness(from: &str, folder_of_other: &str) -> Nearness {
    let parts = |folder: &str| -> usize { folder.split('/').filter(|part| !part.is_empty()).count() };
    let same_root = root(from) == root(folder_of_other);
    if !same_root {
        return Nearness { same_root, shared_folders: 0 };
    }
    let here = folder(from);
    let shared = here.split('/').zip(folder_of_other.split('/')).take_while(|(one, other)| one == other);
    let shared = shared.count().min(parts(here)).min(parts(folder_of_other));
    Nearness { same_root, shared_folders: shared }
}

/// Those of several that are as near to a file as any, in their order.
pub fn nearest<'p, T: Copy>(from: &str, found: &[T], path: impl Fn(T) -> &'p str) -> Vec<T> {
    if found.len() < 2 {
        return found.to_vec();
    }
    let near = best(found, |one| nearness(from, folder(path(one))));
    let is_beyond = |one: T| near.iter().any(|&other| is_around(from, path(other), path(one)));
    near.iter().copied().filter(|&one| !is_beyond(one)).collect()
}

/// The same for what a folder stands for, as a manifest's project: of equally near ones the one around the file, then
/// the one whose copy the file belongs to, then the one that fewer folders lead to. What is left is equally likely.
pub fn nearest_folder<'p, T: Copy>(from: &str, found: &[T], folder: impl Fn(T) -> &'p str) -> Vec<T> {
    if found.len() < 2 {
        return found.to_vec();
    }
    let near = best(found, |one| (nearness(from, folder(one)), is_inside(from, folder(one))));
    let is_beyond = |one: T| near.iter().any(|&other| is_around(from, folder(other), folder(one)));
    let own: Vec<T> = near.iter().copied().filter(|&one| !is_beyond(one)).collect();
    best(&own, |one| Reverse(folder(one).split('/').count()))
}

/// The one folder that is nearest to a file; nothing when several are.
pub fn only_nearest_folder<'p, T: Copy>(from: &str, found: &[T], folder: impl Fn(T) -> &'p str) -> Option<T> {
    match nearest_folder(from, found, folder)[..] {
        [only] => Some(only),
        _ => None,
    }
}

fn best<T: Copy, K: Ord + Copy>(found: &[T], key: impl Fn(T) -> K) -> Vec<T> {
    let keys: Vec<K> = found.iter().map(|&one| key(one)).collect();
    let most = keys.iter().copied().max();
    found.iter().zip(keys).filter(|(_, key)| Some(*key) == most).map(|(one, _)| *one).collect()
}

/// Whether a file belongs to the copy of one of two files that end alike and not to that of the other: `a.c`
/// is in the copy of `src/b.c`, not in that of `old/src/b.c`.
pub fn is_around(from: &str, one: &str, other: &str) -> bool {
    let alike = one.rsplit('/').zip(other.rsplit('/')).take_while(|(a, b)| a == b).count();
    let is_in = |path: &str| {
        let tail: usize = path.rsplit('/').take(alike).map(|part| part.len() + 1).sum();
        is_inside(from, &path[..path.len().saturating_sub(tail)])
    };
    alike > 0 && is_in(one) && !is_in(other)
}

/// The root that a path lies in, as the first part of it; empty for the workspace's own.
pub fn root(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or(path);
    if first.ends_with(MARK) { first } else { "" }
}

/// The folder of a path; empty for the root.
pub fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Whether a path lies in a folder of the same root, at any depth.
pub fn is_inside(path: &str, folder: &str) -> bool {
    match folder {
        "" => root(path).is_empty(),
        folder => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
    }
}

/// Without what is the copy of something nearer: a file of the same name, of those that `is_same` says so.
pub fn without_copies<'p, T: Copy>(
    from: &str,
    found: Vec<T>,
    path: impl Fn(T) -> &'p str,
    is_same: impl Fn(T, T) -> bool,
) -> Vec<T> {
    if found.len() < 2 {
        return found;
    }
    let name = |path: &'p str| path.rsplit('/').next();
    // Only files of one name are compared with each other.
    let mut by_name: Vec<(Option<&str>, usize)> =
        (0..found.len()).map(|at| (name(path(found[at])), at)).collect();
    by_name.sort_unstable();
    let mut copies = vec![false; found.len()];
    for alike in by_name.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        let all: Vec<(T, &str, Nearness)> = alike
            .iter()
            .map(|&(_, at)| (found[at], path(found[at]), nearness(from, folder(path(found[at])))))
            .collect();
        for (&(_, at), &(one, place, near)) in alike.iter().zip(&all) {
            copies[at] = all.iter().any(|&(other, its_place, its_near)| {
                let is_nearer = match its_near.cmp(&near) {
                    Ordering::Greater => true,
                    Ordering::Equal => is_around(from, its_place, place),
                    Ordering::Less => false,
                };
                is_nearer && is_same(one, other)
            });
        }
    }
    found.into_iter().zip(copies).filter(|(_, is_copy)| !is_copy).map(|(one, _)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near<'p>(from: &str, found: &[&'p str]) -> Vec<&'p str> {
        nearest(from, found, |path| path)
    }

    #[test]
    fn what_is_meant_is_in_the_same_root_and_then_in_the_nearest_folder() {
        assert_eq!(near("a.py", &["b.py", "other::/b.py"]), ["b.py"]);
        assert_eq!(near("other::/a.py", &["b.py", "other::/b.py"]), ["other::/b.py"]);
        assert_eq!(near("x/test/a.py", &["x/src/b.py", "y/src/b.py"]), ["x/src/b.py"]);
        assert_eq!(near("z/a.py", &["x/b.py", "y/b.py"]), ["x/b.py", "y/b.py"]);
    }

    #[test]
    fn a_copy_inside_of_a_project_is_not_the_project() {
        assert_eq!(near("app/a.c", &["old/src/b.c", "src/b.c"]), ["src/b.c"]);
        assert_eq!(near("old/app/a.c", &["old/src/b.c", "src/b.c"]), ["old/src/b.c"]);
        assert_eq!(near("app/a.c", &["unix/b.c", "windows/b.c"]), ["unix/b.c", "windows/b.c"]);
    }

    #[test]
    fn a_copy_of_a_project_that_comes_first_by_name_is_not_meant() {
        let near = |from, found: &[&'static str]| nearest_folder(from, found, |path| path);
        assert_eq!(near("app/main.rs", &["bak/core", "core"]), ["core"]);
        assert_eq!(near("bak/app/main.rs", &["bak/core", "core"]), ["bak/core"]);
        assert_eq!(near("app/main.rs", &["a/old-core", "core"]), ["core"]);
        assert_eq!(near("x/main.rs", &["", "bak"]), [""]);
        assert_eq!(near("app/main.rs", &["one/core", "two/core"]), ["one/core", "two/core"]);
    }
}
