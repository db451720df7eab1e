//! Writes of the user's files: each path is walked folder by folder beneath its root, and no link is ever followed.
//!
//! A folder that is swapped for a link between a check and a write makes the write fail; it never leads it elsewhere.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;

use crate::attributes;
use crate::path::RelPath;
use crate::policy::{Withheld, withheld};
use crate::root::Root;
use crate::sync;

/// Why something cannot be written, or is not looked at.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("{path} leads through a symbolic link")]
    Link { path: String },
    #[error("{path} is a folder")]
    IsFolder { path: String },
    #[error("{path} is not a regular file")]
    NotAFile { path: String },
    #[error("a part of the way to {path} is a file")]
    NotAFolder { path: String },
    #[error("{path} is withheld")]
    Withheld { path: String, why: Withheld },
    #[error("{path} belongs to m1nd")]
    Ours { path: String },
    #[error("{path} has {bytes} bytes, more than {limit}")]
    TooLarge { path: String, bytes: u64, limit: u64 },
    #[error("there is something at {path} already")]
    Taken { path: String },
    #[error("{path}: {source}")]
    Io {
        path: String,
        #[source]
        source: io::Error,
    },
}

/// A file as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub bytes: Vec<u8>,
    /// Permission bits.
    pub mode: u32,
}

/// Whether a new file may take the place of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Onto {
    Existing,
    Nothing,
}

