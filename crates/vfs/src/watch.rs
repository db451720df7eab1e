//! Watching a workspace: whether anything may have changed since a moment that the caller remembers.
//!
//! A watch never says what changed; whoever hears that something did looks at the files. It may be trusted to
//! say that nothing did, because every question is answered behind the events that came before it: a file of our
//! own is made in a watched folder, and its event comes back last.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use m1nd_stdx::cancel::{CancelToken, Stop};
use notify::event::{EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher as _};
use parking_lot::{Condvar, Mutex};

use crate::root::Root;
use crate::walk;

/// More folders than this would take most of what the system grants a user.
const MAX_FOLDERS: usize = 40_000;
/// How long the system may take to deliver an event.
const PATIENCE: Duration = Duration::from_millis(250);
/// Files of ours that ask whether all earlier events have arrived.
const QUESTION: &str = ".asked-";

/// Watches every folder that a walk enters.
pub struct Watch {
    watcher: Mutex<RecommendedWatcher>,
    watched: Mutex<BTreeSet<PathBuf>>,
    heard: Arc<Heard>,
    /// Our own folder, for questions.
    post: PathBuf,
    asked: AtomicU64,
}

#[derive(Default)]
struct Heard {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Grows with every event that may matter.
    events: u64,
    /// The newest question whose event came back.
    answered: u64,
    /// Folders may have come, gone or changed what is ignored in them.
    restructured: bool,
    /// Folders and files that went away.
    gone: Vec<PathBuf>,
    last: Option<Instant>,
}

