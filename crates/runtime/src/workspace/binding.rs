//! Binding: which folder a process works in, and how it was chosen.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// How a workspace was chosen. Later ones give way to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BindingSource {
    Environment,
    Flag,
    ClientRoot,
    CurrentFolder,
}

impl fmt::Display for BindingSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            BindingSource::Environment => "M1ND_WORKSPACE_ROOT",
            BindingSource::Flag => "--workspace",
            BindingSource::ClientRoot => "the client's first root",
            BindingSource::CurrentFolder => "the current folder",
        })
    }
}

/// A folder that cannot be a workspace.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be opened as a workspace: {source}", folder.display())]
pub struct BindError {
    pub folder: PathBuf,
    #[source]
    pub source: io::Error,
}

/// The git work tree around `folder`, if there is one.
pub fn enclosing_work_tree(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|at| at.join(".git").exists()).map(Path::to_owned)
}

/// What a process without a named workspace binds to: the enclosing work tree, else the folder
/// itself. The file system's root and the user's home are no workspaces: a host that starts
/// servers there means "nowhere".
pub fn from_current_folder(folder: &Path, user_home: Option<&Path>) -> Option<PathBuf> {
    if let Some(tree) = enclosing_work_tree(folder) {
        return Some(tree);
    }
    let nowhere = folder.parent().is_none() || user_home == Some(folder);
    (!nowhere).then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_work_tree_around_a_folder_wins_and_home_is_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("repo/src/deep");
        fs::create_dir_all(&deep).unwrap();
        let plain = from_current_folder(&deep, None);
        assert_eq!(plain, Some(deep.clone()));
        fs::create_dir(dir.path().join("repo/.git")).unwrap();
        assert_eq!(from_current_folder(&deep, None), Some(dir.path().join("repo")));
        assert_eq!(from_current_folder(Path::new("/"), None), None);
        assert_eq!(from_current_folder(dir.path(), Some(dir.path())), None);
    }
}
