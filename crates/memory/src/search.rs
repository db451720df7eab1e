//! Full text search over notes, cards, tasks and plans, and over the claims of missions behind them.

mod claims;
mod places;
mod reindex;
mod terms;

pub use reindex::reindex;
pub use terms::{index_text, wanted};

use places::Places;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::anchors::{self, Anchor, AnchorState};
use crate::budget::{Budget, Item, json_size, shorten_text};
use crate::error::MemoryError;
use crate::graph;
use crate::ids::{BranchName, DocName, EntityId, GraphNodeId, Seq, WorkspaceId};
use crate::page::{self, Pagination};
use crate::port::{
    self, FindKind, FindScan, Found, GraphKey, Match, Rows, StreamId, StreamKind, VersionRow, Wanted,
    WorkspaceRow,
};
use crate::ports::Ports;
use crate::tasks;
use crate::text::{self, timestamp};
use crate::writer;

const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 200;
/// How far down hits are followed that others have pushed there.
const MOVED: usize = 500;
/// The length of a snippet, in bytes.
const SNIPPET: usize = 200;

/// Finds notes, cards, tasks and plans by their words, best first, and behind them claims of missions, newest first.
/// Missions belong to the repository: their claims are found from every workspace of memory.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    /// The workspace.
    pub workspace: String,
    /// Words; all must occur, or any if nothing holds all. proj* finds projection
    pub query: String,
    /// Only these: note, card, task, plan, claim (claims are the repository's, not one workspace's)
    #[serde(default)]
    pub kinds: Option<Vec<FindKind>>,
    /// Only what was written at or after this time (a date, or RFC 3339).
    #[serde(default)]
    pub since: Option<String>,
    /// Only what speaks of these places in the code: files, folders, path:12-40, node ids or names.
    #[serde(default)]
    pub anchors: Option<Vec<String>>,
    /// next_cursor of the page before
    #[serde(default)]
    pub cursor: Option<i64>,
    /// The most hits (20, at most 200).
    #[serde(default)]
    pub limit: Option<i64>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SearchOutput {
    pub workspace: WorkspaceId,
    /// Whether every hit holds all words, or at least one.
    pub matched: Matched,
    /// Best first.
    pub hits: Vec<Hit>,
    pub pagination: Pagination,
    /// Places of `anchors` that the code does not have, when nothing was found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unknown_anchors: Vec<String>,
    /// Whether something holds the words, but nothing that speaks of `anchors`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_elsewhere: bool,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Matched {
    AllWords,
    AnyWord,
}

/// Something that was found. Read it in full with `branchmind_show`, `branchmind_graph_query`, `tasks_radar` or `mission_show`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    pub kind: FindKind,
    /// The number of the note, the id of the card, task or plan; of a claim `mission/claim`, for mission_show.
    pub id: String,
    /// Where a note or card was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<DocName>,
    /// Its number in memory; claims have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
    pub ts: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The text around the first word found.
    pub snippet: String,
    /// When a newer card took its place, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<i64>,
    /// Places in the code that it speaks of and that changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_anchors: Vec<Anchor>,
}

impl Item for Hit {
    fn shorten(&mut self, bytes: usize) {
        while json_size(self) > bytes && self.stale_anchors.len() > 1 {
            self.stale_anchors.pop();
        }
        let excess = json_size(self).saturating_sub(bytes);
        shorten_text(&mut self.snippet, excess);
        let excess = json_size(self).saturating_sub(bytes);
        if let Some(title) = &mut self.title {
            shorten_text(title, excess);
        }
        if json_size(self) > bytes {
            (self.stale_anchors, self.title) = (Vec::new(), None);
        }
    }
}

pub fn search(ports: &Ports<'_>, request: &SearchRequest) -> Result<SearchOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let limit = page::limit("limit", request.limit, DEFAULT_LIMIT, MAX_LIMIT)?;
    let budget = Budget::of(request.max_chars)?;
    let words = terms::wanted(&request.query);
    if words.is_empty() {
        return Err(MemoryError::invalid("query", "holds no word"));
    }
    let kinds = request.kinds.clone().filter(|kinds| !kinds.is_empty()).unwrap_or(FindKind::ALL.to_vec());
    let since = request.since.as_deref().map(|since| text::parse_time("since", since)).transpose()?;
    let cursor = page::cursor(request.cursor, 0)?;
    let after = Place::of_cursor(cursor);
    let places = Places::of(ports.code, request.anchors.as_deref().unwrap_or_default())?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let ask = Ask { ports, rows, ws: &ws, words: &words, kinds: &kinds, since, places: places.as_ref() };
        let mut matched = Matched::AllWords;
        let (mut found, mut more) = ask.page(Match::All, after, limit)?;
        if found.is_empty() && (cursor == 0 || ask.page(Match::All, Place::default(), 1)?.0.is_empty()) {
            matched = Matched::AnyWord;
            (found, more) = ask.page(Match::Any, after, limit)?;
        }
        let (mut hits, numbers): (Vec<Hit>, Vec<i64>) =
            found.into_iter().map(|(hit, place)| (hit, place.cursor())).unzip();
        let mut out = SearchOutput {
            workspace: workspace.clone(),
            matched,
            hits: Vec::new(),
            pagination: Pagination::widest(cursor, limit),
            unknown_anchors: Vec::new(),
            only_elsewhere: false,
            truncated: false,
        };
        if let Some(places) = places.as_ref().filter(|_| hits.is_empty() && cursor == 0) {
            out.unknown_anchors = places.unknown(ports.code);
            let anywhere = Ask { places: None, ..ask };
            out.only_elsewhere = !anywhere.page(Match::Any, Place::default(), 1)?.0.is_empty();
        }
        let room = budget.0.saturating_sub(json_size(&out));
        (out.pagination, out.truncated) = out.pagination.fitted(&mut hits, &numbers, more, room);
        out.hits = hits;
        Ok(out)
    })
}