impl Root {
    /// The regular file at a path; nothing where there is none. Links, folders and pipes are refused.
    pub fn held(&self, path: &RelPath, limit: u64) -> Result<Option<Held>, WriteError> {
        self.writable(path)?;
        let Some(parent) = self.parent_of(path)? else { return Ok(None) };
        let Some(stat) = parent.stat(path)? else { return Ok(None) };
        regular(path, &stat)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = rustix::fs::openat(&parent.folder, path.file_name(), flags, Mode::empty());
        let file = File::from(file.map_err(|err| failed(path, err))?);
        let meta = file.metadata().map_err(|err| io_error(path, err))?;
        if meta.len() > limit {
            return Err(WriteError::TooLarge { path: path.to_string(), bytes: meta.len(), limit });
        }
        let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default());
        file.take(limit + 1).read_to_end(&mut bytes).map_err(|err| io_error(path, err))?;
        if bytes.len() as u64 > limit {
            return Err(WriteError::TooLarge { path: path.to_string(), bytes: bytes.len() as u64, limit });
        }
        Ok(Some(Held { bytes, mode: stat.st_mode & 0o7777 }))
    }

    /// Whether the file at a path has other names, too. A file that takes its place has that one alone.
    pub fn has_other_names(&self, path: &RelPath) -> Result<bool, WriteError> {
        let Some(parent) = self.parent_of(path)? else { return Ok(false) };
        Ok(parent.stat(path)?.is_some_and(|stat| stat.st_nlink > 1))
    }

    /// Folders on the way to a file that are not there, outermost first.
    pub fn missing_folders(&self, path: &RelPath) -> Result<Vec<RelPath>, WriteError> {
        self.writable(path)?;
        let mut missing = Vec::new();
        let mut at = path.parent();
        while !at.is_root() && self.folder(&at)?.is_none() {
            missing.push(at.clone());
            at = at.parent();
        }
        missing.reverse();
        Ok(missing)
    }

    pub fn make_folder(&self, path: &RelPath) -> Result<(), WriteError> {
        self.writable(path)?;
        let parent = self.needed_parent(path)?;
        let made = rustix::fs::mkdirat(&parent.folder, path.file_name(), Mode::from_bits_truncate(0o777));
        match made {
            Err(Errno::EXIST) if self.folder(path)?.is_some() => Ok(()),
            other => other.map_err(|err| failed(path, err)),
        }
    }

    /// Takes a folder away if nothing is in it.
    pub fn remove_empty_folder(&self, path: &RelPath) -> Result<(), WriteError> {
        let Some(parent) = self.parent_of(path)? else { return Ok(()) };
        match rustix::fs::unlinkat(&parent.folder, path.file_name(), AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
            Err(err) => Err(failed(path, err)),
        }
    }

    /// Writes a new file called `name` beside `path`, and waits until the disk has it. Without a mode it gets what the
    /// process gives new files. It belongs to whom the file at `like` belongs to and has its extended attributes, where that can
    /// be done.
    pub fn put_beside(
        &self,
        path: &RelPath,
        name: &str,
        bytes: &[u8],
        mode: Option<u32>,
        like: &RelPath,
    ) -> Result<(), WriteError> {
        self.writable(path)?;
        let parent = self.needed_parent(path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let given = Mode::from_bits_truncate(0o666);
        let file = rustix::fs::openat(&parent.folder, name, flags, given).map_err(|err| failed(path, err))?;
        if let Some(old) = self.opened(like)? {
            attributes::copy(old.as_fd(), file.as_fd(), path);
        }
        let mut file = File::from(file);
        file.write_all(bytes).map_err(|err| io_error(path, err))?;
        if let Some(mode) = mode {
            rustix::fs::fchmod(&file, Mode::from_bits_truncate(mode)).map_err(|err| failed(path, err))?;
        }
        sync::all(&file).map_err(|err| io_error(path, err))
    }

    /// The regular file at a path, to look at; nothing where there is none that can be read.
    fn opened(&self, path: &RelPath) -> Result<Option<OwnedFd>, WriteError> {
        let Some(parent) = self.parent_of(path)? else { return Ok(None) };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(rustix::fs::openat(&parent.folder, path.file_name(), flags, Mode::empty()).ok())
    }

    /// Whether a file called `name` is beside `path`.
    pub fn is_beside(&self, path: &RelPath, name: &str) -> Result<bool, WriteError> {
        let Some(parent) = self.parent_of(path)? else { return Ok(false) };
        match rustix::fs::statat(&parent.folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(err) => Err(failed(path, err)),
        }
    }

    /// Gives the file called `name` beside `path` that path.
    pub fn take_place(&self, path: &RelPath, name: &str, onto: Onto) -> Result<(), WriteError> {
        self.writable(path)?;
        let parent = self.needed_parent(path)?;
        let (folder, to) = (parent.folder.as_fd(), path.file_name());
        if let Some(stat) = parent.stat(path)? {
            regular(path, &stat)?;
            if onto == Onto::Nothing {
                return Err(WriteError::Taken { path: path.to_string() });
            }
        }
        let moved = match onto {
            Onto::Existing => rustix::fs::renameat(folder, name, folder, to),
            Onto::Nothing => {
                match rustix::fs::renameat_with(folder, name, folder, to, RenameFlags::NOREPLACE) {
                    // Some file systems cannot be asked for that; a look just before must do.
                    Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                        rustix::fs::renameat(folder, name, folder, to)
                    }
                    moved => moved,
                }
            }
        };
        moved.map_err(|err| match err {
            Errno::EXIST => WriteError::Taken { path: path.to_string() },
            err => failed(path, err),
        })
    }

    /// Removes the file at a path; that there is none is no error.
    pub fn remove_file(&self, path: &RelPath) -> Result<(), WriteError> {
        self.writable(path)?;
        let Some(parent) = self.parent_of(path)? else { return Ok(()) };
        let Some(stat) = parent.stat(path)? else { return Ok(()) };
        regular(path, &stat)?;
        unlinked(path, rustix::fs::unlinkat(&parent.folder, path.file_name(), AtFlags::empty()))
    }

    /// Removes the file called `name` beside `path`; that there is none is no error. Whether the folder was there to be
    /// looked into.
    pub fn remove_beside(&self, path: &RelPath, name: &str) -> Result<bool, WriteError> {
        let Some(parent) = self.parent_of(path)? else { return Ok(false) };
        unlinked(path, rustix::fs::unlinkat(&parent.folder, name, AtFlags::empty()))?;
        Ok(true)
    }

    /// Waits until the disk has the names in the folder that holds `path`.
    pub fn sync_beside(&self, path: &RelPath) -> Result<(), WriteError> {
        let Some(parent) = self.parent_of(path)? else { return Ok(()) };
        // The handle is for looking things up only; syncing needs one that reads.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::openat(&parent.folder, ".", flags, Mode::empty());
        let folder = folder.map_err(|err| failed(path, err))?;
        sync::all(&File::from(folder)).map_err(|err| io_error(path, err))
    }

    /// Git's files, keys and m1nd's own state are never written.
    fn writable(&self, path: &RelPath) -> Result<(), WriteError> {
        let shown = || path.to_string();
        if path.as_str().split('/').any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(WriteError::Withheld { path: shown(), why: Withheld::GitInternal });
        }
        if let Some(why) = withheld(path) {
            return Err(WriteError::Withheld { path: shown(), why });
        }
        if path.is_root() {
            return Err(WriteError::IsFolder { path: shown() });
        }
        if self.absolute(path).ancestors().any(|folder| self.excludes(folder)) {
            return Err(WriteError::Ours { path: shown() });
        }
        Ok(())
    }

    fn parent_of(&self, path: &RelPath) -> Result<Option<Parent>, WriteError> {
        Ok(self.folder(&path.parent())?.map(|folder| Parent { folder }))
    }

    fn needed_parent(&self, path: &RelPath) -> Result<Parent, WriteError> {
        let missing = || io_error(path, io::Error::from(io::ErrorKind::NotFound));
        self.parent_of(path)?.ok_or_else(missing)
    }

    /// A handle of a folder, reached without following a link; nothing where there is none.
    fn folder(&self, path: &RelPath) -> Result<Option<OwnedFd>, WriteError> {
        let mount = self.mounts().of(path.as_path());
        let (root, below) = match &mount {
            Some(mount) => (mount.root(), path.below_first()),
            None => (self, path.clone()),
        };
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let mut at =
            rustix::fs::openat(root.dir(), ".", flags, Mode::empty()).map_err(|err| failed(path, err))?;
        for part in below.as_str().split('/').filter(|part| !part.is_empty()) {
            at = match rustix::fs::openat(&at, part, flags, Mode::empty()) {
                Ok(next) => next,
                Err(Errno::NOENT) => return Ok(None),
                Err(Errno::LOOP | Errno::NOTDIR) => {
                    let stat = rustix::fs::statat(&at, part, AtFlags::SYMLINK_NOFOLLOW);
                    let is_link =
                        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink);
                    let path = path.to_string();
                    return Err(if is_link {
                        WriteError::Link { path }
                    } else {
                        WriteError::NotAFolder { path }
                    });
                }
                Err(err) => return Err(failed(path, err)),
            };
        }
        Ok(Some(at))
    }
}

