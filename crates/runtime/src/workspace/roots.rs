//! Roots: other repositories that somebody put into this workspace's graph, until they are taken out again.

use std::fs;
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use m1nd_vfs::{MountError, Root, durable};
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::aside;

/// Which ones, for processes that come later and for those that run beside this one.
const ROOTS: &str = "roots.json";
/// One graph of more than this is no graph of anything.
const MAX_ROOTS: usize = 16;

/// Another repository in the graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    /// Its paths begin with this and `::`.
    pub namespace: String,
    pub path: PathBuf,
    /// Why it cannot be read at the moment.
    #[serde(skip)]
    pub problem: Option<String>,
}

/// Why a repository was not put in, or not taken out.
#[derive(Debug, thiserror::Error)]
pub enum RootsError {
    #[error(transparent)]
    Mount(#[from] MountError),
    #[error("that is where m1nd keeps its own state")]
    Own,
    #[error("one graph holds at most {MAX_ROOTS} other repositories")]
    TooMany,
    #[error("{namespace:?} is none of the other repositories in this graph")]
    Unknown { namespace: String, known: Vec<String> },
    #[error("{0}")]
    Io(#[from] io::Error),
}

#[derive(Debug)]
pub(super) struct Roots {
    file: PathBuf,
    /// Folders of ours, which no root shows.
    own: Vec<PathBuf>,
    /// Whether a list that cannot be read stays where it is.
    only_looks: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The file as it was when it was read.
    seen: Option<Option<(u64, SystemTime)>>,
    added: Vec<Added>,
}

impl Roots {
    pub(super) fn new(runtime_root: &Path, own: Vec<PathBuf>) -> Self {
        Self { file: runtime_root.join(ROOTS), own, only_looks: false, state: Mutex::default() }
    }

    /// The same for whoever changes nothing.
    pub(super) fn to_look_at(runtime_root: &Path, own: Vec<PathBuf>) -> Self {
        Self { only_looks: true, ..Self::new(runtime_root, own) }
    }

    /// The repositories that belong into the graph now, and which of them cannot be read.
    pub(super) fn all(&self) -> Vec<Added> {
        self.state.lock().added.clone()
    }

    /// Lets stand in `root` what the file says; whether anything changed.
    pub(super) fn follow(&self, root: &Root) -> bool {
        let mut state = self.state.lock();
        let now = fs::metadata(&self.file).ok().and_then(|meta| Some((meta.len(), meta.modified().ok()?)));
        let is_back = |added: &Added| added.problem.is_some() && added.path.is_dir();
        let is_gone = || root.mounted().iter().any(|mount| !mount.root().is_still_there());
        if state.seen == Some(now) && !state.added.iter().any(is_back) && !is_gone() {
            return false;
        }
        state.seen = Some(now);
        state.added = self.read();
        self.stand(root, &mut state.added)
    }

    /// Puts a repository in.
    pub(super) fn add(&self, root: &Root, namespace: &str, folder: &Path) -> Result<Added, RootsError> {
        let _alone = self.alone()?;
        self.follow(root);
        let mut state = self.state.lock();
        if state.added.len() >= MAX_ROOTS {
            return Err(RootsError::TooMany);
        }
        let other = self.open(folder)?;
        if self.own.iter().any(|own| own.canonicalize().is_ok_and(|own| other.path().starts_with(own))) {
            return Err(RootsError::Own);
        }
        if let Some(path) = root.hidden_by(namespace) {
            return Err(MountError::Taken { name: namespace.to_owned(), path }.into());
        }
        let mount = root.mount(namespace, other)?;
        let path = mount.root().path().to_owned();
        let added = Added { namespace: namespace.to_owned(), path, problem: None };
        // One that cannot be read now would be lost if the name of a second one came to stand for it.
        state.added.retain(|other| other.namespace != added.namespace);
        state.added.push(added.clone());
        state.added.sort_by(|a, b| a.namespace.cmp(&b.namespace));
        if let Err(err) = self.write(&state.added) {
            root.unmount(namespace);
            state.added.retain(|other| *other != added);
            return Err(err.into());
        }
        state.seen = None;
        Ok(added)
    }

    /// Takes a repository out.
    pub(super) fn remove(&self, root: &Root, namespace: &str) -> Result<Added, RootsError> {
        let _alone = self.alone()?;
        self.follow(root);
        let mut state = self.state.lock();
        let Some(at) = state.added.iter().position(|added| added.namespace == namespace) else {
            let known = state.added.iter().map(|added| added.namespace.clone()).collect();
            return Err(RootsError::Unknown { namespace: namespace.to_owned(), known });
        };
        let removed = state.added.remove(at);
        if let Err(err) = self.write(&state.added) {
            state.added.insert(at, removed);
            return Err(err.into());
        }
        root.unmount(namespace);
        state.seen = None;
        Ok(removed)
    }

    /// One process at a time changes the list: what another has just written is read first.
    fn alone(&self) -> io::Result<fs::File> {
        let lock = fs::File::options()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(self.file.with_extension("lock"))?;
        lock.lock()?;
        self.state.lock().seen = None;
        Ok(lock)
    }

    fn open(&self, folder: &Path) -> Result<Root, MountError> {
        let path = || folder.to_owned();
        let root = Root::open(folder).map_err(|source| match source.kind() {
            io::ErrorKind::NotADirectory | io::ErrorKind::NotFound => MountError::NoFolder { path: path() },
            _ => MountError::Io { path: path(), source },
        })?;
        Ok(self.own.iter().fold(root, |root, own| root.excluding(own)))
    }

    /// Whether this made a difference.
    fn stand(&self, root: &Root, added: &mut [Added]) -> bool {
        let mut changed = false;
        for mount in root.mounted() {
            let kept = |added: &Added| added.namespace == mount.name() && added.path == mount.root().path();
            if !added.iter().any(kept) || !mount.root().is_still_there() {
                root.unmount(mount.name());
                changed = true;
            }
        }
        for added in added {
            if root.mounted().iter().any(|mount| mount.name() == added.namespace) {
                continue;
            }
            let opened = self.open(&added.path).and_then(|other| root.mount(&added.namespace, other));
            changed |= opened.is_ok();
            added.problem = opened.err().map(|err| err.to_string());
        }
        changed
    }

    fn read(&self) -> Vec<Added> {
        let Ok(text) = fs::read(&self.file) else { return Vec::new() };
        serde_json::from_slice(&text).unwrap_or_else(|err| {
            let kept = (!self.only_looks).then(|| aside::set_aside(&self.file));
            tracing::warn!(%err, ?kept, "the list of other repositories cannot be read");
            Vec::new()
        })
    }

    /// Says that a list was damaged, until there is a new one.
    pub(super) fn problem(&self) -> Option<String> {
        if let Ok(text) = fs::read(&self.file) {
            let is_damaged = self.only_looks && serde_json::from_slice::<Vec<Added>>(&text).is_err();
            return is_damaged.then(|| {
                format!(
                    "the list of other repositories in this graph cannot be read: {}",
                    self.file.display()
                )
            });
        }
        let kept = aside::newest(&self.file)?;
        let kept = kept.display();
        Some(format!(
            "the list of other repositories in this graph could not be read and was set aside as {kept}: put them in again with ingest intent=add_root"
        ))
    }

    fn write(&self, added: &[Added]) -> io::Result<()> {
        durable::replace(&self.file, &serde_json::to_vec(added)?)
    }
}
