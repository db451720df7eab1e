//! Reading a workspace in from an export.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::BufRead;

use super::embedded;
use super::record::{Counts, FORMAT, OLDEST, Record};
use super::sound;
use crate::error::MemoryError;
use crate::graph::{GraphView, conflict_id_in, dangling_edges, derive_marks_of, superseded_by};
use crate::ids::{BranchName, DocName, Seq, WorkspaceId};
use crate::port::{self, Rows, StreamKind, Tx, Verdict, WorkspaceRow};
use crate::ports::Ports;
use crate::tasks::index_entities;
use crate::writer::{index_card, index_note, is_found_by_itself};

/// Reads an export into a workspace that nothing was written to yet; all of it or nothing.
pub fn import(ports: &Ports<'_>, workspace: &str, input: &mut dyn BufRead) -> Result<Counts, MemoryError> {
    let workspace = WorkspaceId::parse(workspace)?;
    let mut records = parse(input)?;
    sound::check(&records).map_err(|(line, reason)| unreadable(line, reason))?;
    rename_conflicts(&mut records, &workspace)?;
    let now = ports.clock.now();
    port::write(ports.store, |tx| {
        let ws = match tx.workspace(&workspace)? {
            Some(ws) if ws.seq.0 > 0 || ws.branches > 1 => {
                return Err(MemoryError::ImportTargetNotEmpty { workspace: workspace.to_string() });
            }
            Some(ws) => ws,
            None => tx.create_workspace(&workspace, now.0)?,
        };
        let mut counts = Counts::default();
        for (at, record) in records.iter().enumerate() {
            put(tx, &ws, record.clone(), at + 1, &mut counts)?;
        }
        check_graphs(tx.rows(), &ws, &records)?;
        // An older program kept none; what it merged must not be disputed here.
        if counts.merge_marks == 0 {
            derive_marks_of(tx, ws.no)?;
        }
        Ok((Verdict::Keep, counts))
    })
}

/// The name under which an export was remembered.
pub fn exported_name(input: &mut dyn BufRead) -> Option<String> {
    let records = embedded::records(input).ok()?;
    match serde_json::from_str(records.lines().next()?).ok()? {
        Record::Workspace { row, .. } => Some(row.name.to_string()),
        _ => None,
    }
}

/// All lines, which must start with the workspace and end with the counts.
fn parse(input: &mut dyn BufRead) -> Result<Vec<Record>, MemoryError> {
    let mut records = Vec::new();
    let mut versions = Seq::ZERO;
    for (at, line) in embedded::records(input)?.lines().enumerate() {
        let record = serde_json::from_str(line).map_err(|err| unreadable(at + 1, err.to_string()))?;
        // A later version takes the place of an earlier one, so their order is what they say.
        if let Record::Version(row) = &record {
            if row.seq <= versions {
                return Err(unreadable(at + 1, "is out of order".to_owned()));
            }
            versions = row.seq;
        }
        records.push(record);
    }
    match records.first() {
        Some(Record::Workspace { format, .. }) if (OLDEST..=FORMAT).contains(format) => {}
        Some(Record::Workspace { format, .. }) => {
            return Err(unreadable(
                1,
                format!("format {format} is not known; this program reads up to {FORMAT}"),
            ));
        }
        _ => return Err(unreadable(1, "does not start with a workspace".to_owned())),
    }
    if !matches!(records.last(), Some(Record::End(_))) {
        return Err(unreadable(records.len(), "the file was cut off".to_owned()));
    }
    Ok(records)
}

/// Gives conflicts the ids that a merge in this workspace gives them: what was settled must be known again.
fn rename_conflicts(records: &mut [Record], workspace: &WorkspaceId) -> Result<(), MemoryError> {
    let mut resolutions = HashMap::new();
    let mut taken = HashSet::new();
    for (at, record) in records.iter_mut().enumerate() {
        let Record::Conflict(row) = record else { continue };
        let id = conflict_id_in(workspace, row);
        if !taken.insert(id.clone()) {
            return Err(unreadable(at + 1, "is the second conflict over the same versions".to_owned()));
        }
        resolutions.insert(superseded_by(&row.id), superseded_by(&id));
        row.id = id;
    }
    for record in records {
        if let Record::Conflict(row) = record
            && let Some(now) = row.resolution.as_ref().and_then(|before| resolutions.get(before))
        {
            row.resolution = Some(now.clone());
        }
    }
    Ok(())
}

