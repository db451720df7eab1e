//! Revisions: the graph of an earlier commit, made from git's objects. No work tree is touched.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use m1nd_graph::Graph;
use m1nd_ingest::classify::Reason;
use m1nd_ingest::history::{Base, Baseline, HistoryError};
use m1nd_ingest::{Ingest, Listed, scan};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::{Clock, UnixMs};
use m1nd_vfs::Root;
use parking_lot::Mutex;

use super::WorkspaceView;
use super::host::{Host, name};

/// The graph of a commit.
#[derive(Clone, Debug)]
pub struct Revision {
    pub graph: Arc<Graph>,
    pub commit: String,
    pub time: UnixMs,
    /// Today's graph as the files alone make it, where it is known.
    pub today: Option<Arc<Graph>>,
    /// Files that had to be parsed: those that today's have in common with it are not.
    pub files_parsed: u64,
}

/// Nothing where the name is no commit's. Files that today's rules leave out are left out.
pub(super) fn graph(
    host: &Host,
    root: &Root,
    revision: &str,
    clock: &dyn Clock,
    cancel: &CancelToken,
) -> Result<Option<Revision>, HistoryError> {
    let Some(base) = Base::find(root.path(), Baseline::Name(revision))? else { return Ok(None) };
    let (commit, time) = (base.id(), base.time());
    let files = base.files()?;
    let (mut ingest, last) = known(host, root, cancel)?;
    let today = listed(host, root, cancel)?;
    let listed: BTreeSet<&str> = today.iter().map(|file| file.path.as_str()).collect();
    let is_left_out =
        |path: &str| !listed.contains(path) && root.relative(path).is_ok_and(|path| root.kind(&path).is_ok());
    // No time is that of any file on disk, so that every content is looked at.
    let then = files.keys().filter(|path| !is_left_out(path)).map(|path| Listed {
        path: path.clone(),
        size: 0,
        modified_ns: 0,
    });
    // Other roots have no past here, and are the same on both sides.
    let elsewhere = today.iter().filter(|file| file.path.contains("::/")).cloned();
    let mut listing: Vec<Listed> = then.chain(elsewhere).collect();
    listing.sort_by(|a, b| a.path.cmp(&b.path));
    let objects = Mutex::new(base);
    let read = |path: &str| match files.get(path) {
        Some(&content) => objects.lock().bytes(content).ok_or(Reason::Unreadable),
        None => scan::read(root, path),
    };
    let done = ingest
        .refresh_on(last.as_deref(), &listing, read, clock, i128::from(clock.now().0) * 1_000_000, cancel)
        .map_err(HistoryError::Stopped)?;
    let graph = match (done.graph, &last) {
        (Some(graph), _) => Arc::new(graph),
        (None, Some(last)) => Arc::clone(last),
        (None, None) => Arc::new(Graph::empty()),
    };
    Ok(Some(Revision { graph, commit, time, today: last, files_parsed: done.report.files_parsed }))
}

/// What some files would hold; nothing for one that would be gone.
pub type Texts = BTreeMap<String, Option<Vec<u8>>>;

/// The graph of today's files if these held something else.
pub(super) fn graph_with(
    host: &Host,
    root: &Root,
    texts: &Texts,
    clock: &dyn Clock,
    cancel: &CancelToken,
) -> Result<Arc<Graph>, HistoryError> {
    if texts.is_empty()
        && let Some(graph) = below_overlays(host, &host.view())
    {
        return Ok(graph);
    }
    let (mut ingest, last) = known(host, root, cancel)?;
    let today = listed(host, root, cancel)?;
    let held = texts.iter().filter(|(_, text)| text.is_some());
    // No time is that of any file on disk, so that the contents are looked at.
    let others = held.map(|(path, _)| Listed { path: path.clone(), size: 0, modified_ns: 0 });
    let mut listing: Vec<Listed> =
        today.into_iter().filter(|file| !texts.contains_key(&file.path)).chain(others).collect();
    listing.sort_by(|a, b| a.path.cmp(&b.path));
    let read = |path: &str| match texts.get(path) {
        Some(text) => text.clone().ok_or(Reason::Unreadable),
        None => scan::read(root, path),
    };
    let done = ingest
        .refresh_on(last.as_deref(), &listing, read, clock, i128::from(clock.now().0) * 1_000_000, cancel)
        .map_err(HistoryError::Stopped)?;
    Ok(match (done.graph, last) {
        (Some(graph), _) => Arc::new(graph),
        (None, Some(last)) => last,
        (None, None) => Arc::new(Graph::empty()),
    })
}

/// What is known of today's files, to go on from; the host keeps its own.
fn known(
    host: &Host,
    root: &Root,
    cancel: &CancelToken,
) -> Result<(Ingest, Option<Arc<Graph>>), HistoryError> {
    let state = host.turn(cancel).map_err(HistoryError::Stopped)?;
    let view = host.view();
    let ingest = state.clone().or_else(|| host.facts(&view));
    let ingest = ingest.unwrap_or_else(|| Ingest::new(&name(root))).after(view.generation());
    Ok((ingest, below_overlays(host, &view)))
}

/// A view's graph as the files alone make it; nothing where it was not made of them.
fn below_overlays(host: &Host, view: &WorkspaceView) -> Option<Arc<Graph>> {
    let graph = view.graph().filter(|_| view.imported_from().is_none());
    graph.and_then(|graph| host.overlays().below(graph))
}

/// Today's files: as the newest view lists them, which every question about the graph has just proved true; else as they are found.
fn listed(host: &Host, root: &Root, cancel: &CancelToken) -> Result<Vec<Listed>, HistoryError> {
    let view = host.view();
    if view.is_of_files() && view.has_sizes() {
        return Ok(view.listing_but(&[]).collect());
    }
    let (listed, _) = scan::list(root, cancel).map_err(HistoryError::Stopped)?;
    Ok(listed)
}
