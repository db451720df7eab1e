//! Settling a merge conflict, once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::apply::{check_ends, delete_node, live};
use super::conflicts::known;
use super::merge::leave_gone;
use super::since::{Left, Since};
use super::state::object;
use super::supersede;
use crate::branch::existing;
use crate::error::MemoryError;
use crate::ids::{BranchName, ConflictId, Seq, WorkspaceId};
use crate::port::{ConflictRow, ConflictScan, ConflictStatus, GraphKey, Origin, VersionRow};
use crate::ports::Ports;
use crate::target::Place;
use crate::writer::{NewVersion, Once, Outcome, Writer, write};

/// Settles a conflict.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConflictResolveRequest {
    /// The workspace.
    pub workspace: String,
    /// The conflict.
    pub conflict_id: String,
    /// `use_from` writes the state of the merged branch; `use_into` keeps the destination as it is.
    pub resolution: Resolution,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    UseFrom,
    UseInto,
}

impl Resolution {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::UseFrom => "use_from",
            Self::UseInto => "use_into",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConflictResolveOutput {
    pub conflict_id: ConflictId,
    /// `resolved`.
    pub status: ConflictStatus,
    /// Whether the destination was written to.
    pub applied: bool,
    /// Whether it was settled this way already; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn resolve(
    ports: &Ports<'_>,
    request: &ConflictResolveRequest,
) -> Result<ConflictResolveOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let id = ConflictId::parse(&request.conflict_id)?;
    write(ports, &workspace, &Once::plain("conflict_resolve"), |w| {
        let row = known(w.tx.rows(), &w.ws, &id)?;
        let applied = request.resolution == Resolution::UseFrom;
        let status = ConflictStatus::Resolved;
        let out = ConflictResolveOutput { conflict_id: id.clone(), status, applied, replayed: false };
        if row.status == ConflictStatus::Resolved {
            let resolution = row.resolution.unwrap_or_default();
            // The same answer again is a repeated call; another answer would settle it twice.
            if resolution == request.resolution.as_str() {
                return Ok(Outcome::Discard(ConflictResolveOutput { applied: false, replayed: true, ..out }));
            }
            return Err(MemoryError::ConflictSettled { id: id.clone(), resolution });
        }
        let since = since(w, &row)?;
        if applied {
            apply(w, ports, &row, &since)?;
        }
        let left = if applied { Left::Agreed(row.theirs_seq) } else { Left::Refused(row.theirs_seq) };
        since.leave(w.tx, &row.key, left)?;
        let (now, name) = (w.now, request.resolution.as_str().to_owned());
        // Earlier conflicts over the same key speak of versions that are no longer compared; nobody could settle
        // them later.
        let place = Place { branch: row.into.clone(), doc: row.doc.clone() };
        close(w, &place, &row.from, row.seq, |older| (older.key == row.key).then(|| superseded_by(&id)))?;
        w.tx.put_conflict(&ConflictRow { status, resolution: Some(name), resolved: Some(now), ..row })?;
        Ok(Outcome::Keep(out))
    })
}

/// How many conflicts are looked through at a time.
const PAGE: usize = 200;

/// How many edges at a node a refusal shows.
const SHOWN: usize = 10;

/// How a conflict is settled whose versions are no longer compared.
pub(crate) fn superseded_by(id: &ConflictId) -> String {
    format!("superseded by {id}")
}

/// How a conflict ends whose sides came to say the same.
pub(super) const AGREED: &str = "agreed";

/// How a conflict ends when the branch went back to what it began from, and the destination kept its own.
pub(super) const WITHDRAWN: &str = "withdrawn";

