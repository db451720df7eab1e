//! The latest version of every key that a branch shows.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::state::same;
use crate::branch::{Part, View};
use crate::error::{MemoryError, StoreError};
use crate::ids::{BranchName, DocName, GraphNodeId, Seq};
use crate::port::{End, GraphKey, KeyKind, Order, Rows, StreamKind, VersionRow, VersionScan, WorkspaceRow};

/// A graph document as a branch shows it: per key, the newest version of the nearest part that has one.
#[derive(Clone, Debug)]
pub(crate) struct GraphView {
    parts: Vec<Part>,
}

impl GraphView {
    pub(crate) fn of(
        rows: &dyn Rows,
        ws: &WorkspaceRow,
        branch: &BranchName,
        doc: &DocName,
    ) -> Result<Self, MemoryError> {
        Self::at(rows, ws, branch, doc, Seq::TIP)
    }

    /// The document as the branch showed it when `cutoff` was the newest number.
    pub(crate) fn at(
        rows: &dyn Rows,
        ws: &WorkspaceRow,
        branch: &BranchName,
        doc: &DocName,
        cutoff: Seq,
    ) -> Result<Self, MemoryError> {
        let view = View::at(rows, ws, branch, cutoff)?;
        Ok(Self { parts: view.parts(rows, ws, doc, StreamKind::Graph)? })
    }

    /// The version of a key that is in force, tombstones too.
    pub(crate) fn state(&self, rows: &dyn Rows, key: &GraphKey) -> Result<Option<VersionRow>, MemoryError> {
        for part in &self.parts {
            if let Some(row) = rows.version_at(part.stream.id, key, part.upto)? {
                return Ok(Some(row));
            }
        }
        Ok(None)
    }

    /// The version of a key that is in force, if it is not deleted.
    pub(crate) fn live(&self, rows: &dyn Rows, key: &GraphKey) -> Result<Option<VersionRow>, MemoryError> {
        Ok(self.state(rows, key)?.filter(|row| !row.deleted))
    }

    /// The version with which this view began to say what a version of it says: the same written again is no new word.
    pub(super) fn first_said(&self, rows: &dyn Rows, row: &VersionRow) -> Result<VersionRow, MemoryError> {
        let mut first = row.clone();
        while let Some(before) = self.before(rows, &first)?.filter(|before| same(Some(before), Some(&first)))
        {
            first = before;
        }
        Ok(first)
    }

    /// The version that was in force before this one.
    fn before(&self, rows: &dyn Rows, row: &VersionRow) -> Result<Option<VersionRow>, MemoryError> {
        for part in &self.parts {
            let upto = part.upto.min(Seq(row.seq.0 - 1));
            if let Some(before) = rows.version_at(part.stream.id, &row.key, upto)? {
                return Ok(Some(before));
            }
        }
        Ok(None)
    }

    /// Every version in force with `seq < before`, newest first, tombstones too.
    pub(crate) fn scan(
        &self,
        rows: &dyn Rows,
        kind: Option<KeyKind>,
        before: Seq,
        each: &mut dyn FnMut(VersionRow) -> ControlFlow<()>,
    ) -> Result<(), MemoryError> {
        self.scan_narrow(rows, kind, Narrow::default(), before, each)
    }

    /// The same for those that a store can tell from the others.
    pub(crate) fn scan_narrow(
        &self,
        rows: &dyn Rows,
        kind: Option<KeyKind>,
        narrow: Narrow<'_>,
        before: Seq,
        each: &mut dyn FnMut(VersionRow) -> ControlFlow<()>,
    ) -> Result<(), MemoryError> {
        let mut failed: Option<StoreError> = None;
        for (at, part) in self.parts.iter().enumerate() {
            let upto = part.upto.min(Seq(before.0.saturating_sub(1)));
            if upto <= part.after {
                continue;
            }
            let mut done = false;
            let scan = VersionScan {
                stream: part.stream.id,
                as_of: part.upto,
                after: part.after,
                upto,
                kind,
                type_: narrow.type_,
                text: narrow.text,
                order: Order::NewestFirst,
            };
            rows.versions(&scan, &mut |row| {
                for nearer in &self.parts[..at] {
                    match rows.version_at(nearer.stream.id, &row.key, nearer.upto) {
                        Ok(Some(_)) => return ControlFlow::Continue(()),
                        Ok(None) => {}
                        Err(err) => {
                            failed = Some(err);
                            return ControlFlow::Break(());
                        }
                    }
                }
                let flow = each(row);
                done = flow.is_break();
                flow
            })?;
            if let Some(err) = failed {
                return Err(err.into());
            }
            if done {
                break;
            }
        }
        Ok(())
    }