/// Where a page ends: behind the hit of this number, which was so far down the list. What was written or deleted since
/// moves the hits; the last one shown is looked for where it is now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    seq: i64,
    count: usize,
}

impl Place {
    /// More hits than this are not counted, and with the number of a hit a cursor stays below what JSON can hold.
    const COUNTS: i64 = 1 << 20;

    fn of_cursor(cursor: i64) -> Self {
        Self { seq: cursor / Self::COUNTS, count: usize::try_from(cursor % Self::COUNTS).unwrap_or(0) }
    }

    fn cursor(self) -> i64 {
        let count = i64::try_from(self.count).unwrap_or(i64::MAX).min(Self::COUNTS - 1);
        self.seq.saturating_mul(Self::COUNTS).saturating_add(count)
    }
}

struct Ask<'a> {
    ports: &'a Ports<'a>,
    rows: &'a dyn Rows,
    ws: &'a WorkspaceRow,
    words: &'a [Wanted],
    kinds: &'a [FindKind],
    since: Option<i64>,
    places: Option<&'a Places>,
}

impl Ask<'_> {
    /// Hits behind a place, each with its own; and whether there are more.
    fn page(
        &self,
        matching: Match,
        after: Place,
        limit: usize,
    ) -> Result<(Vec<(Hit, Place)>, bool), MemoryError> {
        let mut out = Vec::new();
        if let Some(skip) = claims::cursor(after) {
            return self.claims(matching, skip, limit);
        }
        let mut at = self.start(matching, after)?;
        loop {
            let found = self.find(matching, at, limit + 1)?;
            let last = found.len() <= limit;
            for one in found {
                at += 1;
                let place = Place { seq: one.seq.0, count: at };
                out.extend(self.hit(one)?.map(|hit| (hit, place)));
            }
            if last || out.len() > limit {
                break;
            }
        }
        let mut more = out.len() > limit;
        out.truncate(limit);
        if !more {
            let (claims, left) = self.claims(matching, 0, limit - out.len())?;
            out.extend(claims);
            more = left;
        }
        Ok((out, more))
    }

    /// How many hits lie before the first one behind a place.
    fn start(&self, matching: Match, after: Place) -> Result<usize, MemoryError> {
        if after.seq == 0 || after.count == 0 {
            return Ok(after.count);
        }
        let found = self.find(matching, 0, after.count + MOVED)?;
        let near = found.iter().enumerate().filter(|(_, one)| one.seq.0 == after.seq);
        let now = near.min_by_key(|(at, _)| at.abs_diff(after.count - 1));
        // Where it is gone, those behind it have moved up by one at least.
        Ok(now.map_or(after.count - 1, |(at, _)| at + 1))
    }

    fn find(&self, matching: Match, skip: usize, limit: usize) -> Result<Vec<Found>, MemoryError> {
        let (ws, words, kinds, since) = (self.ws.no, self.words, self.kinds, self.since);
        Ok(self.rows.find(&FindScan { ws, words, matching, kinds, since, skip, limit })?)
    }

    fn hit(&self, found: Found) -> Result<Option<Hit>, MemoryError> {
        let hit = match found.kind {
            FindKind::Note => self.note(&found)?,
            FindKind::Card => self.card(&found)?,
            FindKind::Task | FindKind::Plan => self.entity(&found)?,
            // Claims are kept by missions; the index has no text of them.
            FindKind::Claim => None,
        };
        let Some((hit, anchors)) = hit else {
            return Ok(None);
        };
        Ok(self.about(hit, anchors))
    }

    /// The hit, if it speaks of the places that are asked for, with those that changed.
    fn about(&self, mut hit: Hit, anchors: Vec<Anchor>) -> Option<Hit> {
        if let Some(places) = self.places
            && !anchors.iter().any(|anchor| places.hold(self.ports.code, anchor))
        {
            return None;
        }
        hit.stale_anchors = anchors;
        hit.stale_anchors
            .retain(|anchor| matches!(anchor.anchor_state, Some(AnchorState::Changed | AnchorState::Gone)));
        Some(hit)
    }

    fn note(&self, found: &Found) -> Result<Option<(Hit, Vec<Anchor>)>, MemoryError> {
        let Some(row) = self.rows.entry(self.ws.no, found.seq)? else {
            return Ok(None);
        };
        let hit = Hit {
            kind: found.kind,
            id: row.seq.to_string(),
            seq: Some(row.seq),
            ts: timestamp(row.ts),
            snippet: self.snippet(&row.content),
            title: row.title,
            branch: Some(row.branch),
            doc: Some(row.doc),
            valid_to: None,
            stale_anchors: Vec::new(),
        };
        Ok(Some((hit, anchors::show(self.ports.code, &row.anchors))))
    }

    fn card(&self, found: &Found) -> Result<Option<(Hit, Vec<Anchor>)>, MemoryError> {
        let parts = found.reference.split_once(':').and_then(|(stream, id)| Some((stream.parse().ok()?, id)));
        let Some((stream, id)) = parts else {
            return Ok(None);
        };
        let key = GraphKey::Node(GraphNodeId::stored(id));
        let Some(row) = self.rows.version_at(StreamId(stream), &key, Seq::TIP)? else {
            return Ok(None);
        };
        if self.is_told_elsewhere(&row)? {
            return Ok(None);
        }
        let hit = Hit {
            kind: found.kind,
            id: id.to_owned(),
            seq: Some(row.seq),
            ts: timestamp(row.ts),
            snippet: self.snippet(row.body.text.as_deref().unwrap_or_default()),
            title: row.body.title,
            branch: Some(row.branch),
            doc: Some(row.doc),
            valid_to: row.body.valid_to.map(|at| at.0),
            stale_anchors: Vec::new(),
        };
        Ok(Some((hit, anchors::show(self.ports.code, &row.body.anchors))))
    }

    /// Whether another branch says the same of a card: the branch that this one was cut off, or the one that a merge took
    /// it from, unless that was cut off this one.
    fn is_told_elsewhere(&self, row: &VersionRow) -> Result<bool, MemoryError> {
        let mut below = self.base_of(&row.branch)?;
        while let Some(branch) = below {
            if self.says_the_same(&branch, row)? {
                return Ok(true);
            }
            below = self.base_of(&branch)?;
        }
        let Some(origin) = &row.origin else { return Ok(false) };
        let mut above = Some(origin.branch.clone());
        while let Some(branch) = above {
            if branch == row.branch {
                return Ok(false);
            }
            above = self.base_of(&branch)?;
        }
        self.says_the_same(&origin.branch, row)
    }

    fn base_of(&self, branch: &BranchName) -> Result<Option<BranchName>, MemoryError> {
        let row = self.rows.branch(self.ws.no, branch)?;
        Ok(row.and_then(|row| row.base).map(|base| base.branch))
    }

    fn says_the_same(&self, branch: &BranchName, row: &VersionRow) -> Result<bool, MemoryError> {
        let Some(stream) = self.rows.stream(self.ws.no, branch, &row.doc, StreamKind::Graph)? else {
            return Ok(false);
        };
        let other = self.rows.version_at(stream.id, &row.key, Seq::TIP)?;
        let is_closed = |row: &VersionRow| row.body.valid_to.is_some();
        Ok(other
            .is_some_and(|other| is_closed(&other) == is_closed(row) && graph::same(Some(&other), Some(row))))
    }

    fn entity(&self, found: &Found) -> Result<Option<(Hit, Vec<Anchor>)>, MemoryError> {
        let Ok(id) = EntityId::parse("id", &found.reference) else {
            return Ok(None);
        };
        let Some(row) = self.rows.entity(self.ws.no, id)? else {
            return Ok(None);
        };
        let body = tasks::entity_text(&row, &self.rows.steps(self.ws.no, id)?);
        let hit = Hit {
            kind: found.kind,
            id: found.reference.clone(),
            seq: Some(row.created_seq),
            ts: timestamp(row.updated),
            snippet: self.snippet(&body),
            title: Some(row.title),
            branch: None,
            doc: None,
            valid_to: None,
            stale_anchors: Vec::new(),
        };
        Ok(Some((hit, anchors::show(self.ports.code, &row.anchors))))
    }

    /// The text around the first word found, on one line.
    fn snippet(&self, body: &str) -> String {
        let at = terms::first_hit(body, self.words).unwrap_or(0);
        let start = text::cut(body, at.saturating_sub(SNIPPET / 4).min(body.len())).len();
        let piece = text::cut(&body[start..], SNIPPET);
        let mut out = piece.split_whitespace().collect::<Vec<_>>().join(" ");
        if start > 0 {
            out.insert(0, '…');
        }
        if start + piece.len() < body.len() {
            out.push('…');
        }
        out
    }
}