/// Closes open conflicts between two branches that were found before `before`, where `why` gives a reason. Returns how
/// many.
pub(super) fn close(
    w: &mut Writer<'_>,
    place: &Place,
    from: &BranchName,
    before: Seq,
    why: impl Fn(&ConflictRow) -> Option<String>,
) -> Result<usize, MemoryError> {
    let (mut before, mut closed) = (before, 0);
    loop {
        let found = w.tx.conflicts(&ConflictScan {
            ws: w.ws.no,
            into: &place.branch,
            doc: Some(&place.doc),
            status: Some(ConflictStatus::Open),
            before,
            limit: PAGE,
        })?;
        let Some(last) = found.last().map(|row| row.seq) else { return Ok(closed) };
        before = last;
        for row in found.into_iter().filter(|row| row.from == *from) {
            if let Some(reason) = why(&row) {
                let (status, resolution, resolved) = (ConflictStatus::Resolved, Some(reason), Some(w.now));
                w.tx.put_conflict(&ConflictRow { status, resolution, resolved, ..row })?;
                closed += 1;
            }
        }
    }
}

/// The two branches of a conflict.
fn since(w: &Writer<'_>, row: &ConflictRow) -> Result<Since, MemoryError> {
    let from = existing(w.tx.rows(), &w.ws, row.from.as_str())?;
    let Some(base) = from.base.clone().filter(|base| base.branch == row.into) else {
        let base = from.base.map(|base| base.branch);
        return Err(MemoryError::NotMergeBack { from: from.name, into: row.into.clone(), base });
    };
    Since::of(w.tx.rows(), &w.ws, &row.from, &base, &row.doc)
}

fn apply(w: &mut Writer<'_>, ports: &Ports<'_>, row: &ConflictRow, since: &Since) -> Result<(), MemoryError> {
    let place = Place { branch: row.into.clone(), doc: row.doc.clone() };
    let view = live(w, &place)?;
    let current = view.state(w.tx.rows(), &row.key)?;
    let theirs = recorded(w, row, since)?;
    let (rows, ours) = (w.tx.rows(), current.as_ref());
    let stands = since.stands_at(rows, &view, ours, &theirs)?;
    // Conflicts that were recorded before words that were said again counted as the same carry the number of the last.
    if stands != row.ours_seq && since.last_written(rows, &view, ours, &theirs)? != row.ours_seq {
        let show = |now: &VersionRow| Value::Object(object(now, ports.code));
        let edges = match &row.key {
            GraphKey::Node(id) if theirs.deleted => view.edges_around(w.tx.rows(), id)?,
            GraphKey::Node(_) | GraphKey::Edge { .. } => Vec::new(),
        };
        // The newest are what made it stale.
        let edges = edges.iter().rev().take(SHOWN).map(show).collect();
        return Err(MemoryError::ConflictStale {
            id: row.id.clone(),
            current: current.as_ref().map(show),
            edges,
        });
    }
    if !theirs.deleted {
        check_ends(w, &view, &place, &row.key).map_err(|err| match err {
            MemoryError::WouldDangle { missing, .. } => MemoryError::ConflictNeedsNode {
                missing,
                edge: row.key.text(),
                from: row.from.clone(),
                into: row.into.clone(),
                doc: row.doc.clone(),
            },
            other => other,
        })?;
    }
    let origin = Some(Origin { branch: row.from.clone(), seq: row.theirs_seq });
    let state = NewVersion { deleted: theirs.deleted, body: theirs.body, origin };
    match &row.key {
        GraphKey::Node(id) if state.deleted => {
            let edges = delete_node(w, &place, id, state)?;
            leave_gone(w, since, &edges)?;
        }
        key => {
            // Whoever decides that a card takes the place of another decides that it was not superseded by it.
            let against =
                if state.deleted { Vec::new() } else { supersede::circle(w.tx.rows(), &view, key)? };
            for edge in against {
                let gone = NewVersion { deleted: true, body: edge.body, origin: None };
                supersede::put(w, &place, &edge.key, gone)?;
            }
            supersede::put(w, &place, key, state)?;
        }
    }
    Ok(())
}

/// The version of `from` that was compared; `from` may have moved on since.
fn recorded(w: &Writer<'_>, row: &ConflictRow, since: &Since) -> Result<VersionRow, MemoryError> {
    let found = match &since.stream {
        Some(stream) => w.tx.version_at(stream.id, &row.key, row.theirs_seq)?,
        None => None,
    };
    found.ok_or_else(|| MemoryError::ConflictUnknown { id: row.id.to_string() })
}
