//! The plan or task that calls mean when they name none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, json_size};
use crate::error::MemoryError;
use crate::ids::WorkspaceId;
use crate::notes::TargetCard;
use crate::port::{self, Rows, WorkspaceRow};
use crate::ports::Ports;
use crate::target::{self, ReasoningRef};
use crate::writer::{self, Once, Outcome, write};

/// Reads the focus.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FocusGetRequest {
    /// The workspace.
    pub workspace: String,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

/// Clears the focus.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FocusRequest {
    /// The workspace.
    pub workspace: String,
}

/// Sets the focus.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FocusSetRequest {
    /// The workspace.
    pub workspace: String,
    /// The plan or task.
    #[serde(alias = "target", alias = "id", alias = "plan")]
    pub task: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FocusOutput {
    pub workspace: WorkspaceId,
    /// What is in focus now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// What was in focus before, if it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetCard>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_ref: Option<ReasoningRef>,
    /// Whether the budget dropped or shortened something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

pub fn focus_get(ports: &Ports<'_>, request: &FocusGetRequest) -> Result<FocusOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let mut out = shape(ports, rows, &ws, None)?;
        for max in [usize::MAX, 120, 40] {
            if json_size(&out) > budget.0
                && let Some(target) = &mut out.target
            {
                out.truncated = true;
                target.anchors.clear();
                target.shorten_title(max);
            }
        }
        Ok(out)
    })
}

pub fn focus_set(ports: &Ports<'_>, request: &FocusSetRequest) -> Result<FocusOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    write(ports, &workspace, &Once::plain("focus_set"), |w| {
        let id = target::entity(w.tx.rows(), &w.ws, "task", &request.task)?.id;
        let previous = w.ws.focus.replace(id).filter(|old| *old != id).map(|old| old.to_string());
        Ok(Outcome::Keep(shape(ports, w.tx.rows(), &w.ws, previous)?))
    })
}

pub fn focus_clear(ports: &Ports<'_>, request: &FocusRequest) -> Result<FocusOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    write(ports, &workspace, &Once::plain("focus_clear"), |w| {
        let previous = w.ws.focus.take().map(|old| old.to_string());
        // What changes nothing must not make a workspace of a mistyped name.
        let changes = previous.is_some();
        let out = shape(ports, w.tx.rows(), &w.ws, previous)?;
        Ok(if changes { Outcome::Keep(out) } else { Outcome::Discard(out) })
    })
}

fn shape(
    ports: &Ports<'_>,
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    previous: Option<String>,
) -> Result<FocusOutput, MemoryError> {
    let row = match ws.focus {
        Some(id) => rows.entity(ws.no, id)?,
        None => None,
    };
    Ok(FocusOutput {
        workspace: ws.name.clone(),
        focus: ws.focus.map(|id| id.to_string()),
        previous,
        target: row.as_ref().map(|row| TargetCard::of(row, ports)),
        reasoning_ref: ws.focus.map(ReasoningRef::of),
        truncated: false,
    })
}
