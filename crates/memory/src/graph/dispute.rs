//! What identifies a conflict: two branches, a key of a document, and the three versions that were compared.

use crate::ids::{BranchName, ConflictId, DocName, Seq, WorkspaceId};
use crate::port::{ConflictRow, GraphKey};

/// What two branches are at odds about.
pub(super) struct Dispute<'a> {
    pub(super) from: &'a BranchName,
    pub(super) into: &'a BranchName,
    pub(super) doc: &'a DocName,
    pub(super) key: &'a GraphKey,
    pub(super) base: Option<Seq>,
    pub(super) theirs: Seq,
    pub(super) ours: Option<Seq>,
}

impl Dispute<'_> {
    /// Stable: the same three versions give the same id.
    pub(super) fn id(&self, workspace: &WorkspaceId) -> ConflictId {
        let Self { from, into, doc, theirs, .. } = self;
        let (key, base, ours) =
            (self.key.text(), self.base.unwrap_or_default(), self.ours.unwrap_or_default());
        let name = format!("{workspace}\n{from}\n{into}\n{doc}\n{key}\n{base}\n{theirs}\n{ours}");
        ConflictId::stored(format!("CONFLICT-{}", m1nd_stdx::digest::short_name(name.as_bytes(), 16)))
    }
}

/// The id that a merge in `workspace` would give a conflict that was recorded in another.
pub(crate) fn conflict_id_in(workspace: &WorkspaceId, row: &ConflictRow) -> ConflictId {
    let base = row.base.as_ref().and_then(|base| base.get("last_seq")?.as_i64()).map(Seq);
    let (from, into, doc, key) = (&row.from, &row.into, &row.doc, &row.key);
    Dispute { from, into, doc, key, base, theirs: row.theirs_seq, ours: row.ours_seq }.id(workspace)
}
