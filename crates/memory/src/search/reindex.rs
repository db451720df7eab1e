//! Making everything findable anew, after the way of finding changed.

use crate::error::MemoryError;
use crate::ids::Seq;
use crate::port::{EntryRow, Tx};
use crate::tasks::index_entities;
use crate::writer::{index_card, index_note, is_found_by_itself};

/// Rows read at a time.
const BATCH: usize = 1_000;

/// Indexes the notes, cards, plans and tasks of every workspace. What is indexed already is replaced.
pub fn reindex(tx: &mut dyn Tx) -> Result<(), MemoryError> {
    for ws in tx.workspaces()? {
        let mut after = Seq::ZERO;
        loop {
            let batch = tx.all_entries(ws.no, after, BATCH)?;
            let Some(last) = batch.last() else { break };
            after = last.seq;
            let own = |row: &&EntryRow| is_found_by_itself(row);
            batch.iter().filter(own).try_for_each(|row| index_note(tx, row))?;
        }
        let mut after = Seq::ZERO;
        loop {
            let batch = tx.all_versions(ws.no, after, BATCH)?;
            let Some(last) = batch.last() else { break };
            after = last.seq;
            batch.iter().try_for_each(|row| index_card(tx, row))?;
        }
        index_entities(tx, ws.no)?;
    }
    Ok(())
}
