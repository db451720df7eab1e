//! View: one consistent picture of a workspace, never changed after it is published.

use std::sync::Arc;

use m1nd_graph::{Graph, NodeKind};
use m1nd_ingest::{Listed, Report};
use m1nd_stdx::clock::UnixMs;
use m1nd_vfs::walk::Passed;

use super::listing::{Sizes, Stamp, is_racy};

/// What handlers read from. There is no graph in it until something was ingested.
#[derive(Debug, Default)]
pub struct WorkspaceView {
    graph: Option<Arc<Graph>>,
    /// What the ingest that made the graph did; absent for a graph read from a snapshot.
    report: Option<Arc<Report>>,
    /// When the files were listed.
    as_of: UnixMs,
    /// What the listing looked like then.
    stamp: Stamp,
    sizes: Sizes,
    /// What that listing passed over.
    passed: Passed,
    /// The export this graph was read from, if it was not made from the files.
    imported_from: Option<String>,
}

impl WorkspaceView {
    pub(super) fn new(
        graph: Arc<Graph>,
        report: Option<Report>,
        as_of: UnixMs,
        stamp: Stamp,
        sizes: Sizes,
    ) -> Self {
        let (report, passed) = (report.map(Arc::new), Passed::default());
        Self { graph: Some(graph), report, as_of, stamp, sizes, passed, imported_from: None }
    }

    /// The same, of a listing that passed over some files.
    #[must_use]
    pub(super) fn passing(mut self, passed: Passed) -> Self {
        self.passed = passed;
        self
    }

    /// The same, marked as read from an export.
    #[must_use]
    pub(super) fn imported(mut self, from: String) -> Self {
        self.imported_from = Some(from);
        self
    }

    /// The export this graph was read from; nothing for a graph made from the workspace's files.
    pub fn imported_from(&self) -> Option<&str> {
        self.imported_from.as_deref()
    }

    /// Whether the graph was made from the workspace's files, and from which listing of them is known.
    pub(super) fn is_of_files(&self) -> bool {
        self.graph().is_some() && self.imported_from.is_none() && !self.stamp.digest().is_empty()
    }

    /// The report of an ingest that had nothing to do.
    pub(super) fn counts(&self) -> Report {
        let (nodes, edges, generation) = (self.node_count(), self.edge_count(), self.generation());
        Report { nodes, edges, generation, ..Report::default() }
    }

    /// Grows by one with every change; 0 means that nothing was ingested yet.
    pub fn generation(&self) -> u64 {
        self.graph.as_ref().map_or(0, |graph| graph.generation())
    }

    /// The graph, if it has anything in it.
    pub fn graph(&self) -> Option<&Arc<Graph>> {
        self.graph.as_ref().filter(|graph| !graph.is_empty())
    }

    pub fn report(&self) -> Option<&Report> {
        self.report.as_deref()
    }

    pub fn as_of(&self) -> UnixMs {
        self.as_of
    }

    /// Whether the graph was made from this very state of a file.
    pub(super) fn knows(&self, path: &str, size: u64, modified_ns: i128) -> bool {
        if is_racy(modified_ns, self.as_of) {
            return false;
        }
        self.sizes.get(path) == Some(&(size, modified_ns))
    }

    /// Size and time of a file when the graph was made; nothing where a change could have gone unseen.
    pub(super) fn state_of(&self, path: &str) -> Option<(u64, i128)> {
        self.sizes.get(path).copied().filter(|&(_, modified_ns)| !is_racy(modified_ns, self.as_of))
    }

    /// How large a file was when it was listed.
    pub(crate) fn size_of(&self, path: &str) -> Option<u64> {
        self.sizes.get(path).map(|&(size, _)| size)
    }

    /// Whether nothing speaks for a file having changed since it was read. A snapshot only tells when it was made.
    pub(super) fn looks_like(&self, path: &str, size: u64, modified_ns: i128) -> bool {
        match self.sizes.get(path) {
            Some(&known) => known == (size, modified_ns),
            None => !self.has_sizes() && modified_ns <= i128::from(self.as_of.0) * 1_000_000,
        }
    }

    /// How many of these files, which are in order, are not as the graph has them, and how many of its files are not among them.
    pub(super) fn differing(&self, files: &[Listed]) -> u64 {
        let changed = files.iter().filter(|file| !self.looks_like(&file.path, file.size, file.modified_ns));
        let is_gone = |path: &str| files.binary_search_by(|file| file.path.as_str().cmp(path)).is_err();
        let of_graph = self.graph().into_iter().flat_map(|graph| graph.nodes());
        let of_graph = of_graph.filter(|node| node.kind() == NodeKind::File && !self.has_sizes());
        let known = self.sizes.keys().map(String::as_str).chain(of_graph.map(|node| node.path()));
        (changed.count() + known.filter(|path| is_gone(path)).count()) as u64
    }

    /// Whether the sizes and times of the files are known; a snapshot does not tell them.
    pub(super) fn has_sizes(&self) -> bool {
        !self.sizes.is_empty()
    }

    /// The files as they were listed, in the order of their paths, without some, which are given in order.
    pub(super) fn listing_but<'v>(&'v self, paths: &'v [&str]) -> impl Iterator<Item = Listed> + 'v {
        let others = self.sizes.iter().filter(|(path, _)| paths.binary_search(&path.as_str()).is_err());
        others.map(|(path, &(size, modified_ns))| Listed { path: path.clone(), size, modified_ns })
    }

    /// What the listing passed over.
    pub(super) fn passed(&self) -> &Passed {
        &self.passed
    }

    /// The same, with the listing that proved it true.
    pub(super) fn proved_by(&self, sizes: Sizes, passed: Passed) -> Self {
        Self {
            graph: self.graph.clone(),
            report: self.report.clone(),
            as_of: self.as_of,
            stamp: self.stamp.clone(),
            sizes,
            passed,
            imported_from: self.imported_from.clone(),
        }
    }

    /// The same, with an equal graph that is kept elsewhere.
    pub(super) fn kept_in(&self, graph: Arc<Graph>) -> Self {
        Self { graph: Some(graph), ..self.proved_by(self.sizes.clone(), self.passed.clone()) }
    }

    /// Names the state of all files, the same in every process; nothing where a file may have changed unseen.
    pub fn state_of_files(&self) -> Option<&str> {
        self.stamp.of_contents()
    }

    pub(super) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    pub fn node_count(&self) -> u64 {
        self.graph.as_ref().map_or(0, |graph| graph.node_count() as u64)
    }

    pub fn edge_count(&self) -> u64 {
        self.graph.as_ref().map_or(0, |graph| graph.edge_count() as u64)
    }
}
