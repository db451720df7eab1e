//! The files of a workspace that count: what git, `.ignore` and `.m1ndignore` leave, hidden ones aside.

use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ignore::{DirEntry, WalkBuilder, WalkState};
use m1nd_stdx::cancel::{CancelToken, Stop};
use parking_lot::Mutex;

use crate::mount::Mount;
use crate::path::RelPath;
use crate::policy::{Withheld, withheld};
use crate::root::{Root, later};

/// A regular file met on a walk.
pub struct Found<'a> {
    /// Relative to the root, for opening: names need not be UTF-8.
    pub path: &'a Path,
    /// The same, for showing.
    pub shown: RelPath,
    entry: &'a DirEntry,
    unread: &'a Mutex<Vec<Unread>>,
}

impl Found<'_> {
    /// Size, and when it last changed in any way (nanoseconds since 1970); asked of the file system only when wanted.
    pub fn size_and_last_touch(&self) -> Option<(u64, i128)> {
        use std::os::unix::fs::MetadataExt as _;
        let meta = self.metadata()?;
        Some((meta.len(), later(meta.mtime(), meta.mtime_nsec(), meta.ctime(), meta.ctime_nsec())))
    }

    pub fn metadata(&self) -> Option<std::fs::Metadata> {
        match self.entry.metadata() {
            Ok(meta) => Some(meta),
            Err(err) => {
                let why = err.io_error().map_or(Some(OTHER), why);
                let path = self.shown.to_string();
                self.unread.lock().extend(why.map(|why| Unread { path, why }));
                None
            }
        }
    }
}

/// What a walk passed over, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// Files whose names say that they hold secrets.
    pub secret: u64,
    /// Files and folders that the system would not show, by path.
    pub unread: Vec<Unread>,
}

/// A file or folder that is there and cannot be looked at: nobody knows what is in it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unread {
    /// Relative to the root; empty for the root itself.
    pub path: String,
    pub why: &'static str,
}

/// Where the system does not say more.
const OTHER: &str = "cannot be read";

/// Why the system would not show something; nothing where it is not there any more.
fn why(err: &io::Error) -> Option<&'static str> {
    match err.kind() {
        io::ErrorKind::NotFound => None,
        io::ErrorKind::PermissionDenied => Some("permission denied"),
        io::ErrorKind::InvalidFilename => Some("its path is too long"),
        io::ErrorKind::StaleNetworkFileHandle | io::ErrorKind::TimedOut => Some("its file system is away"),
        _ => Some(OTHER),
    }
}

/// More threads than this only wait for the disk.
const MAX_THREADS: usize = 12;

/// Which files a walk meets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    /// Those that count.
    #[default]
    Usual,
    /// Hidden ones, too, and those that something else than `.gitignore` leaves out.
    Repository,
}

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
    files_within(root, start, Reach::Usual, cancel, visitor)
}

