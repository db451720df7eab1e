//! The newest cards of a graph, for picking up a line of thought.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::card::is_card_type;
use super::place::place;
use crate::budget::{Budget, json_size};
use crate::error::MemoryError;
use crate::graph::{GraphView, Node};
use crate::ids::{BranchName, DocName, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, GraphKey, KeyKind};
use crate::ports::Ports;
use crate::writer;

const DEFAULT_CARDS: usize = 30;
const MAX_CARDS: usize = 200;

/// Lists the cards of a `target`, or of a `branch` and `graph_doc`, newest first.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThinkContextRequest {
    /// The workspace.
    pub workspace: String,
    /// PLAN-001 or TASK-001; or give branch and graph_doc
    #[serde(default)]
    pub target: Option<String>,
    /// Existing branch (the target's own)
    #[serde(default)]
    pub branch: Option<String>,
    /// A graph document of that branch.
    #[serde(default)]
    pub graph_doc: Option<String>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most cards (30, at most 200).
    #[serde(default)]
    pub limit_cards: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkContextOutput {
    pub branch: BranchName,
    pub graph_doc: DocName,
    pub stats: CardStats,
    /// Newest first.
    pub cards: Vec<Node>,
    pub pagination: Pagination,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

/// All cards that the branch shows, not only those of this page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CardStats {
    pub cards: usize,
    pub by_type: BTreeMap<String, usize>,
}

pub fn context(ports: &Ports<'_>, request: &ThinkContextRequest) -> Result<ThinkContextOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit_cards", request.limit_cards, DEFAULT_CARDS, MAX_CARDS)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let (target, branch, doc) =
            (request.target.as_deref(), request.branch.as_deref(), request.graph_doc.as_deref());
        let place = place(rows, &ws, target, branch, None, doc)?;
        let view = GraphView::of(rows, &ws, &place.branch, &place.graph_doc)?;
        let cursor = page::cursor(request.cursor, ws.seq.0 + 1)?;
        let mut stats = CardStats::default();
        let mut cards = Vec::new();
        view.scan(rows, Some(KeyKind::Node), Seq::END, &mut |row| {
            if !row.deleted && is_card_type(&row.body.type_) {
                stats.cards += 1;
                *stats.by_type.entry(row.body.type_.clone()).or_default() += 1;
                if row.seq.0 < cursor
                    && cards.len() <= limit
                    && let GraphKey::Node(id) = row.key.clone()
                {
                    cards.push(Node::of(id, row, ports.code));
                }
            }
            ControlFlow::Continue(())
        })?;
        let more = page::cut(&mut cards, limit);
        let numbers: Vec<i64> = cards.iter().map(|card| card.last_seq.0).collect();
        let mut out = ThinkContextOutput {
            branch: place.branch,
            graph_doc: place.graph_doc,
            stats,
            cards: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut cards, &numbers, more, room);
        out.cards = cards;
        Ok(out)
    })
}