/// The folder that holds a file.
struct Parent {
    folder: OwnedFd,
}

impl Parent {
    fn stat(&self, path: &RelPath) -> Result<Option<Stat>, WriteError> {
        match rustix::fs::statat(&self.folder, path.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(err) => Err(failed(path, err)),
        }
    }
}

fn regular(path: &RelPath, stat: &Stat) -> Result<(), WriteError> {
    let path = || path.to_string();
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Ok(()),
        FileType::Directory => Err(WriteError::IsFolder { path: path() }),
        FileType::Symlink => Err(WriteError::Link { path: path() }),
        _ => Err(WriteError::NotAFile { path: path() }),
    }
}

fn unlinked(path: &RelPath, outcome: Result<(), Errno>) -> Result<(), WriteError> {
    match outcome {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(err) => Err(failed(path, err)),
    }
}

fn failed(path: &RelPath, err: Errno) -> WriteError {
    match err {
        Errno::LOOP => WriteError::Link { path: path.to_string() },
        err => io_error(path, err.into()),
    }
}

fn io_error(path: &RelPath, source: io::Error) -> WriteError {
    WriteError::Io { path: path.to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::sync::atomic::{AtomicBool, Ordering};

    fn workspace() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["ws/src", "ws/.git", "ws/state", "out"] {
            fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        fs::write(dir.path().join("ws/src/a.rs"), "old").unwrap();
        fs::write(dir.path().join("out/a.rs"), "outside").unwrap();
        let root = Root::open(&dir.path().join("ws")).unwrap();
        let root = root.excluding(&dir.path().join("ws/state"));
        (dir, root)
    }

    fn replace(root: &Root, path: &str, bytes: &[u8]) -> Result<(), WriteError> {
        let path = root.relative(path).unwrap();
        root.put_beside(&path, ".new", bytes, None, &path)?;
        let placed = root.take_place(&path, ".new", Onto::Existing);
        if placed.is_err() {
            root.remove_beside(&path, ".new")?;
        }
        placed?;
        root.sync_beside(&path)
    }

    #[test]
    fn a_file_is_replaced_with_the_mode_it_is_given() {
        let (dir, root) = workspace();
        let path = root.relative("src/a.rs").unwrap();
        root.put_beside(&path, ".new", b"new", Some(0o750), &path).unwrap();
        assert!(root.is_beside(&path, ".new").unwrap());
        root.take_place(&path, ".new", Onto::Existing).unwrap();
        assert_eq!(root.held(&path, 100).unwrap().unwrap(), Held { bytes: b"new".to_vec(), mode: 0o750 });
        let mode = fs::metadata(dir.path().join("ws/src/a.rs")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o750);
        root.put_beside(&path, ".new", b"x", None, &path).unwrap();
        let taken = root.take_place(&path, ".new", Onto::Nothing).unwrap_err();
        assert_eq!(taken.to_string(), "there is something at src/a.rs already");
        let new = root.relative("deep/er/b.rs").unwrap();
        let missing: Vec<String> =
            root.missing_folders(&new).unwrap().iter().map(RelPath::to_string).collect();
        assert_eq!(missing, ["deep", "deep/er"]);
        assert_eq!(root.held(&new, 100).unwrap(), None);
    }

    #[test]
    fn what_is_kept_of_a_file_besides_its_content_is_kept_of_the_new_one_too() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        let (dir, root) = workspace();
        let (path, moved) = (root.relative("src/a.rs").unwrap(), root.relative("src/b.rs").unwrap());
        let at = |name: &str| dir.path().join("ws/src").join(name);
        match setxattr(at("a.rs"), "user.note", b"kept", XattrFlags::empty()) {
            Err(Errno::OPNOTSUPP) => return println!("skipped: this file system has no attributes"),
            set => set.unwrap(),
        }
        root.put_beside(&path, ".new", b"new", Some(0o644), &path).unwrap();
        root.take_place(&path, ".new", Onto::Existing).unwrap();
        // A file that moves takes them along.
        root.put_beside(&moved, ".new", b"new", Some(0o644), &path).unwrap();
        root.take_place(&moved, ".new", Onto::Nothing).unwrap();
        for name in ["a.rs", "b.rs"] {
            let mut value = [0_u8; 8];
            let length = getxattr(at(name), "user.note", &mut value).unwrap();
            assert_eq!(&value[..length], b"kept", "{name}");
        }
    }

    #[test]
    fn links_git_state_and_secrets_are_refused() {
        let (dir, root) = workspace();
        symlink(dir.path().join("out"), dir.path().join("ws/link")).unwrap();
        symlink("src", dir.path().join("ws/inside")).unwrap();
        symlink("src/a.rs", dir.path().join("ws/b.rs")).unwrap();
        let said = |path: &str| replace(&root, path, b"evil").unwrap_err().to_string();
        assert_eq!(said("link/a.rs"), "link leads through a symbolic link");
        assert_eq!(said("inside/a.rs"), "inside leads through a symbolic link");
        assert_eq!(said("b.rs"), "b.rs leads through a symbolic link");
        assert_eq!(said(".git/config"), ".git/config is withheld");
        assert_eq!(said("src/.GIT/config"), "src/.GIT/config is withheld");
        assert_eq!(said(".env"), ".env is withheld");
        assert_eq!(said("state/graph"), "state/graph belongs to m1nd");
        assert_eq!(said("src"), "src is a folder");
        assert_eq!(said("src/a.rs/b.rs"), "a part of the way to src/a.rs is a file");
        assert_eq!(fs::read(dir.path().join("out/a.rs")).unwrap(), b"outside");
        assert_eq!(fs::read(dir.path().join("ws/src/a.rs")).unwrap(), b"old");
    }

    #[test]
    fn a_folder_swapped_for_a_link_during_writes_leads_nowhere() {
        let (dir, root) = workspace();
        let (src, kept) = (dir.path().join("ws/src"), dir.path().join("ws/kept"));
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    fs::rename(&src, &kept).unwrap();
                    symlink(dir.path().join("out"), &src).unwrap();
                    fs::remove_file(&src).unwrap();
                    fs::rename(&kept, &src).unwrap();
                }
            });
            let path = root.relative("src/a.rs").unwrap();
            for at in 0..3_000 {
                // Whether it succeeds is a race; where it goes is not.
                if root.put_beside(&path, &format!(".new-{at}"), b"new", None, &path).is_ok() {
                    root.take_place(&path, &format!(".new-{at}"), Onto::Existing).ok();
                }
                root.remove_file(&path).ok();
            }
            stop.store(true, Ordering::Relaxed);
        });
        let outside: Vec<_> = fs::read_dir(dir.path().join("out")).unwrap().collect();
        assert_eq!(outside.len(), 1);
        assert_eq!(fs::read(dir.path().join("out/a.rs")).unwrap(), b"outside");
    }
}
