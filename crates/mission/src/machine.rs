//! Machine: a state and a command give the events that follow, or a refusal. Pure: what is kept is up to the caller.

use std::sync::Arc;

use m1nd_stdx::digest::short_name;
use serde_json::Value;

use crate::advise::against;
use crate::again::{plain, said_again};
use crate::chain;
use crate::claim::{Claim, Judgement, Verdict, judge};
use crate::error::MissionError;
use crate::event::{Detail, Draft, Event, Inherited, Shown, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::finding::finding;
use crate::flight::Mark;
use crate::ids::{ClaimId, EventId, MissionId};
use crate::mode::{Budget, Mode, Route};
use crate::needs::{self, is_document};
use crate::quote;
use crate::situation::Situation;
use crate::state::{LOOP, State, Status, path_of};

const MAX_WORD: usize = 60;
const MAX_TARGET: usize = 1_000;
pub(crate) const MAX_TEXT: usize = 4_000;
const MAX_CITED: usize = 100;
/// Letters by which a claim with its evidence is known again.
const TURN: usize = 16;
/// Names of steps that are tools' and persons' alike.
const BY_PERSONS: [&str; 3] = ["review", "audit", "approv"];
/// Files that a run is anchored to.
const MAX_SHOWN: usize = 64;

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

/// A step that an agent tells of.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    pub phase: String,
    pub event_type: String,
    pub target: String,
    pub evidence_class: Option<EvidenceClass>,
    pub outcome: String,
    pub duration_ms: Option<u64>,
    pub agent_confidence: Option<f64>,
    pub note: Option<String>,
    /// Of the file that the target names, as it is now.
    pub content_hash: Option<String>,
    /// A line of that file that shows it.
    pub quote: Option<String>,
}

/// What a claim is judged by.
#[derive(Clone, Debug, Default)]
pub struct Verify {
    /// An open claim, or a new one by its text.
    pub claim_id: Option<ClaimId>,
    pub text: Option<String>,
    pub event_ids: Vec<EventId>,
    /// Recorded first, and cited with the others.
    pub evidence: Vec<Telling>,
    /// What the cited text shows of the claim: supports or contradicts, or another word for one of them.
    pub outcome: Option<String>,
    /// The line of it that shows that.
    pub quote: Option<String>,
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
    state: State,
    events: Vec<Event>,
    marks: Vec<Mark>,
    warnings: Vec<String>,
    claim: Option<ClaimId>,
    actor: &'a str,
    pub(crate) situation: &'a Situation<'a>,
    event: &'a dyn Fn(u64) -> Option<Event>,
}

