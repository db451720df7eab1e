//! Workspace: the folder a process is bound to, and where its state lives.

mod antibodies;
mod aside;
mod associations;
mod bring;
mod compare;
mod defects;
mod edits;
mod home;
mod host;
mod keeper;
mod lessons;
mod lines;
mod listing;
mod memory;
mod overlays;
mod priming;
mod quarantine;
mod revisions;
mod roots;
mod sessions;
mod view;
mod words;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_edit::OnDisk;
use m1nd_edit::lock::Lock;
use m1nd_graph::{Graph, NodeIx};
use m1nd_ingest::Report;
use m1nd_ingest::history::HistoryError;
use m1nd_memory::StoreError;
use m1nd_recall::corpus::Corpus;
use m1nd_recall::engines::names::Names;
use m1nd_recall::engines::plasticity::Learned;
use m1nd_recall::feedback::{Find, Lesson, Primed};
use m1nd_risk::ledger::Ledger;
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::{Clock, UnixMs};
use m1nd_store::SqliteStore;
use m1nd_vfs::{RelPath, Root, durable};

use crate::settings::Settings;
use antibodies::Antibodies;
pub use antibodies::{Antibody, AntibodyError, MAX_ANTIBODIES, Severity};
use associations::Associations;
pub use bring::{BringError, IndexReport, Keep};
pub use compare::Differences;
pub use defects::Defect;
use defects::Defects;
use edits::Edits;
pub use edits::{LockError, Preview};
pub use home::{HomeError, IDENTITY_FILE};
use host::Host;
pub use host::{ReloadError, Reuse, SaveError, Saved, Watching};
use lessons::Lessons;
use memory::Memory;
pub use memory::{MEMORY_FILE, MemoryState};
pub use overlays::OverlayState;
use priming::Priming;
pub use revisions::Revision;
use roots::Roots;
pub use roots::{Added, RootsError};
use sessions::Sessions;
pub use view::WorkspaceView;
pub use words::KnownPast;
use words::Words;

/// What the last ingest did.
const REPORT: &str = "ingest.report";

/// How a workspace was chosen. Later ones give way to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BindingSource {
    Environment,
    Flag,
    ClientRoot,
    CurrentFolder,
}

