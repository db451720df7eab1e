//! Since: what two branches did to a key after one was cut off the other.

use super::state::same;
use super::view::GraphView;
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, Seq};
use crate::port::{Base, GraphKey, Rows, StreamKind, StreamRow, VersionRow, WorkspaceRow};

/// A branch and the branch that it was cut off, from the cut on.
pub(super) struct Since {
    /// What `from` wrote itself.
    pub(super) stream: Option<StreamRow>,
    /// The number at which it was cut off.
    cut: Seq,
    /// The destination as it was then.
    pub(super) base: GraphView,
}

/// Which sides changed a key since they last said the same about it.
pub(super) struct Moved {
    pub(super) ours: bool,
    pub(super) theirs: bool,
}

impl Since {
    pub(super) fn of(
        rows: &dyn Rows,
        ws: &WorkspaceRow,
        from: &BranchName,
        base: &Base,
        doc: &DocName,
    ) -> Result<Self, MemoryError> {
        let stream = rows.stream(ws.no, from, doc, StreamKind::Graph)?;
        let view = GraphView::at(rows, ws, &base.branch, doc, base.seq)?;
        Ok(Self { stream, cut: base.seq, base: view })
    }

    /// What happened to a key since both sides last said the same: at the cut, after an earlier merge, or because they
    /// came to the same by themselves. What was agreed on once is not disputed again.
    pub(super) fn moved(
        &self,
        rows: &dyn Rows,
        ours: Option<&VersionRow>,
        theirs: Option<&VersionRow>,
        key: &GraphKey,
    ) -> Result<Moved, MemoryError> {
        let (mut a, mut b) = (ours.cloned(), theirs.cloned());
        while !same(a.as_ref(), b.as_ref()) {
            let own =
                |row: &Option<VersionRow>| row.as_ref().map(|row| row.seq).filter(|seq| *seq > self.cut);
            match (own(&a), own(&b)) {
                (None, None) => break,
                (seq_a, seq_b) if seq_a > seq_b => a = self.before(rows, a, key)?,
                _ => b = self.before(rows, b, key)?,
            }
        }
        Ok(Moved { ours: !same(ours, a.as_ref()), theirs: !same(theirs, a.as_ref()) })
    }

    /// The state of a key before this version, at most back to the cut.
    fn before(
        &self,
        rows: &dyn Rows,
        row: Option<VersionRow>,
        key: &GraphKey,
    ) -> Result<Option<VersionRow>, MemoryError> {
        let older = match row {
            Some(row) => rows.version_at(row.stream, key, Seq(row.seq.0 - 1))?,
            None => None,
        };
        match older.filter(|row| row.seq > self.cut) {
            Some(row) => Ok(Some(row)),
            None => self.base.state(rows, key),
        }
    }

    /// The state of a key on `from`.
    pub(super) fn theirs(&self, rows: &dyn Rows, key: &GraphKey) -> Result<Option<VersionRow>, MemoryError> {
        let own = match &self.stream {
            Some(stream) => rows.version_at(stream.id, key, Seq::TIP)?,
            None => None,
        };
        match own {
            Some(row) => Ok(Some(row)),
            None => self.base.state(rows, key),
        }
    }

    /// The number of what a conflict is about on the destination's side. Deleting a node takes its edges along, so there the
    /// newest that the destination worked on counts, too: one that comes later makes another question of it.
    pub(super) fn stands_at(
        &self,
        rows: &dyn Rows,
        view: &GraphView,
        ours: Option<&VersionRow>,
        theirs: &VersionRow,
    ) -> Result<Option<Seq>, MemoryError> {
        let mut newest = ours.map(|row| row.seq);
        if let GraphKey::Node(id) = &theirs.key
            && theirs.deleted
        {
            for edge in view.edges_around(rows, id)? {
                let there = self.theirs(rows, &edge.key)?;
                if self.moved(rows, Some(&edge), there.as_ref(), &edge.key)?.ours {
                    newest = newest.max(Some(edge.seq));
                }
            }
        }
        Ok(newest)
    }
}
