//! The branches of a workspace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Budget, Item, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, BranchRow};
use crate::ports::Ports;
use crate::text::timestamp;
use crate::writer;

const DEFAULT_LIMIT: usize = 200;
const MAX_LIMIT: usize = 500;

/// Lists the branches of a workspace, newest first.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BranchListRequest {
    /// The workspace.
    pub workspace: String,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most branches to list (200, at most 500).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BranchListOutput {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Newest first.
    pub branches: Vec<Branch>,
    pub pagination: Pagination,
    /// Whether the budget dropped something; it is on the next page.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A branch and where it starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Branch {
    /// The name of the branch.
    pub name: BranchName,
    /// The branch it was cut off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_branch: Option<BranchName>,
    /// The newest number of the base that it shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_seq: Option<Seq>,
    /// When it was created; absent for `main` while nothing was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<String>,
    /// Whether it is checked out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub current: bool,
}

impl Branch {
    pub(crate) fn of(row: BranchRow) -> Self {
        let (base_branch, base_seq) = row.base.map(|base| (base.branch, base.seq)).unzip();
        let created_at = (row.ws.0 != 0).then(|| timestamp(row.created));
        Self { name: row.name, base_branch, base_seq, created_at, current: false }
    }
}

impl Item for Branch {
    fn shorten(&mut self, _: usize) {}
}

pub fn list(ports: &Ports<'_>, request: &BranchListRequest) -> Result<BranchListOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        // A workspace that nothing was written to has main.
        let cursor = page::cursor(request.cursor, ws.branches.max(1) + 1)?;
        let mut found = rows.branches(ws.no, cursor, limit + 1)?;
        if ws.no.0 == 0 && cursor > 1 {
            found.push(super::existing(rows, &ws, "main")?);
        }
        let more = page::cut(&mut found, limit);
        let numbers: Vec<i64> = found.iter().map(|row| row.no).collect();
        let mut branches: Vec<Branch> = found
            .into_iter()
            .map(|row| Branch { current: row.name == ws.checkout, ..Branch::of(row) })
            .collect();
        let mut out = BranchListOutput {
            workspace: workspace.clone(),
            branches: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: true,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut branches, &numbers, more, room);
        out.branches = branches;
        Ok(out)
    })
}
