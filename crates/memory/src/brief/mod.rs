//! The session opener: what a new agent needs to go on.

mod elsewhere;
mod items;
mod kept;
mod notes;
mod origin;
mod trim;

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::branch::View;
use crate::error::MemoryError;
use crate::ids::{BranchName, ConflictId, DocName, EntityId, EventNo, Seq, WorkspaceId};
use crate::notes::TargetCard;
use crate::port::{self, EntityRow, GraphKey, Rows, Status, VersionRow, WorkspaceRow};
use crate::ports::Ports;
use crate::stale::{Stale, StaleAnchor};
use crate::target;
use crate::tasks::{self, EntityLine, LastNote, Readiness};
use crate::text;
use crate::think::{self, CardType, PINNED};
use crate::writer;

pub use elsewhere::Elsewhere;
pub use items::{BriefCard, BriefNote};
use items::{LONG, card};

/// The budget of a brief that names none, in bytes.
const DEFAULT_BRIEF: i64 = 4_000;
/// How many items of each kind a brief considers.
const EACH: usize = 10;
/// How many things that a brief could show are counted of each kind; of more than these it says so.
const COUNTED: usize = 200;
/// How many rows of each kind are looked at for them: what forks hold, what was answered and what is about something
/// else lies among them.
const SCANNED: usize = 20_000;
/// The longest `why` or `contract` of the focus, in bytes.
const PROMISE: usize = 300;
/// How many plain notes a brief shows.
const NOTES: usize = 5;

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
    /// The newest note that was written as a hand-off, on the checked out branch or on one that is no fork.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<BriefNote>,
    /// Pinned notes and cards, newest first; the last to be dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pinned: Vec<BriefNote>,
    /// Tasks that are claimed, active or blocked, neither ready nor the focus: those of the asking agent first, then the
    /// most urgent.
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
    /// The newest other notes of the checked out branch and of those that are no forks, newest first; of the target alone
    /// if one was named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<BriefNote>,
    /// Forks that are not checked out and hold hand-offs, pinned things or notes of their own: nothing of these is above.
    /// Not told of a target.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Elsewhere>,
    /// Places in the code that changed since something was written about them: the things above, and notes and cards
    /// of the checked out branch and of the tasks above.
    pub stale_anchors: Vec<StaleAnchor>,
    /// The newest task event; pass it to `tasks_delta` as `since` next time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event_id: Option<String>,
    /// How many of each were left out.
    pub dropped: Dropped,
    /// Of these there is so much that not all was looked at or counted: there may be more than `dropped` says.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partly_seen: Vec<String>,
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<String>,
    /// What comes after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<String>,
    /// What is in the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    pub open_steps: usize,
    /// What it is for, when the title does not say it all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the plan promises, when `why` says something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// Whether something of it was shortened or left out; `tasks_radar` has all of it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The newest note on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_note: Option<LastNote>,
    /// Whether the asking agent holds the claim.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub yours: bool,
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
    /// Hand-offs before the one that is shown.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub handoffs: usize,
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
    pub notes: usize,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub elsewhere: usize,
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
            Some(target) => Some(target::entity(rows, &ws, "target", target)?),
            None => None,
        };
        let own = target.iter().flat_map(|row| [Some(row.id), row.parent]).flatten();
        let docs = own.map(|id| id.graph_doc()).collect();
        let view = View::of(rows, &ws, &ws.checkout)?;
        let look = Look {
            ports,
            rows,
            ws: &ws,
            target: target.map(|row| row.id),
            docs,
            agent: request.agent_id.as_deref(),
            longest_handoff: LONG.max(budget.0 / 2),
            view,
            roots: RefCell::default(),
            partly: RefCell::default(),
        };
        let mut out = look.gather()?;
        out.truncated = out.is_partial();
        trim::trim(&mut out, budget.0);
        Ok(out)
    })
}

