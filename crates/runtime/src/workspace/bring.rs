//! Bring: graphs and indexes that others made, brought into a workspace.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use m1nd_graph::{Graph, json};
use m1nd_ingest::scan;
use m1nd_ingest::scip::{self, Index, ScipError, overlay::Overlay};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_stdx::clock::Clock;
use m1nd_vfs::read::{self, ReadError};
use m1nd_vfs::{RelPath, Root, durable};
use serde::{Deserialize, Serialize};

use super::host::{Host, Reuse};
use super::listing::{Sizes, Stamp};
use super::overlays::{Laid, OverlayState, hex};
use super::view::WorkspaceView;

/// Says that the snapshot is a graph that was imported, and from where.
const MARK: &str = "graph.imported";
/// Indexes of the largest repositories measured stay below this.
const MAX_INDEX_BYTES: u64 = 1 << 30;
/// Paths listed of documents that cannot be used.
const MAX_LISTED: usize = 20;

/// What happens to what was brought before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Only this one counts from now on.
    OnlyThis,
    /// It joins the others; an earlier reading of the same file goes.
    Others,
}

/// An index that was laid over the graph.
#[derive(Clone, Debug, Serialize)]
pub struct IndexReport {
    /// Documents of the index.
    pub documents: u64,
    /// Files of the graph that it covers.
    pub covered: u64,
    /// Documents that are newer than the index: what it says about them is not used.
    pub stale: u64,
    /// The first of those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stale_files: Vec<String>,
    /// Documents that are no files of the graph.
    pub unknown: u64,
    /// The first of those.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown_files: Vec<String>,
    /// Every index that lies over the graph now.
    pub overlays: Vec<OverlayState>,
    pub generation: u64,
    pub nodes: u64,
    pub edges: u64,
}

