//! Overlays: what compilers' indexes said, kept beside the graph and laid over every new generation.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use m1nd_graph::Graph;
use m1nd_ingest::scip::overlay::Overlay;
use m1nd_vfs::durable;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

/// All overlays of a workspace, in one file.
const FILE: &str = "graph.overlays";
/// What they did to the generation on disk.
const STATES: &str = "graph.overlaid";
/// Raised whenever a reader of the old form could misread the new one.
const SCHEMA_VERSION: u32 = 1;

/// One index, as it was when it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Laid {
    /// Where the index lies in the workspace.
    pub(super) index: String,
    /// Digest of each file it covers; a file that has another one now is not spoken for any more.
    pub(super) files: BTreeMap<String, String>,
    pub(super) overlay: Overlay,
}

/// What an overlay does to the newest generation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OverlayState {
    /// Where the index lies.
    pub index: String,
    /// Files it covered when it was read.
    pub files_covered: u64,
    /// Of those, files that changed since: their calls are no longer precise.
    pub files_changed: u64,
    /// Call edges that were known and are certain through it.
    pub upgraded: u64,
    /// Call edges that only it knows.
    pub added: u64,
    /// Guesses that it shows to be wrong.
    pub dropped: u64,
}

#[derive(Debug)]
pub(super) struct Overlays {
    path: PathBuf,
    /// Read from disk when first needed, and again when another process wrote it.
    laid: Mutex<Option<(Mark, Arc<Vec<Laid>>)>>,
    /// The file as it was when the newest generation was made or taken up.
    seen: Mutex<Option<Mark>>,
    states: Mutex<States>,
    /// The newest generation as it was before they were laid over it.
    base: Mutex<Option<Arc<Graph>>>,
}

/// The file as it was when it was read.
type Mark = Option<(u64, SystemTime)>;

/// What the overlays do to one generation.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct States {
    generation: u64,
    states: Vec<OverlayState>,
}

#[derive(Serialize, Deserialize)]
struct File {
    schema_version: u32,
    overlays: Vec<Laid>,
}

impl Overlays {
    pub(super) fn new(folder: &std::path::Path) -> Self {
        Self {
            path: folder.join(FILE),
            laid: Mutex::default(),
            seen: Mutex::default(),
            states: Mutex::default(),
            base: Mutex::default(),
        }
    }

    /// How each overlay fared with a generation.
    pub(super) fn states(&self, generation: u64) -> Vec<OverlayState> {
        let states = self.states.lock().clone();
        if states.generation == generation && !states.states.is_empty() {
            return states.states;
        }
        // The graph has the edges, and only the numbers are not known.
        let bare = |laid: &Laid| OverlayState {
            index: laid.index.clone(),
            files_covered: laid.files.len() as u64,
            ..OverlayState::default()
        };
        self.list().iter().map(bare).collect()
    }

    /// Writes down what they did to the generation that is being saved.
    pub(super) fn save_states(&self, generation: u64) -> io::Result<()> {
        let states = self.states.lock().clone();
        if states.generation != generation || self.list().is_empty() {
            return Ok(());
        }
        durable::replace(&self.path.with_file_name(STATES), &serde_json::to_vec(&states)?)
    }

    /// Takes up what was written down of a generation that is called `generation` from now on.
    pub(super) fn take_up(&self, saved: u64, generation: u64) {
        let text = fs::read(self.path.with_file_name(STATES)).ok();
        let states = text.and_then(|text| serde_json::from_slice::<States>(&text).ok());
        if let Some(states) = states.filter(|states| states.generation == saved) {
            *self.states.lock() = States { generation, ..states };
        }
    }

    pub(super) fn list(&self) -> Arc<Vec<Laid>> {
        let mut laid = self.laid.lock();
        let mark = self.mark();
        let known = laid.take().filter(|(known, _)| *known == mark);
        Arc::clone(&laid.insert(known.unwrap_or_else(|| (mark, Arc::new(self.read())))).1)
    }

    /// Notes which indexes lie over the graph that is taken up now.
    pub(super) fn look(&self) {
        *self.seen.lock() = Some(self.mark());
    }

    /// Whether another process laid an index over the graph, or took one away, since.
    pub(super) fn is_changed(&self) -> bool {
        self.seen.lock().is_some_and(|seen| seen != self.mark())
    }

    fn mark(&self) -> Mark {
        fs::metadata(&self.path).ok().and_then(|meta| Some((meta.len(), meta.modified().ok()?)))
    }

    /// Keeps these instead of all others.
    pub(super) fn set(&self, list: Vec<Laid>) -> io::Result<()> {
        let file = File { schema_version: SCHEMA_VERSION, overlays: list };
        durable::replace(&self.path, &serde_json::to_vec(&file)?)?;
        *self.states.lock() = States::default();
        *self.laid.lock() = Some((self.mark(), Arc::new(file.overlays)));
        Ok(())
    }

    /// A generation as the files alone make it, if it is known.
    pub(super) fn below(&self, graph: &Arc<Graph>) -> Option<Arc<Graph>> {
        if self.list().is_empty() {
            return Some(Arc::clone(graph));
        }
        self.base.lock().clone().filter(|base| base.generation() == graph.generation())
    }

    /// A new generation with every overlay over it. `hash` is the digest of a file as the graph knows it.
    pub(super) fn lay_over(&self, graph: Graph, hash: impl Fn(&str) -> Option<[u8; 32]>) -> Graph {
        self.look();
        let list = self.list();
        if list.is_empty() {
            return graph;
        }
        // Its columns are shared, so this costs next to nothing.
        let base = Arc::new(graph.clone());
        *self.base.lock() = Some(Arc::clone(&base));
        let (generation, mut graph) = (graph.generation(), graph);
        let mut states = Vec::new();
        for laid in list.iter() {
            let holds = |path: &str| {
                let now = hash(path).map(|hash| hex(&hash));
                now.is_some() && laid.files.get(path) == now.as_ref()
            };
            // What each does is counted against what the files say, whichever was laid before it.
            let done = laid.overlay.lay_over(&graph, &base, holds);
            graph = done.graph;
            states.push(OverlayState {
                index: laid.index.clone(),
                files_covered: laid.files.len() as u64,
                files_changed: laid.files.keys().filter(|path| !holds(path)).count() as u64,
                upgraded: done.upgraded as u64,
                added: done.added as u64,
                dropped: done.dropped as u64,
            });
        }
        *self.states.lock() = States { generation, states };
        graph
    }

    fn read(&self) -> Vec<Laid> {
        let Ok(text) = fs::read(&self.path) else { return Vec::new() };
        match serde_json::from_slice::<File>(&text) {
            Ok(file) if file.schema_version == SCHEMA_VERSION => file.overlays,
            // Precise edges are gained again by reading the index again; a wrong one is never made up.
            Ok(file) => {
                tracing::warn!(version = file.schema_version, "overlays of another version are left alone");
                Vec::new()
            }
            Err(err) => {
                tracing::warn!(%err, "overlays could not be read; ingest the index again");
                Vec::new()
            }
        }
    }
}

pub(super) fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}