impl fmt::Display for BindingSource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            BindingSource::Environment => "M1ND_WORKSPACE_ROOT",
            BindingSource::Flag => "--workspace",
            BindingSource::ClientRoot => "the client's first root",
            BindingSource::CurrentFolder => "the current folder",
        })
    }
}

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
    antibodies: Antibodies,
    priming: Priming,
    sessions: Sessions,
    roots: Roots,
    edits: Edits,
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
        let root = root.excluding(&settings.home).excluding(&runtime_root);
        let memory = Memory::new(&runtime_root);
        let words = Words::new(&runtime_root);
        let lessons = Lessons::new(&runtime_root);
        let defects = Defects::new(&runtime_root);
        let antibodies = Antibodies::new(&runtime_root);
        let associations = Associations::default();
        let (priming, sessions) = (Priming::default(), Sessions::new(&runtime_root));
        let host = Host::new(runtime_root.clone());
        let roots = Roots::new(&runtime_root, vec![settings.home.clone(), runtime_root.clone()]);
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
            antibodies,
            priming,
            sessions,
            roots,
            edits,
            runtime_root,
        })
    }

    pub fn root(&self) -> &Root {
        &self.root
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

    /// The newest consistent view. A handler takes one and keeps it.
    pub fn view(&self) -> Arc<WorkspaceView> {
        self.host.view()
    }

    /// The newest view after a look at the files, so that an edit just made is seen.
    pub fn fresh_view(&self, clock: &dyn Clock, cancel: &CancelToken) -> Result<Arc<WorkspaceView>, Stop> {
        self.follow_roots();
        self.host.fresh_view(&self.root, clock, cancel)
    }

    /// The same after a look at the commits too, for answers that speak of the past.
    pub fn fresh_view_with_history(
        &self,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Arc<WorkspaceView>, Stop> {
        self.follow_roots();
        self.host.follow_history(&self.root, clock, cancel)?;
        self.host.fresh_view(&self.root, clock, cancel)
    }

    /// The newest view if the graph was made from these files as they are now, else a fresh one: where an answer
    /// touches a few files, a look at all of them would cost more than the answer.
    pub fn view_of<'p>(
        &self,
        mut paths: impl Iterator<Item = &'p RelPath>,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Arc<WorkspaceView>, Stop> {
        let view = self.view();
        let known = |path: &RelPath| {
            let found = self.root.size_and_last_touch(path);
            found.is_ok_and(|(size, modified_ns)| view.knows(path.as_str(), size, modified_ns))
        };
        if view.graph().is_none() || view.imported_from().is_some() || paths.all(known) {
            return Ok(view);
        }
        self.fresh_view(clock, cancel)
    }

    /// What questions in words are put to: the words of a view's files, their past, and how they are related.
    pub fn corpus(
        &self,
        view: &WorkspaceView,
        graph: &Graph,
        cancel: &CancelToken,
    ) -> Result<Arc<Corpus>, Stop> {
        self.words.of(&self.root, view, graph, cancel)
    }

    /// The newest commits, with the files that each touched; as many as there is time to read.
    pub fn past(&self, cancel: &CancelToken) -> Result<Arc<KnownPast>, Stop> {
        self.words.past_so_far(&self.root, cancel)
    }

    /// The graph of a commit, made from git's objects; nothing where the name is no commit's.
    pub fn graph_at(
        &self,
        revision: &str,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Option<Revision>, HistoryError> {
        revisions::graph(&self.host, &self.root, revision, clock, cancel)
    }

    /// A graph that was exported to a file, without making it the workspace's own.
    pub fn exported(&self, path: &RelPath) -> Result<Graph, BringError> {
        bring::exported(&self.root, path)
    }

    /// How turbulent the files of a graph are, if that was found before.
    pub fn turbulence(&self, graph: &Arc<Graph>) -> Option<Arc<BTreeMap<NodeIx, f64>>> {
        self.associations.turbulence(graph)
    }

    /// Keeps it until the next graph.
    pub fn note_turbulence(&self, graph: &Arc<Graph>, found: Arc<BTreeMap<NodeIx, f64>>) {
        self.associations.note_turbulence(graph, found);
    }

    /// What the past says of the files of a graph; made once for both.
    pub fn ledger(
        &self,
        graph: &Arc<Graph>,
        past: &Arc<KnownPast>,
        defects: &Arc<Vec<Defect>>,
        make: impl FnOnce() -> Ledger,
    ) -> Arc<Ledger> {
        self.associations.ledger(graph, past, defects, make)
    }

    /// What the nodes of a graph are called.
    pub fn names(&self, graph: &Arc<Graph>) -> Arc<Names> {
        self.associations.names(graph)
    }

    /// Lets edges grow between nodes that a question activated together.
    pub fn learn_from(&self, graph: &Graph, active: &[(NodeIx, f32)]) -> Learned {
        self.associations.learn(graph, active)
    }

    /// What was said of earlier answers.
    pub fn lessons(&self) -> Arc<Vec<Lesson>> {
        self.lessons.all()
    }

    /// Writes down what was said of some nodes as answers to a question that finds these.
    pub fn add_lessons(&self, query: &str, finds: &[Find], nodes: &[&str], amount: f32) -> io::Result<()> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.lessons.add(query, finds, nodes, amount)
    }

    /// Defects that were told of its files, oldest first.
    pub fn defects(&self) -> Arc<Vec<Defect>> {
        self.defects.all()
    }

    /// Writes down defects that were told of files.
    pub fn add_defects(&self, defects: &[Defect]) -> io::Result<()> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.defects.add(defects)
    }

    /// The right to change files, alone among all processes.
    pub fn lock_files(&self, clock: &dyn Clock, cancel: &CancelToken) -> Result<Lock, LockError> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.edits.lock(&self.root, clock, cancel)
    }

    /// The files, and the journal of their changes.
    pub fn disk(&self) -> OnDisk<'_> {
        self.edits.disk(&self.root)
    }

    /// What became of batches that an earlier process left; told once.
    pub fn settled_batches(&self) -> Vec<String> {
        self.edits.take_news()
    }

    /// Keeps a change that was shown, so that it can be made.
    pub fn keep_preview(&self, preview: Preview) {
        self.edits.keep(preview);
    }

    pub fn preview(&self, id: &str, now: UnixMs) -> Option<Preview> {
        self.edits.preview(id, now)
    }

    /// Patterns of bugs that were confirmed here.
    pub fn antibodies(&self) -> io::Result<Vec<Antibody>> {
        self.antibodies.all()
    }

    /// Keeps one more, or puts it in the place of another.
    pub fn add_antibody(
        &self,
        antibody: Antibody,
        replaces: Option<&str>,
    ) -> Result<Antibody, AntibodyError> {
        self.ensure_runtime_root().map_err(|err| err.source)?;
        self.antibodies.add(antibody, replaces)
    }

    /// How many commits the last corpus knew, where the history was not read to its end yet.
    pub fn commits_so_far(&self) -> Option<usize> {
        self.words.commits_so_far()
    }

    /// Reads the files into the next generation of the graph.
    pub fn ingest(&self, reuse: Reuse, clock: &dyn Clock, cancel: &CancelToken) -> Result<Report, Stop> {
        self.follow_roots();
        self.host.ingest(&self.root, reuse, clock, cancel)
    }

    /// Puts another repository into the graph, under a name of its own, with the next ingest.
    pub fn add_root(&self, namespace: &str, folder: &Path) -> Result<Added, RootsError> {
        self.ensure_runtime_root().map_err(|err| RootsError::Io(err.source))?;
        let added = self.roots.add(&self.root, namespace, folder)?;
        self.host.watch_anew();
        Ok(added)
    }

    /// Takes it out again.
    pub fn remove_root(&self, namespace: &str) -> Result<Added, RootsError> {
        let removed = self.roots.remove(&self.root, namespace)?;
        self.host.watch_anew();
        Ok(removed)
    }

    /// The other repositories in the graph.
    pub fn added_roots(&self) -> Vec<Added> {
        self.roots.all()
    }

    /// Another process may have put one in or taken one out, or its folder may have gone or come back.
    fn follow_roots(&self) {
        if self.roots.follow(&self.root) {
            self.host.watch_anew();
        }
    }

    /// Lays a compiler's index over the graph, and over every generation that follows.
    pub fn lay_index(
        &self,
        path: &RelPath,
        keep: Keep,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<IndexReport, BringError> {
        self.ensure_runtime_root().map_err(|err| BringError::Io(err.source))?;
        bring::index(&self.host, &self.root, path, keep, clock, cancel)
    }

    /// Makes an exported graph the graph of this workspace, until the workspace is ingested again.
    pub fn import(
        &self,
        path: &RelPath,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Arc<WorkspaceView>, BringError> {
        let folder = self.ensure_runtime_root().map_err(|err| BringError::Io(err.source))?;
        bring::graph(&self.host, folder, &self.root, path, clock, cancel)
    }

    /// The indexes that lie over the graph.
    pub fn overlays(&self) -> Vec<OverlayState> {
        self.host.overlays().states()
    }

    /// Files read and files listed by the ingest that runs now.
    pub fn progress(&self) -> (u64, u64) {
        self.host.progress()
    }

    /// Remembers what an ingest did, for processes that come later.
    pub fn note_report(&self, report: &serde_json::Value) {
        let write = || -> io::Result<()> {
            self.ensure_runtime_root().map_err(|err| err.source)?;
            durable::replace(&self.runtime_root.join(REPORT), &serde_json::to_vec(report)?)
        };
        if let Err(err) = write() {
            tracing::warn!(%err, "what the ingest did was not written down");
        }
    }

    /// What the last ingest did, in this process or an earlier one.
    pub fn last_report(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&std::fs::read(self.runtime_root.join(REPORT)).ok()?).ok()
    }

    /// How the graph in memory differs from the files on disk.
    pub fn differences(&self, view: &WorkspaceView, cancel: &CancelToken) -> Result<Differences, Stop> {
        compare::differences(&self.root, view, &self.host, cancel)
    }

    /// Reads files again whatever their sizes and times say, and everything else that changed.
    pub fn reread(&self, paths: &[String], clock: &dyn Clock, cancel: &CancelToken) -> Result<Report, Stop> {
        self.host.reread(&self.root, paths, clock, cancel)
    }

    /// Publishes the graph on disk in place of the one in memory. Nothing when none was saved.
    pub fn reload(&self, cancel: &CancelToken) -> Result<Option<Arc<WorkspaceView>>, ReloadError> {
        self.host.reload(cancel)
    }

    /// When the graph was last written to disk, and how large the file is.
    pub fn last_save(&self) -> Option<(UnixMs, u64)> {
        self.host.last_save()
    }

    /// Writes the graph to the runtime root.
    pub fn save(&self) -> Result<Saved, SaveError> {
        self.ensure_runtime_root().map_err(|err| SaveError::Io(err.source))?;
        self.host.save()
    }

    /// Keeps the graph fresh and saved between calls, on a thread of its own, for as long as the workspace is held.
    pub fn keep(self: &Arc<Self>, clock: Arc<dyn Clock>, may_write: bool) {
        keeper::start(self, clock, may_write);
    }

    /// Whether and how changes are heard of.
    pub fn watching(&self) -> Watching {
        self.host.watching()
    }

    /// Whether there is a graph that is not on disk.
    pub fn is_unsaved(&self) -> bool {
        self.host.is_unsaved()
    }

    pub(crate) fn note_query(&self, now: UnixMs) {
        self.host.note_query();
        self.sessions.note(now);
    }

    /// The last time that something was asked here before this process began.
    pub fn previous_session(&self) -> Option<UnixMs> {
        self.sessions.previous()
    }

    /// What an agent said it is about to work on.
    pub fn primed(&self, agent: &str) -> Option<Arc<Primed>> {
        self.priming.of(agent)
    }

    /// Replaces that, or takes it back.
    pub fn prime(&self, agent: &str, primed: Option<Primed>) {
        self.priming.set(agent, primed);
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

    /// Whether anything was remembered, or damaged: whatever lies where the store belongs.
    pub fn has_memory(&self) -> bool {
        self.memory.exists()
    }

    /// How memory is doing, without opening it.
    pub fn memory_state(&self) -> MemoryState {
        self.memory.state()
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

    /// Other repositories that belong into the graph and are not in it: their folder is gone, or cannot be read.
    pub fn missing_roots(&self) -> Vec<String> {
        let missing = self.roots.all().into_iter().filter(|added| added.problem.is_some());
        let damaged = self.roots.problem().map(|_| "unknown: the list was damaged, see health".to_owned());
        missing.map(|added| added.namespace).chain(damaged).collect()
    }

    /// Why the newest graph could not be written to disk, until it can.
    pub fn unsaved_because(&self) -> Option<String> {
        self.host.unsaved_because()
    }
}

/// A folder that cannot be a workspace.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be opened as a workspace: {source}", folder.display())]
pub struct BindError {
    pub folder: PathBuf,
    #[source]
    pub source: io::Error,
}

/// The git work tree around `folder`, if there is one.
pub fn enclosing_work_tree(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|at| at.join(".git").exists()).map(Path::to_owned)
}

/// What a process without a named workspace binds to: the enclosing work tree, else the folder
/// itself. The file system's root and the user's home are no workspaces: a host that starts
/// servers there means "nowhere".
pub fn from_current_folder(folder: &Path, user_home: Option<&Path>) -> Option<PathBuf> {
    if let Some(tree) = enclosing_work_tree(folder) {
        return Some(tree);
    }
    let nowhere = folder.parent().is_none() || user_home == Some(folder);
    (!nowhere).then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_work_tree_around_a_folder_wins_and_home_is_nowhere() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("repo/src/deep");
        fs::create_dir_all(&deep).unwrap();
        let plain = from_current_folder(&deep, None);
        assert_eq!(plain, Some(deep.clone()));
        fs::create_dir(dir.path().join("repo/.git")).unwrap();
        assert_eq!(from_current_folder(&deep, None), Some(dir.path().join("repo")));
        assert_eq!(from_current_folder(Path::new("/"), None), None);
        assert_eq!(from_current_folder(dir.path(), Some(dir.path())), None);
    }
}
