//! Which graph document a call means.

use std::collections::BTreeSet;

use crate::branch::{self, existing};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName};
use crate::port::{Rows, StreamKind, WorkspaceRow};
use crate::target::{self, DocOf, Place};

/// Resolves `target`, or `branch` with a document; without one, the branch's only graph document.
pub(super) fn place(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    target: Option<&str>,
    branch: Option<&str>,
    doc: Option<&str>,
) -> Result<Place, MemoryError> {
    match (target, branch, doc) {
        (None, Some(branch), None) => {
            let branch = existing(rows, ws, branch)?.name;
            let doc = only_doc(rows, ws, &[&branch])?;
            Ok(Place { branch, doc })
        }
        _ => target::place(rows, ws, target, branch, doc, DocOf::Graph),
    }
}

/// The document that was named, or the only graph document that these branches show.
pub(super) fn doc(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    named: Option<&str>,
    branches: &[&BranchName],
) -> Result<DocName, MemoryError> {
    match named {
        Some(doc) => DocName::parse(doc),
        None => only_doc(rows, ws, branches),
    }
}

fn only_doc(rows: &dyn Rows, ws: &WorkspaceRow, branches: &[&BranchName]) -> Result<DocName, MemoryError> {
    let mut found = BTreeSet::new();
    for name in branches {
        found.append(&mut branch::docs(rows, ws, name, StreamKind::Graph)?);
    }
    let branches = || branches.iter().map(|name| (*name).clone()).collect();
    let mut docs: Vec<DocName> = found.into_iter().collect();
    match (docs.pop(), docs.is_empty()) {
        (None, _) => Err(MemoryError::NoGraphDoc { branches: branches() }),
        (Some(only), true) => Ok(only),
        (Some(last), false) => {
            docs.push(last);
            Err(MemoryError::SeveralGraphDocs { branches: branches(), docs })
        }
    }
}
