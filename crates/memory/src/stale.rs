//! Stale anchors: what was written about code that is no longer the same.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::anchors::{self, Anchor, AnchorProbe, Sight, Standing};
use crate::branch::View;
use crate::error::MemoryError;
use crate::graph::GraphView;
use crate::ids::{BranchName, DocName, Seq};
use crate::port::{AnchorAt, AnchorRow, EntryRow, Rows, StreamKind, WorkspaceRow};
use crate::ports::Ports;

/// A place that changed since something was written about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaleAnchor {
    /// The task, the card, or the number of the note.
    pub on: String,
    pub anchor: Anchor,
}

/// How many anchored things of one document are looked at, newest first. Every place is looked at once.
const EACH: usize = 2_000;
/// How many branches below one are looked at: what lies deeper was written long ago, and every one costs a look.
const DEPTH: usize = 64;

/// Gathers stale anchors, each once, in the order they are come upon.
pub(crate) struct Stale<'a> {
    rows: &'a dyn Rows,
    ws: &'a WorkspaceRow,
    code: Remembering<'a>,
    seen: HashSet<(String, AnchorAt)>,
    /// The number by which each note was met first, by that of its original.
    notes: HashMap<Seq, Seq>,
    found: Vec<StaleAnchor>,
    partial: bool,
}

impl<'a> Stale<'a> {
    pub(crate) fn new(ports: &Ports<'a>, rows: &'a dyn Rows, ws: &'a WorkspaceRow) -> Self {
        let code = Remembering { code: ports.code, seen: Mutex::default() };
        Self {
            rows,
            ws,
            code,
            seen: HashSet::new(),
            notes: HashMap::new(),
            found: Vec::new(),
            partial: false,
        }
    }

    pub(crate) fn found(self) -> Vec<StaleAnchor> {
        self.found
    }

    /// Whether something was left out because there was too much of it, or it lay too deep.
    pub(crate) fn is_partial(&self) -> bool {
        self.partial
    }

    /// The stale ones among the anchors of one thing.
    pub(crate) fn look(&mut self, on: &str, rows: &[AnchorRow]) {
        for row in rows {
            if self.seen.insert((on.to_owned(), row.at.clone())) {
                let stale = anchors::stale(&self.code, std::slice::from_ref(row));
                self.found.extend(stale.into_iter().map(|anchor| StaleAnchor { on: on.to_owned(), anchor }));
            }
        }
    }

    /// Those of a note. It is named by its number where it is shown; an original and its copies are told once.
    pub(crate) fn look_at_note(&mut self, row: &EntryRow) {
        let first = *self.notes.entry(row.original()).or_insert(row.seq);
        self.look(&first.to_string(), &row.anchors);
    }

    /// Those of everything that a branch shows: notes, cards and other nodes.
    pub(crate) fn branch(&mut self, branch: &BranchName) -> Result<(), MemoryError> {
        let (rows, ws) = (self.rows, self.ws);
        if rows.branch(ws.no, branch)?.is_none() {
            return Ok(());
        }
        let mut views: HashMap<DocName, GraphView> = HashMap::new();
        let segments = View::of(rows, ws, branch)?.segments;
        self.partial |= segments.len() > DEPTH;
        for part in segments.into_iter().take(DEPTH) {
            for stream in rows.streams(ws.no, &part.branch, StreamKind::Log)? {
                let found = rows.anchored_entries(stream.id, part.after, part.upto, EACH)?;
                self.partial |= found.len() == EACH;
                for row in found {
                    // A card's node stands for its entry, and an original for its copies.
                    if row.format.as_deref() != Some("card") {
                        self.look_at_note(&row);
                    }
                }
            }
            for stream in rows.streams(ws.no, &part.branch, StreamKind::Graph)? {
                let found = rows.anchored_nodes(stream.id, part.upto, EACH)?;
                self.partial |= found.len() == EACH;
                if !found.is_empty() && !views.contains_key(&stream.doc) {
                    views.insert(stream.doc.clone(), GraphView::of(rows, ws, branch, &stream.doc)?);
                }
                let Some(view) = views.get(&stream.doc) else { continue };
                for row in found {
                    // A nearer branch may have changed or deleted it.
                    let shown = view.live(rows, &row.key)?.is_some_and(|live| live.seq == row.seq);
                    if shown && row.body.valid_to.is_none() {
                        self.look(&row.key.text(), &row.body.anchors);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Looks at each place once.
struct Remembering<'a> {
    code: &'a dyn AnchorProbe,
    seen: Mutex<HashMap<AnchorAt, Sight>>,
}

impl AnchorProbe for Remembering<'_> {
    fn look(&self, at: &AnchorAt) -> Sight {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.entry(at.clone()).or_insert_with(|| self.code.look(at)).clone()
    }

    fn standings(&self, at: &AnchorAt, hash: &str) -> Option<Vec<Standing>> {
        self.code.standings(at, hash)
    }
}