impl Machine<'_> {
    fn tell(&mut self, telling: Telling) -> Result<EventId, MissionError> {
        word("phase", &telling.phase)?;
        word("event_type", &telling.event_type)?;
        word("outcome", &telling.outcome)?;
        text("target", &telling.target, MAX_TARGET)?;
        if let Some(note) = &telling.note {
            text("note", note, MAX_TEXT)?;
        }
        if telling.agent_confidence.is_some_and(|given| !(0.0..=1.0).contains(&given)) {
            return Err(MissionError::invalid("agent_confidence", "not between 0 and 1"));
        }
        // A run of tests is one, whether it says of what kind its evidence is or not.
        let is_run = telling.event_type == EvidenceClass::TestRun.name();
        let said = telling.evidence_class.or(is_run.then_some(EvidenceClass::TestRun));
        let evidence_class = said.and_then(|said| self.class_of_told(&telling.event_type, said));
        let is_run = evidence_class.is_some_and(EvidenceClass::is_run);
        let (shown, not_anchored) = if is_run { self.run_with(&telling.target) } else { (Vec::new(), 0) };
        let mut draft = Draft {
            tool_family: Family::of_told(&telling.event_type, evidence_class),
            phase: telling.phase,
            event_type: telling.event_type,
            target: telling.target,
            asked: None,
            evidence_class,
            outcome: telling.outcome,
            duration_ms: telling.duration_ms,
            agent_confidence: telling.agent_confidence,
            note: telling.note,
            content_hash: telling.content_hash,
            shown,
            not_anchored,
            detail: None,
        };
        if let Some(quote) = telling.quote {
            text("quote", &quote, MAX_TEXT)?;
            if quote::in_draft(&draft, &quote, self.situation).is_some() {
                draft.detail = Some(Box::new(Detail::Quoted { quote, of: None }));
            } else {
                let target = &draft.target;
                self.warnings.push(format!(
                    "The quote does not stand in {target:?}, so it shows nothing: copy a line as it is."
                ));
            }
        }
        if draft.is_direct() && !draft.is_done() {
            self.warnings.push(format!(
                "{:?} says that it was not done, so this event carries nothing.",
                draft.outcome
            ));
        } else if draft.is_direct() && !draft.carries() {
            let target = &draft.target;
            self.warnings.push(format!(
                "{target:?} names no file of this workspace, or no lines of it, so this event carries nothing and counts as no read."
            ));
        }
        if draft.tool_family == Family::Edit
            && !crate::edits::is_undo(&draft)
            && let Err(why) = self.state.told_edit(&draft)
        {
            self.warnings.push(format!("Not counted as a change: {why}"));
        }
        Ok(self.add(draft, Source::Told))
    }

    /// What a step is evidence of. What one of the runtime's own tools answers with is known: nobody makes more of it by
    /// calling it something else.
    fn class_of_told(&mut self, event_type: &str, said: EvidenceClass) -> Option<EvidenceClass> {
        let tool = event_type.strip_prefix("m1nd_").unwrap_or(event_type);
        // A person reviews and audits, too: what they found is theirs, and no tool's.
        if said == EvidenceClass::Human && BY_PERSONS.iter().any(|word| tool.contains(word)) {
            return Some(said);
        }
        let known = self.situation.shelf.family(tool);
        let most = match known {
            None if said != EvidenceClass::Human && Family::is_graph_word(event_type) => {
                Some(EvidenceClass::Graph)
            }
            None | Some(Family::Run) => return Some(said),
            Some(Family::Read) => Some(EvidenceClass::DirectSource),
            Some(Family::Edit) => Some(EvidenceClass::Diff),
            Some(Family::Recall) => Some(EvidenceClass::Memory),
            Some(family) => family.is_graph().then_some(EvidenceClass::Graph),
        };
        if !said.is_direct() || most == Some(said) {
            return Some(said);
        }
        let what = most.map_or("no evidence", EvidenceClass::name);
        self.warnings.push(format!(
            "What {event_type} answers is {what}, and was recorded as that, not as {}: if something else was done, say what \
             (file_read, test_run, diff …).",
            said.name()
        ));
        most
    }

    /// Files that the mission changed, and code that it looked at, the newest first, as they are now, and how many more there
    /// are: what runs now runs with these.
    fn run_with(&self, target: &str) -> (Vec<Shown>, u64) {
        let State { edits, files, .. } = &self.state;
        let mut seen: Vec<_> = files.values().filter(|seen| !edits.contains_key(&seen.path)).collect();
        seen.retain(|seen| !is_document(&seen.path));
        seen.sort_by_key(|seen| std::cmp::Reverse(seen.event_id.sequence()));
        let paths = || edits.keys().chain(seen.iter().map(|seen| &seen.path)).map(String::as_str);
        let paths = || paths().filter(|path| *path != path_of(target));
        let shown = paths().filter_map(|path| {
            let content_hash = (self.situation.hash_of)(path)?.to_string();
            Some(Shown { path: path.to_owned(), content_hash })
        });
        let shown: Vec<Shown> = shown.take(MAX_SHOWN).collect();
        (shown, paths().count().saturating_sub(MAX_SHOWN) as u64)
    }

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
    fn add(&mut self, mut draft: Draft, source: Source) -> EventId {
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

    fn claim(
        &mut self,
        said: String,
        event_ids: Vec<EventId>,
        asked: Option<String>,
    ) -> Result<ClaimId, MissionError> {
        text("claim", &said, MAX_TEXT)?;
        self.cited(&event_ids)?;
        let id = self.state.next_claim_id();
        self.take_up(id.clone(), said, event_ids, asked);
        Ok(id)
    }

    /// What a claim says and rests on, in a few letters: the same again with the same evidence is no step forward.
    fn turn_of(&self, said: &str, event_ids: &[EventId], quote: Option<&str>) -> Option<String> {
        let cited = event_ids.iter().filter_map(|id| self.find(id));
        let mut shown: Vec<String> = cited
            .filter(|event| !event.draft.is_finding())
            .map(|event| {
                let Draft { event_type, target, outcome, .. } = &event.draft;
                let files: Vec<&str> = event.draft.anchors().map(|(_, hash)| hash).collect();
                format!("{event_type} {target} {outcome} {}", files.join(" "))
            })
            .collect();
        shown.sort();
        shown.dedup();
        let all = format!("{}\n{}\n{}", plain(said), quote.unwrap_or_default(), shown.join("\n"));
        Some(short_name(all.as_bytes(), TURN))
    }

    /// Says when the newest of the mission's own events goes round in circles.
    fn warn_of_turns(&mut self, what: &str, instead: &str) {
        let Some(event) = self.events.last() else { return };
        let turns = self.state.turns_of(event.source, &event.draft);
        if turns >= LOOP {
            let nth = ordinal(turns);
            self.warnings.push(format!(
                "Loop: {what} for the {nth} time with the same claim and without new evidence. {instead}"
            ));
        }
    }

    fn take_up(&mut self, id: ClaimId, said: String, event_ids: Vec<EventId>, asked: Option<String>) {
        let detail = Detail::Claimed { claim_id: id.clone(), text: said.clone(), event_ids };
        self.own(Draft { asked, ..Draft::kernel("claim", "claimed", said, "open", detail) });
        self.claim = Some(id);
    }

    fn verify(&mut self, verify: Verify) -> Result<(), MissionError> {
        let Verify { claim_id, text, mut event_ids, evidence, outcome, quote } = verify;
        let finding = finding(outcome, quote)?;
        let pointed = finding.as_ref().map(|(outcome, quote)| format!("{outcome} {quote}"));
        self.cited(&event_ids)?;
        if let Some(id) = &claim_id {
            let state = &self.state;
            let Some(claim) = state.all_claims().find(|claim| claim.claim_id == *id) else {
                let known = state.all_claims().map(|claim| claim.claim_id.clone()).collect();
                return Err(MissionError::UnknownClaim {
                    mission: state.mission_id.clone(),
                    id: id.clone(),
                    known,
                });
            };
            // A verified one can be contradicted, and must be judged again when its files changed.
            let is_new = |event: &&EventId| !claim.event_ids.contains(event);
            let brings =
                event_ids.iter().any(|event| is_new(&event)) || !evidence.is_empty() || finding.is_some();
            let may_change =
                claim.verdict == Verdict::VerifiedForMission && (brings || claim.is_stale(self.situation));
            if claim.verdict.is_settled() && !may_change {
                return Err(MissionError::Settled { id: id.clone(), state: claim.verdict.name() });
            }
            if state.claim(id).is_some() {
                let earlier: Vec<EventId> =
                    claim.event_ids.iter().filter(|id| !event_ids.contains(id)).cloned().collect();
                event_ids.splice(0..0, earlier);
            } else {
                // What the mission before knew rests on its events; here it begins anew, under the same name.
                let said = claim.text.clone();
                self.take_up(id.clone(), said, Vec::new(), None);
            }
        }
        for telling in evidence {
            let id = self.tell(telling)?;
            event_ids.push(id);
        }
        let id = match (claim_id, text) {
            (Some(id), None) => id,
            (None, Some(text)) => self.claim(text, Vec::new(), None)?,
            (Some(_), Some(_)) | (None, None) => {
                return Err(MissionError::invalid("claim", "needed, or claim_id, and not both"));
            }
        };
        let mut cited = self.cited(&event_ids)?;
        let said = self.state.claim(&id).map(|claim| claim.text.clone()).unwrap_or_default();
        let misquoted = match finding {
            Some((outcome, quote)) => match self.found(&said, &cited, outcome, quote) {
                Ok(found) => {
                    event_ids.push(found);
                    cited = self.cited(&event_ids)?;
                    None
                }
                Err(why) => Some(why),
            },
            None => None,
        };
        let Judgement {
            verdict,
            reason,
            self_reported,
            rests_on,
            runs,
            not_checked,
            absent,
            counted,
            stale,
            unsaid,
            look_at,
        } = judge(&self.state, &said, &cited.iter().collect::<Vec<_>>(), self.situation);
        let is_judged = misquoted.is_none();
        let unsaid = unsaid || !is_judged && verdict.is_settled();
        let (verdict, reason) = match verdict {
            // Who points at what is not there has not said what is.
            Verdict::VerifiedForMission | Verdict::Rejected | Verdict::NeedsDirectEvidence
                if !is_judged && (verdict.is_settled() || unsaid) =>
            {
                (Verdict::NeedsDirectEvidence, misquoted.unwrap_or(reason))
            }
            Verdict::VerifiedForMission => {
                let refused = said_again(&self.state, &id, &cited);
                refused.map_or((verdict, reason), |why| (Verdict::NeedsDirectEvidence, why))
            }
            other => (other, reason),
        };
        if !stale.is_empty() {
            let names: Vec<&str> = stale.iter().map(EventId::as_str).collect();
            let names = names.join(", ");
            self.warnings
                .push(format!("What {names} showed is not as it was: not counted, read or run it again."));
        }
        let outcome = verdict.name();
        let asked = self.turn_of(&said, &event_ids, pointed.as_deref());
        let detail = Detail::Judged {
            claim_id: id.clone(),
            verdict,
            reason,
            event_ids,
            self_reported,
            rests_on,
            runs,
            not_checked,
            absent,
            counted,
            unsaid,
            look_at,
        };
        self.own(Draft { asked, ..Draft::kernel("verify", "judged", id.to_string(), outcome, detail) });
        let turning = self.state.claim(&id).map(Claim::would_change).unwrap_or_default();
        self.warn_of_turns("mission_verify", &format!("What would change the verdict: {turning}"));
        if self_reported && verdict == Verdict::VerifiedForMission {
            self.warnings.push(
                "Something that it rests on is self-reported: a view or search with this mission_id, cited too, would be observed."
                    .to_owned(),
            );
        }
        self.claim = Some(id);
        Ok(())
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

    fn own(&mut self, draft: Draft) {
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
    fn cited(&self, ids: &[EventId]) -> Result<Vec<Event>, MissionError> {
        if ids.len() > MAX_CITED {
            return Err(MissionError::invalid("event_ids", format!("more than {MAX_CITED} events")));
        }
        ids.iter().map(|id| self.find(id).ok_or_else(|| self.unknown(id))).collect()
    }

    fn find(&self, id: &EventId) -> Option<Event> {
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

fn ordinal(number: u32) -> String {
    let end = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

fn word(field: &'static str, given: &str) -> Result<(), MissionError> {
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
