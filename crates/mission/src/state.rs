//! State: what a mission's events come to. A fold and nothing else, so that it can be made again at any event.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain::{GENESIS, Head};
use crate::claim::{Claim, Verdict};
use crate::event::{Detail, Event, Inherited, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::{ClaimId, EventId, MissionId};
use crate::mode::{Budget, Mode, Route};
use crate::needs::Gap;

pub const SCHEMA: &str = "m1nd-mission-control-state-v1";

/// The third time round is a loop.
pub(crate) const LOOP: u32 = 3;
/// Of each list that grows with a mission the newest are kept; the stream has all. Every call reads the whole state, so
/// that with ten thousand events it must still be read in a few milliseconds.
pub(crate) const KEPT: usize = 500;
/// Nobody reads further down a list than this before asking again.
const PLACES: usize = 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Open,
    Closed,
}

/// What is known of a mission after its newest event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub schema: String,
    pub mission_id: MissionId,
    pub parent_mission_id: Option<MissionId>,
    pub repo: String,
    pub goal: String,
    pub mode: Mode,
    pub route: Route,
    pub budget: Budget,
    pub known_paths: Vec<String>,
    pub context_guard: Value,
    pub status: Status,
    pub started_ms: i64,
    pub updated_ms: i64,
    /// How many events there are.
    pub sequence: u64,
    /// The hash of the newest.
    pub head: String,
    pub counters: Counters,
    pub claims: Vec<Claim>,
    /// Files whose source was seen, by path.
    pub files: BTreeMap<String, Seen>,
    pub tests: Vec<TestRun>,
    pub dead_paths: Vec<DeadPath>,
    /// Calls since something new was learned, by family and target.
    pub turns: BTreeMap<String, u32>,
    /// How often each family was used.
    pub steps: BTreeMap<Family, u64>,
    /// The newest event of each family.
    pub newest: BTreeMap<Family, EventId>,
    /// Set while the newest search for places was blocked or found nothing.
    pub retrieval_blocked: bool,
    /// Where the newest of them pointed, the best first.
    pub places: Vec<String>,
    /// Looks for what the first finding may hide, with direct evidence.
    pub sweeps: Vec<EventId>,
    pub confidence: Option<f64>,
    pub handoffs: Vec<EventId>,
    pub inherited: Inherited,
    pub gaps: Vec<Gap>,
}

/// What a mission cost and brought.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counters {
    pub tool_calls: u64,
    pub files_read: u64,
    pub direct_evidence: u64,
    pub graph_calls: u64,
    pub repeated_searches: u64,
    pub loop_warnings: u64,
    pub dissents: u64,
    pub claims_rejected: u64,
    /// From the start to the first verified claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_finding_ms: Option<u64>,
}

/// A file as it was when it was seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    pub path: String,
    pub content_hash: Option<String>,
    pub event_id: EventId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestRun {
    pub target: String,
    pub outcome: String,
    pub event_id: EventId,
}

/// Where nothing was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeadPath {
    pub target: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    pub event_id: EventId,
}

impl State {
    /// The state after the first event, if it is one that begins a mission.
    pub fn begin(event: &Event) -> Option<Self> {
        let Some(Detail::Started {
            repo,
            goal,
            mode,
            route,
            budget,
            known_paths,
            context_guard,
            parent_mission_id,
            inherited,
        }) = event.draft.detail.as_deref()
        else {
            return None;
        };
        Some(Self {
            schema: SCHEMA.to_owned(),
            mission_id: event.mission_id.clone(),
            parent_mission_id: parent_mission_id.clone(),
            repo: repo.clone(),
            goal: goal.clone(),
            mode: *mode,
            route: *route,
            budget: *budget,
            known_paths: known_paths.clone(),
            context_guard: context_guard.clone(),
            status: Status::Open,
            started_ms: event.timestamp_ms,
            updated_ms: event.timestamp_ms,
            sequence: event.sequence,
            head: event.hash.clone(),
            counters: Counters::default(),
            claims: Vec::new(),
            files: BTreeMap::new(),
            tests: Vec::new(),
            dead_paths: Vec::new(),
            turns: BTreeMap::new(),
            steps: BTreeMap::new(),
            newest: BTreeMap::new(),
            retrieval_blocked: false,
            places: Vec::new(),
            sweeps: Vec::new(),
            confidence: None,
            handoffs: Vec::new(),
            inherited: inherited.clone(),
            gaps: Vec::new(),
        })
    }