struct Look<'a> {
    ports: &'a Ports<'a>,
    rows: &'a dyn Rows,
    ws: &'a WorkspaceRow,
    target: Option<EntityId>,
    /// The graph documents of the target and of its plan; none if no target was named.
    docs: Vec<DocName>,
    agent: Option<&'a str>,
    /// How much of the hand-off is shown, in bytes.
    longest_handoff: usize,
    /// What the checked out branch shows.
    view: View,
    /// Which branches were cut off no other, as far as it was asked.
    roots: RefCell<HashMap<BranchName, bool>>,
    /// What there was too much of to look at all.
    partly: RefCell<BTreeSet<&'static str>>,
}

impl Look<'_> {
    fn gather(&self) -> Result<BriefOutput, MemoryError> {
        let mut stale = Stale::new(self.ports, self.rows, self.ws);
        let focus = self.focus(&mut stale)?;
        let (handoff, earlier) = self.handoff(&mut stale)?;
        let pinned = self.pinned(&mut stale)?;
        let decisions = self.cards(CardType::Decision, &mut stale)?;
        let questions = self.cards(CardType::Question, &mut stale)?;
        let (ready, more_ready) = self.ready()?;
        let at_work = self.at_work(&ready)?;
        for row in ready.iter().chain(&at_work) {
            stale.look(&row.id.to_string(), &row.anchors);
        }
        if self.target.is_none() {
            for row in self.rows.entities(self.ws.no, Seq::END, EventNo(0), COUNTED)? {
                if row.status.is_open() {
                    stale.look(&row.id.to_string(), &row.anchors);
                }
            }
        }
        let (notes, more_notes) = self.plain_notes(focus.as_ref(), &mut stale)?;
        stale.branch(&self.ws.checkout)?;
        let focused = self.target.or(self.ws.focus);
        let listed = at_work.iter().chain(&ready).take(EACH).map(|row| row.id);
        for id in focused.into_iter().chain(listed.filter(|_| self.target.is_none())) {
            stale.branch(&id.branch())?;
        }
        let now = self.ports.clock.now();
        let lines = |rows: &[EntityRow]| rows.iter().map(|row| EntityLine::of(row, now)).collect::<Vec<_>>();
        if stale.is_partial() {
            self.partly.borrow_mut().insert("stale_anchors");
        }
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
            notes,
            elsewhere: if self.target.is_none() { self.elsewhere()? } else { Vec::new() },
            stale_anchors: stale.found(),
            last_event_id: (self.ws.event.0 > 0).then(|| self.ws.event.to_string()),
            dropped: Dropped {
                ready: more_ready,
                notes: more_notes,
                handoffs: earlier,
                ..Dropped::default()
            },
            partly_seen: self.partly.borrow().iter().map(|name| (*name).to_owned()).collect(),
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
        let mut why = Some(radar.why).filter(|why| *why != row.title);
        let mut contract = radar.contract;
        let mut truncated = radar.contract_length.is_some();
        for line in why.iter_mut().chain(&mut contract) {
            truncated |= line.len() > PROMISE;
            line.truncate(text::cut(line, PROMISE).len());
        }
        let target = TargetCard { anchors: Vec::new(), ..TargetCard::of(&row, self.ports) };
        let yours = target.claimed_by.is_some() && target.claimed_by.as_deref() == self.agent;
        Ok(Some(BriefFocus {
            target,
            why,
            contract,
            truncated,
            last_note: radar.last_note,
            yours,
            now: radar.now,
            verify: radar.verify,
            next: radar.next,
            blockers: radar.blockers,
            open_steps: steps.open,
        }))
    }

    /// Valid cards of a type that are not pinned, newest first: standing decisions, or open questions.
    fn cards(&self, kind: CardType, stale: &mut Stale<'_>) -> Result<Vec<BriefCard>, MemoryError> {
        let what = if kind == CardType::Question { "questions" } else { "decisions" };
        let (mut ids, mut out, mut scanned) = (HashSet::new(), Vec::new(), 0);
        let mut failed = None;
        self.rows.newest_of_type(self.ws.no, kind.as_str(), &mut |row| {
            scanned += 1;
            let GraphKey::Node(id) = &row.key else { return ControlFlow::Continue(()) };
            let pinned = row.body.tags.iter().any(|tag| tag == PINNED);
            if row.body.valid_to.is_none() && !pinned && self.is_about(&row) && !ids.contains(id) {
                let wanted = match kind {
                    CardType::Question => think::is_unanswered(self.rows, &row),
                    _ => Ok(true),
                };
                ids.insert(id.clone());
                match wanted {
                    Ok(true) => {
                        stale.look(id.as_str(), &row.body.anchors);
                        match self.first_version(&row) {
                            Ok(first) => out.push((first.0, card(id.as_str(), &row))),
                            Err(err) => failed = Some(err),
                        }
                    }
                    Ok(false) => {}
                    Err(err) => failed = Some(err),
                }
            }
            if failed.is_some() || self.seen(what, out.len()) || self.scanned(what, scanned) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })?;
        if let Some(err) = failed {
            return Err(err.into());
        }
        out.sort_by_key(|(seq, _)| Reverse(*seq));
        Ok(out.into_iter().map(|(_, card)| card).collect())
    }

    /// Whether a card belongs to the accepted state, and to the target or its plan if one was named.
    fn is_about(&self, row: &VersionRow) -> bool {
        (self.docs.is_empty() || self.docs.contains(&row.doc)) && self.holds(&row.branch, row.seq)
    }

    fn ready(&self) -> Result<(Vec<EntityRow>, usize), MemoryError> {
        let now = self.ports.clock.now();
        let readiness = Readiness::new(self.rows, self.ws);
        let mut failed = None;
        let mut rows = Vec::new();
        let mut more = 0;
        self.rows.open_tasks(self.ws.no, &mut |row| {
            let claimed = row.claim.as_ref().is_some_and(|claim| claim.is_live(now));
            match readiness.is_unblocked(&row) {
                Ok(true) if !claimed && rows.len() < EACH => rows.push(row),
                Ok(true) if !claimed => more += 1,
                Ok(_) => {}
                Err(err) => failed = Some(err),
            }
            if failed.is_some() || self.seen("ready", more) {
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
        let mut out = self.rows.tasks_at_work(self.ws.no, SCANNED)?;
        self.scanned("at_work", out.len());
        let holder = |row: &EntityRow| {
            row.claim.as_ref().filter(|claim| claim.is_live(now)).map(|claim| claim.agent.clone())
        };
        out.retain(|row| {
            // The focus says itself who has it and how it stands.
            let shown =
                ready.iter().any(|other| other.id == row.id) || self.target.or(self.ws.focus) == Some(row.id);
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
        let found = self.rows.open_conflicts(self.ws.no, SCANNED)?;
        self.scanned("conflicts", found.len());
        for row in found {
            let about = self.docs.is_empty() || self.docs.contains(&row.doc);
            let key = (row.from.clone(), row.into.clone(), row.doc.clone(), row.key.text());
            if about && seen.insert(key) {
                let (conflict_id, key) = (row.id, row.key.text());
                out.push(BriefConflict { conflict_id, key, from: row.from, into: row.into, doc: row.doc });
            }
        }
        Ok(out)
    }

    /// Whether there is more of something than is counted.
    fn seen(&self, what: &'static str, found: usize) -> bool {
        self.partly_if(what, found >= COUNTED)
    }

    /// Whether there were more rows than are looked at.
    fn scanned(&self, what: &'static str, rows: usize) -> bool {
        self.partly_if(what, rows >= SCANNED)
    }

    fn partly_if(&self, what: &'static str, is_much: bool) -> bool {
        if is_much {
            self.partly.borrow_mut().insert(what);
        }
        is_much
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
