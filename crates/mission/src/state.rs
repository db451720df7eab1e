//! State: what a mission's events come to. A fold and nothing else, so that it can be made again at any event.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::chain::Head;
use crate::claim::{Claim, Verdict};
use crate::event::{Detail, Draft, Event, Inherited, Shown, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::{ClaimId, EventId, MissionId};
use crate::mode::{Budget, Mode, Route};
use crate::needs::Gap;
use crate::situation::HashOf;

pub const SCHEMA: &str = "m1nd-mission-control-state-v1";
/// How events are counted. A state that was kept by a build that counted otherwise is made again from its events.
pub const RULES: u32 = 5;

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
    /// Those by which it was made.
    #[serde(default)]
    pub rules: u32,
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
    /// Files that the mission changed and nobody took back.
    #[serde(default)]
    pub edits: Vec<Edit>,
    /// The place of the newest event that changed a file or took a change back.
    #[serde(default)]
    pub changed_at: u64,
    /// What the mission had changed, as it was when the newest test or compiler ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tested: Vec<Shown>,
    /// Files of the change set that was looked at as a whole; none while nobody looked.
    #[serde(default)]
    pub reviewed: Option<u64>,
    /// Files of it that are there to be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// The newest event that can carry a claim.
    #[serde(default)]
    pub newest_direct: Option<EventId>,
    /// Where each claim was made or judged last.
    #[serde(default)]
    pub judged: BTreeMap<String, u64>,
    /// Tools of recovery that were asked since the newest search was blocked.
    #[serde(default)]
    pub recovered: Vec<String>,
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
    /// What it was when it was seen first, if it changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_hash: Option<String>,
    /// Whether the mission that saw it had another goal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_goal: bool,
}

