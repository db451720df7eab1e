//! Writing a workspace out as JSON lines.

use std::io::Write;

use super::record::{Counts, FORMAT, Record};
use crate::error::{MemoryError, StoreError};
use crate::ids::{EventNo, Seq, WorkspaceId};
use crate::port::{self, Rows, WorkspaceRow};
use crate::ports::Ports;
use crate::writer;

/// Rows read at a time.
pub(super) const BATCH: usize = 1_000;

/// Writes everything of a workspace, from one consistent state.
pub fn export_jsonl(ports: &Ports<'_>, workspace: &str, out: &mut dyn Write) -> Result<Counts, MemoryError> {
    let workspace = WorkspaceId::parse(workspace)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let counts = records(rows, &ws, out)?;
        out.flush().map_err(|err| io(&err))?;
        Ok(counts)
    })
}

/// Everything of a workspace, a line each.
pub(super) fn records(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    out: &mut dyn Write,
) -> Result<Counts, MemoryError> {
    let mut counts = Counts::default();
    line(out, &Record::Workspace { format: FORMAT, row: ws.clone() })?;
    let mut branches = rows.branches(ws.no, i64::MAX, usize::MAX >> 1)?;
    branches.reverse();
    for row in branches {
        counts.branches += 1;
        line(out, &Record::Branch(row))?;
    }
    tasks(rows, ws, out, &mut counts)?;
    let mut after = Seq::ZERO;
    loop {
        let batch = rows.all_entries(ws.no, after, BATCH)?;
        let Some(last) = batch.last() else { break };
        after = last.seq;
        counts.entries += batch.len();
        batch.into_iter().try_for_each(|row| line(out, &Record::Entry(row)))?;
    }
    let mut after = Seq::ZERO;
    loop {
        let batch = rows.all_versions(ws.no, after, BATCH)?;
        let Some(last) = batch.last() else { break };
        after = last.seq;
        counts.versions += batch.len();
        batch.into_iter().try_for_each(|row| line(out, &Record::Version(row)))?;
    }
    for row in rows.all_conflicts(ws.no)? {
        counts.conflicts += 1;
        line(out, &Record::Conflict(row))?;
    }
    for row in rows.all_merge_marks(ws.no)? {
        counts.merge_marks += 1;
        line(out, &Record::MergeMark(row))?;
    }
    // A claim's answer is its token, which stays with whom it was given to.
    for row in rows.all_replays(ws.no)?.into_iter().filter(|row| row.operation != "tasks_claim") {
        counts.replays += 1;
        line(out, &Record::Replay(row))?;
    }
    line(out, &Record::End(counts))?;
    Ok(counts)
}

fn tasks(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    out: &mut dyn Write,
    counts: &mut Counts,
) -> Result<(), MemoryError> {
    let mut entities = rows.entities(ws.no, Seq::END, EventNo(0), usize::MAX >> 1)?;
    entities.reverse();
    for mut row in entities {
        let id = row.id;
        if let Some(claim) = &mut row.claim {
            claim.token.clear();
        }
        counts.entities += 1;
        line(out, &Record::Entity(row))?;
        for step in rows.steps(ws.no, id)? {
            counts.steps += 1;
            line(out, &Record::Step(step))?;
        }
    }
    let mut after = EventNo(0);
    loop {
        let batch = rows.events(ws.no, after, BATCH)?;
        let Some(last) = batch.last() else { return Ok(()) };
        after = last.no;
        counts.events += batch.len();
        batch.into_iter().try_for_each(|row| line(out, &Record::Event(row)))?;
    }
}

fn line(out: &mut dyn Write, record: &Record) -> Result<(), MemoryError> {
    let mut text = serde_json::to_vec(record)
        .map_err(|err| MemoryError::Store(StoreError::Engine { detail: err.to_string() }))?;
    text.push(b'\n');
    out.write_all(&text).map_err(|err| io(&err))
}

pub(super) fn io(err: &std::io::Error) -> MemoryError {
    MemoryError::Store(StoreError::Io { detail: err.to_string() })
}
