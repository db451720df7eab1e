//! Mount: another folder that stands in a root as one more folder, `<name>::`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::path::RelPath;
use crate::root::Root;

/// Ends the first part of every path that leads into another root. Real folders hardly ever end so.
pub const MARK: &str = "::";
/// Longer names are no names.
const MAX_NAME: usize = 64;

/// A root below another one.
#[derive(Debug)]
pub struct Mount {
    /// With the mark.
    folder: String,
    root: Root,
}

/// Why a folder cannot stand in a root.
#[derive(Debug, thiserror::Error)]
pub enum MountError {
    #[error("{name:?} is no name: use up to {MAX_NAME} letters, digits, dots, dashes and underscores")]
    Name { name: String },
    #[error("{name} stands for {} already", path.display())]
    Taken { name: String, path: PathBuf },
    #[error("{} is there already as {name}", path.display())]
    Known { name: String, path: PathBuf },
    #[error("{} is part of the workspace already", path.display())]
    Inside { path: PathBuf },
    #[error("{} holds the workspace itself", path.display())]
    Around { path: PathBuf },
    #[error("{} is no folder", path.display())]
    NoFolder { path: PathBuf },
    #[error("{} cannot be opened: {source}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl Mount {
    /// How its paths begin, without the mark.
    pub fn name(&self) -> &str {
        &self.folder[..self.folder.len() - MARK.len()]
    }

    /// The folder that it stands for.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// A path below it, as the outer root writes it.
    pub(crate) fn outer(&self, below: &RelPath) -> RelPath {
        RelPath::joined(&self.folder, below)
    }

    /// The folder's name in the outer root.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    fn holds(&self, outer: &Path) -> bool {
        outer.iter().next().is_some_and(|first| first == self.folder.as_str())
    }
}

/// What stands in a root; shared by all who hold it.
#[derive(Debug, Default)]
pub(crate) struct Mounts(RwLock<Vec<Arc<Mount>>>);

impl Mounts {
    pub(crate) fn all(&self) -> Vec<Arc<Mount>> {
        self.0.read().clone()
    }

    /// The mount that a path leads into.
    pub(crate) fn of(&self, outer: &Path) -> Option<Arc<Mount>> {
        let mounts = self.0.read();
        if mounts.is_empty() {
            return None;
        }
        mounts.iter().find(|mount| mount.holds(outer)).cloned()
    }

    pub(crate) fn remove(&self, name: &str) -> Option<Arc<Mount>> {
        let mut mounts = self.0.write();
        let at = mounts.iter().position(|mount| mount.name() == name)?;
        Some(mounts.remove(at))
    }
}

impl Root {
    /// Lets another folder stand in this root, as the folder `<name>::`. What the root itself has under that name is
    /// not seen any more.
    pub fn mount(&self, name: &str, root: Root) -> Result<Arc<Mount>, MountError> {
        let path = || root.path().to_owned();
        if !root.path().is_dir() {
            return Err(MountError::NoFolder { path: path() });
        }
        let mut mounts = self.mounts().0.write();
        let others = mounts.iter().map(|mount| mount.root());
        if root.path().starts_with(self.path()) {
            return Err(MountError::Inside { path: path() });
        }
        if self.path().starts_with(root.path()) {
            return Err(MountError::Around { path: path() });
        }
        let same =
            |other: &Root| other.path().starts_with(root.path()) || root.path().starts_with(other.path());
        if let Some(at) = others.into_iter().position(same) {
            return Err(MountError::Known { name: mounts[at].name().to_owned(), path: path() });
        }
        if !is_name(name) {
            return Err(MountError::Name { name: name[..name.floor_char_boundary(80)].to_owned() });
        }
        let folder = format!("{name}{MARK}");
        if let Some(other) = mounts.iter().find(|mount| mount.folder == folder) {
            return Err(MountError::Taken { name: name.to_owned(), path: other.root.path().to_owned() });
        }
        let mount = Arc::new(Mount { folder, root });
        mounts.push(Arc::clone(&mount));
        mounts.sort_by(|a, b| a.folder.cmp(&b.folder));
        Ok(mount)
    }

    /// The folder of this root that a mount of that name would hide.
    pub fn hidden_by(&self, name: &str) -> Option<PathBuf> {
        let folder = self.path().join(format!("{name}{MARK}"));
        folder.symlink_metadata().is_ok().then_some(folder)
    }

    /// Takes a folder out again.
    pub fn unmount(&self, name: &str) -> Option<Arc<Mount>> {
        self.mounts().remove(name)
    }

    /// The other folders that stand in this root, by name.
    pub fn mounted(&self) -> Vec<Arc<Mount>> {
        self.mounts().all()
    }

    /// Where a path of this root really is.
    pub fn absolute(&self, path: &RelPath) -> PathBuf {
        match self.mounts().of(path.as_path()) {
            Some(mount) => mount.root.absolute(&path.below_first()),
            None if path.is_root() => self.path().to_owned(),
            None => self.path().join(path.as_path()),
        }
    }
}

