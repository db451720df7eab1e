//! The nodes and edges whose state on one branch differs from another.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::key::EdgeKey;
use super::place;
use super::query::{DEFAULT_LIMIT, MAX_LIMIT};
use super::state::{identical, object};
use super::view::GraphView;
use crate::branch::{Part, View, existing};
use crate::budget::{Budget, Fit, Item, fit, json_size, shorten_text};
use crate::error::MemoryError;
use crate::ids::{BranchName, DocName, GraphNodeId, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, GraphKey, KeyKind, Object, Order, Rows, StreamKind, VersionRow, VersionScan};
use crate::ports::Ports;
use crate::writer;

/// Lists the states on `to` that differ from `from`, tombstones too.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GraphDiffRequest {
    /// The workspace.
    pub workspace: String,
    /// The branch to compare with.
    pub from: String,
    /// The branch whose states are listed.
    pub to: String,
    /// The graph document; the only one of the branches if none is given.
    #[serde(default)]
    pub doc: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most changes (50, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GraphDiffOutput {
    pub from: BranchName,
    pub to: BranchName,
    pub doc: DocName,
    /// Newest first by the version on `to`.
    pub changes: Vec<Change>,
    pub pagination: Pagination,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Node,
    Edge,
}

impl From<KeyKind> for ChangeKind {
    fn from(kind: KeyKind) -> Self {
        match kind {
            KeyKind::Node => Self::Node,
            KeyKind::Edge => Self::Edge,
        }
    }
}

/// A state on `to` that `from` does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    pub kind: ChangeKind,
    /// The node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<GraphNodeId>,
    /// The edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<EdgeKey>,
    /// The state on `to`: a node or an edge; `deleted` is true for a tombstone.
    pub to: Object,
    /// Whether the budget shortened this change.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened text, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_length: Option<usize>,
    /// What the budget left out of `to` besides text: `meta`, `tags`, `anchors`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

impl Item for Change {
    fn shorten(&mut self, bytes: usize) {
        self.truncated = true;
        // Details go before the text that they belong to.
        for field in ["meta", "tags", "anchors"] {
            if json_size(self) > bytes && self.to.shift_remove(field).is_some() {
                self.left_out.push(field.to_owned());
            }
        }
        let excess = json_size(self).saturating_sub(bytes);
        if excess > 0 {
            self.text_length = Some(usize::MAX);
            let excess = json_size(self).saturating_sub(bytes);
            self.text_length = match self.to.get_mut("text") {
                Some(serde_json::Value::String(text)) => shorten_text(text, excess),
                _ => None,
            };
        }
        let excess = json_size(self).saturating_sub(bytes);
        if let Some(serde_json::Value::String(title)) = self.to.get_mut("title") {
            shorten_text(title, excess);
        }
        if json_size(self) > bytes {
            self.left_out.clear();
        }
    }
}

pub fn diff(ports: &Ports<'_>, request: &GraphDiffRequest) -> Result<GraphDiffOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let from = existing(rows, &ws, &request.from)?.name;
        let to = existing(rows, &ws, &request.to)?.name;
        let doc = place::doc(rows, &ws, request.doc.as_deref(), &[&to, &from])?;
        let cursor = page::cursor(request.cursor, ws.seq.0 + 1)?;
        let there = GraphView::of(rows, &ws, &from, &doc)?;
        let here = GraphView::of(rows, &ws, &to, &doc)?;
        let (from_view, to_view) = (View::of(rows, &ws, &from)?, View::of(rows, &ws, &to)?);
        let mine = to_view.minus(&from_view).parts(rows, &ws, &doc, StreamKind::Graph)?;
        let theirs = from_view.minus(&to_view).parts(rows, &ws, &doc, StreamKind::Graph)?;
        let compare = Compare { rows, here: &here, there: &there, before: Seq(cursor) };
        let mut found = compare.own(&mine, limit + 1)?;
        if found.len() <= limit {
            found.extend(compare.inherited(&mine, &theirs)?);
        }
        let more = found.len() > limit;
        found.truncate(limit);
        let total = found.len();
        let numbers: Vec<i64> = found.iter().map(|row| row.seq.0).collect();
        let mut changes: Vec<Change> = found.into_iter().map(|row| change(&row, ports)).collect();
        let mut out = GraphDiffOutput {
            from,
            to,
            doc,
            changes: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        out.truncated = fit(&mut changes, budget.0.saturating_sub(json_size(&out))) == Fit::Trimmed;
        let count = changes.len();
        let next = (more || count < total).then(|| numbers.get(count.wrapping_sub(1)).copied()).flatten();
        out.pagination = Pagination::new(cursor, limit, count, next);
        out.changes = changes;
        Ok(out)
    })
}

