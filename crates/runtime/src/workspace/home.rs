//! Where a workspace's state lives: one folder for each workspace, found again after a move.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use m1nd_stdx::digest::short_name;
use m1nd_vfs::{Root, durable};
use serde::{Deserialize, Serialize};

/// Says whose state a runtime root holds.
pub const IDENTITY_FILE: &str = "workspace.json";

/// What makes a folder this folder. Inode numbers are used again after a delete, so the time the
/// folder was made belongs to it, where the file system knows that time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    path: PathBuf,
    device: u64,
    inode: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    born_ns: Option<u128>,
}

/// The state folder could not be made or marked.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be used for m1nd's state: {source}", folder.display())]
pub struct HomeError {
    pub folder: PathBuf,
    #[source]
    pub source: io::Error,
}

impl Identity {
    fn of(root: &Root) -> Self {
        let born = fs::metadata(root.path()).and_then(|meta| meta.created()).ok();
        Self {
            path: root.path().to_owned(),
            device: root.id().device,
            inode: root.id().inode,
            born_ns: born.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map(|age| age.as_nanos()),
        }
    }

    fn is_same_folder(&self, other: &Self) -> bool {
        (self.device, self.inode, self.born_ns) == (other.device, other.inode, other.born_ns)
    }
}

/// One word for this very folder: the same after it was renamed, another one for a new folder in its place.
pub(super) fn identity(root: &Root) -> String {
    let Identity { device, inode, born_ns, .. } = Identity::of(root);
    format!("{device}-{inode}-{}", born_ns.unwrap_or_default())
}

/// The runtime root of a workspace: the one that knows this very folder, else the one that knows
/// this path, else a new name. Nothing is created.
pub(super) fn runtime_root(home: &Path, root: &Root) -> PathBuf {
    let folder = home.join("workspaces");
    let wanted = Identity::of(root);
    let known = known(&folder);
    let same_folder = known.iter().find(|(_, identity)| identity.is_same_folder(&wanted));
    let same_path = || known.iter().find(|(_, identity)| identity.path == wanted.path);
    if let Some((found, _)) = same_folder.or_else(same_path) {
        return found.clone();
    }
    let name = fresh_name(root.path());
    // The name can be taken by a workspace that was here before it moved.
    let mut names = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}-{n}")));
    let free = names.find(|name| !known.iter().any(|(taken, _)| taken.ends_with(name)));
    folder.join(free.unwrap_or(name))
}

fn fresh_name(path: &Path) -> String {
    let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' })
        .take(40)
        .collect();
    format!("{plain}-{}", short_name(path.as_os_str().as_encoded_bytes(), 12))
}

fn known(folder: &Path) -> Vec<(PathBuf, Identity)> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut known: Vec<_> = entries
        .flatten()
        .filter_map(|entry| {
            let text = fs::read(entry.path().join(IDENTITY_FILE)).ok()?;
            Some((entry.path(), serde_json::from_slice(&text).ok()?))
        })
        .collect();
    known.sort_by(|a, b| a.0.cmp(&b.0));
    known
}

/// Makes the runtime root and brings its identity up to date.
pub(super) fn ensure(runtime_root: &Path, root: &Root) -> Result<(), HomeError> {
    let failed = |source| HomeError { folder: runtime_root.to_owned(), source };
    durable::private_folder(runtime_root).map_err(failed)?;
    let identity = Identity::of(root);
    let file = runtime_root.join(IDENTITY_FILE);
    let written: Option<Identity> = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
    if written.as_ref() == Some(&identity) {
        return Ok(());
    }
    if written.is_none() && file.exists() {
        let aside = runtime_root.join(format!("{IDENTITY_FILE}.corrupt-{}", std::process::id()));
        tracing::warn!(aside = %aside.display(), "a damaged identity was set aside");
        fs::rename(&file, aside).map_err(failed)?;
    }
    let text = serde_json::to_vec(&identity).map_err(|err| failed(err.into()))?;
    durable::replace(&file, &text).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(home: &Path, folder: &Path) -> PathBuf {
        let root = Root::open(folder).unwrap();
        let runtime_root = runtime_root(home, &root);
        ensure(&runtime_root, &root).unwrap();
        runtime_root
    }

    #[test]
    fn state_follows_a_workspace_that_is_renamed_and_is_not_inherited_by_a_new_one() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        fs::create_dir(&old).unwrap();
        let first = bind(&home, &old);
        assert_eq!(bind(&home, &old), first);
        fs::rename(&old, &new).unwrap();
        assert_eq!(bind(&home, &new), first);
        fs::create_dir(&old).unwrap();
        assert_ne!(bind(&home, &old), first);
    }

    #[test]
    fn two_workspaces_of_one_name_have_two_state_folders() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        for parent in ["a", "b"] {
            fs::create_dir_all(dir.path().join(parent).join("repo")).unwrap();
        }
        assert_ne!(bind(&home, &dir.path().join("a/repo")), bind(&home, &dir.path().join("b/repo")));
    }

    #[test]
    fn a_damaged_identity_is_written_anew() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let repo = dir.path().join("repo");
        fs::create_dir(&repo).unwrap();
        let first = bind(&home, &repo);
        fs::write(first.join(IDENTITY_FILE), b"{").unwrap();
        assert_eq!(bind(&home, &repo), first);
        let names: Vec<_> = fs::read_dir(&first).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(names.iter().any(|name| name.to_string_lossy().contains("corrupt")), "{names:?}");
        assert!(serde_json::from_slice::<Identity>(&fs::read(first.join(IDENTITY_FILE)).unwrap()).is_ok());
    }
}
