//! A mark of the commits that are checked out, which costs so little that every question can look at it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Another one than before whenever commits were made in the repository of a folder, or others were checked out.
pub(super) fn mark(folder: &Path) -> Option<String> {
    let dot = folder.ancestors().map(|at| at.join(".git")).find(|dot| dot.exists())?;
    let own = if dot.is_dir() { dot } else { beside(&dot, "gitdir:")? };
    let head = line(&own.join("HEAD"))?;
    let named = head.strip_prefix("ref: ").filter(|name| name.starts_with("refs/") && !name.contains(".."));
    let Some(name) = named else { return Some(head) };
    // A work tree has a HEAD of its own and shares the branches.
    let common = beside(&own.join("commondir"), "").unwrap_or_else(|| own.clone());
    if let Some(commit) = line(&common.join(name)) {
        return Some(format!("{name} {commit}"));
    }
    let packed = fs::metadata(common.join("packed-refs")).ok();
    let touched =
        packed.and_then(|meta| Some((meta.modified().ok()?.duration_since(UNIX_EPOCH).ok()?, meta.len())));
    Some(format!("{name} {touched:?}"))
}

/// The first line of a small file.
fn line(path: &Path) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.lines().next()?.trim().to_owned())
}

/// The folder that a file names, relative to the one it lies in.
fn beside(file: &Path, before: &str) -> Option<PathBuf> {
    let named = line(file)?;
    Some(file.parent()?.join(named.strip_prefix(before)?.trim()))
}

#[cfg(test)]
mod tests {
    use m1nd_vfs::Root;

    use super::super::several::marks;
    use super::super::testing::{commit, repository};
    use super::*;

    #[test]
    fn a_commit_a_packed_branch_and_another_head_change_the_mark() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path()).unwrap();
        assert_eq!(marks(&root), "");
        let repo = repository(folder.path());
        let mut seen = vec![marks(&root)];
        let first = commit(&repo, 1, "one", &[("a.py", "1")], None);
        seen.push(marks(&root));
        assert_eq!(marks(&root), *seen.last().unwrap(), "the same while nothing moves");
        commit(&repo, 2, "two", &[("a.py", "2")], Some(first));
        seen.push(marks(&root));
        let git = folder.path().join(".git");
        let branch = line(&git.join("HEAD")).unwrap().replace("ref: ", "");
        fs::write(git.join("packed-refs"), format!("{first} {branch}\n")).unwrap();
        fs::remove_file(git.join(&branch)).unwrap();
        seen.push(marks(&root));
        fs::write(git.join("HEAD"), format!("{first}\n")).unwrap();
        seen.push(marks(&root));
        let mut different = seen.clone();
        different.sort();
        different.dedup();
        assert_eq!(different.len(), seen.len(), "{seen:?}");
    }

    #[test]
    fn a_work_tree_shares_the_branches_of_its_repository() {
        let folder = tempfile::tempdir().unwrap();
        let (git, own) = (folder.path().join("git"), folder.path().join("git/worktrees/w"));
        fs::create_dir_all(git.join("refs/heads")).unwrap();
        fs::create_dir_all(&own).unwrap();
        fs::create_dir(folder.path().join("w")).unwrap();
        fs::write(folder.path().join("w/.git"), "gitdir: ../git/worktrees/w\n").unwrap();
        fs::write(own.join("HEAD"), "ref: refs/heads/x\n").unwrap();
        fs::write(own.join("commondir"), "../..\n").unwrap();
        fs::write(git.join("refs/heads/x"), "abc\n").unwrap();
        assert_eq!(marks(&Root::open(&folder.path().join("w")).unwrap()), "refs/heads/x abc");
    }
}
