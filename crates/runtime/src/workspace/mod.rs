//! Workspace: the folder a process is bound to, and where its state lives.

mod home;
mod host;
mod listing;
mod memory;
mod view;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_ingest::Report;
use m1nd_memory::StoreError;
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::Clock;
use m1nd_store::SqliteStore;
use m1nd_vfs::{RelPath, Root};

use crate::settings::Settings;
pub use home::{HomeError, IDENTITY_FILE};
use host::Host;
pub use host::{Reuse, SaveError, Saved};
use memory::Memory;
pub use memory::{MEMORY_FILE, MemoryState};
pub use view::WorkspaceView;

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
        Ok(Self { root, source, host: Host::new(runtime_root.clone()), memory, runtime_root })
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
            let found = self.root.size_and_time(path);
            found.is_ok_and(|(size, modified_ns)| view.knows(path.as_str(), size, modified_ns))
        };
        if view.graph().is_none() || paths.all(known) {
            return Ok(view);
        }
        self.fresh_view(clock, cancel)
    }

    /// Reads the files into the next generation of the graph.
    pub fn ingest(&self, reuse: Reuse, clock: &dyn Clock, cancel: &CancelToken) -> Result<Report, Stop> {
        self.host.ingest(&self.root, reuse, clock, cancel)
    }

    /// Writes the graph to the runtime root.
    pub fn save(&self) -> Result<Saved, SaveError> {
        self.ensure_runtime_root().map_err(|err| SaveError::Io(err.source))?;
        self.host.save()
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
        self.host.problem()
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
