//! The files of a workspace that count: what git, `.ignore` and `.m1ndignore` leave, hidden ones aside.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ignore::{DirEntry, WalkBuilder, WalkState};
use m1nd_stdx::cancel::{CancelToken, Stop};

use crate::path::RelPath;
use crate::policy::{Withheld, withheld};
use crate::root::Root;

/// A regular file met on a walk.
pub struct Found<'a> {
    /// Relative to the root, for opening: names need not be UTF-8.
    pub path: &'a Path,
    /// The same, for showing.
    pub shown: RelPath,
    entry: &'a DirEntry,
}

impl Found<'_> {
    /// Size and times, asked of the file system only when wanted.
    pub fn metadata(&self) -> Option<std::fs::Metadata> {
        self.entry.metadata().ok()
    }
}

/// What a walk passed over, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Files whose names say that they hold secrets.
    pub secret: u64,
    /// Files and folders that the system would not show.
    pub unreadable: u64,
}

/// More threads than this only wait for the disk.
const MAX_THREADS: usize = 12;

/// Visits every file below `start`, in no particular order and on several threads. `visitor` makes
/// one closure for each thread.
pub fn files<'env, V>(
    root: &'env Root,
    start: &RelPath,
    cancel: &'env CancelToken,
    visitor: impl Fn() -> V,
) -> Result<Passed, Stop>
where
    V: FnMut(Found<'_>) + Send + 'env,
{
    let secret = AtomicU64::new(0);
    let unreadable = AtomicU64::new(0);
    let stopped = AtomicBool::new(false);
    builder(root, start).build_parallel().run(|| {
        let mut visit = visitor();
        let (secret, unreadable, stopped) = (&secret, &unreadable, &stopped);
        Box::new(move |entry| {
            if cancel.stop().is_some() {
                stopped.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(_) => {
                    unreadable.fetch_add(1, Ordering::Relaxed);
                    return WalkState::Continue;
                }
            };
            if root.excludes(entry.path()) {
                return WalkState::Skip;
            }
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                return WalkState::Continue;
            }
            let Ok(path) = entry.path().strip_prefix(root.path()) else {
                return WalkState::Continue;
            };
            let shown = RelPath::from_clean(path);
            match withheld(&shown) {
                Some(Withheld::Secret) => {
                    secret.fetch_add(1, Ordering::Relaxed);
                }
                Some(Withheld::GitInternal) => {}
                None => visit(Found { path, shown, entry: &entry }),
            }
            WalkState::Continue
        })
    });
    if stopped.load(Ordering::Relaxed) {
        return Err(cancel.stop().unwrap_or(Stop::Cancelled));
    }
    Ok(Passed { secret: secret.into_inner(), unreadable: unreadable.into_inner() })
}

fn builder(root: &Root, start: &RelPath) -> WalkBuilder {
    let from = if start.is_root() { root.path().to_owned() } else { root.path().join(start.as_path()) };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let mut builder = WalkBuilder::new(from);
    builder
        .threads(threads)
        .follow_links(false)
        .add_custom_ignore_filename(".m1ndignore")
        .current_dir(root.path());
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
    use parking_lot::Mutex;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn walked(root: &Root, start: &str) -> (Vec<String>, Passed) {
        let seen = Mutex::new(Vec::new());
        let start = root.locate(start).unwrap();
        let cancel = CancelToken::new();
        let passed =
            files(root, &start, &cancel, || |found: Found<'_>| seen.lock().push(found.shown.to_string()));
        let mut seen = seen.into_inner();
        seen.sort();
        (seen, passed.unwrap())
    }

    #[test]
    fn ignore_files_hidden_files_secrets_and_links_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for folder in [".git", "src", "build", "gen", "state", ".hidden"] {
            fs::create_dir(at(folder)).unwrap();
        }
        for file in
            ["src/a.rs", "src/id_rsa", "build/out.js", "gen/x.rs", "state/db", ".hidden/x", "keep.txt"]
        {
            fs::write(at(file), "x").unwrap();
        }
        fs::write(at(".gitignore"), "build/\n").unwrap();
        fs::write(at(".m1ndignore"), "gen/\n").unwrap();
        symlink("/etc/passwd", at("link")).unwrap();
        symlink(".", at("loop")).unwrap();
        let root = Root::open(dir.path()).unwrap().excluding(&at("state"));
        let (seen, passed) = walked(&root, ".");
        assert_eq!(seen, ["keep.txt", "src/a.rs"]);
        assert_eq!(passed.secret, 1);
        assert_eq!(walked(&root, "src").0, ["src/a.rs"]);
        assert_eq!(walked(&root, "build").0, ["build/out.js"], "a folder named outright is walked");
    }

    #[test]
    fn a_cancelled_walk_says_so() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("a"), "x").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let cancel = CancelToken::new();
        cancel.cancel();
        assert_eq!(files(&root, &RelPath::root(), &cancel, || |_: Found<'_>| ()), Err(Stop::Cancelled));
    }
}
