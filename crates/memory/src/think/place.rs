//! Where cards of a call live: the branch, the trace document and the graph document.

use crate::branch::existing;
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName};
use crate::port::{Rows, WorkspaceRow};
use crate::target;

pub(super) struct CardPlace {
    pub(super) branch: BranchName,
    pub(super) graph_doc: DocName,
    pub(super) trace_doc: Option<DocName>,
}

/// Resolves `target` (on `branch`, or on its canonical one), or `branch` with the documents by name.
pub(super) fn place(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    target: Option<&str>,
    branch: Option<&str>,
    trace_doc: Option<&str>,
    graph_doc: Option<&str>,
) -> Result<CardPlace, MemoryError> {
    match (target, branch, graph_doc) {
        (Some(target), branch, None) if trace_doc.is_none() => {
            let id = target::entity(rows, ws, "target", target)?.id;
            let branch = match branch {
                Some(branch) => existing(rows, ws, branch)?.name,
                None => id.branch(),
            };
            Ok(CardPlace { branch, graph_doc: id.graph_doc(), trace_doc: Some(id.trace_doc()) })
        }
        (None, Some(branch), Some(graph_doc)) => Ok(CardPlace {
            branch: existing(rows, ws, branch)?.name,
            graph_doc: DocName::parse(graph_doc)?,
            trace_doc: trace_doc.map(DocName::parse).transpose()?,
        }),
        _ => Err(MemoryError::OneOf { first: "target", second: "branch with its documents" }),
    }
}
