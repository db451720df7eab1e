//! The session opener: what a new agent needs to go on.

mod trim;

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use m1nd_stdx::clock::UnixMs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::branch::View;
use crate::error::MemoryError;
use crate::ids::{BranchName, ConflictId, DocName, EntityId, Seq, WorkspaceId};
use crate::notes::TargetCard;
use crate::port::{self, EntityRow, EntryRow, GraphKey, Mark, Rows, Status, VersionRow, WorkspaceRow};
use crate::ports::Ports;
use crate::stale::{Stale, StaleAnchor};
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

/// Opens a session: focus, work in progress, ready tasks, open conflicts, decisions, questions, what went stale, and
/// the last hand-off.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BriefRequest {
    /// The workspace.
    pub workspace: String,
    /// A plan or task to look at; the one in focus if none is given.
    #[serde(default)]
    pub target: Option<String>,
    /// Whose claims come first.
    #[serde(default)]
    pub agent_id: Option<String>,
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
    /// Tasks that are claimed, active or blocked and not ready: those of the asking agent first, then the most urgent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub at_work: Vec<EntityLine>,
    /// Tasks that can be started now, most urgent first.
    pub ready: Vec<EntityLine>,
    /// Open merge conflicts, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<BriefConflict>,
    /// Newest first.
    pub decisions: Vec<BriefCard>,
    /// Open ones, newest first.
    pub questions: Vec<BriefCard>,
    /// Places in the code that changed since something was written about them: the things above, and notes and cards
    /// of the checked out branch and of the tasks above.
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

/// A merge conflict that nobody has settled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefConflict {
    pub conflict_id: ConflictId,
    /// The id of the node, or `from|rel|to` of the edge.
    pub key: String,
    pub from: BranchName,
    pub into: BranchName,
    pub doc: DocName,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Dropped {
    pub pinned: usize,
    pub ready: usize,
    pub decisions: usize,
    pub questions: usize,
    pub stale_anchors: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub at_work: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub conflicts: usize,
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
        let view = View::of(rows, &ws, &ws.checkout)?;
        let look = Look {
            ports,
            rows,
            ws: &ws,
            target,
            agent: request.agent_id.as_deref(),
            view,
            roots: RefCell::default(),
        };
        let mut out = look.gather()?;
        trim::trim(&mut out, budget.0);
        Ok(out)
    })
}

struct Look<'a> {
    ports: &'a Ports<'a>,
    rows: &'a dyn Rows,
    ws: &'a WorkspaceRow,
    target: Option<EntityId>,
    agent: Option<&'a str>,
    /// What the checked out branch shows.
    view: View,
    /// Which branches were cut off no other, as far as it was asked.
    roots: RefCell<HashMap<BranchName, bool>>,
}

