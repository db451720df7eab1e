//! What happened since an event.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::event::Event;
use crate::budget::{Budget, json_size};
use crate::error::MemoryError;
use crate::ids::{EventNo, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, WorkspaceRow};
use crate::ports::Ports;
use crate::writer;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 200;

/// Lists task events, oldest first, from the beginning or after one of them.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksDeltaRequest {
    /// The workspace.
    pub workspace: String,
    /// Only events after this one, `evt_` and 16 digits.
    #[serde(default)]
    pub since: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most events (50, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksDeltaOutput {
    pub workspace: WorkspaceId,
    /// Oldest first.
    pub events: Vec<Event>,
    pub pagination: Pagination,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

pub fn delta(ports: &Ports<'_>, request: &TasksDeltaRequest) -> Result<TasksDeltaOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    let since = match &request.since {
        Some(since) => EventNo::parse("since", since)?.0,
        None => 0,
    };
    let cursor = page::cursor(request.cursor, since)?.max(since);
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        known(&ws, EventNo(since))?;
        let mut found = rows.events(ws.no, EventNo(cursor), limit + 1)?;
        let more = page::cut(&mut found, limit);
        let numbers: Vec<i64> = found.iter().map(|event| event.no.0).collect();
        let mut events: Vec<Event> = found.into_iter().map(Event::of).collect();
        let mut out = TasksDeltaOutput {
            workspace: workspace.clone(),
            events: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut events, &numbers, more, room);
        out.events = events;
        Ok(out)
    })
}

/// An event that a call names must have happened.
pub(super) fn known(ws: &WorkspaceRow, event: EventNo) -> Result<(), MemoryError> {
    if event <= ws.event {
        return Ok(());
    }
    let newest = (ws.event > EventNo(0)).then_some(ws.event);
    Err(MemoryError::EventUnknown { event, newest })
}
