//! All plans and tasks of a workspace, page by page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::delta::known;
use super::detail::{EntityDetail, detail};
use crate::budget::{Budget, Item, json_size, shorten_text};
use crate::error::MemoryError;
use crate::ids::{EntityKind, EventNo, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, EntityRow, Status};
use crate::ports::Ports;
use crate::target;
use crate::writer;

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 200;

/// Lists plans and tasks, newest first.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksContextRequest {
    /// The workspace.
    pub workspace: String,
    /// One plan or task in full, with its steps or tasks in pages.
    #[serde(default, alias = "target", alias = "plan")]
    pub task: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// Only what changed after this event, `evt_` and 16 digits.
    #[serde(default)]
    pub since: Option<String>,
    /// The most plans and tasks (50, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksContextOutput {
    pub workspace: WorkspaceId,
    /// The plan or task in focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<String>,
    /// Newest first.
    pub plans: Vec<EntityLine>,
    /// Newest first.
    pub tasks: Vec<EntityLine>,
    /// The plan or task that was asked for, in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<EntityDetail>,
    /// Over plans and tasks together; over the steps of a task or the tasks of a plan that was asked for.
    pub pagination: Pagination,
    /// Whether the budget dropped something; it is on the next page.
    pub truncated: bool,
}

/// A plan or task in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityLine {
    pub id: String,
    pub kind: EntityKind,
    pub title: String,
    pub status: Status,
    pub revision: i64,
    pub priority: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Who works on it now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed_by: Option<String>,
    /// The full length of a shortened title, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_length: Option<usize>,
    /// Whether the budget shortened the title.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl EntityLine {
    pub(crate) fn of(row: &EntityRow, now: m1nd_stdx::clock::UnixMs) -> Self {
        Self {
            id: row.id.to_string(),
            kind: row.id.kind,
            title: row.title.clone(),
            status: row.status,
            revision: row.revision,
            priority: row.priority,
            parent: row.parent.map(|id| id.to_string()),
            depends_on: row.depends_on.iter().map(ToString::to_string).collect(),
            claimed_by: row.held(now).map(|claim| claim.agent.clone()),
            title_length: None,
            truncated: false,
        }
    }
}

impl Item for EntityLine {
    fn shorten(&mut self, bytes: usize) {
        self.truncated = true;
        self.title_length = Some(self.title.len());
        let excess = json_size(self).saturating_sub(bytes);
        shorten_text(&mut self.title, excess);
        if json_size(self) > bytes {
            (self.depends_on, self.claimed_by, self.parent) = (Vec::new(), None, None);
        }
    }
}

pub fn context(ports: &Ports<'_>, request: &TasksContextRequest) -> Result<TasksContextOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    let since = match &request.since {
        Some(since) => EventNo::parse("since", since)?,
        None => EventNo(0),
    };
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        known(&ws, since)?;
        let named = match &request.task {
            Some(named) => Some(target::entity(rows, &ws, "task", named)?),
            None => None,
        };
        let first = if named.is_some() { 0 } else { ws.seq.0 + 1 };
        let cursor = page::cursor(request.cursor, first)?;
        let mut out = TasksContextOutput {
            workspace: workspace.clone(),
            focus: ws.focus.map(|id| id.to_string()),
            plans: Vec::new(),
            tasks: Vec::new(),
            detail: None,
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        if let Some(row) = &named {
            if request.since.is_some() {
                return Err(MemoryError::invalid("since", "goes with a list, not with one `task`"));
            }
            return detail(ports, rows, &ws, row, out, budget);
        }
        let mut found = rows.entities(ws.no, Seq(cursor), since, limit + 1)?;
        let more = page::cut(&mut found, limit);
        let numbers: Vec<i64> = found.iter().map(|row| row.created_seq.0).collect();
        let now = ports.clock.now();
        let mut lines: Vec<EntityLine> = found.iter().map(|row| EntityLine::of(row, now)).collect();
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut lines, &numbers, more, room);
        (out.plans, out.tasks) = lines.into_iter().partition(|line| line.kind == EntityKind::Plan);
        Ok(out)
    })
}
