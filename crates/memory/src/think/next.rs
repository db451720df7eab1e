//! The card to turn to next.

use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::card::CardType;
use super::place::place;
use crate::budget::{Budget, Item, json_size, shorten_text};
use crate::error::{MemoryError, StoreError};
use crate::graph::GraphView;
use crate::ids::{BranchName, CardId, DocName, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{self, End, GraphKey, KeyKind, Rows, VersionRow};
use crate::ports::Ports;
use crate::text;
use crate::writer;

const DEFAULT_MOVES: usize = 5;
const MAX_MOVES: usize = 50;

/// Lists open cards of a `target`, or of a `branch` and `graph_doc`, in the order they should be worked on.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThinkNextRequest {
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
    /// The most cards (5, at most 50).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ThinkNextOutput {
    pub branch: BranchName,
    pub graph_doc: DocName,
    /// Most useful first.
    pub moves: Vec<NextMove>,
    /// The limit that was used.
    pub limit: usize,
    pub pagination: Pagination,
    /// How many open cards there are.
    pub open_cards: usize,
    /// Whether the budget dropped something.
    pub truncated: bool,
}

/// A card and what is still to be done with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NextMove {
    pub card_id: CardId,
    #[serde(rename = "type")]
    pub type_: String,
    pub title: String,
    /// What is missing.
    pub reason: String,
    /// Open cards that block this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocked_by: Vec<CardId>,
}

impl Item for NextMove {
    fn shorten(&mut self, bytes: usize) {
        let excess = json_size(self).saturating_sub(bytes);
        shorten_text(&mut self.title, excess);
        while json_size(self) > bytes && self.blocked_by.pop().is_some() {}
        let excess = json_size(self).saturating_sub(bytes);
        shorten_text(&mut self.reason, excess);
    }
}

pub fn next(ports: &Ports<'_>, request: &ThinkNextRequest) -> Result<ThinkNextOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_MOVES, MAX_MOVES)?;
    let budget = Budget::of(request.max_chars)?;
    let cursor = page::cursor(request.cursor, 0)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let (target, branch, doc) =
            (request.target.as_deref(), request.branch.as_deref(), request.graph_doc.as_deref());
        let place = place(rows, &ws, target, branch, None, doc)?;
        let view = GraphView::of(rows, &ws, &place.branch, &place.graph_doc)?;
        let mut open = Vec::new();
        view.scan(rows, Some(KeyKind::Node), Seq::END, &mut |row| {
            if is_open(&row) {
                open.push(row);
            }
            ControlFlow::Continue(())
        })?;
        let (mut ranked, mut answered) = (Vec::new(), 0);
        for row in &open {
            match weigh(rows, &view, row)? {
                Weighed::Move(rank, seq, found) => ranked.push((rank, seq, found)),
                Weighed::Answered => answered += 1,
                Weighed::Nothing => {}
            }
        }
        // Free cards first, then what is nearest to an answer, then the oldest.
        let open_cards = open.len() - answered;
        ranked.sort_by_key(|(rank, seq, found)| number(*rank, *seq, found));
        ranked.retain(|(rank, seq, found)| number(*rank, *seq, found) > cursor);
        let more = page::cut(&mut ranked, limit);
        let numbers: Vec<i64> = ranked.iter().map(|(rank, seq, found)| number(*rank, *seq, found)).collect();
        let mut moves: Vec<NextMove> = ranked.into_iter().map(|(_, _, found)| found).collect();
        let mut out = ThinkNextOutput {
            branch: place.branch,
            graph_doc: place.graph_doc,
            moves: Vec::new(),
            limit,
            pagination: Pagination::widest(cursor, limit),
            open_cards,
            truncated: false,
        };
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut moves, &numbers, more, room);
        out.moves = moves;
        Ok(out)
    })
}

/// The place of a card in the list as one number; what happens to the cards before it does not move it.
fn number(rank: u8, seq: Seq, found: &NextMove) -> i64 {
    const RANKS: i64 = 8;
    // Numbers of a workspace stay far below this, and the whole below what JSON can hold.
    const SEQS: i64 = 1 << 48;
    let blocked = i64::from(!found.blocked_by.is_empty());
    (blocked * RANKS + i64::from(rank)) * SEQS + seq.0
}

