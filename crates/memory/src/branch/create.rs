//! Cutting a new branch off an existing one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::list::Branch;
use super::view::existing;
use crate::error::MemoryError;
use crate::ids::{BranchName, WorkspaceId};
use crate::port::{Base, BranchRow, WsNo};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::writer::{Once, Outcome, Writer, write};

/// Reading walks down the bases; beyond this, every read of the branch would be slow.
pub const MAX_DEPTH: u32 = 4_096;

/// Creates a branch from a snapshot of an existing one. Nothing is copied.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BranchCreateRequest {
    /// The workspace.
    pub workspace: String,
    /// The new branch.
    pub name: String,
    /// The branch to start from; the checked out one if none is given.
    #[serde(default)]
    pub from: Option<String>,
    /// Same key, same answer
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// Accept text that looks like a secret
    #[serde(default)]
    pub allow_sensitive: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BranchCreateOutput {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The new branch.
    pub branch: Branch,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

pub fn create(ports: &Ports<'_>, request: &BranchCreateRequest) -> Result<BranchCreateOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let name = BranchName::parse(&request.name).map_err(|err| match err {
        MemoryError::Invalid { reason, .. } => MemoryError::Invalid { field: "name", reason },
        other => other,
    })?;
    Sensitive::from(request.allow_sensitive).check("name", name.as_str())?;
    if name.is_canonical() {
        return Err(MemoryError::invalid("name", format!("{name} is kept for a plan or task of that id")));
    }
    let once = Once { operation: "branch_create", key: request.idempotency_key.as_deref() };
    write(ports, &workspace, &once, |w| {
        let from = match &request.from {
            Some(from) => existing(w.tx.rows(), &w.ws, from)?,
            None => existing(w.tx.rows(), &w.ws, w.ws.checkout.as_str())?,
        };
        if w.tx.branch(w.ws.no, &name)?.is_some() {
            return Err(MemoryError::BranchExists { name: name.clone() });
        }
        let depth = from.depth + 1;
        if depth > MAX_DEPTH {
            return Err(MemoryError::BranchTooDeep { name: name.clone(), depth, max: MAX_DEPTH });
        }
        let base = Base { branch: from.name, seq: w.ws.seq };
        let row = put(w, name.clone(), Some(base), depth)?;
        Ok(Outcome::Keep(BranchCreateOutput {
            workspace: workspace.clone(),
            branch: Branch::of(row),
            replayed: false,
        }))
    })
}

/// Writes the row of a new branch.
pub(crate) fn put(
    w: &mut Writer<'_>,
    name: BranchName,
    base: Option<Base>,
    depth: u32,
) -> Result<BranchRow, MemoryError> {
    w.ws.branches += 1;
    let ws: WsNo = w.ws.no;
    let row = BranchRow { ws, name, no: w.ws.branches, base, depth, created: w.now };
    w.tx.put_branch(&row)?;
    Ok(row)
}
