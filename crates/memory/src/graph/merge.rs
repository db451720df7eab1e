//! Merging the graph of a branch back into the branch it was cut off.

use std::collections::{BTreeMap, HashMap};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::apply::delete_node;
use super::dispute::Dispute;
use super::place;
use super::resolve::{AGREED, WITHDRAWN, close, superseded_by};
use super::since::{Left, Since};
use super::state::{identical, object, same};
use super::supersede;
use super::view::GraphView;
use crate::branch::existing;
use crate::error::MemoryError;
use crate::ids::{BranchName, ConflictId, DocName, GraphNodeId, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{
    ConflictRow, ConflictStatus, End, GraphKey, KeyKind, Order, Origin, Rows, StreamKind, StreamRow,
    VersionRow, VersionScan,
};
use crate::ports::Ports;
use crate::target::Place;
use crate::writer::{NewVersion, Once, Outcome, Writer, write};

const LIMIT: usize = 200;

/// Nodes are merged before edges, so that no edge comes before its node. Cursors of edges start here; below
/// it lie those of nodes. Numbers stay exact in every JSON reader.
const EDGES_FROM: i64 = 1 << 52;

/// Merges what `from` changed since it was cut off `into`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphMergeRequest {
    /// The workspace.
    pub workspace: String,
    /// A branch that was cut off `into`.
    pub from: String,
    /// Its base.
    pub into: String,
    /// The graph document; the only one of `from` if none is given.
    #[serde(default)]
    pub doc: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most keys to look at (200, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Only tell what would happen.
    #[serde(default)]
    pub dry_run: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphMergeOutput {
    pub from: BranchName,
    pub into: BranchName,
    pub doc: DocName,
    /// Keys written to the destination, or that would be; edges that go with a deleted node too, on the node's page.
    pub merged: usize,
    /// Keys of which the branch says nothing new, that say the same on both sides, or whose conflict is open already (of an
    /// edge: that of its node).
    pub skipped: usize,
    /// New conflicts, or those that there would be.
    pub conflicts_created: usize,
    /// Their ids; after a rehearsal nothing is kept under them yet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflict_ids: Vec<ConflictId>,
    /// Conflicts that an earlier merge found and nobody has settled.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub still_open: Vec<ConflictId>,
    /// Whether this was a rehearsal: nothing was written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    pub pagination: Pagination,
}

pub fn merge(ports: &Ports<'_>, request: &GraphMergeRequest) -> Result<GraphMergeOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, LIMIT, LIMIT)?;
    let cursor = page::cursor(request.cursor, 0)?;
    let dry_run = request.dry_run == Some(true);
    write(ports, &workspace, &Once::plain("graph_merge"), |w| {
        let from = existing(w.tx.rows(), &w.ws, &request.from)?;
        let into = existing(w.tx.rows(), &w.ws, &request.into)?.name;
        let Some(base) = from.base.clone().filter(|base| base.branch == into) else {
            let base = from.base.map(|base| base.branch);
            return Err(MemoryError::NotMergeBack { from: from.name, into, base });
        };
        let doc = place::doc(w.tx.rows(), &w.ws, request.doc.as_deref(), &[&from.name])?;
        let stream = w.tx.stream(w.ws.no, &from.name, &doc, StreamKind::Graph)?;
        let (found, more) = match &stream {
            Some(stream) => changed(w.tx.rows(), stream, cursor, limit)?,
            None => (Vec::new(), false),
        };
        let since = Since::of(w.tx.rows(), &w.ws, &from.name, &base, &doc)?;
        let place = Place { branch: into.clone(), doc: doc.clone() };
        let mut run = Run {
            w,
            ports,
            from: from.name.clone(),
            since,
            place,
            merged: 0,
            skipped: 0,
            marked: false,
            ended: HashMap::new(),
            new: Vec::new(),
            newer: HashMap::new(),
            open: Vec::new(),
        };
        if dry_run && let Some(stream) = &stream {
            run.rehearse_until(stream, cursor)?;
        }
        let count = found.len();
        let next = found.last().filter(|_| more).map(cursor_of);
        for theirs in found {
            run.settle(theirs)?;
        }
        // What both sides have come to agree on is no conflict any more, and one over newer versions takes the
        // place of one over older.
        let (newer, ended) = (std::mem::take(&mut run.newer), std::mem::take(&mut run.ended));
        let why = |row: &ConflictRow| match newer.get(&row.key) {
            Some(id) => (*id != row.id).then(|| superseded_by(id)),
            None => ended.get(&row.key).map(|how| (*how).to_owned()),
        };
        let closed = close(run.w, &run.place, &run.from, Seq::END, why)?;
        let (merged, skipped, marked) = (run.merged, run.skipped, run.marked);
        let (conflict_ids, still_open) = (run.new, run.open);
        let out = GraphMergeOutput {
            from: from.name,
            into,
            doc,
            merged,
            skipped,
            conflicts_created: conflict_ids.len(),
            conflict_ids,
            still_open,
            dry_run,
            pagination: Pagination::new(cursor, limit, count, next),
        };
        let wrote = merged > 0 || marked || out.conflicts_created > 0 || closed > 0;
        Ok(if wrote && !dry_run { Outcome::Keep(out) } else { Outcome::Discard(out) })
    })
}

/// The keys that a branch changed itself, nodes first, oldest first; and whether there are more.
fn changed(
    rows: &dyn Rows,
    stream: &StreamRow,
    cursor: i64,
    limit: usize,
) -> Result<(Vec<VersionRow>, bool), MemoryError> {
    let mut out = Vec::new();
    for (kind, offset) in [(KeyKind::Node, 0), (KeyKind::Edge, EDGES_FROM)] {
        if kind == KeyKind::Node && cursor >= EDGES_FROM {
            continue;
        }
        let scan = VersionScan {
            stream: stream.id,
            as_of: Seq::TIP,
            after: Seq((cursor - offset).max(0)),
            upto: Seq::TIP,
            kind: Some(kind),
            type_: None,
            text: None,
            order: Order::OldestFirst,
        };
        rows.versions(&scan, &mut |row| {
            out.push(row);
            if out.len() > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if out.len() > limit {
            break;
        }
    }
    let more = out.len() > limit;
    out.truncate(limit);
    Ok((out, more))
}

fn cursor_of(row: &VersionRow) -> i64 {
    match row.key.kind() {
        KeyKind::Node => row.seq.0,
        KeyKind::Edge => row.seq.0 + EDGES_FROM,
    }
}

/// Remembers that edges which went with a node are gone on both sides. Returns whether that was not known before.
pub(super) fn leave_gone(
    w: &mut Writer<'_>,
    since: &Since,
    edges: &[VersionRow],
) -> Result<bool, MemoryError> {
    let mut marked = false;
    for edge in edges {
        if let Some(gone) = since.own(w.tx.rows(), &edge.key)?.filter(|own| own.deleted) {
            marked |= since.leave(w.tx, &edge.key, Left::Agreed(gone.seq))?;
        }
    }
    Ok(marked)
}

enum Plan {
    /// `from` has said nothing new since both agreed, or since it was settled; or it is the node that is disputed.
    Nothing,
    /// Both came to say the same.
    Agreed,
    /// Only `from` changed it.
    Take,
    /// Both changed it, or taking it would leave an edge without its node, or two cards in each other's place.
    Clash,
}

struct Run<'r, 't> {
    w: &'r mut Writer<'t>,
    ports: &'r Ports<'r>,
    from: BranchName,
    /// What happened since `from` was cut off.
    since: Since,
    place: Place,
    merged: usize,
    skipped: usize,
    /// Whether anything was agreed on that was not before.
    marked: bool,
    /// Keys of which nothing is disputed any more, and how that came.
    ended: HashMap<GraphKey, &'static str>,
    new: Vec<ConflictId>,
    /// The new conflict over a key.
    newer: HashMap<GraphKey, ConflictId>,
    /// Conflicts that were known before and are open.
    open: Vec<ConflictId>,
}

impl Run<'_, '_> {
    fn ours(&self) -> Result<GraphView, MemoryError> {
        super::apply::live(self.w, &self.place)
    }

    fn leave(&mut self, key: &GraphKey, left: Left) -> Result<(), MemoryError> {
        self.marked |= self.since.leave(self.w.tx, key, left)?;
        Ok(())
    }

    /// Does with one key what its plan says, and counts it.
    fn settle(&mut self, theirs: VersionRow) -> Result<(), MemoryError> {
        let along = self.edges_along(&theirs)?;
        let one = usize::from(!self.is_counted_with_node(&theirs)?);
        let key = theirs.key.clone();
        self.settle_as(theirs, one)?;
        if !along.is_empty() && self.ours()?.live(self.w.tx.rows(), &key)?.is_none() {
            let written = along.iter().filter(|was_there| **was_there).count();
            self.merged += written;
            self.skipped += along.len() - written;
        }
        Ok(())
    }

    /// Edges that `from` deleted, at a node that it deleted, and whether the destination has each. Where the node goes they
    /// go with it, and are counted with it: later, on whichever page, nobody can tell any more who deleted them.
    fn edges_along(&self, theirs: &VersionRow) -> Result<Vec<bool>, MemoryError> {
        let (GraphKey::Node(id), Some(stream)) = (&theirs.key, &self.since.stream) else {
            return Ok(Vec::new());
        };
        if !theirs.deleted {
            return Ok(Vec::new());
        }
        let (rows, ours) = (self.w.tx.rows(), self.ours()?);
        let mut along: BTreeMap<String, bool> = BTreeMap::new();
        for end in [End::From, End::To] {
            let edges = rows.edges_at(stream.id, id, end, Seq::TIP)?;
            for edge in edges.into_iter().filter(|edge| edge.deleted) {
                // With the first of two nodes that are gone.
                let is_counted = match self.node_of(&ours, &edge)? {
                    Some(node) => node.seq < theirs.seq,
                    None => false,
                };
                if !is_counted {
                    along.insert(edge.key.text(), ours.live(rows, &edge.key)?.is_some());
                }
            }
        }
        Ok(along.into_values().collect())
    }

    /// Whether a deleted edge was counted when its node was met.
    fn is_counted_with_node(&self, theirs: &VersionRow) -> Result<bool, MemoryError> {
        Ok(theirs.deleted && self.node_of(&self.ours()?, theirs)?.is_some())
    }

    /// The first node of an edge that `from` deleted and that the destination does not have.
    fn node_of(&self, ours: &GraphView, edge: &VersionRow) -> Result<Option<VersionRow>, MemoryError> {
        let rows = self.w.tx.rows();
        let GraphKey::Edge { from, to, .. } = &edge.key else { return Ok(None) };
        let mut first: Option<VersionRow> = None;
        for end in [from, to] {
            let key = GraphKey::Node(end.clone());
            if let Some(node) = self.since.own(rows, &key)?.filter(|node| node.deleted)
                && ours.live(rows, &key)?.is_none()
                && first.as_ref().is_none_or(|first| node.seq < first.seq)
            {
                first = Some(node);
            }
        }
        Ok(first)
    }

    /// Does with one key what its plan says. `one` is what it counts for where nothing is written.
    fn settle_as(&mut self, theirs: VersionRow, one: usize) -> Result<(), MemoryError> {
        let mut how = AGREED;
        match self.plan(&theirs)? {
            Plan::Nothing => {
                self.skipped += one;
                let current = self.ours()?.state(self.w.tx.rows(), &theirs.key)?;
                let is_news = self.since.is_news(self.w.tx.rows(), Some(&theirs), &theirs.key)?;
                if !is_news && !same(current.as_ref(), Some(&theirs)) {
                    how = WITHDRAWN;
                }
            }
            Plan::Agreed => {
                self.skipped += one;
                self.leave(&theirs.key, Left::Agreed(theirs.seq))?;
            }
            Plan::Take => self.take(&theirs)?,
            Plan::Clash => {
                if !self.record(&theirs)? {
                    self.skipped += one;
                }
                return Ok(());
            }
        }
        self.ended.insert(theirs.key, how);
        Ok(())
    }

    /// Plays the pages up to a cursor: a rehearsal keeps nothing, and what comes after depends on what they did.
    fn rehearse_until(&mut self, stream: &StreamRow, cursor: i64) -> Result<(), MemoryError> {
        let mut at = 0;
        while at < cursor {
            let (mut found, more) = changed(self.w.tx.rows(), stream, at, LIMIT)?;
            let Some(last) = found.last().map(cursor_of) else { break };
            found.retain(|row| cursor_of(row) <= cursor);
            for theirs in found {
                self.settle(theirs)?;
            }
            at = if more { last } else { cursor };
        }
        (self.merged, self.skipped) = (0, 0);
        self.new.clear();
        self.open.clear();
        Ok(())
    }

    fn plan(&self, theirs: &VersionRow) -> Result<Plan, MemoryError> {
        let rows = self.w.tx.rows();
        if !self.since.is_seen_anew(rows, theirs)? {
            return Ok(Plan::Nothing);
        }
        let ours = self.ours()?;
        let current = ours.state(rows, &theirs.key)?;
        if identical(current.as_ref(), Some(theirs)) {
            return Ok(Plan::Agreed);
        }
        // Whatever the destination did since: only a new word of `from` is a new question.
        if self.since.is_refused(rows, theirs)? {
            return Ok(Plan::Nothing);
        }
        if self.went_with_node(&ours, theirs)? {
            return Ok(Plan::Nothing);
        }
        // Who looked at the code last knows what it holds; that is nothing to argue about.
        if let Some(current) = current.as_ref().filter(|current| same(Some(*current), Some(theirs))) {
            let is_older = current.seq < theirs.seq || !self.since.is_seen_anew(rows, current)?;
            return Ok(if is_older { Plan::Take } else { Plan::Agreed });
        }
        if !self.since.is_news(rows, Some(theirs), &theirs.key)? {
            return Ok(Plan::Nothing);
        }
        if self.since.is_news(rows, current.as_ref(), &theirs.key)?
            || self.leaves_hole(&ours, theirs)?
            || !theirs.deleted && !supersede::circle(rows, &ours, &theirs.key)?.is_empty()
        {
            return Ok(Plan::Clash);
        }
        Ok(Plan::Take)
    }

    /// Whether an edge is gone on `from` only because its node is, and the destination has the node: whoever decides over
    /// the node decides over the edge, and until then both stay.
    fn went_with_node(&self, ours: &GraphView, theirs: &VersionRow) -> Result<bool, MemoryError> {
        let rows = self.w.tx.rows();
        let GraphKey::Edge { from, to, .. } = &theirs.key else { return Ok(false) };
        if !theirs.deleted {
            return Ok(false);
        }
        let gone = self.since.first_said(rows, theirs)?.seq;
        for end in [from, to] {
            let key = GraphKey::Node(end.clone());
            if let Some(node) = self.since.own(rows, &key)?.filter(|node| node.deleted)
                && self.since.first_said(rows, &node)?.seq < gone
                && ours.live(rows, &key)?.is_some()
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn leaves_hole(&self, ours: &GraphView, theirs: &VersionRow) -> Result<bool, MemoryError> {
        let rows = self.w.tx.rows();
        match &theirs.key {
            GraphKey::Node(id) if theirs.deleted => {
                for edge in ours.edges_around(rows, id)? {
                    // The edge goes with the node unless the destination has put work into it, or somebody
                    // decided to keep it.
                    let kept = match self.since.theirs(rows, &edge.key)? {
                        Some(theirs) => self.since.is_refused(rows, &theirs)?,
                        None => false,
                    };
                    if kept || self.since.is_news(rows, Some(&edge), &edge.key)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            GraphKey::Edge { from, to, .. } if !theirs.deleted => {
                for end in [from, to] {
                    if ours.live(rows, &GraphKey::Node(end.clone()))?.is_none()
                        && self.pending(end)?.is_none()
                    {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            GraphKey::Node(_) | GraphKey::Edge { .. } => Ok(false),
        }
    }

    /// The version of a node that this merge would bring, when an edge is met before its node: in a
    /// rehearsal, or when a caller starts in the middle.
    fn pending(&self, id: &GraphNodeId) -> Result<Option<VersionRow>, MemoryError> {
        let (rows, key) = (self.w.tx.rows(), GraphKey::Node(id.clone()));
        let Some(theirs) = self.since.own(rows, &key)?.filter(|row| !row.deleted) else {
            return Ok(None);
        };
        Ok(matches!(self.plan(&theirs)?, Plan::Take).then_some(theirs))
    }

    fn take(&mut self, theirs: &VersionRow) -> Result<(), MemoryError> {
        let state = NewVersion {
            deleted: theirs.deleted,
            body: theirs.body.clone(),
            origin: Some(Origin { branch: self.from.clone(), seq: theirs.seq }),
        };
        match &theirs.key {
            GraphKey::Node(id) if theirs.deleted => {
                let edges = delete_node(self.w, &self.place, id, state)?;
                self.marked |= leave_gone(self.w, &self.since, &edges)?;
            }
            GraphKey::Edge { from, to, .. } if !theirs.deleted => {
                for end in [from, to] {
                    let key = GraphKey::Node(end.clone());
                    if self.ours()?.live(self.w.tx.rows(), &key)?.is_none()
                        && let Some(node) = self.pending(end)?
                    {
                        self.take(&node)?;
                    }
                }
                supersede::put(self.w, &self.place, &theirs.key, state)?;
            }
            GraphKey::Node(_) | GraphKey::Edge { .. } => {
                supersede::put(self.w, &self.place, &theirs.key, state)?;
            }
        }
        self.leave(&theirs.key, Left::Agreed(theirs.seq))?;
        self.merged += 1;
        Ok(())
    }

    /// Writes the conflict down. Returns false if it is known and open already.
    fn record(&mut self, theirs: &VersionRow) -> Result<bool, MemoryError> {
        let rows = self.w.tx.rows();
        let view = self.ours()?;
        // What a side said again is what it said before, or it would be another conflict every time.
        let theirs = &self.since.first_said(rows, theirs)?;
        let base = self.since.agreed(rows, &theirs.key)?;
        let ours = view.state(rows, &theirs.key)?;
        let ours_seq = self.since.stands_at(rows, &view, ours.as_ref(), theirs)?;
        let id = self.conflict_id(base.as_ref(), theirs, ours_seq);
        if let Some(known) = self.w.tx.conflict(self.w.ws.no, &id)? {
            if known.status == ConflictStatus::Open {
                self.open.push(id);
                return Ok(false);
            }
            // Nobody settled it: another one took its place, and what made that one is gone again.
            let (status, resolution, resolved) = (ConflictStatus::Open, None, None);
            self.w.tx.put_conflict(&ConflictRow { status, resolution, resolved, ..known })?;
            self.newer.insert(theirs.key.clone(), id.clone());
            self.new.push(id);
            return Ok(true);
        }
        let show = |row: &VersionRow| object(row, self.ports.code);
        let row = ConflictRow {
            ws: self.w.ws.no,
            id: id.clone(),
            seq: self.w.tick(),
            doc: self.place.doc.clone(),
            from: self.from.clone(),
            into: self.place.branch.clone(),
            key: theirs.key.clone(),
            base: base.as_ref().map(show),
            theirs: Some(show(theirs)),
            ours: ours.as_ref().map(show),
            theirs_seq: theirs.seq,
            ours_seq,
            status: ConflictStatus::Open,
            resolution: None,
            created: self.w.now,
            resolved: None,
        };
        self.w.tx.put_conflict(&row)?;
        self.newer.insert(row.key, id.clone());
        self.new.push(id);
        Ok(true)
    }

    fn conflict_id(&self, base: Option<&VersionRow>, theirs: &VersionRow, ours: Option<Seq>) -> ConflictId {
        let seq = |row: &VersionRow| row.seq;
        Dispute {
            from: &self.from,
            into: &self.place.branch,
            doc: &self.place.doc,
            key: &theirs.key,
            base: base.map(seq),
            theirs: theirs.seq,
            ours,
        }
        .id(&self.w.ws.name)
    }
}
