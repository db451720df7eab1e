//! Workspace: the folder a process is bound to, and where its state lives.

mod antibodies;
pub(crate) mod aside;
mod associations;
mod binding;
mod bring;
mod catching_up;
mod compare;
mod contents;
mod defects;
mod edits;
mod home;
mod host;
mod keeper;
mod known;
mod lessons;
mod lines;
mod listing;
mod memory;
mod overlays;
mod priming;
mod quarantine;
mod reading;
mod revisions;
mod roots;
mod sessions;
mod touches;
mod typing;
mod view;
mod words;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_edit::OnDisk;
use m1nd_edit::lock::Lock;
use m1nd_memory::StoreError;
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::{Clock, UnixMs};
use m1nd_store::SqliteStore;
use m1nd_vfs::Root;

use crate::flows::missions::{Asked, Proofs};
use crate::settings::Settings;
use antibodies::Antibodies;
pub use antibodies::{Antibody, AntibodyError, MAX_ANTIBODIES, Severity};
use associations::Associations;
pub use binding::{BindError, BindingSource, enclosing_work_tree, from_current_folder};
pub use bring::{BringError, IndexReport, Keep};
use catching_up::CatchingUp;
pub use catching_up::InTime;
pub use compare::Differences;
use contents::Contents;
pub use defects::Defect;
use defects::Defects;
use edits::Edits;
pub use edits::{LockError, Preview, Settled};
pub use home::{HomeError, IDENTITY_FILE};
use host::Host;
pub use host::{ReloadError, Reuse, SaveError, Saved, Seen, Watching};
use lessons::Lessons;
use memory::Memory;
pub use memory::{MEMORY_FILE, MemoryState};
pub use overlays::OverlayState;
use priming::Priming;
pub use revisions::{Revision, Texts};
use roots::Roots;
pub use roots::{Added, RootsError};
use sessions::Sessions;
pub use touches::Touch;
use touches::Touches;
pub(crate) use typing::only_typed;
pub use view::WorkspaceView;
pub use words::KnownPast;
use words::Words;

/// A bound workspace: its files, its state folder and the newest view of it.
#[derive(Debug)]
pub struct Workspace {
    root: Root,
    source: BindingSource,
    runtime_root: PathBuf,
    host: Host,
    memory: Memory,
    words: Words,
    associations: Associations,
    lessons: Lessons,
    defects: Defects,
    touches: Touches,
    antibodies: Antibodies,
    priming: Priming,
    sessions: Sessions,
    roots: Roots,
    edits: Edits,
    catching_up: CatchingUp,
    contents: Contents,
    /// Whether nothing may be written.
    read_only: bool,
    /// Missions that were held against their events.
    proofs: Proofs,
    /// How often the next step of a mission was asked for.
    asked: Asked,
}

impl Workspace {
    /// Opens the folder and finds (without creating) its runtime root.
    pub fn open(folder: &Path, source: BindingSource, settings: &Settings) -> Result<Self, BindError> {
        let failed = |source| BindError { folder: folder.to_owned(), source };
        let root = Root::open(folder).map_err(failed)?;
        let runtime_root = match &settings.runtime_root {
            Some(given) => std::path::absolute(given).map_err(failed)?,
            None => home::runtime_root(&settings.home, &root),
        };
        if settings.runtime_root.is_none() && !settings.read_only {
            home::follow(&runtime_root, &root);
        }
        let root = root.excluding(&settings.home).excluding(&runtime_root);
        let memory = Memory::new(&runtime_root);
        let words = Words::new(&runtime_root);
        let lessons = Lessons::new(&runtime_root);
        let defects = Defects::new(&runtime_root);
        let touches = Touches::new(&runtime_root);
        let antibodies = Antibodies::new(&runtime_root);
        let associations = Associations::default();
        let (priming, sessions) = (Priming::default(), Sessions::new(&runtime_root));
        let host = Host::new(runtime_root.clone());
        let own = vec![settings.home.clone(), runtime_root.clone()];
        let roots = match settings.read_only {
            true => Roots::to_look_at(&runtime_root, own),
            false => Roots::new(&runtime_root, own),
        };
        roots.follow(&root);
        let edits = Edits::new(&runtime_root);
        if !settings.read_only {
            edits.settle(&root);
        }
        Ok(Self {
            root,
            source,
            host,
            memory,
            words,
            associations,
            lessons,
            defects,
            touches,
            antibodies,
            priming,
            sessions,
            roots,
            edits,
            catching_up: CatchingUp::default(),
            contents: Contents::default(),
            read_only: settings.read_only,
            proofs: Proofs::default(),
            asked: Asked::default(),
            runtime_root,
        })
    }

    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The same for this folder after it was renamed.
    pub fn identity(&self) -> String {
        home::identity(&self.root)
    }

