//! Root: a folder that files may be opened beneath, held open by handle.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::mount::{MARK, Mount, Mounts};
use crate::path::{PathError, RelPath, check_form, normalise};

/// Device and inode: what a folder is, whatever its path is spelled like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FolderId {
    pub device: u64,
    pub inode: u64,
}

/// A workspace folder. Cheap to share, never to be moved while open.
#[derive(Debug)]
pub struct Root {
    /// Where it is, with all links resolved.
    path: PathBuf,
    /// Where it was said to be.
    spelled: PathBuf,
    dir: Dir,
    id: FolderId,
    /// Folders below the root that belong to m1nd and not to the user.
    excluded: Vec<PathBuf>,
    mounts: Mounts,
}

impl Root {
    pub fn open(path: &Path) -> io::Result<Self> {
        let spelled = std::path::absolute(path)?;
        let real = spelled.canonicalize()?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority())?;
        let stat = rustix::fs::fstat(&dir)?;
        Ok(Self {
            path: real,
            spelled,
            dir,
            id: FolderId { device: stat.st_dev, inode: stat.st_ino },
            excluded: Vec::new(),
            mounts: Mounts::default(),
        })
    }

    /// Leaves `folder` out of every walk: m1nd's own state is not the user's code.
    #[must_use]
    pub fn excluding(mut self, folder: &Path) -> Self {
        let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        if real.starts_with(&self.path) && real != self.path {
            self.excluded.push(real);
        }
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn id(&self) -> FolderId {
        self.id
    }

    /// Whether the path still leads to the folder that was opened.
    pub fn is_still_there(&self) -> bool {
        rustix::fs::stat(&self.path)
            .is_ok_and(|stat| (FolderId { device: stat.st_dev, inode: stat.st_ino }) == self.id)
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    pub(crate) fn mounts(&self) -> &Mounts {
        &self.mounts
    }

    /// The other root that a path leads into, and the path there.
    fn through(&self, path: &RelPath) -> Option<(Arc<Mount>, RelPath)> {
        self.mounts.of(path.as_path()).map(|mount| (mount, path.below_first()))
    }

    /// Asks the root that a path leads into.
    fn ask<T>(
        &self,
        path: &RelPath,
        question: impl FnOnce(&Root, &RelPath) -> Result<T, PathError>,
    ) -> Result<T, PathError> {
        match self.through(path) {
            Some((mount, below)) => question(mount.root(), &below).map_err(|err| err.about(path.as_str())),
            None => question(self, path),
        }
    }

    /// Whether a walk passes over a folder: one of ours, or one that another root stands in front of.
    pub(crate) fn excludes(&self, path: &Path) -> bool {
        let is_hidden = || path.strip_prefix(&self.path).is_ok_and(|below| self.mounts.of(below).is_some());
        self.excluded.iter().any(|folder| folder == path)
            || path.parent() == Some(self.path.as_path()) && is_hidden()
    }

    /// The existing file or folder that a caller means, with links resolved. Relative and absolute
    /// paths and `file://` addresses are understood.
    pub fn locate(&self, input: &str) -> Result<RelPath, PathError> {
        let wanted = self.relative(input)?;
        if wanted.is_root() {
            return Ok(wanted);
        }
        if let Some((mount, below)) = self.through(&wanted) {
            let found = if below.is_root() { Ok(below) } else { mount.root().locate(below.as_str()) };
            return found.map(|found| mount.outer(&found)).map_err(|err| err.about(input));
        }
        match self.dir.canonicalize(wanted.as_path()) {
            // A link may lead to the root itself.
            Ok(real) if real.as_os_str().is_empty() || real == Path::new(".") => Ok(RelPath::root()),
            Ok(real) => Ok(RelPath::from_clean(&real)),
            Err(err) => Err(sort_out(err, input)),
        }
    }

    /// The path that a caller means, whether or not anything is there.
    pub fn relative(&self, input: &str) -> Result<RelPath, PathError> {
        check_form(input)?;
        let decoded = match input.strip_prefix("file://") {
            Some(address) => percent_decoded(address.strip_prefix("localhost").unwrap_or(address)),
            None => input.to_owned(),
        };
        check_form(&decoded)?;
        let path = Path::new(&decoded);
        if !path.is_absolute() {
            return match normalise(&self.with_slash(decoded.clone())) {
                Err(PathError::Outside { .. }) => self.relative_upwards(input, path),
                other => other,
            };
        }
        let below = [&self.path, &self.spelled]
            .into_iter()
            .find_map(|root| path.strip_prefix(root).ok().map(Path::to_owned))
            .or_else(|| self.below_through_links(path));
        match below.as_deref().and_then(Path::to_str) {
            Some("") => Ok(RelPath::root()),
            Some(rest) => normalise(rest).map_err(|_| PathError::Outside { path: input.to_owned() }),
            None => self.relative_elsewhere(input),
        }
    }

    /// A path that climbs out of the root: what lies beside it may be one of the other roots, or the root itself by its name.
    fn relative_upwards(&self, input: &str, path: &Path) -> Result<RelPath, PathError> {
        let outside = || PathError::Outside { path: input.to_owned() };
        let found = [&self.path, &self.spelled].into_iter().find_map(|root| {
            let climbed = climbed(root, path)?;
            self.relative(climbed.to_str()?).ok()
        });
        found.ok_or_else(outside)
    }

    /// A path of one of the other roots.
    fn relative_elsewhere(&self, input: &str) -> Result<RelPath, PathError> {
        let mounts = self.mounts.all();
        let found = mounts.iter().find_map(|mount| Some(mount.outer(&mount.root().relative(input).ok()?)));
        found.ok_or_else(|| PathError::Outside { path: input.to_owned() })
    }

    /// `name::path` means `name::/path` where there is another root of that name.
    fn with_slash(&self, path: String) -> String {
        match path.trim_start_matches("./").split_once(MARK) {
            Some((name, rest)) if !rest.is_empty() && !rest.starts_with('/') && !name.contains('/') => {
                let folder = format!("{name}{MARK}");
                let known = self.mounts.of(Path::new(&folder)).is_some();
                if known { format!("{folder}/{rest}") } else { path }
            }
            _ => path,
        }
    }

    /// An absolute path that reaches the root by another spelling, such as a link to it.
    fn below_through_links(&self, path: &Path) -> Option<PathBuf> {
        let real = path.canonicalize().ok()?;
        real.strip_prefix(&self.path).ok().map(Path::to_owned)
    }

    /// Names of what is in a folder, in no order.
    pub fn names_in(&self, folder: &RelPath) -> Result<Vec<String>, PathError> {
        self.ask(folder, Root::own_names_in)
    }

    fn own_names_in(&self, folder: &RelPath) -> Result<Vec<String>, PathError> {
        let failed = |err| sort_out(err, folder.as_str());
        let entries = self.dir.read_dir(folder.as_path()).map_err(failed)?;
        entries.map(|entry| Ok(entry.map_err(failed)?.file_name().to_string_lossy().into_owned())).collect()
    }

    /// Size and time of last change (nanoseconds since 1970) of what is at `path`.
    pub fn size_and_time(&self, path: &RelPath) -> Result<(u64, i128), PathError> {
        self.ask(path, Root::own_size_and_time)
    }

    fn own_size_and_time(&self, path: &RelPath) -> Result<(u64, i128), PathError> {
        let meta = self.dir.metadata(path.as_path()).map_err(|err| sort_out(err, path.as_str()))?;
        let modified = meta.modified().map_err(|err| sort_out(err, path.as_str()))?.into_std();
        let ns = match modified.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
        };
        Ok((meta.len(), ns))
    }

    /// Size of what is at `path`, and when it last changed in any way: a program can set the time of last change
    /// back, but not the system's own.
    pub fn size_and_last_touch(&self, path: &RelPath) -> Result<(u64, i128), PathError> {
        self.ask(path, Root::own_size_and_last_touch)
    }

    fn own_size_and_last_touch(&self, path: &RelPath) -> Result<(u64, i128), PathError> {
        use cap_std::fs::MetadataExt as _;
        let meta = self.dir.metadata(path.as_path()).map_err(|err| sort_out(err, path.as_str()))?;
        let touched = later(meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec());
        Ok((meta.len(), touched))
    }

    /// What is at `path`, without reading it.
    pub fn kind(&self, path: &RelPath) -> Result<Kind, PathError> {
        self.ask(path, Root::own_kind)
    }

    fn own_kind(&self, path: &RelPath) -> Result<Kind, PathError> {
        let meta = self.dir.metadata(path.as_path()).map_err(|err| sort_out(err, path.as_str()))?;
        Ok(if meta.is_file() {
            Kind::File
        } else if meta.is_dir() {
            Kind::Folder
        } else {
            Kind::Other
        })
    }
}

