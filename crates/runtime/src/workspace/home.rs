//! Where a workspace's state lives: one folder for each workspace, found again after a move.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use m1nd_ingest::history;
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
    /// Commits by which its repository is known again, in whatever folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    commits: Vec<String>,
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
            commits: Vec::new(),
        }
    }

    fn is_same_folder(&self, other: &Self) -> bool {
        (self.device, self.inode, self.born_ns) == (other.device, other.inode, other.born_ns)
    }

    /// Whether a folder that lies where this one lay has its place: the same one on a device that has another number
    /// now, or the same repository once more while this one is not just beside it under another name.
    fn is_followed_by(&self, other: &Self) -> bool {
        let is_mounted_anew = (self.inode, self.born_ns) == (other.inode, other.born_ns);
        let is_repository = || history::has_any(&other.path, &self.commits);
        self.path == other.path && (is_mounted_anew || (is_repository() && !self.is_beside()))
    }

    /// Whether the folder itself is there under another name, where folders go that are renamed.
    fn is_beside(&self) -> bool {
        let Some(entries) = self.path.parent().and_then(|parent| fs::read_dir(parent).ok()) else {
            return false;
        };
        let found = entries.flatten().take(LOOKED_AT).filter_map(|entry| Root::open(&entry.path()).ok());
        found.map(|root| Self::of(&root)).any(|other| self.is_same_folder(&other))
    }
}

/// Folders beside a workspace that are looked at; more are no folder of somebody's projects.
const LOOKED_AT: usize = 2_000;

/// One word for this very folder: the same after it was renamed, another one for a new folder in its place.
pub(super) fn identity(root: &Root) -> String {
    let Identity { device, inode, born_ns, .. } = Identity::of(root);
    format!("{device}-{inode}-{}", born_ns.unwrap_or_default())
}

/// The runtime root of a workspace: the one that knows this very folder, else the one that knows
/// this path and the repository in it, else a new name. Nothing is created.
pub(super) fn runtime_root(home: &Path, root: &Root) -> PathBuf {
    let folder = home.join("workspaces");
    let wanted = Identity::of(root);
    let known = known(&folder);
    let same_folder = known.iter().find(|(_, identity)| identity.is_same_folder(&wanted));
    let same_place = || known.iter().find(|(_, identity)| identity.is_followed_by(&wanted));
    if let Some((found, _)) = same_folder.or_else(same_place) {
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

/// Brings the identity of a runtime root up to date, if there is one: a folder that was renamed is known by its new name
/// from now on, also to those that only ask.
pub(super) fn follow(runtime_root: &Path, root: &Root) {
    if runtime_root.join(IDENTITY_FILE).exists()
        && let Err(err) = ensure(runtime_root, root)
    {
        tracing::debug!(%err, "the name of a workspace was not brought up to date");
    }
}

/// Makes the runtime root and brings its identity up to date.
pub(super) fn ensure(runtime_root: &Path, root: &Root) -> Result<(), HomeError> {
    let failed = |source| HomeError { folder: runtime_root.to_owned(), source };
    durable::private_folder(runtime_root).map_err(failed)?;
    let mut identity = Identity::of(root);
    let file = runtime_root.join(IDENTITY_FILE);
    let written: Option<Identity> = fs::read(&file).ok().and_then(|text| serde_json::from_slice(&text).ok());
    let is_written = written.as_ref().is_some_and(|written| {
        written.is_same_folder(&identity) && written.path == identity.path && !written.commits.is_empty()
    });
    if is_written {
        return Ok(());
    }
    identity.commits = history::landmarks(root.path());
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

    /// A repository with a commit of its own.
    fn repository(folder: &Path, says: &str) {
        fs::create_dir(folder).unwrap();
        let repo = gix::init(folder).unwrap();
        let name = || gix::actor::SignatureRef { name: "a".into(), email: "a@b".into(), time: "1 +0000" };
        let tree = repo.empty_tree().id();
        repo.commit_as(name(), name(), "HEAD", says, tree, None::<gix::ObjectId>).unwrap();
    }

    #[test]
    fn another_repository_in_the_place_of_a_renamed_one_has_a_state_of_its_own_whoever_is_asked_first() {
        for renamed_is_asked_first in [true, false] {
            let dir = tempfile::tempdir().unwrap();
            let home = dir.path().join("home");
            let (old, new) = (dir.path().join("old"), dir.path().join("new"));
            repository(&old, "one");
            let first = bind(&home, &old);
            fs::rename(&old, &new).unwrap();
            if renamed_is_asked_first {
                let root = Root::open(&new).unwrap();
                assert_eq!(runtime_root(&home, &root), first);
                follow(&first, &root);
            }
            repository(&old, "two");
            let other = bind(&home, &old);
            assert_ne!(other, first);
            assert_eq!(bind(&home, &new), first);
            assert_eq!(bind(&home, &old), other, "each keeps its own");
        }
    }

    #[test]
    fn a_repository_that_was_cloned_anew_is_known_again_unless_the_old_one_was_only_renamed() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("home");
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        repository(&old, "one");
        let first = bind(&home, &old);
        fs::rename(&old, &new).unwrap();
        repository(&old, "one");
        let second = bind(&home, &old);
        assert_ne!(second, first, "the first is there under another name");
        assert_eq!(bind(&home, &new), first);
        // Two folders cannot be taken away and put back with the same inode by accident: this one is made before.
        let other = dir.path().join("other");
        repository(&other, "one");
        fs::remove_dir_all(&new).unwrap();
        fs::rename(&other, &new).unwrap();
        assert_eq!(bind(&home, &new), first, "it was taken away and is back");
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
