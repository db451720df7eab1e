//! Where a call reads and writes: a plan or task, or a branch and document by name.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::branch;
use crate::error::{GraphPlace, MemoryError};
use crate::ids::{BranchName, DocName, EntityId};
use crate::port::{EntityRow, Rows, WorkspaceRow};
use crate::text;

/// Where the reasoning about a plan or task lives; a function of its id.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReasoningRef {
    /// The canonical branch.
    pub branch: BranchName,
    /// The document of notes.
    pub notes_doc: DocName,
    /// The document of the knowledge graph.
    pub graph_doc: DocName,
    /// The document of task events and cards.
    pub trace_doc: DocName,
}

impl ReasoningRef {
    pub fn of(id: EntityId) -> Self {
        Self {
            branch: id.branch(),
            notes_doc: DocName::notes(),
            graph_doc: id.graph_doc(),
            trace_doc: id.trace_doc(),
        }
    }
}

/// A branch and one document on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) branch: BranchName,
    pub(crate) doc: DocName,
}

impl Place {
    /// The same for an error.
    pub(crate) fn told(&self) -> GraphPlace {
        GraphPlace { branch: self.branch.clone(), doc: self.doc.clone() }
    }
}

/// Which document of a target is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DocOf {
    Notes,
    Trace,
    Graph,
}

/// The plan or task of this id, which must exist.
pub(crate) fn entity(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    field: &'static str,
    text: &str,
) -> Result<EntityRow, MemoryError> {
    let id = match (EntityId::parse(field, text), EntityId::meant(text)) {
        (Ok(id), _) => id,
        (Err(_), Some(meant)) => return Err(misspelled(rows, ws, text, meant)),
        (Err(err), None) => return Err(err),
    };
    match rows.entity(ws.no, id)? {
        Some(row) => Ok(row),
        None => Err(unknown(rows, ws, id)),
    }
}

/// Another spelling of an id: the error names the one that was meant, if it exists.
fn misspelled(rows: &dyn Rows, ws: &WorkspaceRow, text: &str, meant: EntityId) -> MemoryError {
    let (kind, id) = (meant.kind.as_str(), text.to_owned());
    match rows.entity(ws.no, meant) {
        Ok(Some(_)) => MemoryError::TargetUnknown { kind, id, nearest: vec![meant.to_string()] },
        Ok(None) => match unknown(rows, ws, meant) {
            MemoryError::TargetUnknown { nearest, .. } => MemoryError::TargetUnknown { kind, id, nearest },
            other => other,
        },
        Err(err) => err.into(),
    }
}

pub(crate) fn unknown(rows: &dyn Rows, ws: &WorkspaceRow, id: EntityId) -> MemoryError {
    let known = match rows.entities(ws.no, crate::ids::Seq::END, crate::ids::EventNo(0), NEAREST_AMONG) {
        Ok(known) => known.iter().map(|row| row.id.to_string()).collect::<Vec<_>>(),
        Err(err) => return err.into(),
    };
    let nearest = text::nearest(&id.to_string(), &known);
    MemoryError::TargetUnknown { kind: id.kind.as_str(), id: id.to_string(), nearest }
}

/// The newest so many entities are compared with a mistyped id.
const NEAREST_AMONG: usize = 200;

/// Resolves `target`, or `branch` and `doc`; the branch must exist.
pub(crate) fn place(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    target: Option<&str>,
    branch: Option<&str>,
    doc: Option<&str>,
    which: DocOf,
) -> Result<Place, MemoryError> {
    match (target, branch, doc) {
        (Some(target), None, None) => {
            let id = entity(rows, ws, "target", target)?.id;
            Ok(Place { branch: id.branch(), doc: doc_of(id, which) })
        }
        (None, Some(branch), Some(doc)) => {
            let branch = branch::existing(rows, ws, branch)?.name;
            Ok(Place { branch, doc: DocName::parse(doc)? })
        }
        _ => Err(MemoryError::OneOf { first: "target", second: "branch and doc" }),
    }
}

pub(crate) fn doc_of(id: EntityId, which: DocOf) -> DocName {
    match which {
        DocOf::Notes => DocName::notes(),
        DocOf::Trace => id.trace_doc(),
        DocOf::Graph => id.graph_doc(),
    }
}