/// A file that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_id: Option<String>,
    pub event_id: EventId,
    /// Whether somebody had seen it, or it was made new.
    pub read_before: bool,
    /// What it was when the mission saw it first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TestRun {
    pub target: String,
    pub outcome: String,
    pub event_id: EventId,
    /// A compiler or a probe; missing for tests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<EvidenceClass>,
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
        let begun = Self::begun(&event.mission_id, event.draft.detail.as_deref()?, event.timestamp_ms)?;
        Some(Self { sequence: event.sequence, head: event.hash.clone(), ..begun })
    }

    /// The same of an event that has no place yet.
    pub(crate) fn begun(mission: &MissionId, detail: &Detail, now_ms: i64) -> Option<Self> {
        let Detail::Started {
            repo,
            goal,
            mode,
            route,
            budget,
            known_paths,
            context_guard,
            parent_mission_id,
            inherited,
        } = detail
        else {
            return None;
        };
        Some(Self {
            schema: SCHEMA.to_owned(),
            rules: RULES,
            mission_id: mission.clone(),
            parent_mission_id: parent_mission_id.clone(),
            repo: repo.clone(),
            goal: goal.clone(),
            mode: *mode,
            route: *route,
            budget: *budget,
            known_paths: known_paths.clone(),
            context_guard: context_guard.clone(),
            status: Status::Open,
            started_ms: now_ms,
            updated_ms: now_ms,
            sequence: 0,
            head: String::new(),
            counters: Counters::default(),
            claims: Vec::new(),
            files: BTreeMap::new(),
            tests: Vec::new(),
            edits: Vec::new(),
            changed_at: 0,
            tested: Vec::new(),
            reviewed: None,
            changed: Vec::new(),
            newest_direct: None,
            judged: BTreeMap::new(),
            recovered: Vec::new(),
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
            Some(Detail::Claimed { claim_id, text, event_ids }) => {
                self.judged.insert(claim_id.to_string(), event.sequence);
                self.claims.push(Claim {
                    claim_id: claim_id.clone(),
                    text: text.clone(),
                    verdict: Verdict::Open,
                    event_ids: event_ids.clone(),
                    reason: String::new(),
                    self_reported: false,
                    rests_on: Vec::new(),
                    runs: Vec::new(),
                    overtaken: Vec::new(),
                    other_goal: false,
                    stale: Vec::new(),
                    gone: Vec::new(),
                });
            }
            Some(Detail::Judged { claim_id, verdict, reason, event_ids, self_reported, rests_on, runs }) => {
                self.judged.insert(claim_id.to_string(), event.sequence);
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
                    claim.rests_on.clone_from(rests_on);
                    claim.runs.clone_from(runs);
                    claim.overtaken.clear();
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
            Some(
                Detail::Started { .. }
                | Detail::Found { .. }
                | Detail::Edited { .. }
                | Detail::Reviewed { .. },
            )
            | None => {}
        }
    }

    fn apply_step(&mut self, event: &Event) {
        let draft = &event.draft;
        let family = draft.tool_family;
        let is_call = !matches!(family, Family::Other);
        self.counters.tool_calls += u64::from(is_call);
        self.counters.graph_calls +=
            u64::from(family.is_graph() || draft.evidence_class == Some(EvidenceClass::Graph));
        self.counters.direct_evidence += u64::from(draft.carries());
        if draft.carries() {
            self.newest_direct = Some(event.event_id.clone());
        }
        // What an agent says it did not do is told, and fulfils nothing.
        let is_done = event.source == Source::Observed || draft.is_done();
        if is_done {
            *self.steps.entry(family).or_default() += 1;
        }
        self.newest.insert(family, event.event_id.clone());
        self.confidence = draft.agent_confidence.or(self.confidence);
        let is_edit = self.take_edits(event);
        let is_news = self.learn(event) || is_edit;
        self.overtake(event);
        if is_news {
            self.turns.clear();
        }
        if is_call && !draft.target.is_empty() {
            self.count_turn(event);
        }
        if family == Family::Retrieve {
            self.retrieval_blocked = matches!(draft.outcome.as_str(), "blocked" | "nothing_found");
            self.recovered.clear();
        }
        if matches!(family, Family::Recover | Family::Trust) && !self.recovered.contains(&draft.event_type) {
            keep(&mut self.recovered, draft.event_type.clone());
        }
        match draft.detail.as_deref() {
            Some(Detail::Found { places }) => {
                self.places = places.iter().take(PLACES).cloned().collect();
            }
            Some(Detail::Reviewed { changed_files, files }) => {
                self.reviewed = Some(*changed_files);
                self.changed.clone_from(files);
            }
            _ => {}
        }
        if draft.evidence_class == Some(EvidenceClass::Diff) && is_done {
            // Whoever saw the lines of the change need not read its files.
            self.changed.clear();
            self.reviewed = self.reviewed.filter(|files| *files > 0).or(Some(1));
        }
        if draft.is_dead_path() {
            self.add_dead_path(draft.target.clone(), draft.note.clone(), &event.event_id);
        }
        if self.is_sweep(event) {
            keep(&mut self.sweeps, event.event_id.clone());
        }
    }

    /// Whether an event looks for what the findings hide: it says so, or everything is settled and the runtime saw how a
    /// file was read that no finding rests on.
    fn is_sweep(&self, event: &Event) -> bool {
        let draft = &event.draft;
        if !draft.carries() || !self.has_finding() {
            return false;
        }
        let is_covered = |path: &str| {
            let found = self.all_claims().filter(|claim| claim.verdict == Verdict::VerifiedForMission);
            found.flat_map(|claim| &claim.rests_on).any(|file| file.path == path)
        };
        let is_elsewhere = event.source == Source::Observed
            && draft.tool_family == Family::Read
            && self.unsettled().next().is_none()
            && draft.anchors().any(|(path, _)| !is_covered(path));
        draft.phase == "sweep" || is_elsewhere
    }

    /// Takes in what an event shows; whether that is new.
    fn learn(&mut self, event: &Event) -> bool {
        let draft = &event.draft;
        match draft.evidence_class {
            Some(EvidenceClass::DirectSource | EvidenceClass::Diff)
                if event.source == Source::Told && !draft.is_done() =>
            {
                false
            }
            Some(class @ (EvidenceClass::DirectSource | EvidenceClass::Diff)) => {
                let files: Vec<Shown> = draft
                    .anchors()
                    .map(|(path, hash)| Shown { path: path.to_owned(), content_hash: hash.to_owned() })
                    .collect();
                let mut is_news = false;
                for file in files {
                    // Whoever changes a file has not read it by that.
                    if class == EvidenceClass::DirectSource || self.files.contains_key(&file.path) {
                        is_news |= self.see(file, &event.event_id);
                    }
                }
                is_news
            }
            Some(EvidenceClass::TestRun | EvidenceClass::Compiler | EvidenceClass::RuntimeProbe) => {
                let before = self.tests.iter().rev().find(|test| test.target == draft.target);
                let is_news = before.is_none_or(|before| before.outcome != draft.outcome);
                self.keep_run(TestRun::of(event));
                is_news
            }
            Some(EvidenceClass::Human) => true,
            Some(EvidenceClass::Graph | EvidenceClass::Inferred | EvidenceClass::Memory) | None => false,
        }
    }

    /// A file was shown; whether that is new.
    fn see(&mut self, file: Shown, event_id: &EventId) -> bool {
        let Shown { path, content_hash } = file;
        let known = self.files.get(&path);
        let first_hash = known.and_then(|seen| {
            let first = seen.first_hash.clone().or_else(|| seen.content_hash.clone());
            first.filter(|first| *first != content_hash)
        });
        let is_news = known.is_none_or(|seen| seen.content_hash.as_ref() != Some(&content_hash));
        if known.is_none() {
            self.counters.files_read += 1;
            if self.files.len() >= KEPT {
                let oldest = self.files.values().min_by_key(|seen| seen.event_id.sequence());
                if let Some(oldest) = oldest.map(|seen| seen.path.clone()) {
                    self.files.remove(&oldest);
                }
            }
        }
        let event_id = event_id.clone();
        let now = Seen {
            path: path.clone(),
            content_hash: Some(content_hash),
            event_id,
            first_hash,
            other_goal: false,
        };
        self.files.insert(path, now);
        is_news
    }

    fn count_turn(&mut self, event: &Event) {
        let family = event.draft.tool_family;
        if self.turns.len() >= KEPT {
            self.turns.clear();
        }
        let turns = self.turns.entry(turn_key(event.source, &event.draft)).or_default();
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
        self.dead_path(target).is_some()
    }

    /// The dead path that a target leads into: the same, or lines of a file that is one.
    pub fn dead_path(&self, target: &str) -> Option<&DeadPath> {
        let file = path_of(target);
        self.all_dead_paths().find(|dead| dead.target == target || dead.target == file)
    }

    /// This mission's and those it knows from the one before.
    pub fn all_dead_paths(&self) -> impl Iterator<Item = &DeadPath> {
        self.inherited.dead_paths.iter().chain(&self.dead_paths)
    }

    /// How often in a row the same was asked.
    pub fn turns_of(&self, source: Source, draft: &Draft) -> u32 {
        self.turns.get(&turn_key(source, draft)).copied().unwrap_or(0)
    }

    /// Whether somebody asked for this already, since something new was learned.
    pub fn was_asked(&self, target: &str) -> bool {
        self.turns.keys().any(|turn| turn.split_once(' ').is_some_and(|(_, asked)| asked == target))
    }

    /// A claim that direct evidence carries, in this mission or in the one before that had the same goal.
    pub fn has_finding(&self) -> bool {
        self.all_claims().any(|claim| claim.verdict == Verdict::VerifiedForMission && !claim.other_goal)
    }

    /// This mission's, and those of the one before that it has not taken up again.
    pub fn all_claims(&self) -> impl Iterator<Item = &Claim> {
        self.untouched_claims().chain(&self.claims)
    }

    /// Those of the mission before that this one has not taken up again.
    pub fn untouched_claims(&self) -> impl Iterator<Item = &Claim> {
        // Whoever takes one up judges it, and every claim that was made is among those that were.
        self.inherited.claims.iter().filter(|claim| !self.judged.contains_key(claim.claim_id.as_str()))
    }

    /// Verified claims that rest on what is not as it was, with the files of it.
    pub fn stale_claims(&self, hash_of: HashOf<'_>) -> Vec<(&Claim, Vec<String>)> {
        let verified = self.all_claims().filter(|claim| claim.verdict == Verdict::VerifiedForMission);
        let stale = verified.map(|claim| (claim, claim.stale_files(hash_of)));
        stale.filter(|(claim, files)| !claim.overtaken.is_empty() || !files.is_empty()).collect()
    }

    /// One that neither this mission nor the one before it has.
    pub fn next_claim_id(&self) -> ClaimId {
        let all = self.inherited.claims.iter().chain(&self.claims);
        let taken = all.map(|claim| claim.claim_id.number()).max().unwrap_or(0);
        ClaimId::new(taken + 1)
    }

    pub fn claim(&self, id: &ClaimId) -> Option<&Claim> {
        self.claims.iter().find(|claim| claim.claim_id == *id)
    }

    /// Claims that nobody has proved or rejected.
    pub fn unsettled(&self) -> impl Iterator<Item = &Claim> {
        self.all_claims().filter(|claim| !claim.verdict.is_settled())
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
    /// Parts of the budget that were not passed before.
    pub(crate) fn passed_since(&self, before: &Self) -> Vec<&'static str> {
        let parts = [
            ("tool_calls_max", self.tool_calls, before.tool_calls),
            ("files_read_max", self.files_read, before.files_read),
            ("soft_deadline_ms", self.soft_deadline_ms, before.soft_deadline_ms),
        ];
        let passed = parts.into_iter().filter(|(_, now, before)| *now < 0 && *before >= 0);
        passed.map(|(name, ..)| name).collect()
    }

    pub fn is_overspent(&self) -> bool {
        self.tool_calls < 0 || self.files_read < 0 || self.soft_deadline_ms < 0
    }
}

pub(crate) fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(item);
}

/// What the runtime saw is told apart by tool and by all that was asked: callers and callees of a name are two questions,
/// and so is the same word in two folders. The target stands last, behind the first blank.
fn turn_key(source: Source, draft: &Draft) -> String {
    let (family, target) = (draft.tool_family.name(), &draft.target);
    match (source, &draft.asked) {
        (Source::Observed, Some(asked)) => format!("{family}/{}#{asked} {target}", draft.event_type),
        (Source::Observed, None) => format!("{family}/{} {target}", draft.event_type),
        (Source::Told | Source::Kernel, _) => format!("{family} {target}"),
    }
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