/// The same with more or fewer files.
pub fn files_within<'env, V>(
    root: &'env Root,
    start: &RelPath,
    reach: Reach,
    cancel: &'env CancelToken,
    visitor: impl Fn() -> V,
) -> Result<Passed, Stop>
where
    V: FnMut(Found<'_>) + Send + 'env,
{
    if let Some(mount) = root.mounts().of(start.as_path()) {
        return files_of(mount.root(), &start.below_first(), reach, Some(&mount), cancel, &visitor);
    }
    let mut passed = files_of(root, start, reach, None, cancel, &visitor)?;
    if start.is_root() {
        for mount in root.mounts().all() {
            let more = files_of(mount.root(), start, reach, Some(&mount), cancel, &visitor)?;
            passed.secret += more.secret;
            passed.unread.extend(more.unread);
        }
    }
    Ok(passed)
}

/// Those of some files that a walk of the whole root would meet; nothing else is looked at than the folders that they
/// are in and those around them.
pub fn some<'env, V>(
    root: &'env Root,
    paths: &[RelPath],
    cancel: &'env CancelToken,
    visitor: impl Fn() -> V,
) -> Result<(), Stop>
where
    V: FnMut(Found<'_>) + Send + 'env,
{
    let mut own: Vec<RelPath> = Vec::new();
    let mut others: Vec<(Arc<Mount>, Vec<RelPath>)> = Vec::new();
    for path in paths {
        match root.mounts().of(path.as_path()) {
            None => own.push(path.clone()),
            Some(mount) => match others.iter_mut().find(|(known, _)| Arc::ptr_eq(known, &mount)) {
                Some((_, below)) => below.push(path.below_first()),
                None => others.push((mount, vec![path.below_first()])),
            },
        }
    }
    if !own.is_empty() {
        visit_all(root, only(root, &own), None, cancel, &visitor)?;
    }
    for (mount, below) in &others {
        visit_all(mount.root(), only(mount.root(), below), Some(mount), cancel, &visitor)?;
    }
    Ok(())
}

/// A walk, and the folders that it does not enter because of their ignore files.
struct Way {
    walk: WalkBuilder,
    refused: Arc<Mutex<Vec<PathBuf>>>,
}

/// A walk that meets these files alone.
fn only(root: &Root, paths: &[RelPath]) -> Way {
    let mut on_the_way: BTreeSet<PathBuf> = BTreeSet::new();
    for path in paths {
        let whole = root.path().join(path.as_path());
        on_the_way.extend(whole.ancestors().take_while(|at| at.starts_with(root.path())).map(Path::to_owned));
    }
    let mut way = below(root, &RelPath::root());
    let readable = ignore_files_can_be_read(root.path());
    // The last filter is the one that counts, so it repeats what the other says.
    way.walk.filter_entry(move |entry| {
        on_the_way.contains(entry.path()) && (below_is_readable(entry) || entry.depth() == 0 && !readable)
    });
    way
}

/// The same in one root; `mount` says where it stands in the outer one.
fn files_of<'env, V>(
    root: &Root,
    start: &RelPath,
    reach: Reach,
    mount: Option<&Mount>,
    cancel: &CancelToken,
    visitor: &impl Fn() -> V,
) -> Result<Passed, Stop>
where
    V: FnMut(Found<'_>) + Send + 'env,
{
    let way = match reach {
        Reach::Usual => below(root, start),
        Reach::Repository => all_below(root, start),
    };
    visit_all(root, way, mount, cancel, visitor)
}

fn visit_all<'env, V>(
    root: &Root,
    way: Way,
    mount: Option<&Mount>,
    cancel: &CancelToken,
    visitor: &impl Fn() -> V,
) -> Result<Passed, Stop>
where
    V: FnMut(Found<'_>) + Send + 'env,
{
    let secret = AtomicU64::new(0);
    let unread = Mutex::new(Vec::new());
    let stopped = AtomicBool::new(false);
    // As the outer root shows it.
    let outer = |path: &Path| {
        let path = path.strip_prefix(root.path()).ok()?;
        Some(mount.map_or_else(|| path.to_owned(), |mount| Path::new(mount.folder()).join(path)))
    };
    let not_shown = |path: &Path, why: &'static str| {
        let path = outer(path).map(|path| RelPath::from_clean(&path).to_string())?;
        Some(Unread { path, why })
    };
    way.walk.build_parallel().run(|| {
        let mut visit = visitor();
        let (secret, unread, stopped) = (&secret, &unread, &stopped);
        Box::new(move |entry| {
            if cancel.stop().is_some() {
                stopped.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(err) => {
                    let why = err.io_error().map_or(Some(OTHER), why);
                    let found = why.zip(path_of(&err)).and_then(|(why, path)| not_shown(path, why));
                    unread.lock().extend(found);
                    return WalkState::Continue;
                }
            };
            if root.excludes(entry.path()) {
                return WalkState::Skip;
            }
            if !entry.file_type().is_some_and(|kind| kind.is_file()) {
                return WalkState::Continue;
            }
            let Some(path) = outer(entry.path()) else { return WalkState::Continue };
            let path = path.as_path();
            let shown = RelPath::from_clean(path);
            match withheld(&shown) {
                Some(Withheld::Secret) => {
                    secret.fetch_add(1, Ordering::Relaxed);
                }
                Some(Withheld::GitInternal) => {}
                None => visit(Found { path, shown, entry: &entry, unread }),
            }
            WalkState::Continue
        })
    });
    if stopped.load(Ordering::Relaxed) {
        return Err(cancel.stop().unwrap_or(Stop::Cancelled));
    }
    let mut unread = unread.into_inner();
    let refused = way.refused.lock();
    unread.extend(refused.iter().filter_map(|path| not_shown(path, "its ignore files cannot be read")));
    unread.sort();
    unread.dedup();
    Ok(Passed { secret: secret.into_inner(), unread })
}

/// What an error of a walk speaks of.
fn path_of(err: &ignore::Error) -> Option<&Path> {
    match err {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Partial(all) => all.iter().find_map(path_of),
        _ => None,
    }
}

