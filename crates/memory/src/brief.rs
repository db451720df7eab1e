//! The session opener: what a new agent needs to go on.

use std::collections::HashSet;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::anchors::{self, Anchor};
use crate::branch::View;
use crate::budget::{json_size, shorten_text};
use crate::error::MemoryError;
use crate::ids::{BranchName, EntityId, Seq, WorkspaceId};
use crate::notes::TargetCard;
use crate::port::{self, AnchorRow, EntryRow, GraphKey, Mark, Rows, VersionRow, WorkspaceRow};
use crate::ports::Ports;
use crate::target;
use crate::tasks::{self, EntityLine};
use crate::text::{self, timestamp};
use crate::think::{self, CardType};
use crate::writer;

/// The budget of a brief that names none, in bytes.
const DEFAULT_BRIEF: i64 = 4_000;
/// How many items of each kind a brief considers.
const EACH: usize = 10;
/// How many cards of each type are looked through for pinned ones.
const LOOKED_THROUGH: usize = 200;
/// The longest text of a hand-off or pinned note in a brief, in bytes.
const LONG: usize = 1_500;
/// The longest text of a card in a brief, in bytes.
const SHORT: usize = 240;

/// Opens a session: focus, ready tasks, decisions, questions, what went stale, and the last hand-off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefRequest {
    /// The workspace.
    pub workspace: String,
    /// A plan or task to look at; the one in focus if none is given.
    #[serde(default)]
    pub target: Option<String>,
    /// The most bytes of the answer (4,000).
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefOutput {
    pub workspace: WorkspaceId,
    /// The checked out branch.
    pub checkout: BranchName,
    /// The plan or task in focus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub focus: Option<BriefFocus>,
    /// The newest note that was written as a hand-off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<BriefNote>,
    /// Pinned notes and cards, newest first; the last to be dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<BriefNote>,
    /// Tasks that can be started now, most urgent first.
    pub ready: Vec<EntityLine>,
    /// Newest first.
    pub decisions: Vec<BriefCard>,
    /// Open ones, newest first.
    pub questions: Vec<BriefCard>,
    /// Places in the code that changed since something above was written.
    pub stale_anchors: Vec<StaleAnchor>,
    /// The newest task event; pass it to `tasks_delta` as `since` next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event_id: Option<String>,
    /// How many of each were left out.
    pub dropped: Dropped,
    /// Whether the budget dropped or shortened something.
    pub truncated: bool,
}

/// The plan or task in focus, and where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefFocus {
    pub target: TargetCard,
    /// What is being worked on.
    pub now: String,
    /// What must be confirmed before it is done.
    pub verify: Vec<String>,
    /// What comes after it.
    pub next: Vec<String>,
    /// What is in the way.
    pub blockers: Vec<String>,
    pub open_steps: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefNote {
    /// The number of a note, or the id of a card.
    pub id: String,
    pub branch: BranchName,
    pub ts: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub text: String,
    /// The full length of a shortened title, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_length: Option<usize>,
    /// Whether the text was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened text, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_length: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefCard {
    pub id: String,
    pub branch: BranchName,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    pub last_seq: Seq,
    /// The full length of a shortened title, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title_length: Option<usize>,
    /// Whether the text was shortened.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened text, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_length: Option<usize>,
}

impl BriefCard {
    fn shorten(&mut self, max: usize) {
        if let Some(body) = &mut self.text
            && body.len() > max
        {
            self.truncated = true;
            self.text_length.get_or_insert(body.len());
            *body = text::cut(body, max).to_owned();
        }
    }
}

/// A place that changed since something was written about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StaleAnchor {
    /// The note, card or task.
    pub on: String,
    pub anchor: Anchor,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    pub pinned: usize,
    pub ready: usize,
    pub decisions: usize,
    pub questions: usize,
    pub stale_anchors: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handoff: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub focus: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

pub fn brief(ports: &Ports<'_>, request: &BriefRequest) -> Result<BriefOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let budget = crate::budget::Budget::of(Some(request.max_chars.unwrap_or(DEFAULT_BRIEF)))?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let target = match &request.target {
            Some(target) => Some(target::entity(rows, &ws, "target", target)?.id),
            None => None,
        };
        let look = Look { ports, rows, ws: &ws, target, view: View::of(rows, &ws, &ws.checkout)? };
        let mut out = look.gather()?;
        trim(&mut out, budget.0);
        Ok(out)
    })
}