/// Why a workspace is not watched.
#[derive(Debug, thiserror::Error)]
pub enum WatchError {
    #[error("this system's file events are not used")]
    System,
    #[error("its file system does not report what other machines change")]
    FileSystem,
    #[error("it has more than {MAX_FOLDERS} folders")]
    TooManyFolders,
    #[error("{0}")]
    Refused(#[from] notify::Error),
    #[error("listing its folders was stopped")]
    Stopped(Stop),
    #[error("the system did not report a file that was just made")]
    Silent,
    #[error("its folder was moved away, and what is there now is not watched")]
    Moved,
}

impl Watch {
    /// Starts watching. `post` is a folder of our own, outside of what the walk lists.
    pub fn start(root: &Root, post: &Path, cancel: &CancelToken) -> Result<Self, WatchError> {
        if !cfg!(target_os = "linux") {
            return Err(WatchError::System);
        }
        let elsewhere = root.mounted();
        let mut folders = elsewhere.iter().map(|mount| mount.root().path()).chain([root.path(), post]);
        if !folders.all(reports_changes) {
            return Err(WatchError::FileSystem);
        }
        let heard = Arc::new(Heard::default());
        let own = post.canonicalize().unwrap_or_else(|_| post.to_owned());
        let listener = (Arc::clone(&heard), own.clone());
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            listener.0.hear(event, &listener.1)
        })?;
        watcher.watch(&own, RecursiveMode::NonRecursive)?;
        let watch = Self {
            watcher: Mutex::new(watcher),
            watched: Mutex::default(),
            heard,
            post: own,
            asked: AtomicU64::new(0),
        };
        watch.follow(root, cancel)?;
        watch.now().ok_or(WatchError::Silent)?;
        Ok(watch)
    }

    /// How many events there were up to this very moment; nothing if the system does not answer in time.
    pub fn now(&self) -> Option<u64> {
        let question = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        let file = self.post.join(format!("{QUESTION}{}-{question}", std::process::id()));
        fs::write(&file, b"").ok()?;
        let until = Instant::now() + PATIENCE;
        let mut state = self.heard.state.lock();
        while state.answered < question {
            if self.heard.changed.wait_until(&mut state, until).timed_out() {
                break;
            }
        }
        let answer = (state.answered >= question).then_some(state.events);
        drop(state);
        if let Err(err) = fs::remove_file(&file) {
            tracing::debug!(%err, "a question file stayed");
        }
        answer
    }

    /// Watches folders that appeared since, if any may have. To be called before a walk whose result is to be
    /// trusted.
    pub fn follow(&self, root: &Root, cancel: &CancelToken) -> Result<(), WatchError> {
        let mut watched = self.watched.lock();
        let first = watched.is_empty();
        let gone = {
            let mut state = self.heard.state.lock();
            if !state.restructured && !first {
                return Ok(());
            }
            state.restructured = false;
            std::mem::take(&mut state.gone)
        };
        // The watcher waits for its own thread, which may be waiting to tell us something: no lock it needs is held.
        for gone in gone {
            let below: Vec<PathBuf> =
                watched.range(gone.clone()..).take_while(|at| at.starts_with(&gone)).cloned().collect();
            for folder in below {
                if let Err(err) = self.watcher.lock().unwatch(&folder) {
                    tracing::trace!(%err, "unwatched by its removal");
                }
                watched.remove(&folder);
            }
        }
        // A folder made inside a new one before that was watched is only found by looking again.
        loop {
            let mut folders = walk::folders(root, cancel).map_err(WatchError::Stopped)?;
            let elsewhere = root.mounted();
            let roots = || elsewhere.iter().map(|mount| mount.root().path()).chain([root.path()]);
            folders.extend(roots().map(|root| root.join(".git/info")).filter(|rules| rules.is_dir()));
            folders.retain(|folder| !watched.contains(folder));
            if folders.is_empty() {
                // Where nothing is there to be watched, nothing will be heard of what comes back.
                return if roots().all(|root| watched.contains(root)) {
                    Ok(())
                } else {
                    Err(WatchError::Moved)
                };
            }
            if watched.len() + folders.len() > MAX_FOLDERS {
                return Err(WatchError::TooManyFolders);
            }
            let mut watcher = self.watcher.lock();
            for folder in folders {
                match watcher.watch(&folder, RecursiveMode::NonRecursive) {
                    Ok(()) => {}
                    Err(err) if matches!(err.kind, notify::ErrorKind::PathNotFound) || !folder.exists() => {}
                    Err(err) => return Err(err.into()),
                }
                watched.insert(folder);
            }
        }
    }

    /// Waits until there were more than `seen` events and then none for `quiet`, but no longer than `limit`.
    pub fn settled_after(&self, seen: u64, quiet: Duration, limit: Duration) -> Option<u64> {
        let until = Instant::now() + limit;
        let mut state = self.heard.state.lock();
        loop {
            let still = state.last.map_or(quiet, |last| last.elapsed());
            if state.events > seen && still >= quiet {
                return Some(state.events);
            }
            let now = Instant::now();
            if now >= until {
                return None;
            }
            let pause = if state.events > seen { quiet - still } else { until - now };
            self.heard.changed.wait_until(&mut state, (now + pause).min(until));
        }
    }

    pub fn folders(&self) -> usize {
        self.watched.lock().len()
    }
}

impl std::fmt::Debug for Watch {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Watch").field("folders", &self.folders()).finish_non_exhaustive()
    }
}

impl Heard {
    fn hear(&self, event: notify::Result<Event>, post: &Path) {
        let mut state = self.state.lock();
        match event {
            Ok(event)
                if event.paths.iter().all(|path| path.parent() == Some(post)) && !event.paths.is_empty() =>
            {
                state.answered =
                    state.answered.max(event.paths.iter().filter_map(|p| question(p)).max().unwrap_or(0));
            }
            Ok(event) => state.note(event),
            // Something was missed.
            Err(_) => {
                state.events += 1;
                state.restructured = true;
                state.last = Some(Instant::now());
            }
        }
        self.changed.notify_all();
    }
}