    /// The state after a whole stream.
    pub fn of(events: &[Event]) -> Option<Self> {
        let (first, rest) = events.split_first()?;
        let mut state = Self::begin(first)?;
        rest.iter().for_each(|event| state.apply(event));
        Some(state)
    }

    /// Where the next event goes.
    pub fn head(&self) -> Head {
        Head { sequence: self.sequence, hash: self.head.clone() }
    }

    /// One event more.
    pub fn apply(&mut self, event: &Event) {
        debug_assert_eq!(event.prev_hash, if self.sequence == 0 { GENESIS } else { self.head.as_str() });
        self.sequence = event.sequence;
        self.head.clone_from(&event.hash);
        self.updated_ms = self.updated_ms.max(event.timestamp_ms);
        match event.source {
            Source::Kernel => self.apply_own(event),
            Source::Observed | Source::Told => self.apply_step(event),
        }
    }

    fn apply_own(&mut self, event: &Event) {
        match event.draft.detail.as_deref() {
            Some(Detail::Claimed { claim_id, text, event_ids }) => self.claims.push(Claim {
                claim_id: claim_id.clone(),
                text: text.clone(),
                verdict: Verdict::Open,
                event_ids: event_ids.clone(),
                reason: String::new(),
                self_reported: false,
            }),
            Some(Detail::Judged { claim_id, verdict, reason, event_ids, self_reported }) => {
                let elapsed = event.timestamp_ms - self.started_ms;
                if *verdict == Verdict::VerifiedForMission {
                    self.counters.first_finding_ms.get_or_insert(u64::try_from(elapsed).unwrap_or(0));
                }
                self.counters.claims_rejected += u64::from(*verdict == Verdict::Rejected);
                if let Some(claim) = self.claims.iter_mut().find(|claim| claim.claim_id == *claim_id) {
                    claim.verdict = *verdict;
                    claim.reason.clone_from(reason);
                    claim.event_ids.clone_from(event_ids);
                    claim.self_reported = *self_reported;
                    if *verdict == Verdict::Rejected {
                        let target = claim.text.clone();
                        self.add_dead_path(target, Some(reason.clone()), &event.event_id);
                    }
                }
                if verdict.is_settled() {
                    self.turns.clear();
                }
            }
            Some(Detail::Dissent { .. }) => self.counters.dissents += 1,
            Some(Detail::HandedOff { .. }) => self.handoffs.push(event.event_id.clone()),
            Some(Detail::Closed { gaps, .. }) => {
                self.status = Status::Closed;
                self.gaps.clone_from(gaps);
            }
            Some(Detail::Started { .. } | Detail::Found { .. } | Detail::Edited { .. }) | None => {}
        }
    }

    fn apply_step(&mut self, event: &Event) {
        let draft = &event.draft;
        let family = draft.tool_family;
        let is_call = !matches!(family, Family::Other);
        self.counters.tool_calls += u64::from(is_call);
        self.counters.graph_calls +=
            u64::from(family.is_graph() || draft.evidence_class == Some(EvidenceClass::Graph));
        self.counters.direct_evidence += u64::from(draft.is_direct());
        *self.steps.entry(family).or_default() += 1;
        self.newest.insert(family, event.event_id.clone());
        self.confidence = draft.agent_confidence.or(self.confidence);
        let is_news = self.learn(event);
        if is_news {
            self.turns.clear();
        }
        if is_call && !draft.target.is_empty() {
            self.count_turn(family, &draft.target);
        }
        if family == Family::Retrieve {
            self.retrieval_blocked = matches!(draft.outcome.as_str(), "blocked" | "nothing_found");
        }
        if let Some(Detail::Found { places }) = draft.detail.as_deref() {
            self.places = places.iter().take(PLACES).cloned().collect();
        }
        if draft.is_dead_path() {
            self.add_dead_path(draft.target.clone(), draft.note.clone(), &event.event_id);
        }
        if draft.phase == "sweep" && draft.is_direct() && self.has_finding() {
            keep(&mut self.sweeps, event.event_id.clone());
        }
    }