    /// The sha256 of a file of at most `limit` bytes, which is read only if it was touched since the last time.
    pub fn content_hash(&self, path: &str, limit: u64, now: UnixMs) -> Option<Arc<str>> {
        self.contents.hash(&self.root, path, limit, now)
    }

    /// How often the next step of a mission was asked for in this process.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }

    /// Missions that were held against their events in this process.
    pub fn proofs(&self) -> &Proofs {
        &self.proofs
    }

    pub fn source(&self) -> BindingSource {
        self.source
    }

    pub fn runtime_root(&self) -> &Path {
        &self.runtime_root
    }

    /// Makes the runtime root, if it is not there, and writes down whose it is.
    pub fn ensure_runtime_root(&self) -> Result<&Path, HomeError> {
        home::ensure(&self.runtime_root, &self.root)?;
        Ok(&self.runtime_root)
    }

    /// Keeps the graph fresh and saved between calls, on a thread of its own, for as long as the workspace is held.
    pub fn keep(self: &Arc<Self>, clock: Arc<dyn Clock>, may_write: bool) {
        self.answer_in_time(None);
        keeper::start(self, clock, may_write);
    }

    pub(crate) fn note_query(&self, now: UnixMs) {
        self.host.note_query();
        self.sessions.note(now);
    }

    /// What is wrong with the state on disk, if anything is.
    pub fn problem(&self) -> Option<String> {
        let problems: Vec<String> = self
            .host
            .problem()
            .into_iter()
            .chain(self.roots.problem())
            .chain(self.antibodies.problem())
            .collect();
        (!problems.is_empty()).then(|| problems.join("; "))
    }

    /// The last time that something was asked here before this process began.
    pub fn previous_session(&self) -> Option<UnixMs> {
        self.sessions.previous()
    }

    /// What was remembered about this workspace; made on first need.
    pub fn memory(&self) -> Result<Arc<SqliteStore>, StoreError> {
        if !self.memory.path().exists() {
            self.ensure_runtime_root().map_err(|err| match err.source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreError::DiskFull,
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => {
                    StoreError::ReadOnly { detail: err.to_string() }
                }
                _ => StoreError::Io { detail: err.to_string() },
            })?;
        }
        self.memory.store()
    }

    /// The same for whoever only looks: nothing is made, brought up to date or set aside.
    pub fn memory_to_look_at(&self) -> Result<SqliteStore, StoreError> {
        SqliteStore::open_to_look(self.memory.path())
    }

    /// Whether anything was remembered, or damaged: whatever lies where the store belongs.
    pub fn has_memory(&self) -> bool {
        self.memory.exists()
    }

    /// Damaged stores of memory that were set aside, oldest first.
    pub fn memories_set_aside(&self) -> Vec<PathBuf> {
        self.memory.set_aside()
    }

    /// How memory is doing, without opening it.
    pub fn memory_state(&self) -> MemoryState {
        self.memory.state()
    }

    /// The right to change files, alone among all processes.
    pub fn lock_files(&self, cancel: &CancelToken) -> Result<Lock, LockError> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.edits.lock(&self.root, cancel)
    }

    /// The files, and the journal of their changes.
    pub fn disk(&self) -> OnDisk<'_> {
        self.edits.disk(&self.root)
    }

    /// What became of batches that an earlier process left; told once.
    pub fn settled_batches(&self) -> Vec<String> {
        self.edits.take_news()
    }

    /// The same, for those who only ask how things are.
    pub fn untold_batches(&self) -> Vec<Settled> {
        self.edits.news()
    }

    /// Keeps a change that was shown, so that it can be made.
    pub fn keep_preview(&self, preview: Preview) {
        self.edits.keep(preview);
    }

    /// Remembers the batch that made a preview true.
    pub fn preview_was_made(&self, id: &str, batch: &str) {
        self.edits.was_made(id, batch);
    }

    pub fn preview(&self, id: &str, now: UnixMs) -> Option<Preview> {
        self.edits.preview(id, now)
    }
}