/// Every folder that a walk of the whole root enters, the root first, then those of other roots in it.
pub fn folders(root: &Root, cancel: &CancelToken) -> Result<Vec<PathBuf>, Stop> {
    let mut folders = folders_of(root, cancel)?;
    for mount in root.mounts().all() {
        folders.append(&mut folders_of(mount.root(), cancel)?);
    }
    Ok(folders)
}

fn folders_of(root: &Root, cancel: &CancelToken) -> Result<Vec<PathBuf>, Stop> {
    let (send, receive) = std::sync::mpsc::channel();
    below(root, &RelPath::root()).walk.build_parallel().run(|| {
        let send = send.clone();
        Box::new(move |entry| {
            if cancel.stop().is_some() {
                return WalkState::Quit;
            }
            let Ok(entry) = entry else { return WalkState::Continue };
            if root.excludes(entry.path()) {
                return WalkState::Skip;
            }
            if entry.file_type().is_some_and(|kind| kind.is_dir()) && send.send(entry.into_path()).is_err() {
                return WalkState::Quit;
            }
            WalkState::Continue
        })
    });
    drop(send);
    if let Some(stop) = cancel.stop() {
        return Err(stop);
    }
    let mut folders: Vec<PathBuf> = receive.into_iter().collect();
    folders.sort();
    Ok(folders)
}

/// Whether the ignore files of a folder are files. A repository can put a link to an endless device or a
/// pipe there, and whoever opens that is lost.
fn ignore_files_can_be_read(folder: &Path) -> bool {
    IGNORE_FILES.iter().all(|name| match std::fs::metadata(folder.join(name)) {
        Ok(meta) => meta.is_file() && meta.len() <= MAX_IGNORE_BYTES,
        // Missing, or a link to nowhere.
        Err(_) => true,
    })
}

const IGNORE_FILES: [&str; 5] = [".gitignore", ".ignore", ".rgignore", ".m1ndignore", ".git/info/exclude"];

/// Real ignore files are a thousand times smaller.
const MAX_IGNORE_BYTES: u64 = 4 << 20;

fn below(root: &Root, start: &RelPath) -> Way {
    let refused: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let seen = Arc::clone(&refused);
    let may_enter = move |entry: &DirEntry| {
        let may = below_is_readable(entry);
        if !may {
            seen.lock().push(entry.path().to_owned());
        }
        may
    };
    let from = if start.is_root() { root.path().to_owned() } else { root.path().join(start.as_path()) };
    let threads = threads();
    let mut builder = WalkBuilder::new(&from);
    if !from.ancestors().take_while(|at| at.starts_with(root.path())).all(ignore_files_can_be_read) {
        // Too much is better than nothing: the folder is walked as if it had no ignore files.
        builder.parents(false).ignore(false).git_ignore(false).git_exclude(false);
        builder.filter_entry(move |entry| entry.depth() == 0 || may_enter(entry));
        return Way { walk: finish(builder, root, threads, Custom::No), refused };
    }
    builder.filter_entry(may_enter);
    Way { walk: finish(builder, root, threads, Custom::Yes), refused }
}

/// The way through all that belongs to a repository: only `.gitignore` says what does not, and git's own folder.
fn all_below(root: &Root, start: &RelPath) -> Way {
    let refused: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let seen = Arc::clone(&refused);
    let from = if start.is_root() { root.path().to_owned() } else { root.path().join(start.as_path()) };
    let is_readable =
        from.ancestors().take_while(|at| at.starts_with(root.path())).all(ignore_files_can_be_read);
    let mut builder = WalkBuilder::new(&from);
    builder.hidden(false).ignore(false).git_global(false).git_exclude(false);
    builder.git_ignore(is_readable).parents(is_readable);
    builder.filter_entry(move |entry| {
        let may = entry.depth() == 0 || below_is_readable(entry);
        if !may {
            seen.lock().push(entry.path().to_owned());
        }
        may && (entry.depth() == 0 || entry.file_name() != ".git")
    });
    Way { walk: finish(builder, root, threads(), Custom::No), refused }
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS)
}

/// A folder whose ignore files cannot be read is not entered.
fn below_is_readable(entry: &DirEntry) -> bool {
    !entry.file_type().is_some_and(|kind| kind.is_dir()) || ignore_files_can_be_read(entry.path())
}

/// Whether our own ignore files are looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Custom {
    Yes,
    No,
}

fn finish(mut builder: WalkBuilder, root: &Root, threads: usize, custom: Custom) -> WalkBuilder {
    if custom == Custom::Yes {
        builder.add_custom_ignore_filename(".rgignore").add_custom_ignore_filename(".m1ndignore");
    }
    builder.threads(threads).follow_links(false).current_dir(root.path());
    builder
}