struct Compare<'a> {
    rows: &'a dyn Rows,
    here: &'a GraphView,
    there: &'a GraphView,
    before: Seq,
}

impl Compare<'_> {
    /// States that were written where only `to` can see them, newest first. All of them are newer than what
    /// both sides share.
    fn own(&self, parts: &[Part], limit: usize) -> Result<Vec<VersionRow>, MemoryError> {
        let mut out = Vec::new();
        for (at, part) in parts.iter().enumerate() {
            let mut failed: Option<MemoryError> = None;
            let upto = part.upto.min(Seq(self.before.0.saturating_sub(1)));
            if upto <= part.after {
                continue;
            }
            let (stream, after) = (part.stream.id, part.after);
            let scan = VersionScan {
                stream,
                as_of: part.upto,
                after,
                upto,
                kind: None,
                type_: None,
                text: None,
                order: Order::NewestFirst,
            };
            self.rows.versions(&scan, &mut |row| {
                match self.is_change(&parts[..at], &row) {
                    Ok(true) => out.push(row),
                    Ok(false) => {}
                    Err(err) => {
                        failed = Some(err);
                        return ControlFlow::Break(());
                    }
                }
                if out.len() < limit { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            })?;
            if let Some(err) = failed {
                return Err(err);
            }
            if out.len() >= limit {
                break;
            }
        }
        Ok(out)
    }

    fn is_change(&self, nearer: &[Part], row: &VersionRow) -> Result<bool, MemoryError> {
        for part in nearer {
            if self.rows.version_at(part.stream.id, &row.key, part.upto)?.is_some() {
                return Ok(false);
            }
        }
        let there = self.there.state(self.rows, &row.key)?;
        Ok(!identical(Some(row), there.as_ref()))
    }

    /// States that both sides once shared and that only `from` has changed since, newest first.
    fn inherited(&self, mine: &[Part], theirs: &[Part]) -> Result<Vec<VersionRow>, MemoryError> {
        let mut keys: HashSet<GraphKey> = HashSet::new();
        for part in theirs {
            let (stream, after, upto) = (part.stream.id, part.after, part.upto);
            let scan = VersionScan {
                stream,
                as_of: upto,
                after,
                upto,
                kind: None,
                type_: None,
                text: None,
                order: Order::NewestFirst,
            };
            self.rows.versions(&scan, &mut |row| {
                keys.insert(row.key);
                ControlFlow::Continue(())
            })?;
        }
        let mut out: BTreeMap<std::cmp::Reverse<Seq>, VersionRow> = BTreeMap::new();
        for key in keys {
            let Some(row) = self.here.state(self.rows, &key)? else {
                continue;
            };
            let own = mine.iter().any(|part| part.stream.id == row.stream && row.seq > part.after);
            if own || row.seq >= self.before {
                continue;
            }
            let there = self.there.state(self.rows, &key)?;
            if !identical(Some(&row), there.as_ref()) {
                out.insert(std::cmp::Reverse(row.seq), row);
            }
        }
        Ok(out.into_values().collect())
    }
}

fn change(row: &VersionRow, ports: &Ports<'_>) -> Change {
    let (id, key) = match &row.key {
        GraphKey::Node(id) => (Some(id.clone()), None),
        GraphKey::Edge { from, rel, to } => {
            (None, Some(EdgeKey { from: from.clone(), rel: rel.clone(), to: to.clone() }))
        }
    };
    let kind = ChangeKind::from(row.key.kind());
    Change {
        kind,
        id,
        key,
        to: object(row, ports.code),
        truncated: false,
        text_length: None,
        left_out: Vec::new(),
    }
}
