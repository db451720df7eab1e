//! Reading: from the files of a workspace to its graph, and where that is kept.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_graph::Graph;
use m1nd_ingest::history::HistoryError;
use m1nd_ingest::{Report, Said};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::{Clock, UnixMs};
use m1nd_vfs::{RelPath, durable};

use super::{
    Added, BringError, Differences, InTime, IndexReport, Keep, OverlayState, ReloadError, Reuse, Revision,
    RootsError, SaveError, Saved, Seen, Texts, Watching, Workspace, WorkspaceView, bring, compare, revisions,
};

/// What the last ingest did.
const REPORT: &str = "ingest.report";

impl Workspace {
    /// The newest consistent view. A handler takes one and keeps it.
    pub fn view(&self) -> Arc<WorkspaceView> {
        self.host.view()
    }

    /// The newest view after a look at the files, so that an edit just made is seen.
    pub fn fresh_view(&self, clock: &dyn Clock, cancel: &CancelToken) -> Result<Arc<WorkspaceView>, Stop> {
        self.follow_roots();
        let view = self.host.fresh_view(&self.root, clock, cancel)?;
        // A server's keeper does it behind the answer. Where nobody keeps the graph, the next process would make it again.
        if !self.is_kept() && !self.read_only && self.host.has_lost_snapshot() {
            if let Err(err) = self.save() {
                tracing::warn!(%err, "the graph that was made again was not saved");
            }
            return Ok(self.host.view());
        }
        Ok(view)
    }

    /// Parts of the graph's state that could not be read and were set aside, oldest first.
    pub fn graphs_set_aside(&self) -> Vec<PathBuf> {
        self.host.set_aside_files()
    }

    /// Why the graph on disk cannot be read, if so; nothing is set aside or made again.
    pub fn unreadable_graph(&self) -> Option<String> {
        self.host.unreadable()
    }

    /// What became of a graph that could not be read, for as long as what is left of it is kept.
    pub fn made_again(&self) -> Option<String> {
        let kept = self.graphs_set_aside().pop()?;
        let what = match self.last_save() {
            Some(_) => "The graph was made again from the files and saved",
            None => "The graph is made again from the files by the next question about it",
        };
        let kept = kept.display();
        Some(format!(
            "{what}: what was saved could not be read and was set aside as {kept}, which can be removed."
        ))
    }

    /// Reads the history again if commits were made since it was read.
    pub fn follow_history(&self, clock: &dyn Clock, cancel: &CancelToken) -> Result<(), Stop> {
        self.host.follow_history(&self.root, clock, cancel)
    }

    /// The newest view if the graph was made from these files as they are now, else a fresh one: where an answer
    /// touches a few files, a look at all of them would cost more than the answer.
    pub fn view_of<'p>(
        self: &Arc<Self>,
        mut paths: impl Iterator<Item = &'p RelPath>,
        clock: &Arc<dyn Clock>,
        cancel: &CancelToken,
    ) -> Result<InTime, Stop> {
        let view = self.view();
        let known = |path: &RelPath| {
            let found = self.root.size_and_last_touch(path);
            found.is_ok_and(|(size, modified_ns)| view.knows(path.as_str(), size, modified_ns))
        };
        if view.graph().is_none() || view.imported_from().is_some() || paths.all(known) {
            return Ok(InTime::Fresh(view));
        }
        self.view_in_time(clock, cancel)
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

    /// The graph of the files as they are, if some of them held something else.
    pub fn graph_with(
        &self,
        texts: &Texts,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Arc<Graph>, HistoryError> {
        revisions::graph_with(&self.host, &self.root, texts, clock, cancel)
    }

    /// A graph that was exported to a file, without making it the workspace's own.
    pub fn exported(&self, path: &RelPath) -> Result<Graph, BringError> {
        bring::exported(&self.root, path)
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

    /// Another process may have put one in or taken one out, or its folder may have gone or come back. Every call looks
    /// first: also one that reads files without a graph.
    pub(crate) fn follow_roots(&self) {
        if self.roots.follow(&self.root) {
            self.host.watch_anew();
        }
    }

    /// Other repositories that belong into the graph and are not in it: their folder is gone, or cannot be read.
    pub fn missing_roots(&self) -> Vec<String> {
        let missing = self.roots.all().into_iter().filter(|added| added.problem.is_some());
        let damaged = self.roots.problem().map(|_| "unknown: the list was damaged, see health".to_owned());
        missing.map(|added| added.namespace).chain(damaged).collect()
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
        self.host.overlays().states(self.host.view().generation())
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

    /// What files say whose contents are the ones that were read last, by path. Nothing of any while they are being read.
    pub fn said(&self, contents: &[(&str, &[u8])]) -> BTreeMap<String, Said> {
        self.host.said(contents)
    }

    /// Reads files that a batch just wrote; `said` is what is known of their contents. Of the others speaks what was seen of them before it, if that is not long ago.
    pub fn reread_after(
        &self,
        seen: &Seen,
        paths: &[String],
        said: Vec<Said>,
        clock: &dyn Clock,
        cancel: &CancelToken,
    ) -> Result<Report, Stop> {
        self.host.reread_after(&self.root, seen, paths, said, clock, cancel)
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

    /// Whether and how changes are heard of.
    pub fn watching(&self) -> Watching {
        self.host.watching()
    }

    /// Whether there is a graph that is not on disk.
    pub fn is_unsaved(&self) -> bool {
        self.host.is_unsaved()
    }

    /// Why the newest graph could not be written to disk, until it can.
    pub fn unsaved_because(&self) -> Option<String> {
        self.host.unsaved_because()
    }
}
