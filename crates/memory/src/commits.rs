//! Named points in the history of a branch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::branch::{View, existing};
use crate::budget::{self, Budget, Item, json_size};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, Seq, WorkspaceId};
use crate::notes::page_of;
use crate::page::{self, Pagination};
use crate::port::{self, EntryKind, EntryRow, Object, Rows, StreamKind, WorkspaceRow};
use crate::ports::Ports;
use crate::secrets::Sensitive;
use crate::target::{self, Place};
use crate::text::{self, timestamp};
use crate::writer::{self, Findable, NewEntry, Once, Outcome, write};

/// Names the present state of a branch.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommitRequest {
    /// The workspace.
    pub workspace: String,
    /// A plan or task, whose canonical branch is meant; or give `branch`.
    #[serde(default)]
    pub target: Option<String>,
    /// An existing branch; the checked out one if neither is given.
    #[serde(default)]
    pub branch: Option<String>,
    /// One line: what was reached, and why.
    pub message: String,
    /// More text.
    #[serde(default)]
    pub body: Option<String>,
    /// Same key, same answer
    #[serde(default)]
    pub idempotency_key: Option<String>,
    /// Accept text that looks like a secret
    #[serde(default)]
    pub allow_sensitive: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CommitOutput {
    pub commit: Commit,
    /// Whether an earlier call with the same idempotency_key wrote this; nothing was written now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// A named point: everything that the branch showed at `seq`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Commit {
    /// Its number; everything up to it belongs to the named state.
    pub seq: Seq,
    /// When it was named.
    pub ts: String,
    /// The branch it was written to.
    pub branch: BranchName,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The commit before it on the branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_seq: Option<Seq>,
    /// Whether the budget shortened this commit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened `body`, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_length: Option<usize>,
}

impl Commit {
    fn of(row: EntryRow) -> Self {
        let parent = row.meta.as_ref().and_then(|meta| meta.get("parent_seq"));
        Self {
            seq: row.seq,
            ts: timestamp(row.ts),
            branch: row.branch,
            message: row.title.unwrap_or_default(),
            body: Some(row.content).filter(|body| !body.is_empty()),
            parent_seq: parent.and_then(serde_json::Value::as_i64).map(Seq),
            truncated: false,
            body_length: None,
        }
    }
}

impl Item for Commit {
    fn shorten(&mut self, bytes: usize) {
        self.truncated = true;
        if let Some(body) = &self.body {
            self.body_length = Some(body.len());
        }
        let excess = json_size(self).saturating_sub(bytes);
        if let Some(body) = &mut self.body {
            budget::shorten_text(body, excess);
        }
        let excess = json_size(self).saturating_sub(bytes);
        budget::shorten_text(&mut self.message, excess);
        if json_size(self) > bytes {
            (self.body, self.parent_seq) = (None, None);
        }
    }
}

pub fn commit(ports: &Ports<'_>, request: &CommitRequest) -> Result<CommitOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let sensitive = Sensitive::from(request.allow_sensitive);
    let message = text::title("message", &request.message, sensitive)?;
    let body = text::optional_body("body", request.body.as_deref(), sensitive)?;
    let once = Once { operation: "commit", key: request.idempotency_key.as_deref() };
    write(ports, &workspace, &once, |w| {
        let branch = branch_of(w.tx.rows(), &w.ws, request.target.as_deref(), request.branch.as_deref())?;
        let place = Place { branch, doc: DocName::commits() };
        let parent = newest(w.tx.rows(), &w.ws, &place)?;
        let mut meta = Object::new();
        if let Some(parent) = parent {
            meta.insert("parent_seq".to_owned(), json!(parent.0));
        }
        let new = NewEntry {
            kind: EntryKind::Commit,
            title: Some(message.clone()),
            meta: Some(meta).filter(|meta| !meta.is_empty()),
            ..NewEntry::note(body.clone().unwrap_or_default())
        };
        let row = w.append(&place.branch, &place.doc, new, Findable::Yes)?;
        Ok(Outcome::Keep(CommitOutput { commit: Commit::of(row), replayed: false }))
    })
}

/// Lists the named points that a branch shows, newest first.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogRequest {
    /// The workspace.
    pub workspace: String,
    /// A plan or task, whose canonical branch is meant; or give `branch`.
    #[serde(default)]
    pub target: Option<String>,
    /// An existing branch; the checked out one if neither is given.
    #[serde(default)]
    pub branch: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most commits (20, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogOutput {
    pub branch: BranchName,
    /// Newest first.
    pub commits: Vec<Commit>,
    pub pagination: Pagination,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

pub fn log(ports: &Ports<'_>, request: &LogRequest) -> Result<LogOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, 20, 200)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let branch = branch_of(rows, &ws, request.target.as_deref(), request.branch.as_deref())?;
        let cursor = page::cursor(request.cursor, ws.seq.0 + 1)?;
        let parts = View::of(rows, &ws, &branch)?.parts(rows, &ws, &DocName::commits(), StreamKind::Log)?;
        let (found, more) = page_of(rows, &parts, cursor, limit, Some(EntryKind::Commit))?;
        let numbers: Vec<i64> = found.iter().map(|row| row.seq.0).collect();
        let mut commits: Vec<Commit> = found.into_iter().map(Commit::of).collect();
        let mut out = LogOutput {
            branch,
            commits: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut commits, &numbers, more, room);
        out.commits = commits;
        Ok(out)
    })
}

fn branch_of(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    target: Option<&str>,
    branch: Option<&str>,
) -> Result<BranchName, MemoryError> {
    match (target, branch) {
        (Some(target), None) => Ok(target::entity(rows, ws, "target", target)?.id.branch()),
        (None, Some(branch)) => Ok(existing(rows, ws, branch)?.name),
        (None, None) => Ok(ws.checkout.clone()),
        (Some(_), Some(_)) => Err(MemoryError::OneOf { first: "target", second: "branch" }),
    }
}

fn newest(rows: &dyn Rows, ws: &WorkspaceRow, place: &Place) -> Result<Option<Seq>, MemoryError> {
    let parts = View::of(rows, ws, &place.branch)?.parts(rows, ws, &place.doc, StreamKind::Log)?;
    let (found, _) = page_of(rows, &parts, i64::MAX, 1, Some(EntryKind::Commit))?;
    Ok(found.first().map(|row| row.seq))
}