/// Whether a node is a card that still asks for something.
pub(crate) fn is_open(row: &VersionRow) -> bool {
    !row.deleted
        && row.body.valid_to.is_none()
        && CardType::parse(&row.body.type_).is_ok()
        && !matches!(
            row.body.status.as_deref(),
            Some(
                "done"
                    | "closed"
                    | "resolved"
                    | "accepted"
                    | "rejected"
                    | "answered"
                    | "confirmed"
                    | "refuted"
            )
        )
}

/// Whether a question waits for an answer: nobody closed it, and no decision that stands supports it.
pub(crate) fn is_unanswered(rows: &dyn Rows, row: &VersionRow) -> Result<bool, StoreError> {
    let GraphKey::Node(id) = &row.key else { return Ok(false) };
    if !is_open(row) {
        return Ok(false);
    }
    for edge in rows.edges_at(row.stream, id, End::To, Seq::TIP)? {
        let GraphKey::Edge { from, rel, .. } = &edge.key else { continue };
        if edge.deleted || rel.as_str() != "supports" {
            continue;
        }
        let answer = rows.version_at(row.stream, &GraphKey::Node(from.clone()), Seq::TIP)?;
        if answer.is_some_and(|answer| is_answer(&answer)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a card answers the question that it supports: a decision that was made and stands.
fn is_answer(row: &VersionRow) -> bool {
    !row.deleted
        && row.body.valid_to.is_none()
        && row.body.type_ == CardType::Decision.as_str()
        && !is_open(row)
        && !matches!(row.body.status.as_deref(), Some("rejected" | "refuted"))
}

/// What is to be done with an open card.
enum Weighed {
    Move(u8, Seq, NextMove),
    /// A decision answers the question.
    Answered,
    Nothing,
}

fn weigh(rows: &dyn Rows, view: &GraphView, row: &VersionRow) -> Result<Weighed, MemoryError> {
    let GraphKey::Node(id) = &row.key else {
        return Ok(Weighed::Nothing);
    };
    let Ok(kind) = CardType::parse(&row.body.type_) else {
        return Ok(Weighed::Nothing);
    };
    let mut blocked_by = Vec::new();
    let (mut supported, mut answered) = (false, false);
    for edge in view.edges(rows, id, End::To)? {
        let GraphKey::Edge { from, rel, .. } = &edge.key else {
            continue;
        };
        let Some(other) = view.live(rows, &GraphKey::Node(from.clone()))? else {
            continue;
        };
        match rel.as_str() {
            "blocks" if is_open(&other) => blocked_by.push(CardId::stored(from.as_str())),
            "supports" => {
                supported |= matches!(other.body.type_.as_str(), "evidence" | "test");
                answered |= kind == CardType::Question && is_answer(&other);
            }
            _ => {}
        }
    }
    if answered {
        return Ok(Weighed::Answered);
    }
    let (rank, reason) = match (kind, supported) {
        (CardType::Test, _) => (0, "the test has no outcome yet"),
        (CardType::Question, _) => (1, "the question has no answer yet"),
        (CardType::Hypothesis, false) => (2, "no test or evidence supports the hypothesis yet"),
        (CardType::Hypothesis, true) => {
            (3, "there is evidence; the hypothesis is neither confirmed nor refuted")
        }
        (CardType::Decision, _) => (4, "the decision is not accepted yet"),
        (CardType::Frame, _) => (5, "the frame is open"),
        (CardType::Evidence | CardType::Note | CardType::Update, _) => return Ok(Weighed::Nothing),
    };
    blocked_by.sort();
    let title =
        row.body.title.clone().or_else(|| row.body.text.as_deref().map(|body| text::headline(body, 120)));
    let found = NextMove {
        card_id: CardId::stored(id.as_str()),
        type_: row.body.type_.clone(),
        title: title.unwrap_or_default(),
        reason: reason.to_owned(),
        blocked_by,
    };
    Ok(Weighed::Move(rank, row.seq, found))
}
