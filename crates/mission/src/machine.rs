//! Machine: a state and a command give the events that follow, or a refusal. Pure: what is kept is up to the caller.

use std::sync::Arc;

use serde_json::Value;

use crate::advise::against;
use crate::chain;
use crate::error::MissionError;
use crate::event::{Detail, Draft, Event, Inherited, Source};
use crate::flight::Mark;
use crate::ids::{ClaimId, EventId, MissionId};
use crate::judging::Verify;
use crate::mode::{Budget, Mode, Route};
use crate::needs;
use crate::situation::Situation;
use crate::state::{LOOP, State, Status};
use crate::telling::Telling;

const MAX_WORD: usize = 60;
pub(crate) const MAX_TARGET: usize = 1_000;
pub(crate) const MAX_TEXT: usize = 4_000;
const MAX_CITED: usize = 100;

/// How a mission begins.
#[derive(Clone, Debug)]
pub struct Start {
    pub repo: String,
    pub goal: String,
    pub mode: Mode,
    pub budget: Budget,
    pub known_paths: Vec<String>,
    pub context_guard: Value,
    pub right_workspace: bool,
    pub parent: Option<MissionId>,
    pub inherited: Inherited,
}

/// What may happen to a mission.
#[derive(Clone, Debug)]
pub enum Command {
    Tell(Telling),
    /// A call that went through the runtime.
    Observe(Box<Draft>),
    Claim {
        text: String,
        event_ids: Vec<EventId>,
    },
    Verify(Verify),
    /// The hand-off that was made of the state.
    HandOff(Value),
    Close {
        force: bool,
    },
}

/// What came of a command.
#[derive(Clone, Debug)]
pub struct Stepped {
    pub state: Arc<State>,
    pub events: Vec<Event>,
    /// How the mission stood around each of them.
    pub marks: Vec<Mark>,
    pub warnings: Vec<String>,
    /// The claim that was made or judged.
    pub claim: Option<ClaimId>,
}

/// The first event of a mission.
pub fn start(id: &MissionId, start: Start, actor: &str, now_ms: i64) -> Result<Event, MissionError> {
    Ok(chain::link(id, &chain::Head::default(), begun(start)?, Source::Kernel, actor, now_ms))
}

/// The same before it has its place.
pub(crate) fn begun(start: Start) -> Result<Draft, MissionError> {
    text("goal", &start.goal, MAX_TEXT)?;
    for path in &start.known_paths {
        text("known_paths", path, MAX_TARGET)?;
    }
    let route = match () {
        () if !start.right_workspace => Route::Recover,
        () if start.parent.is_some() => Route::Resume,
        () if !start.known_paths.is_empty() => Route::Direct,
        () => Route::ShortAudit,
    };
    let target = start.goal.clone();
    let mut inherited = start.inherited;
    inherited.for_goal(&target);
    let detail = Detail::Started {
        repo: start.repo,
        goal: start.goal,
        mode: start.mode,
        route,
        budget: start.budget,
        known_paths: start.known_paths,
        context_guard: start.context_guard,
        parent_mission_id: start.parent,
        inherited,
    };
    Ok(Draft::kernel("start", "mission_started", target, "started", detail))
}

/// One command more. `event` finds an event of the mission by its place.
pub fn step(
    state: &State,
    command: Command,
    actor: &str,
    situation: &Situation<'_>,
    event: &dyn Fn(u64) -> Option<Event>,
) -> Result<Stepped, MissionError> {
    if state.status == Status::Closed {
        return Err(MissionError::Closed(state.mission_id.clone()));
    }
    let mut machine = Machine {
        state: state.clone(),
        events: Vec::new(),
        marks: Vec::new(),
        warnings: Vec::new(),
        claim: None,
        actor,
        situation,
        event,
    };
    match command {
        Command::Tell(telling) => {
            machine.tell(telling)?;
        }
        Command::Observe(draft) => {
            machine.observe(*draft);
        }
        Command::Claim { text, event_ids } => {
            let asked = machine.turn_of(&text, &event_ids, None);
            machine.claim(text, event_ids, asked)?;
            machine.warn_of_turns(
                "mission_claim",
                "Let it be judged by mission_verify, or look for what is missing.",
            );
        }
        Command::Verify(verify) => machine.verify(verify)?,
        Command::HandOff(handoff) => machine.own(Draft::kernel(
            "handoff",
            "handed_off",
            state.goal.clone(),
            "handed_off",
            Detail::HandedOff { handoff },
        )),
        Command::Close { force } => machine.close(force)?,
    }
    let Machine { state, events, marks, warnings, claim, .. } = machine;
    Ok(Stepped { state: Arc::new(state), events, marks, warnings, claim })
}

pub(crate) struct Machine<'a> {
    pub(crate) state: State,
    pub(crate) events: Vec<Event>,
    marks: Vec<Mark>,
    pub(crate) warnings: Vec<String>,
    pub(crate) claim: Option<ClaimId>,
    actor: &'a str,
    pub(crate) situation: &'a Situation<'a>,
    event: &'a dyn Fn(u64) -> Option<Event>,
}