    /// The texts of all live keys of a kind, newest first. Reads no bodies, and no key twice: meant for going through
    /// everything.
    pub(crate) fn keys(
        &self,
        rows: &dyn Rows,
        kind: KeyKind,
        each: &mut dyn FnMut(&str),
    ) -> Result<(), MemoryError> {
        let mut nearer: HashSet<String> = HashSet::new();
        for (at, part) in self.parts.iter().enumerate() {
            let scan = VersionScan {
                stream: part.stream.id,
                as_of: part.upto,
                after: part.after,
                upto: part.upto,
                kind: Some(kind),
                type_: None,
                text: None,
                order: Order::NewestFirst,
            };
            let last = at + 1 == self.parts.len();
            rows.keys(&scan, &mut |key, deleted| {
                let hidden = if last { nearer.contains(key) } else { !nearer.insert(key.to_owned()) };
                if !hidden && !deleted {
                    each(key);
                }
                ControlFlow::Continue(())
            })?;
        }
        Ok(())
    }

    /// The live edges at one end of a node, newest first.
    pub(crate) fn edges(
        &self,
        rows: &dyn Rows,
        node: &GraphNodeId,
        end: End,
    ) -> Result<Vec<VersionRow>, MemoryError> {
        let mut out = self.edge_states(rows, node, end)?;
        out.retain(|row| !row.deleted);
        Ok(out)
    }

    /// The edges at one end of a node and the tombstones of those that were there, newest first.
    pub(crate) fn edge_states(
        &self,
        rows: &dyn Rows,
        node: &GraphNodeId,
        end: End,
    ) -> Result<Vec<VersionRow>, MemoryError> {
        let mut seen: HashSet<GraphKey> = HashSet::new();
        let mut out = Vec::new();
        for part in &self.parts {
            let mut found = rows.edges_at(part.stream.id, node, end, part.upto)?;
            found.reverse();
            for row in found {
                if seen.insert(row.key.clone()) {
                    out.push(row);
                }
            }
        }
        Ok(out)
    }

    /// The live edges at a node, each once.
    pub(crate) fn edges_around(
        &self,
        rows: &dyn Rows,
        node: &GraphNodeId,
    ) -> Result<Vec<VersionRow>, MemoryError> {
        let mut out = self.edges(rows, node, End::From)?;
        for row in self.edges(rows, node, End::To)? {
            let loops = matches!(&row.key, GraphKey::Edge { from, to, .. } if from == to);
            if !loops {
                out.push(row);
            }
        }
        out.sort_by_key(|row| row.seq);
        Ok(out)
    }

    /// Ids of live nodes, newest first, for finding the one that a mistyped id meant.
    pub(crate) fn nearest(&self, rows: &dyn Rows, wanted: &str) -> Result<Vec<String>, MemoryError> {
        self.nearest_of(rows, wanted, |_| true)
    }

    /// The same among cards.
    pub(crate) fn nearest_card(&self, rows: &dyn Rows, wanted: &str) -> Result<Vec<String>, MemoryError> {
        self.nearest_of(rows, wanted, |row| crate::think::is_card_type(&row.body.type_))
    }

    fn nearest_of(
        &self,
        rows: &dyn Rows,
        wanted: &str,
        counts: impl Fn(&VersionRow) -> bool,
    ) -> Result<Vec<String>, MemoryError> {
        let mut known = Vec::new();
        self.scan(rows, Some(KeyKind::Node), Seq::END, &mut |row| {
            if !row.deleted && counts(&row) {
                known.push(row.key.text());
            }
            if known.len() < NEAREST_AMONG { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        Ok(crate::text::nearest(wanted, &known))
    }
}

/// What a scan leaves to the store.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Narrow<'a> {
    pub(crate) type_: Option<&'a str>,
    /// Lower case.
    pub(crate) text: Option<&'a str>,
}

/// The newest so many nodes are compared with a mistyped id.
const NEAREST_AMONG: usize = 500;