/// Why something could not be brought in.
#[derive(Debug, thiserror::Error)]
pub enum BringError {
    #[error("the work was stopped")]
    Stopped(Stop),
    #[error("{0}")]
    Read(ReadError),
    #[error(transparent)]
    Index(#[from] ScipError),
    #[error("no document of the index is a file of the workspace; it names {first:?}")]
    NothingCovered { first: String },
    #[error(transparent)]
    Json(#[from] json::JsonError),
    #[error("the file is not UTF-8 text")]
    NotText,
    #[error("the graph in the file has no nodes")]
    NoNodes,
    #[error("the state could not be written: {0}")]
    Io(#[from] io::Error),
}

impl From<Stop> for BringError {
    fn from(stop: Stop) -> Self {
        BringError::Stopped(stop)
    }
}

/// Lays a compiler's index over the graph, and over every generation that follows.
pub(super) fn index(
    host: &Host,
    root: &Root,
    path: &RelPath,
    keep: Keep,
    clock: &dyn Clock,
    cancel: &CancelToken,
) -> Result<IndexReport, BringError> {
    let bytes = read::bytes(root, path, MAX_INDEX_BYTES).map_err(BringError::Read)?;
    let mut index = scip::read(&bytes)?;
    drop(bytes);
    host.ingest(root, Reuse::Unchanged, clock, cancel)?;
    let report = {
        let mut state = host.turn(cancel)?;
        let view = host.view();
        let empty = Arc::new(Graph::empty());
        let graph = view.graph().unwrap_or(&empty);
        let folder = index.folder(path.parent().as_str(), |file| graph.node_by_path(file).is_some());
        index.place_under(&folder);
        let (_, made_at) = root.size_and_time(path).map_err(|err| BringError::Read(ReadError::Path(err)))?;
        let hash = |file: &str| state.as_ref().and_then(|ingest| ingest.hash(file));
        let sorted = sort_out(root, &index, made_at, |file| graph.node_by_path(file).and(hash(file)));
        let first = index.files.first().cloned().unwrap_or_default();
        if sorted.covered.is_empty() && sorted.stale.is_empty() {
            return Err(BringError::NothingCovered { first });
        }
        let is_covered =
            |file: &str| sorted.covered.binary_search_by(|known| known.as_str().cmp(file)).is_ok();
        let overlay = Overlay::of(graph, &index, |file| {
            is_covered(file).then(|| scan::read(root, file).ok()).flatten()
        });
        let files: BTreeMap<String, String> =
            sorted.covered.iter().filter_map(|file| Some((file.clone(), hex(&hash(file)?)))).collect();
        let laid = Laid { index: path.as_str().to_owned(), files, overlay };
        let mut list = match keep {
            Keep::OnlyThis => Vec::new(),
            Keep::Others => host.overlays().list().to_vec(),
        };
        match list.iter_mut().find(|other| other.index == laid.index) {
            Some(earlier) => *earlier = laid,
            None => list.push(laid),
        }
        host.overlays().set(list)?;
        if let Some(ingest) = state.as_mut() {
            ingest.rebuild();
        }
        sorted.report(index.files.len())
    };
    let done = host.ingest(root, Reuse::Edits, clock, cancel)?;
    let (generation, nodes, edges) = (done.generation, done.nodes, done.edges);
    Ok(IndexReport { overlays: host.overlays().states(generation), generation, nodes, edges, ..report })
}

/// The documents of an index by what can be done with them, in order.
struct Sorted {
    covered: Vec<String>,
    stale: Vec<String>,
    unknown: Vec<String>,
}

/// `read` gives something for the files that the graph was made from.
fn sort_out<T>(root: &Root, index: &Index, made_at: i128, read: impl Fn(&str) -> Option<T>) -> Sorted {
    let mut sorted = Sorted { covered: Vec::new(), stale: Vec::new(), unknown: Vec::new() };
    for file in &index.files {
        let written = root.relative(file).ok().and_then(|path| root.size_and_time(&path).ok());
        match written {
            Some(_) if read(file).is_none() => sorted.unknown.push(file.clone()),
            Some((_, changed_at)) if changed_at > made_at => sorted.stale.push(file.clone()),
            Some(_) => sorted.covered.push(file.clone()),
            None => sorted.unknown.push(file.clone()),
        }
    }
    sorted
}

impl Sorted {
    fn report(self, documents: usize) -> IndexReport {
        let first = |list: &[String]| list.iter().take(MAX_LISTED).cloned().collect();
        IndexReport {
            documents: documents as u64,
            covered: self.covered.len() as u64,
            stale: self.stale.len() as u64,
            stale_files: first(&self.stale),
            unknown: self.unknown.len() as u64,
            unknown_files: first(&self.unknown),
            overlays: Vec::new(),
            generation: 0,
            nodes: 0,
            edges: 0,
        }
    }
}

/// Which snapshot is an imported graph.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    generation: u64,
    from: String,
}

/// A graph that was exported to a file.
pub(super) fn exported(root: &Root, path: &RelPath) -> Result<Graph, BringError> {
    let bytes = read::bytes(root, path, MAX_INDEX_BYTES).map_err(BringError::Read)?;
    let text = String::from_utf8(bytes).map_err(|_| BringError::NotText)?;
    let graph = json::import(&text)?;
    if graph.is_empty() { Err(BringError::NoNodes) } else { Ok(graph) }
}

/// Makes an exported graph the graph of the workspace, until the workspace is ingested again.
pub(super) fn graph(
    host: &Host,
    folder: &Path,
    root: &Root,
    path: &RelPath,
    clock: &dyn Clock,
    cancel: &CancelToken,
) -> Result<Arc<WorkspaceView>, BringError> {
    let graph = exported(root, path)?;
    let mut state = host.turn(cancel)?;
    let generation = host.view().generation() + 1;
    let mark = Mark { generation, from: path.as_str().to_owned() };
    durable::replace(&folder.join(MARK), &serde_json::to_vec(&mark).map_err(io::Error::from)?)?;
    // What the files said is not what the graph says any more.
    *state = None;
    let view = WorkspaceView::new(
        Arc::new(graph.with_generation(generation)),
        None,
        clock.now(),
        Stamp::default(),
        Sizes::new(),
    );
    host.publish(view.imported(mark.from));
    Ok(host.view())
}

/// Where the snapshot of this generation was imported from, if it was.
pub(super) fn source_of(folder: &Path, generation: u64) -> Option<String> {
    let text = fs::read(folder.join(MARK)).ok()?;
    let mark: Mark = serde_json::from_slice(&text).ok()?;
    (mark.generation == generation).then_some(mark.from)
}