impl Machine<'_> {
    fn observe(&mut self, draft: Draft) -> EventId {
        if draft.is_idle() {
            self.warnings.push(
                "Loop: the next step was asked for again and again, and nothing was done in between. Do it, record what you did, or \
                 say by mission_event why not."
                    .to_owned(),
            );
            return self.link(draft, Source::Observed);
        }
        // What the runtime says of a step that does not count is worth more than the mark in the ledger.
        if let ("not_applied", Some(note)) = (draft.outcome.as_str(), &draft.note) {
            self.warnings.push(note.clone());
        }
        self.add(draft, Source::Observed)
    }

    /// Adds a step, and says when it was advised against or goes round in circles.
    pub(crate) fn add(&mut self, mut draft: Draft, source: Source) -> EventId {
        // Files of another repository prove nothing about the one that is meant, now or later.
        let situation = self.situation;
        if draft.keep_only(|path| situation.right_workspace && (situation.is_of_repo)(path)) {
            let (repo, which) = (&self.state.repo, if draft.is_anchored() { "other" } else { "its" });
            self.warnings
                .push(format!("This is not {repo}: the step is recorded, and {which} files carry nothing."));
        } else if !situation.right_workspace && draft.is_direct() {
            // Nobody can say where it was run, or of what somebody spoke.
            draft.evidence_class = None;
            draft.detail = None;
            let repo = &self.state.repo;
            self.warnings.push(format!(
                "The runtime is not bound to {repo}: the step is recorded, and carries nothing, now or later."
            ));
        }
        let searched = draft.absence().and_then(|search| search.scope.as_deref());
        if searched.is_some_and(|scope| !(situation.is_of_repo)(scope)) {
            draft.evidence_class = None;
            draft.detail = None;
        }
        let against = against(&self.state, self.situation, &draft, source);
        // Time goes on by itself: what was spent before is what was spent by the event before.
        let before = self.state.remaining(self.state.updated_ms);
        let (family, target) = (draft.tool_family, draft.target.clone());
        let note = draft.note.clone().filter(|_| source == Source::Told);
        let asked = draft.clone();
        let id = self.link(draft, source);
        let turns = self.state.turns_of(source, &asked);
        if turns >= LOOP {
            let (name, nth) = (family.name(), ordinal(turns));
            self.warnings.push(format!(
                "Loop: {name} of {target:?} for the {nth} time without new evidence. Ask something else, or conclude."
            ));
        }
        if let Some(against) = against {
            self.warnings.push(format!("Dissent recorded: {against}"));
            let reason = note.unwrap_or_else(|| "no reason was given".to_owned());
            let detail = Detail::Dissent { against, reason };
            self.own(Draft::kernel("dissent", "dissent", target, "recorded", detail));
        }
        let remaining = self.state.remaining(self.situation.now_ms);
        let passed = remaining.passed_since(&before);
        if !passed.is_empty() {
            self.warnings.push(format!("{OVERSPENT} (passed: {}).", passed.join(", ")));
        }
        id
    }

    fn close(&mut self, force: bool) -> Result<(), MissionError> {
        let gaps = needs::gaps(&self.state, self.situation);
        if !gaps.is_empty() && !force {
            return Err(MissionError::Gaps { mission: self.state.mission_id.clone(), gaps });
        }
        let outcome = if gaps.is_empty() { "closed" } else { "closed_with_gaps" };
        let target = self.state.goal.clone();
        let detail = Detail::Closed { forced: !gaps.is_empty(), gaps };
        self.own(Draft::kernel("close", "mission_closed", target, outcome, detail));
        Ok(())
    }

    pub(crate) fn own(&mut self, draft: Draft) {
        self.link(draft, Source::Kernel);
    }

    pub(crate) fn link(&mut self, draft: Draft, source: Source) -> EventId {
        let state = &mut self.state;
        let (head, now, before) = (state.head(), self.situation.now_ms, state.confidence);
        let event = chain::link(&state.mission_id, &head, draft, source, self.actor, now);
        state.apply(&event);
        self.marks.push(Mark::of(before, state));
        let id = event.event_id.clone();
        self.events.push(event);
        id
    }

    pub(crate) fn mode(&self) -> Mode {
        self.state.mode
    }

    /// The events that ids name, from the stream or from this very step.
    pub(crate) fn cited(&self, ids: &[EventId]) -> Result<Vec<Event>, MissionError> {
        if ids.len() > MAX_CITED {
            return Err(MissionError::invalid("event_ids", format!("more than {MAX_CITED} events")));
        }
        ids.iter().map(|id| self.find(id).ok_or_else(|| self.unknown(id))).collect()
    }

    pub(crate) fn find(&self, id: &EventId) -> Option<Event> {
        let (mission, place) = EventId::parse(id.as_str())?;
        if mission != self.state.mission_id {
            return None;
        }
        let own = self.events.iter().find(|event| event.sequence == place);
        own.cloned().or_else(|| (self.event)(place))
    }

    fn unknown(&self, id: &EventId) -> MissionError {
        let state = &self.state;
        let newest = EventId::new(&state.mission_id, state.sequence);
        MissionError::UnknownEvent {
            mission: state.mission_id.clone(),
            id: id.to_string(),
            newest: newest.to_string(),
        }
    }
}

/// What is said once, when a part of the budget is passed.
const OVERSPENT: &str = "More was spent than planned: settle the open claims, hand off or close";

pub(crate) fn ordinal(number: u32) -> String {
    let end = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

pub(crate) fn word(field: &'static str, given: &str) -> Result<(), MissionError> {
    let plain = given.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    match given.len() {
        0 => Err(MissionError::invalid(field, "empty")),
        1..=MAX_WORD if plain => Ok(()),
        _ => Err(MissionError::invalid(
            field,
            format!("no word of up to {MAX_WORD} small letters, digits and underscores"),
        )),
    }
}

pub(crate) fn text(field: &'static str, given: &str, most: usize) -> Result<(), MissionError> {
    if given.trim().is_empty() {
        return Err(MissionError::invalid(field, "empty"));
    }
    if given.len() > most {
        return Err(MissionError::invalid(
            field,
            format!("{} bytes long; at most {most} are kept", given.len()),
        ));
    }
    Ok(())
}
