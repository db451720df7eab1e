//! Since: what two branches did to a key after they last agreed on it.

use super::state::{identical, same};
use super::view::GraphView;
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, Seq};
use crate::port::{Base, GraphKey, MergeMarkRow, Rows, StreamKind, StreamRow, Tx, VersionRow, WorkspaceRow};

/// A branch and the branch that it was cut off, from the cut on.
pub(super) struct Since {
    into: BranchName,
    /// What `from` wrote itself.
    pub(super) stream: Option<StreamRow>,
    /// The destination as it was at the cut.
    cut: GraphView,
}

/// The version with which a branch itself began to say what one of its versions says.
pub(super) fn first_said(
    rows: &dyn Rows,
    stream: &StreamRow,
    row: &VersionRow,
) -> Result<VersionRow, MemoryError> {
    let mut first = row.clone();
    while let Some(before) = rows.version_at(stream.id, &first.key, Seq(first.seq.0 - 1))?
        && same(Some(&before), Some(&first))
    {
        first = before;
    }
    Ok(first)
}

/// How a merge or a resolution left a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    /// Both sides say what this version of `from` says.
    Agreed(Seq),
    /// Somebody decided not to take this version of `from`.
    Refused(Seq),
}

impl Since {
    pub(super) fn of(
        rows: &dyn Rows,
        ws: &WorkspaceRow,
        from: &BranchName,
        base: &Base,
        doc: &DocName,
    ) -> Result<Self, MemoryError> {
        Ok(Self {
            into: base.branch.clone(),
            stream: rows.stream(ws.no, from, doc, StreamKind::Graph)?,
            cut: GraphView::at(rows, ws, &base.branch, doc, base.seq)?,
        })
    }

    fn mark(&self, rows: &dyn Rows, key: &GraphKey) -> Result<Option<MergeMarkRow>, MemoryError> {
        match &self.stream {
            Some(stream) => Ok(rows.merge_mark(stream.id, &self.into, key)?),
            None => Ok(None),
        }
    }

    /// What both sides said when they last knew of each other: at the cut, or at the last merge or resolution after which
    /// they said the same. That they happened to say the same in between settles nothing, for neither knew of the other.
    pub(super) fn agreed(&self, rows: &dyn Rows, key: &GraphKey) -> Result<Option<VersionRow>, MemoryError> {
        if let Some(stream) = &self.stream
            && let Some(seq) = self.mark(rows, key)?.and_then(|mark| mark.agreed)
        {
            return Ok(rows.version_at(stream.id, key, seq)?);
        }
        self.cut.state(rows, key)
    }

    /// Whether a side says something else about a key than both did when they last agreed.
    pub(super) fn is_news(
        &self,
        rows: &dyn Rows,
        side: Option<&VersionRow>,
        key: &GraphKey,
    ) -> Result<bool, MemoryError> {
        Ok(!same(side, self.agreed(rows, key)?.as_ref()))
    }

    /// The same, or whether it was looked at the code again.
    pub(super) fn is_seen_anew(&self, rows: &dyn Rows, side: &VersionRow) -> Result<bool, MemoryError> {
        Ok(!identical(Some(side), self.agreed(rows, &side.key)?.as_ref()))
    }

    /// Whether somebody decided not to take what this version says; only another word is a new question.
    pub(super) fn is_refused(&self, rows: &dyn Rows, theirs: &VersionRow) -> Result<bool, MemoryError> {
        let Some(refused) = self.mark(rows, &theirs.key)?.and_then(|mark| mark.refused) else {
            return Ok(false);
        };
        Ok(refused <= theirs.seq && self.first_said(rows, theirs)?.seq <= refused)
    }

    /// The version with which `from` began to say what this one says: the same written again is no new word.
    pub(super) fn first_said(&self, rows: &dyn Rows, theirs: &VersionRow) -> Result<VersionRow, MemoryError> {
        match &self.stream {
            Some(stream) => first_said(rows, stream, theirs),
            None => Ok(theirs.clone()),
        }
    }

    /// Remembers how a key was left. Returns whether that was not known before.
    pub(super) fn leave(&self, tx: &mut dyn Tx, key: &GraphKey, left: Left) -> Result<bool, MemoryError> {
        let Some(stream) = &self.stream else {
            return Ok(false);
        };
        let before = self.mark(tx.rows(), key)?;
        let mut mark = before.clone().unwrap_or_else(|| MergeMarkRow::new(stream, &self.into, key));
        match left {
            Left::Agreed(seq) => mark.agreed = Some(seq),
            Left::Refused(seq) => mark.refused = Some(seq),
        }
        if before.as_ref() == Some(&mark) {
            return Ok(false);
        }
        tx.put_merge_mark(&mark)?;
        Ok(true)
    }

    /// The state of a key on `from`.
    pub(super) fn theirs(&self, rows: &dyn Rows, key: &GraphKey) -> Result<Option<VersionRow>, MemoryError> {
        match self.own(rows, key)? {
            Some(row) => Ok(Some(row)),
            None => self.cut.state(rows, key),
        }
    }

    /// The newest version of a key that `from` wrote itself.
    pub(super) fn own(&self, rows: &dyn Rows, key: &GraphKey) -> Result<Option<VersionRow>, MemoryError> {
        match &self.stream {
            Some(stream) => Ok(rows.version_at(stream.id, key, Seq::TIP)?),
            None => Ok(None),
        }
    }

    /// The number of what a conflict is about on the destination's side: of the version that first said what it says.
    /// Deleting a node takes its edges along, so there the newest that the destination worked on counts, too: one that
    /// comes later makes another question of it.
    pub(super) fn stands_at(
        &self,
        rows: &dyn Rows,
        view: &GraphView,
        ours: Option<&VersionRow>,
        theirs: &VersionRow,
    ) -> Result<Option<Seq>, MemoryError> {
        let first = |row: &VersionRow| Ok(view.first_said(rows, row)?.seq);
        self.newest(rows, view, ours, theirs, &first)
    }

    /// The same by the versions that were written last, though they say nothing new.
    pub(super) fn last_written(
        &self,
        rows: &dyn Rows,
        view: &GraphView,
        ours: Option<&VersionRow>,
        theirs: &VersionRow,
    ) -> Result<Option<Seq>, MemoryError> {
        self.newest(rows, view, ours, theirs, &|row| Ok(row.seq))
    }

    fn newest(
        &self,
        rows: &dyn Rows,
        view: &GraphView,
        ours: Option<&VersionRow>,
        theirs: &VersionRow,
        number: &dyn Fn(&VersionRow) -> Result<Seq, MemoryError>,
    ) -> Result<Option<Seq>, MemoryError> {
        let mut newest = ours.map(number).transpose()?;
        if let GraphKey::Node(id) = &theirs.key
            && theirs.deleted
        {
            for edge in view.edges_around(rows, id)? {
                if self.is_news(rows, Some(&edge), &edge.key)? {
                    newest = newest.max(Some(number(&edge)?));
                }
            }
        }
        Ok(newest)
    }
}