/// A relative path as one of the machine, without dots. Nothing where it climbs above everything.
fn climbed(from: &Path, path: &Path) -> Option<PathBuf> {
    let mut whole = from.to_owned();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop().then_some(())?;
            }
            Component::Normal(part) => whole.push(part),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(whole)
}

/// The path in an address. What is no valid escape stays as it is.
fn percent_decoded(address: &str) -> String {
    let bytes = address.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = bytes.get(at + 1..at + 3).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.filter(|_| bytes[at] == b'%').and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| address.to_owned())
}

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    File,
    Folder,
    /// A pipe, socket or device: never opened.
    Other,
}

/// Tells an escape apart from a missing file. An escape found by resolving beneath a handle has no
/// system error number of its own, or is `EXDEV`.
pub(crate) fn sort_out(err: io::Error, path: &str) -> PathError {
    let path = path.to_owned();
    let escape = err.raw_os_error().is_none() && err.kind() == io::ErrorKind::PermissionDenied
        || err.raw_os_error() == Some(rustix::io::Errno::XDEV.raw_os_error());
    match err.kind() {
        _ if escape => PathError::Outside { path },
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => PathError::NotFound { path },
        _ => PathError::Io { path, source: err },
    }
}

/// The later of two times, in nanoseconds since 1970.
pub(crate) fn later(seconds: i64, nanos: i64, other_seconds: i64, other_nanos: i64) -> i128 {
    let ns = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    ns(seconds, nanos).max(ns(other_seconds, other_nanos))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn workspace() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("ws/src")).unwrap();
        fs::write(dir.path().join("ws/src/lib.rs"), "fn a() {}\n").unwrap();
        fs::write(dir.path().join("outside.txt"), "secret").unwrap();
        let root = Root::open(&dir.path().join("ws")).unwrap();
        (dir, root)
    }

    fn shown(root: &Root, input: &str) -> String {
        match root.locate(input) {
            Ok(path) => path.to_string(),
            Err(PathError::Outside { .. }) => "outside".into(),
            Err(PathError::NotFound { .. }) => "not found".into(),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn a_file_is_found_by_relative_absolute_and_uri_path() {
        let (dir, root) = workspace();
        let absolute = dir.path().join("ws/src/lib.rs");
        for input in ["src/lib.rs", "./src/lib.rs", absolute.to_str().unwrap()] {
            assert_eq!(shown(&root, input), "src/lib.rs");
        }
        assert_eq!(shown(&root, &format!("file://{}", absolute.display())), "src/lib.rs");
        let escaped = format!("file://localhost{}", absolute.display()).replace("lib.rs", "l%69b.rs");
        assert_eq!(shown(&root, &escaped), "src/lib.rs");
        assert_eq!(shown(&root, "file:///%2e%2e/etc/passwd"), "outside");
        assert_eq!(shown(&root, "."), ".");
        assert_eq!(shown(&root, "src/nope.rs"), "not found");
    }

    #[test]
    fn links_inside_are_followed_and_links_outside_refused() {
        let (dir, root) = workspace();
        let ws = dir.path().join("ws");
        symlink("src/lib.rs", ws.join("inside")).unwrap();
        symlink(".", ws.join("self")).unwrap();
        symlink("../outside.txt", ws.join("out")).unwrap();
        symlink(dir.path(), ws.join("up")).unwrap();
        symlink("/etc", ws.join("etc")).unwrap();
        assert_eq!(shown(&root, "inside"), "src/lib.rs");
        assert_eq!(root.locate("self").unwrap(), RelPath::root());
        for escape in ["out", "up/outside.txt", "etc/passwd", "up/nope", "/etc/passwd"] {
            assert_eq!(shown(&root, escape), "outside", "{escape}");
        }
    }

    #[test]
    fn a_workspace_opened_through_a_link_takes_paths_of_either_spelling() {
        let (dir, _) = workspace();
        symlink(dir.path().join("ws"), dir.path().join("alias")).unwrap();
        let root = Root::open(&dir.path().join("alias")).unwrap();
        for folder in ["alias", "ws"] {
            let input = dir.path().join(folder).join("src/lib.rs");
            assert_eq!(shown(&root, input.to_str().unwrap()), "src/lib.rs");
        }
        assert_eq!(root.id(), Root::open(&dir.path().join("ws")).unwrap().id());
    }
}