struct Look<'a> {
    ports: &'a Ports<'a>,
    rows: &'a dyn Rows,
    ws: &'a WorkspaceRow,
    target: Option<EntityId>,
    /// What the checked out branch shows.
    view: View,
}

impl Look<'_> {
    fn gather(&self) -> Result<BriefOutput, MemoryError> {
        let mut stale = Vec::new();
        let focus = self.focus(&mut stale)?;
        let handoff = self.handoff(&mut stale)?;
        let mut pinned = self.pinned_notes(&mut stale)?;
        let (mut decisions, mut questions) = (Vec::new(), Vec::new());
        for kind in CardType::ALL {
            for row in self.cards(kind)? {
                let GraphKey::Node(id) = &row.key else { continue };
                self.note_stale(&mut stale, id.as_str(), &row.body.anchors);
                if row.body.tags.iter().any(|tag| tag == "pinned") {
                    pinned.push(pinned_card(id.as_str(), &row));
                } else if kind == CardType::Decision {
                    decisions.push(card(id.as_str(), &row));
                } else if kind == CardType::Question {
                    questions.push(card(id.as_str(), &row));
                }
            }
        }
        // Times are written so that their order is the order of their texts.
        pinned.sort_by(|a, b| b.ts.cmp(&a.ts));
        let (ready, more_ready) = self.ready(&mut stale)?;
        let mut dropped = Dropped { ready: more_ready, ..Dropped::default() };
        for (list, count) in
            [(&mut decisions, &mut dropped.decisions), (&mut questions, &mut dropped.questions)]
        {
            *count = list.len().saturating_sub(EACH);
            list.truncate(EACH);
        }
        Ok(BriefOutput {
            workspace: self.ws.name.clone(),
            checkout: self.ws.checkout.clone(),
            focus,
            handoff,
            pinned,
            ready,
            decisions,
            questions,
            stale_anchors: stale,
            last_event_id: (self.ws.event.0 > 0).then(|| self.ws.event.to_string()),
            dropped,
            truncated: false,
        })
    }

    fn focus(&self, stale: &mut Vec<StaleAnchor>) -> Result<Option<BriefFocus>, MemoryError> {
        let Some(id) = self.target.or(self.ws.focus) else {
            return Ok(None);
        };
        let Some(row) = self.rows.entity(self.ws.no, id)? else {
            return Ok(None);
        };
        self.note_stale(stale, &id.to_string(), &row.anchors);
        let (radar, steps) = tasks::standing(self.rows, self.ws, &row)?;
        Ok(Some(BriefFocus {
            target: TargetCard { anchors: Vec::new(), ..TargetCard::of(&row, self.ports) },
            now: radar.now,
            verify: radar.verify,
            next: radar.next,
            blockers: radar.blockers,
            open_steps: steps.open,
        }))
    }

    fn handoff(&self, stale: &mut Vec<StaleAnchor>) -> Result<Option<BriefNote>, MemoryError> {
        let found = self.rows.marked(self.ws.no, Mark::Handoff, LOOKED_THROUGH)?;
        let own = |row: &&EntryRow| self.target.is_some_and(|id| row.branch == id.branch());
        let newest =
            found.iter().find(own).or_else(|| found.iter().find(|row| self.holds(&row.branch, row.seq)));
        let Some(row) = newest else { return Ok(None) };
        self.note_stale(stale, &row.seq.to_string(), &row.anchors);
        Ok(Some(note(row)))
    }

    fn pinned_notes(&self, stale: &mut Vec<StaleAnchor>) -> Result<Vec<BriefNote>, MemoryError> {
        let mut out = Vec::new();
        for row in self.rows.marked(self.ws.no, Mark::Pinned, LOOKED_THROUGH)? {
            // A copy that a merge made says what its original says.
            if row.origin.is_none() && self.holds(&row.branch, row.seq) {
                self.note_stale(stale, &row.seq.to_string(), &row.anchors);
                out.push(note(&row));
            }
        }
        Ok(out)
    }

    /// Valid cards of a type, newest first: open questions, standing decisions, pinned ones of the others.
    fn cards(&self, kind: CardType) -> Result<Vec<VersionRow>, MemoryError> {
        let shown = matches!(kind, CardType::Decision | CardType::Question);
        let mut seen = 0;
        let mut found = Vec::new();
        self.rows.newest_of_type(self.ws.no, kind.as_str(), &mut |row| {
            seen += 1;
            let pinned = row.body.tags.iter().any(|tag| tag == "pinned");
            let wanted = match kind {
                CardType::Question => pinned || think::is_open(&row),
                _ => pinned || shown,
            };
            if row.body.valid_to.is_none() && wanted {
                found.push(row);
            }
            if seen < LOOKED_THROUGH { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        let mut ids = HashSet::new();
        let mut out = Vec::new();
        for row in found {
            let about = self.target.is_none_or(|id| row.doc == id.graph_doc());
            if about && self.holds(&row.branch, row.seq) && ids.insert(row.key.clone()) {
                out.push(row);
            }
        }
        Ok(out)
    }

    fn ready(&self, stale: &mut Vec<StaleAnchor>) -> Result<(Vec<EntityLine>, usize), MemoryError> {
        let now = self.ports.clock.now();
        let mut failed = None;
        let mut rows = Vec::new();
        let mut more = 0;
        self.rows.open_tasks(self.ws.no, &mut |row| {
            let claimed = row.claim.as_ref().is_some_and(|claim| claim.is_live(now));
            match tasks::is_unblocked(self.rows, self.ws, &row) {
                Ok(true) if !claimed && rows.len() < EACH => rows.push(row),
                Ok(true) if !claimed => more += 1,
                Ok(_) => {}
                Err(err) => failed = Some(err),
            }
            if failed.is_some() || more >= LOOKED_THROUGH {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        if let Some(err) = failed {
            return Err(err.into());
        }
        for row in &rows {
            self.note_stale(stale, &row.id.to_string(), &row.anchors);
        }
        Ok((rows.iter().map(|row| EntityLine::of(row, now)).collect(), more))
    }

    /// Whether something belongs to the accepted state: written to a root branch, or shown by the checked
    /// out one. What was only tried out on a fork does not.
    fn holds(&self, branch: &BranchName, seq: Seq) -> bool {
        let root = || match self.rows.branch(self.ws.no, branch) {
            Ok(Some(row)) => row.base.is_none(),
            Ok(None) | Err(_) => false,
        };
        self.view.shows(branch, seq) || root()
    }

    fn note_stale(&self, stale: &mut Vec<StaleAnchor>, on: &str, rows: &[AnchorRow]) {
        for anchor in anchors::stale(self.ports.code, rows) {
            stale.push(StaleAnchor { on: on.to_owned(), anchor });
        }
    }
}

fn note(row: &EntryRow) -> BriefNote {
    let mut out = BriefNote {
        id: row.seq.to_string(),
        branch: row.branch.clone(),
        ts: timestamp(row.ts),
        title: row.title.clone(),
        text: row.content.clone(),
        title_length: None,
        truncated: false,
        text_length: None,
    };
    shorten(&mut out, LONG);
    out
}

fn pinned_card(id: &str, row: &VersionRow) -> BriefNote {
    let mut out = BriefNote {
        id: id.to_owned(),
        branch: row.branch.clone(),
        ts: timestamp(row.ts),
        title: row.body.title.clone(),
        text: row.body.text.clone().unwrap_or_default(),
        title_length: None,
        truncated: false,
        text_length: None,
    };
    shorten(&mut out, LONG);
    out
}

fn card(id: &str, row: &VersionRow) -> BriefCard {
    let mut out = BriefCard {
        id: id.to_owned(),
        branch: row.branch.clone(),
        title: row.body.title.clone().unwrap_or_default(),
        text: row.body.text.clone(),
        status: row.body.status.clone(),
        last_seq: row.seq,
        title_length: None,
        truncated: false,
        text_length: None,
    };
    out.shorten(SHORT);
    out
}

fn shorten(note: &mut BriefNote, max: usize) {
    let full = note.text.len();
    if full > max {
        note.text = text::cut(&note.text, max).to_owned();
        note.truncated = true;
        note.text_length.get_or_insert(full);
    }
}

/// Drops the oldest of the longest list, then shortens what is long, then drops the oldest of what is pinned.
/// The newest of each stays as long as the budget has room for one of each.
fn trim(out: &mut BriefOutput, budget: usize) {
    while json_size(out) > budget {
        let sizes = [out.ready.len(), out.decisions.len(), out.questions.len(), out.stale_anchors.len()];
        out.truncated = true;
        let most = sizes.into_iter().max().unwrap_or(0);
        if most <= 1 {
            break;
        }
        match sizes.iter().rposition(|size| *size == most) {
            Some(0) => (out.dropped.ready += 1, out.ready.truncate(most - 1)),
            Some(1) => (out.dropped.decisions += 1, out.decisions.truncate(most - 1)),
            Some(2) => (out.dropped.questions += 1, out.questions.truncate(most - 1)),
            _ => (out.dropped.stale_anchors += 1, out.stale_anchors.truncate(most - 1)),
        };
    }
    let mut max = LONG / 2;
    while json_size(out) > budget && max >= 60 {
        for note in out.pinned.iter_mut().chain(&mut out.handoff) {
            shorten(note, max);
        }
        for card in out.decisions.iter_mut().chain(&mut out.questions) {
            card.shorten(max / 2);
        }
        max /= 2;
    }
    if let Some(focus) = &mut out.focus {
        while json_size(focus) > budget / 2 {
            let Some(longest) = [&mut focus.next, &mut focus.verify, &mut focus.blockers]
                .into_iter()
                .max_by_key(|list| list.len())
                .filter(|list| list.len() > 1)
            else {
                break;
            };
            longest.pop();
        }
    }
    for max in [120, 60, 24] {
        if json_size(out) > budget {
            shorten_titles(out, max);
        }
    }
    while json_size(out) > budget && out.pinned.len() > 1 {
        out.pinned.pop();
        out.dropped.pinned += 1;
    }
    if json_size(out) > budget
        && let Some(note) = &mut out.handoff
    {
        note.truncated = true;
        let full = note.text.len();
        note.text_length.get_or_insert(full);
        shorten_text(&mut note.text, full);
    }
    drop_newest(out, budget);
}

/// Cuts every title, and every line about the focus, to `max` bytes.
fn shorten_titles(out: &mut BriefOutput, max: usize) {
    let cut = |title: &mut String, length: &mut Option<usize>| {
        if title.len() > max {
            length.get_or_insert(title.len());
            *title = text::cut(title, max).to_owned();
        }
    };
    for note in out.pinned.iter_mut().chain(&mut out.handoff) {
        if let Some(title) = &mut note.title {
            cut(title, &mut note.title_length);
        }
    }
    for card in out.decisions.iter_mut().chain(&mut out.questions) {
        cut(&mut card.title, &mut card.title_length);
    }
    for task in &mut out.ready {
        cut(&mut task.title, &mut task.title_length);
        task.truncated |= task.title_length.is_some();
    }
    if let Some(focus) = &mut out.focus {
        let mut shortened = None;
        cut(&mut focus.target.title, &mut shortened);
        cut(&mut focus.now, &mut shortened);
        for line in focus.verify.iter_mut().chain(&mut focus.next).chain(&mut focus.blockers) {
            cut(line, &mut shortened);
        }
    }
}

/// What is left when not even one of each fits: the caller asked for less than a brief, and is told what
/// went. The name of the focus goes last.
fn drop_newest(out: &mut BriefOutput, budget: usize) {
    let fits = |out: &BriefOutput| json_size(out) <= budget;
    if !fits(out) {
        out.dropped.stale_anchors += std::mem::take(&mut out.stale_anchors).len();
    }
    if !fits(out) {
        out.dropped.questions += std::mem::take(&mut out.questions).len();
    }
    if !fits(out) {
        out.dropped.decisions += std::mem::take(&mut out.decisions).len();
    }
    if !fits(out) {
        out.dropped.ready += std::mem::take(&mut out.ready).len();
    }
    if !fits(out)
        && let Some(focus) = &mut out.focus
    {
        for list in [&mut focus.verify, &mut focus.next, &mut focus.blockers] {
            list.clear();
        }
    }
    if !fits(out) {
        out.dropped.handoff += usize::from(out.handoff.take().is_some());
    }
    if !fits(out) {
        out.dropped.pinned += std::mem::take(&mut out.pinned).len();
    }
    if !fits(out) {
        out.dropped.focus += usize::from(out.focus.take().is_some());
    }
}
