//! Which of several things of one name is meant: the one in the same root, and there the one in the nearest folder.
//!
//! A repository may stand in a workspace twice (a clone, a fork, an older version, examples), and two copies say the
//! same names. What a name means is looked for in the copy that says it, and only then elsewhere.

use std::cmp::Ordering;

use crate::manifest::{folder, is_inside, root};
use crate::resolve::program::{GDef, Program};

/// How near a file is to another: in the same root or not, and how many folders lead to both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nearness {
    same_root: bool,
    shared_folders: usize,
}

fn nearness(from: &str, folder_of_other: &str) -> Nearness {
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
pub(crate) fn nearest<'p, T: Copy>(from: &str, found: &[T], path: impl Fn(T) -> &'p str) -> Vec<T> {
    if found.len() < 2 {
        return found.to_vec();
    }
    let near = best(found, |one| nearness(from, folder(path(one))));
    let is_beyond = |one: T| near.iter().any(|&other| is_around(from, path(other), path(one)));
    near.iter().copied().filter(|&one| !is_beyond(one)).collect()
}

/// The same for what a folder stands for, as a manifest's project: of equally near ones the one around the file.
pub(crate) fn nearest_folder<'p, T: Copy>(from: &str, found: &[T], folder: impl Fn(T) -> &'p str) -> Vec<T> {
    if found.len() < 2 {
        return found.to_vec();
    }
    best(found, |one| (nearness(from, folder(one)), is_inside(from, folder(one))))
}

fn best<T: Copy, K: Ord + Copy>(found: &[T], key: impl Fn(T) -> K) -> Vec<T> {
    let keys: Vec<K> = found.iter().map(|&one| key(one)).collect();
    let most = keys.iter().copied().max();
    found.iter().zip(keys).filter(|(_, key)| Some(*key) == most).map(|(one, _)| *one).collect()
}

/// Whether a file belongs to the copy of one of two files that end alike and not to that of the other: `a.c`
/// is in the copy of `src/b.c`, not in that of `old/src/b.c`.
fn is_around(from: &str, one: &str, other: &str) -> bool {
    let alike = one.rsplit('/').zip(other.rsplit('/')).take_while(|(a, b)| a == b).count();
    let is_in = |path: &str| {
        let tail: usize = path.rsplit('/').take(alike).map(|part| part.len() + 1).sum();
        is_inside(from, &path[..path.len().saturating_sub(tail)])
    };
    alike > 0 && is_in(one) && !is_in(other)
}

impl<'f> Program<'f> {
    pub fn path_of(&self, def: GDef) -> &'f str {
        &self.files[self.file_of(def) as usize].path
    }

    /// The definitions that stand nearest to a file.
    pub fn nearest(&self, from: u32, found: &[GDef]) -> Vec<GDef> {
        let from = &self.files[from as usize].path;
        nearest(from, found, |def| self.path_of(def))
    }

    /// The one definition that stands nearest to a file; nothing when several do.
    pub fn only_nearest(&self, from: u32, found: &[GDef]) -> Option<GDef> {
        match self.nearest(from, found)[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// Without what is the copy of something nearer: a definition of the same name in a file of the same name.
    /// What is left are parts of one thing, overloads, or things of several owners.
    pub fn without_copies(&self, from: u32, found: Vec<GDef>) -> Vec<GDef> {
        if found.len() < 2 {
            return found;
        }
        let from = &self.files[from as usize].path;
        let near: Vec<Nearness> =
            found.iter().map(|&def| nearness(from, folder(self.path_of(def)))).collect();
        let is_copy = |at: usize| {
            let path = |at: usize| self.path_of(found[at]);
            let is_nearer = |other: usize| match near[other].cmp(&near[at]) {
                Ordering::Greater => true,
                Ordering::Equal => is_around(from, path(other), path(at)),
                Ordering::Less => false,
            };
            let nearer = (0..found.len()).filter(|&other| is_nearer(other));
            nearer.into_iter().any(|other| self.is_copy(found[at], found[other]))
        };
        let kept = (0..found.len()).filter(|&at| !is_copy(at));
        kept.map(|at| found[at]).collect()
    }

    fn is_copy(&self, one: GDef, other: GDef) -> bool {
        let file = |def: GDef| self.path_of(def).rsplit('/').next();
        file(one) == file(other) && self.owners(one).eq(self.owners(other))
    }

    /// The names of a definition and of those around it.
    fn owners(&self, def: GDef) -> impl Iterator<Item = &'f str> {
        let facts = self.files[self.file_of(def) as usize];
        let around = std::iter::successors(Some(self.local(def).1), |ix| facts.def(*ix).parent);
        around.map(|ix| facts.text(facts.def(ix).name))
    }
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
}
