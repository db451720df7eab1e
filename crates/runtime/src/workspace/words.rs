//! Words: the corpus that questions are put to, made on first need and kept in step with the graph.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_graph::{Graph, NodeKind};
use m1nd_ingest::history::{self, Log};
use m1nd_ingest::{scan, state};
use m1nd_recall::corpus::{self, Corpus, NamedCommit};
use m1nd_recall::text::{FileBag, Source, TextIndex};
use m1nd_stdx::cancel::{CancelToken, Stop};
use m1nd_vfs::{Root, durable, read};
use parking_lot::Mutex;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::view::WorkspaceView;

/// The log as a file: reading it from the repository takes seconds where it is long.
const LOG: &str = "recall.log";
/// Commits whose messages are known. Older ones speak of code that is gone.
const MAX_COMMITS: usize = 5_000;

/// The corpus of the newest generation that was asked for.
#[derive(Debug)]
pub(super) struct Words {
    folder: PathBuf,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    generation: u64,
    corpus: Option<Arc<Corpus>>,
    /// In the order of paths.
    bags: Vec<(Arc<FileBag>, MadeFrom)>,
    log: Option<Log>,
}

/// Size and time of the file that words were taken from, if they tell whether it changed.
type MadeFrom = Option<(u64, i128)>;

#[derive(Serialize, Deserialize)]
struct LogFile {
    /// Of the build that wrote it.
    extractors: String,
    log: Log,
}

impl Words {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), kept: Mutex::default() }
    }

    /// The corpus of a view. Only files that changed since it was last asked for are read again.
    pub(super) fn of(
        &self,
        root: &Root,
        view: &WorkspaceView,
        graph: &Graph,
        cancel: &CancelToken,
    ) -> Result<Arc<Corpus>, Stop> {
        let mut kept = self.kept.lock();
        let head = history::head(root.path());
        let same_past = kept.log.as_ref().is_some_and(|log| log.head == head);
        if kept.generation == view.generation()
            && same_past
            && let Some(corpus) = &kept.corpus
        {
            return Ok(Arc::clone(corpus));
        }
        if !same_past {
            kept.log = Some(self.log(root, head, cancel)?);
        }
        let files = graph.nodes().filter(|node| node.kind() == NodeKind::File && !node.language().is_empty());
        let paths: Vec<&str> = files.map(|node| node.path()).collect();
        let old = &kept.bags;
        let bags: Vec<_> = paths
            .par_iter()
            .filter_map(|&path| {
                let state = view.state_of(path);
                let known =
                    old.binary_search_by(|(bag, _)| bag.path.as_str().cmp(path)).ok().map(|at| &old[at]);
                if let Some((bag, made_from)) = known
                    && state.is_some()
                    && *made_from == state
                {
                    return Some((Arc::clone(bag), state));
                }
                if cancel.stop().is_some() {
                    return None;
                }
                let (text, _) = scan::read(root, path).ok().and_then(|bytes| read::decode(&bytes))?;
                let spans = corpus::spans(graph, path);
                Some((Arc::new(FileBag::of(&Source { path, text: &text, spans })), state))
            })
            .collect();
        if let Some(stop) = cancel.stop() {
            return Err(stop);
        }
        let text = TextIndex::of(bags.iter().map(|(bag, _)| Arc::clone(bag)).collect());
        let entries = kept.log.iter().flat_map(|log| &log.entries);
        let commits = entries.map(|entry| NamedCommit {
            message: &entry.message,
            time_ms: entry.time.0,
            files: &entry.files,
        });
        let corpus = Arc::new(Corpus::of(text, commits, Some(graph)));
        kept.bags = bags;
        kept.bags.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        kept.corpus = Some(Arc::clone(&corpus));
        kept.generation = view.generation();
        Ok(corpus)
    }

    /// The log of the commit that is checked out; the one on disk where it is of that commit.
    fn log(&self, root: &Root, head: String, cancel: &CancelToken) -> Result<Log, Stop> {
        let path = self.folder.join(LOG);
        let saved = std::fs::read(&path).ok().and_then(|bytes| postcard::from_bytes::<LogFile>(&bytes).ok());
        if let Some(saved) = saved
            && saved.extractors == state::EXTRACTORS
            && saved.log.head == head
        {
            return Ok(saved.log);
        }
        let log = match history::log(root.path(), MAX_COMMITS, cancel) {
            Ok(log) => log,
            Err(history::HistoryError::Stopped(stop)) => return Err(stop),
            Err(err) => {
                tracing::info!(%err, "no log");
                Log { head, ..Log::default() }
            }
        };
        let file = LogFile { extractors: state::EXTRACTORS.to_owned(), log };
        // A workspace without a runtime root was never saved, and may not be written to.
        if self.folder.exists() {
            let written = postcard::to_allocvec(&file)
                .map_err(std::io::Error::other)
                .and_then(|bytes| durable::replace(&path, &bytes));
            if let Err(err) = written {
                tracing::warn!(%err, "the log was not written down");
            }
        }
        Ok(file.log)
    }
}