impl State {
    fn note(&mut self, event: Event) {
        if matches!(event.kind, EventKind::Access(_)) && !event.need_rescan() {
            return;
        }
        self.events += 1;
        self.last = Some(Instant::now());
        let moves = matches!(
            event.kind,
            EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))
        );
        let rules = event.paths.iter().any(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.ends_with("ignore") || name == "exclude"
        });
        if event.need_rescan() || rules || moves {
            self.restructured = true;
        }
        if matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))) {
            self.gone.extend(event.paths);
        }
    }
}

/// The number of one of this process's questions.
fn question(path: &Path) -> Option<u64> {
    let rest = path.file_name()?.to_str()?.strip_prefix(QUESTION)?;
    let (process, number) = rest.split_once('-')?;
    (process == std::process::id().to_string()).then(|| number.parse().ok()).flatten()
}

/// Whether a folder is on a file system whose every change goes through this kernel.
#[cfg(target_os = "linux")]
fn reports_changes(folder: &Path) -> bool {
    // As in the kernel's magic.h: ext, xfs, btrfs, tmpfs, overlayfs, f2fs, zfs, ramfs, bcachefs.
    const LOCAL: [u64; 9] = [
        0xEF53,
        0x5846_5342,
        0x9123_683E,
        0x0102_1994,
        0x794C_7630,
        0xF2F5_2010,
        0x2FC1_2FC1,
        0x8584_58F6,
        0xCA45_1A4E,
    ];
    rustix::fs::statfs(folder).is_ok_and(|stat| LOCAL.contains(&(stat.f_type as u64 & 0xFFFF_FFFF)))
}

#[cfg(not(target_os = "linux"))]
fn reports_changes(_: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn watched() -> (tempfile::TempDir, tempfile::TempDir, Root, Watch) {
        let dir = tempfile::tempdir().unwrap();
        let post = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("src/deep")).unwrap();
        fs::write(dir.path().join("src/deep/a.rs"), "fn a() {}").unwrap();
        let root = Root::open(dir.path()).unwrap();
        let watch = Watch::start(&root, post.path(), &CancelToken::new()).unwrap();
        (dir, post, root, watch)
    }

    #[test]
    fn an_edit_is_heard_by_the_very_next_question_and_reading_is_not() {
        let (dir, _post, _root, watch) = watched();
        let file = dir.path().join("src/deep/a.rs");
        for round in 0..200 {
            let before = watch.now().unwrap();
            fs::read(&file).unwrap();
            assert_eq!(watch.now(), Some(before), "nothing changed in round {round}");
            fs::write(&file, format!("fn a{round}() {{}}")).unwrap();
            assert!(watch.now().unwrap() > before, "round {round}");
        }
    }

    #[test]
    fn folders_that_come_go_and_come_back_are_followed() {
        let (dir, _post, root, watch) = watched();
        let cancel = CancelToken::new();
        let deep = dir.path().join("new/one/two");
        for _ in 0..3 {
            fs::create_dir_all(&deep).unwrap();
            assert!(watch.now().is_some());
            watch.follow(&root, &cancel).unwrap();
            let before = watch.now().unwrap();
            fs::write(deep.join("b.rs"), "x").unwrap();
            assert!(watch.now().unwrap() > before);
            fs::remove_dir_all(dir.path().join("new")).unwrap();
            assert!(watch.now().is_some());
            watch.follow(&root, &cancel).unwrap();
        }
        fs::write(dir.path().join(".gitignore"), "src/\n").unwrap();
        assert!(watch.now().is_some());
        watch.follow(&root, &cancel).unwrap();
        assert!(watch.folders() >= 1);
    }

    #[test]
    fn waiting_ends_when_it_has_been_quiet() {
        let (dir, _post, _root, watch) = watched();
        let before = watch.now().unwrap();
        assert_eq!(watch.settled_after(before, Duration::from_millis(1), Duration::from_millis(20)), None);
        fs::write(dir.path().join("src/b.rs"), "x").unwrap();
        let after = watch.settled_after(before, Duration::from_millis(5), Duration::from_secs(20)).unwrap();
        assert!(after > before);
    }
}
