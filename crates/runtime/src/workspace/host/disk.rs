//! The host's files: the graph, the listing it was made from and what the files said, saved and taken up again.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use m1nd_graph::snapshot::{self, SnapshotError};
use m1nd_graph::{Graph, GraphBuilder, NodeKind, NodeSpec, carry};
use m1nd_ingest::{Ingest, Listed, state};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::UnixMs;
use m1nd_stdx::mapped::Mapped;
use m1nd_vfs::durable;
use serde::{Deserialize, Serialize};

use super::{Host, leftovers};
use crate::workspace::listing::{Sizes, Stamp, sizes};
use crate::workspace::view::WorkspaceView;
use crate::workspace::{aside, bring};

/// The graph as a file.
pub(super) const SNAPSHOT: &str = "graph.snapshot";
/// Which listing the snapshot was made from.
const STAMP: &str = "graph.stamp";
/// What the files said.
pub(super) const FACTS: &str = "graph.facts";
/// Held by the process that writes the snapshot.
const LOCK: &str = "graph.lock";
#[derive(Serialize, Deserialize)]
struct StampFile {
    generation: u64,
    as_of: UnixMs,
    stamp: Stamp,
    #[serde(default)]
    extractors: String,
    /// The mark of the commits that the history was read from.
    #[serde(default)]
    marks: Option<String>,
}

impl StampFile {
    /// A graph that other extractors made is shown until the files were read again, which the lack of a stamp
    /// brings about.
    fn is_of_this_build(&self) -> bool {
        self.extractors == state::EXTRACTORS
    }
}

impl Host {
    /// Writes the newest graph beside its stamp, unless another process is writing just now.
    pub(in crate::workspace) fn save(&self) -> Result<Saved, SaveError> {
        let before = self.problem.lock().take();
        let done = self.write();
        if !matches!(done, Ok(Saved::Written { .. })) && self.problem.lock().is_none() {
            // Until a whole snapshot stands there again, what was wrong is wrong.
            *self.problem.lock() = before;
        }
        *self.unsaved.lock() = done.as_ref().err().map(|err| format!("the graph could not be saved: {err}"));
        done
    }

    fn write(&self) -> Result<Saved, SaveError> {
        let view = self.view();
        let Some(graph) = view.graph() else { return Ok(Saved::Nothing) };
        let Some(_lock) = self.lock()? else { return Ok(Saved::AnotherWrites) };
        leftovers::sweep(&self.folder);
        let path = self.folder.join(SNAPSHOT);
        for name in [SNAPSHOT, STAMP, FACTS] {
            self.clear_folder(&self.folder.join(name))?;
        }
        // Without its stamp a snapshot is read again in full, which is slow and never wrong.
        remove_if_there(&self.folder.join(STAMP))?;
        snapshot::save(graph, &path)?;
        self.save_facts(view.stamp().digest())?;
        self.overlays.save_states(graph.generation())?;
        self.save_stamp(graph.generation(), view.as_of(), view.stamp())?;
        self.saved.store(graph.generation(), Ordering::Release);
        self.is_lost.store(false, Ordering::Release);
        self.settle(graph, &path);
        drop(view);
        self.settle_facts();
        m1nd_stdx::memory::give_back();
        Ok(Saved::Written { path, bytes: fs::metadata(self.folder.join(SNAPSHOT))?.len() })
    }

    /// Goes on with the graph that was just written, in its file, in place of the equal one in memory.
    fn settle(&self, written: &Arc<Graph>, path: &Path) {
        let settled = match snapshot::load_aside(path) {
            Ok(graph) if graph.generation() == written.generation() => Arc::new(graph),
            Ok(_) => return,
            Err(err) => {
                tracing::debug!(%err, "the graph stays in memory");
                return;
            }
        };
        self.view.rcu(|view| {
            // A newer one, or one with other lessons in it, is not what was written.
            if !view.graph().is_some_and(|graph| Arc::ptr_eq(graph, written)) {
                return Arc::clone(view);
            }
            carry::learned_weights(written, &settled);
            Arc::new(view.kept_in(Arc::clone(&settled)))
        });
    }

    /// Goes on with the facts that were just written, in their file, where most of them lie scattered in memory: after
    /// a first ingest, not after edits.
    fn settle_facts(&self) {
        // Whoever is reading files has the facts; they are settled by the next save.
        let Some(mut state) = self.ingest.try_lock() else { return };
        if !state.as_ref().is_some_and(state::is_scattered) {
            return;
        }
        let file = match Mapped::open(&self.folder.join(FACTS)) {
            Ok(file) => file,
            Err(err) => return tracing::debug!(%err, "the facts stay in memory"),
        };
        let Some(ingest) = state.take() else { return };
        match state::settle(ingest, &file.bytes()) {
            Ok(ingest) => *state = Some(ingest),
            // Without them the next edit reads all files again, which is slow and never wrong.
            Err(err) => tracing::warn!(%err, "the facts that were just written cannot be read"),
        }
        file.let_go();
    }

