//! The branch that new branches start from when none is named.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::view::existing;
use crate::error::MemoryError;
use crate::ids::{BranchName, WorkspaceId};
use crate::ports::Ports;
use crate::writer::{Once, Outcome, write};

/// Sets the current branch of the workspace. Tasks are not affected.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckoutRequest {
    /// The workspace.
    pub workspace: String,
    /// The branch to check out.
    #[serde(rename = "ref")]
    pub reference: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckoutOutput {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The branch that was checked out before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<BranchName>,
    /// The branch that is checked out now.
    pub current: BranchName,
}

pub fn checkout(ports: &Ports<'_>, request: &CheckoutRequest) -> Result<CheckoutOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    write(ports, &workspace, &Once::plain("checkout"), |w| {
        let current = existing(w.tx.rows(), &w.ws, &request.reference)?.name;
        let previous = std::mem::replace(&mut w.ws.checkout, current.clone());
        // What changes nothing must not make a workspace of a mistyped name.
        let changes = previous != current;
        let out = CheckoutOutput { workspace: workspace.clone(), previous: Some(previous), current };
        Ok(if changes { Outcome::Keep(out) } else { Outcome::Discard(out) })
    })
}