    /// Takes in what an event shows; whether that is new.
    fn learn(&mut self, event: &Event) -> bool {
        let draft = &event.draft;
        match draft.evidence_class {
            Some(EvidenceClass::DirectSource | EvidenceClass::Diff) => {
                let path = path_of(&draft.target).to_owned();
                let seen = self.files.get(&path);
                let is_news = seen.is_none_or(|seen| seen.content_hash != draft.content_hash);
                if seen.is_none() {
                    self.counters.files_read += 1;
                    if self.files.len() >= KEPT {
                        let oldest = self.files.values().min_by_key(|seen| seen.event_id.sequence());
                        if let Some(oldest) = oldest.map(|seen| seen.path.clone()) {
                            self.files.remove(&oldest);
                        }
                    }
                }
                let content_hash = draft.content_hash.clone();
                let now = Seen { path: path.clone(), content_hash, event_id: event.event_id.clone() };
                self.files.insert(path, now);
                is_news
            }
            Some(EvidenceClass::TestRun | EvidenceClass::Compiler | EvidenceClass::RuntimeProbe) => {
                let before = self.tests.iter().rev().find(|test| test.target == draft.target);
                let is_news = before.is_none_or(|before| before.outcome != draft.outcome);
                let (target, outcome) = (draft.target.clone(), draft.outcome.clone());
                keep(&mut self.tests, TestRun { target, outcome, event_id: event.event_id.clone() });
                is_news
            }
            Some(EvidenceClass::Human) => true,
            Some(EvidenceClass::Graph | EvidenceClass::Inferred | EvidenceClass::Memory) | None => false,
        }
    }

    fn count_turn(&mut self, family: Family, target: &str) {
        if self.turns.len() >= KEPT {
            self.turns.clear();
        }
        let turns = self.turns.entry(turn_key(family, target)).or_default();
        *turns += 1;
        let turns = *turns;
        self.counters.repeated_searches +=
            u64::from(turns > 1 && matches!(family, Family::Retrieve | Family::Relate | Family::Read));
        self.counters.loop_warnings += u64::from(turns >= LOOP);
    }

    fn add_dead_path(&mut self, target: String, note: Option<String>, event_id: &EventId) {
        if !target.is_empty() && !self.is_dead(&target) {
            keep(&mut self.dead_paths, DeadPath { target, note, event_id: event_id.clone() });
        }
    }

    /// Whether somebody of this mission, or of the one before it, found nothing there.
    pub fn is_dead(&self, target: &str) -> bool {
        self.all_dead_paths().any(|dead| dead.target == target)
    }

    /// This mission's and those it knows from the one before.
    pub fn all_dead_paths(&self) -> impl Iterator<Item = &DeadPath> {
        self.inherited.dead_paths.iter().chain(&self.dead_paths)
    }

    /// How often in a row the same was asked.
    pub fn turns_of(&self, family: Family, target: &str) -> u32 {
        self.turns.get(&turn_key(family, target)).copied().unwrap_or(0)
    }

    /// A claim that direct evidence carries, in this mission or in the one before.
    pub fn has_finding(&self) -> bool {
        let mut all = self.inherited.claims.iter().chain(&self.claims);
        all.any(|claim| claim.verdict == Verdict::VerifiedForMission)
    }

    pub fn claim(&self, id: &ClaimId) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.claim_id == *id)
    }

    /// Claims that nobody has proved or rejected.
    pub fn unsettled(&self) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(|claim| !claim.verdict.is_settled())
    }

    pub fn used(&self, family: Family) -> bool {
        self.steps.contains_key(&family)
    }

    /// What is left of the budget; below zero when more was spent.
    pub fn remaining(&self, now_ms: i64) -> Remaining {
        let left = |most: u64, spent: u64| {
            i64::try_from(most).unwrap_or(i64::MAX).saturating_sub(i64::try_from(spent).unwrap_or(i64::MAX))
        };
        let elapsed = u64::try_from(now_ms.saturating_sub(self.started_ms)).unwrap_or(0);
        Remaining {
            tool_calls: left(self.budget.tool_calls_max, self.counters.tool_calls),
            files_read: left(self.budget.files_read_max, self.counters.files_read),
            soft_deadline_ms: left(self.budget.soft_deadline_ms, elapsed),
        }
    }
}

/// What is left to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Remaining {
    pub tool_calls: i64,
    pub files_read: i64,
    pub soft_deadline_ms: i64,
}

impl Remaining {
    pub fn is_overspent(&self) -> bool {
        self.tool_calls < 0 || self.files_read < 0 || self.soft_deadline_ms < 0
    }
}

fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(item);
}

fn turn_key(family: Family, target: &str) -> String {
    format!("{} {target}", family.name())
}

/// The file of `src/a.rs:10-20`.
pub fn path_of(target: &str) -> &str {
    match target.rsplit_once(':') {
        Some((path, lines))
            if !path.is_empty()
                && !lines.is_empty()
                && lines.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') =>
        {
            path
        }
        _ => target,
    }
}