impl Look<'_> {
    fn gather(&self) -> Result<BriefOutput, MemoryError> {
        let mut stale = Stale::new(self.ports, self.rows, self.ws);
        let focus = self.focus(&mut stale)?;
        let handoff = self.handoff(&mut stale)?;
        let mut pinned = self.pinned_notes(&mut stale)?;
        let (mut decisions, mut questions) = (Vec::new(), Vec::new());
        for kind in CardType::ALL {
            for row in self.cards(kind)? {
                let GraphKey::Node(id) = &row.key else { continue };
                stale.look(id.as_str(), &row.body.anchors);
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
        let (ready, more_ready) = self.ready()?;
        let at_work = self.at_work(&ready)?;
        for row in ready.iter().chain(&at_work) {
            stale.look(&row.id.to_string(), &row.anchors);
        }
        stale.branch(&self.ws.checkout)?;
        let focused = self.target.or(self.ws.focus);
        let listed = at_work.iter().chain(&ready).take(EACH).map(|row| row.id);
        for id in focused.into_iter().chain(listed.filter(|_| self.target.is_none())) {
            stale.branch(&id.branch())?;
        }
        let now = self.ports.clock.now();
        let lines = |rows: &[EntityRow]| rows.iter().map(|row| EntityLine::of(row, now)).collect::<Vec<_>>();
        let mut out = BriefOutput {
            workspace: self.ws.name.clone(),
            checkout: self.ws.checkout.clone(),
            focus,
            handoff,
            pinned,
            at_work: lines(&at_work),
            ready: lines(&ready),
            conflicts: self.conflicts()?,
            decisions,
            questions,
            stale_anchors: stale.found(),
            last_event_id: (self.ws.event.0 > 0).then(|| self.ws.event.to_string()),
            dropped: Dropped { ready: more_ready, ..Dropped::default() },
            truncated: false,
        };
        out.keep_each(EACH);
        Ok(out)
    }

    fn focus(&self, stale: &mut Stale<'_>) -> Result<Option<BriefFocus>, MemoryError> {
        let Some(id) = self.target.or(self.ws.focus) else {
            return Ok(None);
        };
        let Some(row) = self.rows.entity(self.ws.no, id)? else {
            return Ok(None);
        };
        stale.look(&id.to_string(), &row.anchors);
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

    fn handoff(&self, stale: &mut Stale<'_>) -> Result<Option<BriefNote>, MemoryError> {
        let found = self.rows.marked(self.ws.no, Mark::Handoff, LOOKED_THROUGH)?;
        let own = |row: &&EntryRow| self.target.is_some_and(|id| row.branch == id.branch());
        let newest =
            found.iter().find(own).or_else(|| found.iter().find(|row| self.holds(&row.branch, row.seq)));
        let Some(row) = newest else { return Ok(None) };
        stale.look(&row.seq.to_string(), &row.anchors);
        Ok(Some(note(row)))
    }

    fn pinned_notes(&self, stale: &mut Stale<'_>) -> Result<Vec<BriefNote>, MemoryError> {
        let mut out = Vec::new();
        for row in self.rows.marked(self.ws.no, Mark::Pinned, LOOKED_THROUGH)? {
            // A copy that a merge made says what its original says.
            if row.origin.is_none() && self.holds(&row.branch, row.seq) {
                stale.look(&row.seq.to_string(), &row.anchors);
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

    fn ready(&self) -> Result<(Vec<EntityRow>, usize), MemoryError> {
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
        match failed {
            Some(err) => Err(err.into()),
            None => Ok((rows, more)),
        }
    }

    /// Tasks that somebody holds or began, and those that are blocked; the asking agent's own first.
    fn at_work(&self, ready: &[EntityRow]) -> Result<Vec<EntityRow>, MemoryError> {
        let now = self.ports.clock.now();
        let mut out = self.rows.tasks_at_work(self.ws.no, LOOKED_THROUGH)?;
        let holder = |row: &EntityRow| {
            row.claim.as_ref().filter(|claim| claim.is_live(now)).map(|claim| claim.agent.clone())
        };
        out.retain(|row| {
            let shown = ready.iter().any(|other| other.id == row.id);
            !shown && (holder(row).is_some() || !matches!(row.status, Status::Todo))
        });
        // A stable sort: the most urgent stay first among equals.
        out.sort_by_key(|row| match holder(row) {
            Some(agent) if self.agent == Some(agent.as_str()) => 0,
            Some(_) => 1,
            None => 2,
        });
        Ok(out)
    }

    /// The newest conflict over each key; older ones are settled with it.
    fn conflicts(&self) -> Result<Vec<BriefConflict>, MemoryError> {
        let mut seen = HashSet::new();
        let mut out = Vec::new();
        for row in self.rows.open_conflicts(self.ws.no, LOOKED_THROUGH)? {
            let about = self.target.is_none_or(|id| row.doc == id.graph_doc());
            let key = (row.from.clone(), row.into.clone(), row.doc.clone(), row.key.text());
            if about && seen.insert(key) {
                let (conflict_id, key) = (row.id, row.key.text());
                out.push(BriefConflict { conflict_id, key, from: row.from, into: row.into, doc: row.doc });
            }
        }
        Ok(out)
    }

    /// Whether something belongs to the accepted state: written to a root branch, or shown by the checked
    /// out one. What was only tried out on a fork does not.
    fn holds(&self, branch: &BranchName, seq: Seq) -> bool {
        let root = || match self.rows.branch(self.ws.no, branch) {
            Ok(Some(row)) => row.base.is_none(),
            Ok(None) | Err(_) => false,
        };
        // Hundreds of cards may lie on one branch.
        self.view.shows(branch, seq) || *self.roots.borrow_mut().entry(branch.clone()).or_insert_with(root)
    }
}

fn note(row: &EntryRow) -> BriefNote {
    BriefNote::new(row.seq.to_string(), &row.branch, row.ts, row.title.clone(), row.content.clone())
}

fn pinned_card(id: &str, row: &VersionRow) -> BriefNote {
    let body = row.body.text.clone().unwrap_or_default();
    BriefNote::new(id.to_owned(), &row.branch, row.ts, row.body.title.clone(), body)
}

impl BriefNote {
    fn new(id: String, branch: &BranchName, ts: UnixMs, title: Option<String>, text: String) -> Self {
        let (branch, ts) = (branch.clone(), timestamp(ts));
        let mut out =
            Self { id, branch, ts, title, text, title_length: None, truncated: false, text_length: None };
        out.shorten(LONG);
        out
    }

    fn shorten(&mut self, max: usize) {
        let full = self.text.len();
        if full > max {
            self.text = text::cut(&self.text, max).to_owned();
            self.truncated = true;
            self.text_length.get_or_insert(full);
        }
    }
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
