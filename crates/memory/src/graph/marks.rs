//! Merge marks for what was merged before there were any.

use super::resolve::{AGREED, Resolution};
use super::since::first_said;
use crate::error::MemoryError;
use crate::ids::{BranchName, Seq};
use crate::port::{ConflictStatus, GraphKey, MergeMarkRow, Rows, StreamKind, StreamRow, Tx, WsNo};

/// Versions read at a time.
const BATCH: usize = 1_000;

/// Marks what merges and resolutions of every workspace have left, as far as their traces tell.
pub fn derive_marks(tx: &mut dyn Tx) -> Result<(), MemoryError> {
    for ws in tx.workspaces()? {
        derive_marks_of(tx, ws.no)?;
    }
    Ok(())
}

/// The same for one workspace.
pub(crate) fn derive_marks_of(tx: &mut dyn Tx, ws: WsNo) -> Result<(), MemoryError> {
    let mut after = Seq::ZERO;
    loop {
        let batch = tx.all_versions(ws, after, BATCH)?;
        let Some(last) = batch.last() else { break };
        after = last.seq;
        for row in batch {
            let Some(origin) = &row.origin else { continue };
            let Some(stream) = tx.stream(ws, &origin.branch, &row.doc, StreamKind::Graph)? else { continue };
            if !is_base(tx.rows(), ws, &origin.branch, &row.branch)? {
                continue;
            }
            // An edge that went with its node has the node's number; then it was what the branch said at the time.
            let copied = tx.version_at(stream.id, &row.key, origin.seq)?.filter(|own| own.seq == origin.seq);
            let own = match copied {
                Some(own) => Some(own),
                None => tx.version_at(stream.id, &row.key, row.seq)?,
            };
            if let Some(own) = own {
                let mark = mark_of(tx.rows(), &stream, &row.branch, &row.key)?;
                tx.put_merge_mark(&MergeMarkRow { agreed: Some(own.seq), ..mark })?;
            }
        }
    }
    for row in tx.all_conflicts(ws)? {
        let kept = [Resolution::UseInto.as_str(), AGREED];
        let settled = row.resolution.as_deref().is_some_and(|how| kept.contains(&how));
        if row.status == ConflictStatus::Resolved
            && settled
            && let Some(stream) = tx.stream(ws, &row.from, &row.doc, StreamKind::Graph)?
            // Of what the branch no longer says nobody asks any more.
            && let Some(own) = tx.version_at(stream.id, &row.key, Seq::TIP)?
            && first_said(tx.rows(), &stream, &own)?.seq <= row.theirs_seq
        {
            let mark = mark_of(tx.rows(), &stream, &row.into, &row.key)?;
            tx.put_merge_mark(&MergeMarkRow { refused: Some(row.theirs_seq), ..mark })?;
        }
    }
    Ok(())
}

fn is_base(rows: &dyn Rows, ws: WsNo, branch: &BranchName, base: &BranchName) -> Result<bool, MemoryError> {
    let row = rows.branch(ws, branch)?;
    Ok(row.and_then(|row| row.base).is_some_and(|own| own.branch == *base))
}

/// The mark over a key, or one that says nothing yet.
fn mark_of(
    rows: &dyn Rows,
    stream: &StreamRow,
    into: &BranchName,
    key: &GraphKey,
) -> Result<MergeMarkRow, MemoryError> {
    let known = rows.merge_mark(stream.id, into, key)?;
    Ok(known.unwrap_or_else(|| MergeMarkRow::new(stream, into, key)))
}
