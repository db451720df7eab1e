//! The documents that a branch shows.

use std::collections::BTreeSet;

use super::view::View;
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, WorkspaceId};
use crate::port::{self, Rows, StreamKind, WorkspaceRow};
use crate::ports::Ports;
use crate::text::nearest;
use crate::writer;

/// By name.
pub(crate) fn docs(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    branch: &BranchName,
    kind: StreamKind,
) -> Result<BTreeSet<DocName>, MemoryError> {
    let mut out = BTreeSet::new();
    for segment in View::of(rows, ws, branch)?.segments {
        let streams = rows.streams(ws.no, &segment.branch, kind)?;
        out.extend(
            streams.into_iter().filter(|stream| stream.first <= segment.upto).map(|stream| stream.doc),
        );
    }
    Ok(out)
}

/// The documents of a branch whose names are nearest to `doc`, if there are any and none has this name.
pub fn meant(
    ports: &Ports<'_>,
    workspace: &str,
    branch: &BranchName,
    doc: &DocName,
    kind: StreamKind,
) -> Result<Vec<String>, MemoryError> {
    let workspace = WorkspaceId::parse(workspace)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let known = docs(rows, &ws, branch, kind)?;
        if known.contains(doc) || is_usual(branch, doc) {
            return Ok(Vec::new());
        }
        let known: Vec<String> = known.iter().map(ToString::to_string).collect();
        Ok(nearest(doc.as_str(), &known))
    })
}

/// Whether a branch shows a document of this kind and name.
pub fn has_doc(
    ports: &Ports<'_>,
    workspace: &str,
    branch: &BranchName,
    doc: &DocName,
    kind: StreamKind,
) -> Result<bool, MemoryError> {
    let workspace = WorkspaceId::parse(workspace)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        Ok(docs(rows, &ws, branch, kind)?.contains(doc))
    })
}

/// Documents that a branch has though nothing was written to them yet.
fn is_usual(branch: &BranchName, doc: &DocName) -> bool {
    let entity = branch.as_str().rsplit('/').next().unwrap_or_default();
    let own = doc.as_str().strip_prefix(entity);
    [DocName::notes(), DocName::commits()].contains(doc) || matches!(own, Some("-graph" | "-trace"))
}