/// Whether a root may be called so.
pub fn is_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len())
        && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '.' | '-' | '_'))
        && name.chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use crate::root::Kind;
    use crate::walk::{self, Found};
    use m1nd_stdx::cancel::CancelToken;
    use parking_lot::Mutex;
    use std::fs;

    fn two() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["a/src", "b/src", "b/.git"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        for (file, text) in
            [("a/src/x.rs", "fn a() {}"), ("b/src/x.rs", "fn b() {}"), ("b/top.rs", "fn t() {}")]
        {
            fs::write(dir.path().join(file), text).unwrap();
        }
        fs::write(dir.path().join("b/.gitignore"), "skip.rs\n").unwrap();
        fs::write(dir.path().join("b/skip.rs"), "").unwrap();
        let root = Root::open(&dir.path().join("a")).unwrap();
        root.mount("b", Root::open(&dir.path().join("b")).unwrap()).unwrap();
        (dir, root)
    }

    #[test]
    fn a_path_leads_into_the_other_root_however_it_is_written() {
        let (dir, root) = two();
        let absolute = dir.path().join("b/src/x.rs");
        for input in ["b::/src/x.rs", "b::src/x.rs", "./b::/src/../src/x.rs", absolute.to_str().unwrap()] {
            assert_eq!(root.locate(input).unwrap().as_str(), "b::/src/x.rs", "{input}");
        }
        let path = root.locate("b::/src/x.rs").unwrap();
        assert_eq!(read::bytes(&root, &path, 100).unwrap(), b"fn b() {}");
        assert_eq!(root.absolute(&path), absolute.canonicalize().unwrap());
        assert_eq!(root.kind(&root.locate("b::").unwrap()).unwrap(), Kind::Folder);
        assert!(root.names_in(&root.locate("b::").unwrap()).unwrap().contains(&"top.rs".to_owned()));
        assert!(root.size_and_last_touch(&path).unwrap().0 == 9);
        let said = root.locate("b::/src/no.rs").unwrap_err().to_string();
        assert_eq!(said, "b::/src/no.rs does not exist");
    }

    #[test]
    fn nothing_leads_out_of_the_other_root() {
        let (dir, root) = two();
        fs::write(dir.path().join("secret.txt"), "x").unwrap();
        std::os::unix::fs::symlink("../secret.txt", dir.path().join("b/out")).unwrap();
        for escape in ["b::/../../secret.txt", "b::/out", "b::/../src/../../secret.txt"] {
            let said = root.locate(escape).unwrap_err().to_string();
            assert!(said.ends_with("outside the workspace"), "{escape}: {said}");
        }
        assert_eq!(root.locate("b::/../src/x.rs").unwrap().as_str(), "src/x.rs");
    }

    #[test]
    fn a_walk_lists_both_and_each_by_its_own_rules() {
        let (_dir, root) = two();
        let listed = |start: &str| {
            let seen = Mutex::new(Vec::new());
            let visitor = || |found: Found<'_>| seen.lock().push(found.shown.to_string());
            walk::files(&root, &root.locate(start).unwrap(), &CancelToken::new(), visitor).unwrap();
            let mut seen = seen.into_inner();
            seen.sort();
            seen
        };
        assert_eq!(listed("."), ["b::/src/x.rs", "b::/top.rs", "src/x.rs"]);
        assert_eq!(listed("b::/src"), ["b::/src/x.rs"]);
        assert_eq!(listed("src"), ["src/x.rs"]);
        root.unmount("b").unwrap();
        assert_eq!(listed("."), ["src/x.rs"]);
    }

    #[test]
    fn what_would_be_there_twice_is_refused() {
        let (dir, root) = two();
        let at = |path: &str| Root::open(&dir.path().join(path)).unwrap();
        let refused = |name: &str, path: &str| root.mount(name, at(path)).unwrap_err();
        assert!(matches!(refused("c", "a/src"), MountError::Inside { .. }));
        assert!(matches!(refused("c", "."), MountError::Around { .. }));
        assert!(matches!(refused("c", "b"), MountError::Known { .. }));
        assert!(matches!(refused("c", "b/src"), MountError::Known { .. }));
        fs::create_dir_all(dir.path().join("other")).unwrap();
        assert!(matches!(refused("b", "other"), MountError::Taken { .. }));
        fs::create_dir_all(dir.path().join("a/d::")).unwrap();
        assert_eq!(root.hidden_by("d"), Some(root.path().join("d::")));
        assert_eq!(root.hidden_by("e"), None);
        for name in ["", "..", "a/b", "x::", &"n".repeat(65)] {
            assert!(matches!(refused(name, "other"), MountError::Name { .. }), "{name}");
        }
    }
}