    /// The right to write; nothing while another process has it.
    fn lock(&self) -> io::Result<Option<File>> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.folder.join(LOCK))?;
        Ok(file.try_lock().is_ok().then_some(file))
    }

    /// A folder that stands where a file belongs is set aside, so that the file can be written.
    fn clear_folder(&self, path: &Path) -> io::Result<()> {
        let Ok(meta) = fs::symlink_metadata(path) else { return Ok(()) };
        if !meta.is_dir() {
            return Ok(());
        }
        let kept = aside::set_aside(path)?;
        let said = format!("{} was a folder and was set aside as {}", path.display(), kept.display());
        tracing::warn!("{said}");
        *self.problem.lock() = Some(said);
        Ok(())
    }

    pub(super) fn save_stamp(&self, generation: u64, as_of: UnixMs, stamp: &Stamp) -> io::Result<()> {
        let extractors = state::EXTRACTORS.to_owned();
        let marks = self.marks.lock().clone();
        let file = StampFile { generation, as_of, stamp: stamp.clone(), extractors, marks };
        durable::replace(&self.folder.join(STAMP), &serde_json::to_vec(&file)?)
    }

    /// Writes what is known of the files, if this process knows it.
    fn save_facts(&self, tag: &str) -> io::Result<()> {
        let Some(ingest) = self.ingest.lock().clone() else { return Ok(()) };
        durable::replace(&self.folder.join(FACTS), &state::to_bytes(&ingest, tag))
    }

    /// Parts of the graph's state that could not be read and were set aside, oldest first.
    pub(in crate::workspace) fn set_aside_files(&self) -> Vec<PathBuf> {
        aside::all(&self.folder.join(SNAPSHOT))
    }

    /// Whether a graph was made of the files because the saved one could not be read, and is not saved yet.
    pub(in crate::workspace) fn has_lost_snapshot(&self) -> bool {
        self.is_lost.load(Ordering::Acquire) && self.is_unsaved() && self.view.load().is_of_files()
    }

    /// Why the graph on disk cannot be read, for whoever only looks: it stays where it is.
    pub(in crate::workspace) fn unreadable(&self) -> Option<String> {
        let path = self.folder.join(SNAPSHOT);
        let is_there = fs::symlink_metadata(&path).is_ok();
        is_there.then(|| snapshot::load(&path).err().map(|err| err.to_string())).flatten()
    }

    /// When the snapshot was written, and its bytes.
    pub(in crate::workspace) fn last_save(&self) -> Option<(UnixMs, u64)> {
        let meta = fs::metadata(self.folder.join(SNAPSHOT)).ok()?;
        Some((UnixMs::from(meta.modified().ok()?), meta.len()))
    }

    pub(super) fn load(&self) {
        let path = self.folder.join(SNAPSHOT);
        if !leftovers::found(&self.folder).is_empty()
            && let Ok(Some(_lock)) = self.lock()
        {
            leftovers::sweep(&self.folder);
        }
        self.overlays.look();
        match snapshot::load(&path) {
            Ok(graph) => {
                let generation = graph.generation();
                self.view.store(Arc::new(self.saved_view(graph, generation)));
            }
            Err(_) if !path.exists() && !self.had_graph(&path) => {}
            Err(err) => {
                if path.exists() {
                    self.set_aside(&path, &err);
                }
                self.is_lost.store(true, Ordering::Release);
                // Older than the files, or nothing at all: without a stamp they are read again before it is believed.
                let graph = snapshot::load(&snapshot::previous_path(&path)).unwrap_or_else(|_| bare());
                let view = WorkspaceView::new(
                    Arc::new(graph),
                    None,
                    UnixMs::default(),
                    Stamp::default(),
                    Sizes::new(),
                );
                self.view.store(Arc::new(view));
            }
        }
    }

    /// Whether a graph was saved here before, though its snapshot is gone: set aside, perhaps by a process that saved no other.
    fn had_graph(&self, path: &Path) -> bool {
        snapshot::previous_path(path).exists() || self.folder.join(FACTS).exists()
    }

    /// Publishes the snapshot on disk in place of what is in memory. Nothing when there is none.
    pub(in crate::workspace) fn reload(
        &self,
        cancel: &CancelToken,
    ) -> Result<Option<Arc<WorkspaceView>>, ReloadError> {
        let path = self.folder.join(SNAPSHOT);
        if !path.exists() {
            return Ok(None);
        }
        let mut state = self.turn(cancel)?;
        let graph = snapshot::load(&path)?;
        let (before, saved) = (self.view().generation(), graph.generation());
        // A number is never given to two graphs.
        let generation = if saved == before { saved } else { before.max(saved) + 1 };
        let view = self.saved_view(graph, generation);
        // The files are looked at again: what was read of them made another graph.
        if let Some(ingest) = state.take() {
            let ingest = state.insert(ingest.after(generation));
            ingest.rebuild();
        }
        self.publish(view);
        Ok(Some(self.view()))
    }

    fn saved_view(&self, graph: Graph, generation: u64) -> WorkspaceView {
        let saved = graph.generation();
        let stamp = self.stamp_of(saved);
        if stamp.is_some() {
            self.saved.store(generation, Ordering::Release);
        }
        if let Some(file) = &stamp {
            self.marks.lock().clone_from(&file.marks);
        }
        self.overlays.take_up(saved, generation);
        let (as_of, stamp) = stamp.map_or_else(Default::default, |file| (file.as_of, file.stamp));
        let graph = Arc::new(graph.with_generation(generation));
        let view = WorkspaceView::new(graph, None, as_of, stamp, Sizes::new());
        match bring::source_of(&self.folder, saved) {
            Some(from) => view.imported(from),
            None => view,
        }
    }

    fn stamp_of(&self, generation: u64) -> Option<StampFile> {
        let text = fs::read(self.folder.join(STAMP)).ok()?;
        let file: StampFile = serde_json::from_slice(&text).ok()?;
        (file.generation == generation && file.is_of_this_build()).then_some(file)
    }

    /// A snapshot that cannot be read is kept for whoever wants to know why.
    fn set_aside(&self, path: &Path, err: &SnapshotError) {
        let said = match aside::set_aside(path) {
            Ok(kept) => {
                format!("the snapshot could not be read ({err}) and was set aside as {}", kept.display())
            }
            Err(second) => format!("the snapshot could not be read ({err}) nor set aside ({second})"),
        };
        tracing::warn!("{said}");
        *self.problem.lock() = Some(said);
    }

    /// What the last process wrote down about the files.
    pub(in crate::workspace) fn facts(&self, before: &WorkspaceView) -> Option<Ingest> {
        let file = Mapped::open(&self.folder.join(FACTS)).ok()?;
        let read = state::from_bytes(&file.bytes());
        file.let_go();
        match read {
            Ok((ingest, tag)) if before.is_of_files() && tag == before.stamp().digest() => {
                Some(ingest.with_graph())
            }
            Ok((ingest, _)) => Some(ingest),
            Err(err) => {
                tracing::info!(%err, "the facts of the last process are not used");
                None
            }
        }
    }

    /// Takes over the graph that another process made of these very files, if one did.
    pub(super) fn adopt(&self, stamp: &Stamp, files: &[Listed]) -> bool {
        let Some(_state) = self.ingest.try_lock() else { return false };
        let before = self.view.load_full();
        let path = self.folder.join(STAMP);
        let found = fs::read(path).ok().and_then(|text| serde_json::from_slice::<StampFile>(&text).ok());
        let Some(found) = found.filter(|found| found.is_of_this_build()) else { return false };
        if found.stamp == *before.stamp() || !stamp.proves_unchanged(&found.stamp) {
            return false;
        }
        let Ok(graph) = snapshot::load(&self.folder.join(SNAPSHOT)) else { return false };
        if graph.generation() != found.generation
            || bring::source_of(&self.folder, found.generation).is_some()
        {
            return false;
        }
        if let Some(old) = before.graph() {
            carry::learned_weights(old, &graph);
        }
        self.marks.lock().clone_from(&found.marks);
        let generation = graph.generation().max(before.generation() + 1);
        self.overlays.take_up(graph.generation(), generation);
        let graph = Arc::new(graph.with_generation(generation));
        let view = WorkspaceView::new(graph, None, found.as_of, found.stamp, sizes(files));
        self.view.store(Arc::new(view));
        self.saved.store(generation, Ordering::Release);
        true
    }
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(err),
        _ => Ok(()),
    }
}

/// How a save ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Saved {
    Written {
        path: PathBuf,
        bytes: u64,
    },
    /// There is no graph.
    Nothing,
    /// Another process has the lock; its graph is as new as ours or newer.
    AnotherWrites,
}

/// Why the last good graph could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    #[error("the work was stopped")]
    Stopped(Stop),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl From<Stop> for ReloadError {
    fn from(stop: Stop) -> Self {
        ReloadError::Stopped(stop)
    }
}

/// Why a graph could not be saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// A graph that says no more than that there is a repository: the next question reads its files.
fn bare() -> Graph {
    let mut builder = GraphBuilder::new();
    builder.node(NodeSpec::new(NodeKind::Repository, "repository::", ""));
    builder.finish(0)
}