#[cfg(test)]
mod tests {
    use super::*;
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
        let seen = Mutex::new(Vec::new());
        let cancel = CancelToken::new();
        let passed = files_within(&root, &RelPath::root(), Reach::Repository, &cancel, || {
            |found: Found<'_>| seen.lock().push(found.shown.to_string())
        });
        let mut seen = seen.into_inner();
        seen.sort();
        let all = [".gitignore", ".hidden/x", ".m1ndignore", "gen/x.rs", "keep.txt", "src/a.rs"];
        assert_eq!(seen, all, "only what .gitignore says is none of the repository's");
        assert_eq!(passed.unwrap().secret, 1);
    }

    #[test]
    fn some_files_are_met_where_a_walk_of_all_meets_them() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let asked = [
            "src/a.rs",
            "src/deep/er/b.rs",
            "src/id_rsa",
            "src/x.gen",
            "build/out.js",
            "build/keep/y.js",
            ".hidden/x",
            "state/db",
            "link",
            "linked/a.rs",
            "missing.rs",
            "src",
        ];
        for folder in ["src/deep/er", "build/keep", ".hidden", "state"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        for file in &asked[..8] {
            fs::write(at(file), "x").unwrap();
        }
        fs::write(at("src/other.rs"), "x").unwrap();
        fs::write(at(".ignore"), "build/\n").unwrap();
        fs::write(at("src/.m1ndignore"), "*.gen\n").unwrap();
        symlink("src/a.rs", at("link")).unwrap();
        symlink("src", at("linked")).unwrap();
        let root = Root::open(dir.path()).unwrap().excluding(&at("state"));
        let paths: Vec<RelPath> = asked.iter().map(|path| RelPath::from_clean(Path::new(path))).collect();
        let seen = Mutex::new(Vec::new());
        let cancel = CancelToken::new();
        some(&root, &paths, &cancel, || |found: Found<'_>| seen.lock().push(found.shown.to_string()))
            .unwrap();
        let mut seen = seen.into_inner();
        seen.sort();
        assert_eq!(seen, ["src/a.rs", "src/deep/er/b.rs"]);
        let all = walked(&root, ".").0;
        assert_eq!(all, ["src/a.rs", "src/deep/er/b.rs", "src/other.rs"]);
    }

    #[test]
    fn an_ignore_file_that_is_no_file_stops_nobody() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("sub/deep")).unwrap();
        for file in ["a.txt", "sub/b.txt", "sub/deep/c.txt"] {
            fs::write(dir.path().join(file), "x").unwrap();
        }
        symlink("/dev/zero", dir.path().join("sub/deep/.gitignore")).unwrap();
        let root = Root::open(dir.path()).unwrap();
        assert_eq!(walked(&root, ".").0, ["a.txt", "sub/b.txt"]);
        let passed = walked(&root, ".").1;
        let (path, why) = ("sub/deep".to_owned(), "its ignore files cannot be read");
        assert_eq!(passed.unread, [Unread { path, why }]);
        symlink("/dev/zero", dir.path().join(".ignore")).unwrap();
        assert_eq!(walked(&root, ".").0, ["a.txt", "sub/b.txt"]);
        assert_eq!(walked(&root, "sub/deep").0, ["sub/deep/c.txt"]);
    }

    #[test]
    fn what_the_system_does_not_show_is_named_with_the_reason() {
        let dir = tempfile::tempdir().unwrap();
        let long = "n".repeat(200);
        // Root may read everything, but nobody may say a path of more than 4,096 bytes.
        let deep: PathBuf = std::iter::repeat_n(long.as_str(), 19).collect();
        fs::create_dir_all(dir.path().join("moved").join(&deep)).unwrap();
        fs::write(dir.path().join("moved").join(&deep).join("a.rs"), "x").unwrap();
        let outer: PathBuf = ["outer", &long, &long].iter().collect();
        fs::create_dir_all(dir.path().join(&outer)).unwrap();
        fs::write(dir.path().join("b.rs"), "x").unwrap();
        fs::rename(dir.path().join("moved"), dir.path().join(&outer).join("moved")).unwrap();
        let root = Root::open(dir.path()).unwrap();
        let (seen, passed) = walked(&root, ".");
        assert_eq!(seen, ["b.rs"]);
        let [Unread { path, why }] = &passed.unread[..] else { panic!("{passed:?}") };
        assert_eq!(*why, "its path is too long");
        assert!(path.starts_with("outer/nnn") && path.len() > 3_000, "{path}");
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