/// Every edge has its nodes, on each branch that wrote to a graph.
fn check_graphs(rows: &dyn Rows, ws: &WorkspaceRow, records: &[Record]) -> Result<(), MemoryError> {
    let written: BTreeSet<(&BranchName, &DocName)> = records
        .iter()
        .filter_map(|record| match record {
            Record::Version(row) => Some((&row.branch, &row.doc)),
            _ => None,
        })
        .collect();
    for (branch, doc) in written {
        let mut missing = None;
        dangling_edges(rows, &GraphView::of(rows, ws, branch, doc)?, &mut |error| missing = Some(error))?;
        if let Some(error) = missing {
            let reason = format!("an edge of {doc} on {branch} has no node {}", error.missing);
            return Err(unreadable(records.len(), reason));
        }
    }
    Ok(())
}

fn put(
    tx: &mut dyn Tx,
    ws: &WorkspaceRow,
    record: Record,
    line: usize,
    counts: &mut Counts,
) -> Result<(), MemoryError> {
    match record {
        Record::Workspace { row, .. } => {
            tx.put_workspace(&WorkspaceRow { no: ws.no, name: ws.name.clone(), ..row })?;
        }
        Record::Branch(mut row) => {
            row.ws = ws.no;
            counts.branches += 1;
            if tx.branch(ws.no, &row.name)?.is_none() {
                tx.put_branch(&row)?;
            }
        }
        Record::Entity(mut row) => {
            row.ws = ws.no;
            counts.entities += 1;
            tx.put_entity(&row)?;
        }
        Record::Step(mut row) => {
            row.ws = ws.no;
            counts.steps += 1;
            tx.put_step(&row)?;
        }
        Record::Event(mut row) => {
            row.ws = ws.no;
            counts.events += 1;
            tx.put_event(&row)?;
        }
        Record::Entry(mut row) => {
            row.ws = ws.no;
            row.stream = tx.open_stream(ws.no, &row.branch, &row.doc, StreamKind::Log, row.seq)?.id;
            counts.entries += 1;
            tx.put_entry(&row)?;
            if is_found_by_itself(&row) {
                index_note(tx, &row)?;
            }
        }
        Record::Version(mut row) => {
            row.ws = ws.no;
            row.stream = tx.open_stream(ws.no, &row.branch, &row.doc, StreamKind::Graph, row.seq)?.id;
            counts.versions += 1;
            tx.put_version(&row)?;
            index_card(tx, &row)?;
        }
        Record::Conflict(mut row) => {
            row.ws = ws.no;
            counts.conflicts += 1;
            tx.put_conflict(&row)?;
        }
        Record::MergeMark(mut row) => {
            row.ws = ws.no;
            let Some(stream) = tx.stream(ws.no, &row.from, &row.doc, StreamKind::Graph)? else {
                return Err(unreadable(
                    line,
                    "is about a document that the branch never wrote to".to_owned(),
                ));
            };
            row.stream = stream.id;
            counts.merge_marks += 1;
            tx.put_merge_mark(&row)?;
        }
        Record::Replay(row) => {
            counts.replays += 1;
            tx.put_replay(ws.no, &row.operation, &row.key, &row.answer)?;
        }
        Record::End(said) if said == *counts => index_entities(tx, ws.no)?,
        Record::End(_) => return Err(unreadable(line, "the counts do not add up".to_owned())),
    }
    Ok(())
}

fn unreadable(line: usize, reason: String) -> MemoryError {
    MemoryError::ImportUnreadable { line, reason }
}
