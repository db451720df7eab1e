//! State: what a mission's events come to. It is a fold over them (`fold.rs`) and nothing else, so that it can be made again
//! at any event.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::again::plain;
use crate::chain::Head;
use crate::change_set::ChangeSet;
use crate::claim::{Claim, Verdict};
use crate::edits::Edit;
use crate::event::{Detail, Draft, Event, Inherited, Shown, Source, is_zero};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::{ClaimId, EventId, MissionId};
use crate::mode::{Budget, Mode, Route};
use crate::needs::Gap;
use crate::situation::{HashOf, Situation};

pub const SCHEMA: &str = "m1nd-mission-control-state-v1";
/// How events are counted. A state that was kept by a build that counted otherwise is made again from its events.
pub const RULES: u32 = 15;

/// The third time round is a loop.
pub(crate) const LOOP: u32 = 3;
/// A step that is advice only is not asked for again after so many tries that came to nothing.
const TRIES: u64 = 2;
/// Of each list that grows with a mission the newest are kept; the stream has all. Every call reads the whole state, so
/// that with ten thousand events it must still be read in a few milliseconds.
pub(crate) const KEPT: usize = 500;

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
    /// Changes that the mission made and nobody took back, by path: every file of them, whatever their number.
    #[serde(default)]
    pub edits: BTreeMap<String, Vec<Edit>>,
    /// The place of the newest event that changed a file or took a change back.
    #[serde(default)]
    pub changed_at: u64,
    /// What the mission had changed and the code it had looked at, as they were when the newest test or compiler ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tested: Vec<Shown>,
    /// Files of the change set that was looked at as a whole; none while nobody looked.
    #[serde(default)]
    pub reviewed: Option<u64>,
    /// Files of it that are there to be read: one of them, or the diff.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub to_read: Vec<String>,
    /// Whether somebody says to have read the diff itself.
    #[serde(default)]
    pub diff_read: bool,
    /// What it was, to be known again.
    #[serde(default)]
    pub change_set: Option<ChangeSet>,
    /// Where it was looked at again because it had moved on.
    #[serde(default)]
    pub moved_at: u64,
    /// The newest event that can carry a claim.
    #[serde(default)]
    pub newest_direct: Option<EventId>,
    /// Searches that found nothing: what they show nobody need say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nothing_found: Vec<EventId>,
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
    /// How often each family was tried since it was used last, and came to nothing.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub failed: BTreeMap<Family, u64>,
    /// The newest event of each family.
    pub newest: BTreeMap<Family, EventId>,
    /// Set while the newest search for places was blocked or found nothing.
    pub retrieval_blocked: bool,
    /// Where the newest of them pointed, the best first.
    pub places: Vec<String>,
    /// Looks for what the first finding may hide, with direct evidence.
    pub sweeps: Vec<EventId>,
    /// Whether the runtime saw one of them.
    #[serde(default)]
    pub sweep_shown: bool,
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
    /// Of these, what a call of the runtime showed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub observed_evidence: u64,
    /// And what an agent only told.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub told_evidence: u64,
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
    /// Whether an agent only says so: no call of the runtime showed it as it was then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub told: bool,
    /// Parts of it that were shown as it is: lines, or nothing for the whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// Whether the mission that saw it had another goal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_goal: bool,
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
    /// Of the file that it names, when nothing was found there. Only in the ledger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Set where the file has changed since: the path is open again. Only in answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reopened: bool,
}

impl DeadPath {
    /// Whether nothing is known to have changed there since.
    pub fn holds(&self, hash_of: HashOf<'_>) -> bool {
        self.content_hash
            .as_deref()
            .is_none_or(|then| hash_of(path_of(&self.target)).is_none_or(|now| *now == *then))
    }

    /// As answers show it.
    #[must_use]
    pub fn as_shown(&self, hash_of: HashOf<'_>) -> Self {
        Self { content_hash: None, reopened: !self.holds(hash_of), ..self.clone() }
    }
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
        // What the mission before changed for the same goal is changed, and what it ran with was run with.
        let mut edits: BTreeMap<String, Vec<Edit>> = BTreeMap::new();
        for edit in &inherited.edits {
            edits.entry(edit.path.clone()).or_default().push(edit.clone());
        }
        let review = inherited.review.clone();
        let moved_at = u64::from(review.as_ref().is_some_and(|review| review.is_unjudged));
        let (reviewed, to_read, change_set) = review
            .map_or((None, Vec::new(), None), |review| (Some(review.files), review.to_read, review.set));
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
            edits,
            changed_at: 0,
            tested: inherited.tested.clone(),
            reviewed,
            to_read,
            diff_read: false,
            change_set,
            moved_at,
            newest_direct: None,
            nothing_found: Vec::new(),
            judged: BTreeMap::new(),
            recovered: Vec::new(),
            dead_paths: Vec::new(),
            turns: BTreeMap::new(),
            steps: BTreeMap::new(),
            failed: BTreeMap::new(),
            newest: BTreeMap::new(),
            retrieval_blocked: false,
            places: Vec::new(),
            sweeps: Vec::new(),
            sweep_shown: false,
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

    /// Whether somebody of this mission, or of the one before it, found nothing there, and nothing changed there since.
    pub fn is_dead(&self, target: &str, hash_of: HashOf<'_>) -> bool {
        self.dead_path(target, hash_of).is_some()
    }

    /// The dead path that a target leads into: the same, or lines of a file that is one.
    pub fn dead_path(&self, target: &str, hash_of: HashOf<'_>) -> Option<&DeadPath> {
        let file = path_of(target);
        let leads = |dead: &&DeadPath| dead.target == target || dead.target == file;
        self.all_dead_paths().find(|dead| leads(dead) && dead.holds(hash_of))
    }

    /// Those that still are.
    pub fn live_dead_paths<'s>(&'s self, hash_of: HashOf<'s>) -> impl Iterator<Item = &'s DeadPath> {
        self.all_dead_paths().filter(move |dead| dead.holds(hash_of))
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
        let is_same = |asked: &str| asked == target || asked == target.to_lowercase();
        self.turns.keys().any(|turn| turn.split_once(' ').is_some_and(|(_, asked)| is_same(asked)))
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
    pub fn stale_claims(&self, situation: &Situation<'_>) -> Vec<(&Claim, Vec<String>)> {
        let verified = self.all_claims().filter(|claim| claim.verdict == Verdict::VerifiedForMission);
        let stale = verified.filter(|claim| claim.is_stale(situation));
        stale.map(|claim| (claim, claim.stale_files(situation.hash_of))).collect()
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

    /// The claim that says the same as a text. One that was rejected or taken back is not taken up again: who says so anew
    /// must show what was not seen then.
    pub(crate) fn same_claim(&self, said: &str) -> Option<&Claim> {
        let text = plain(said);
        let is_over = |claim: &Claim| matches!(claim.verdict, Verdict::Rejected | Verdict::Withdrawn);
        let is_same = |claim: &&Claim| !is_over(claim) && plain(&claim.text) == text;
        self.all_claims().filter(is_same).last()
    }

    /// Claims that nobody has proved, rejected or taken back.
    pub fn unsettled(&self) -> impl Iterator<Item = &Claim> {
        self.all_claims().filter(|claim| claim.verdict.is_open())
    }

    /// Whether this mission, or the one before it for the same goal, saw a file when it had this hash.
    pub(crate) fn saw(&self, path: &str, hash: &str) -> bool {
        let before = self.inherited.files.iter().find(|seen| seen.path == path && !seen.other_goal);
        self.files.get(path).or(before).is_some_and(|seen| seen.content_hash.as_deref() == Some(hash))
    }

    pub fn used(&self, family: Family) -> bool {
        self.steps.contains_key(&family)
    }

    /// Whether steps of a family were tried often enough to do without them.
    pub(crate) fn gave_up(&self, family: Family) -> bool {
        self.failed.get(&family).is_some_and(|tries| *tries >= TRIES)
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

/// How turns of the mission's own calls begin: no verdict makes them new.
pub(crate) const OWN: &str = "mission/";

/// What the runtime saw is told apart by tool and by all that was asked: callers and callees of a name are two questions,
/// and so is the same word in two folders. The target stands last, behind the first blank.
pub(crate) fn turn_key(source: Source, draft: &Draft) -> String {
    let family = draft.tool_family.name();
    // A search that does not ask for case finds the same however it is written; one that does says so in what is asked.
    let lower = (draft.event_type == "search").then(|| draft.target.to_lowercase());
    let target = lower.as_ref().unwrap_or(&draft.target);
    match (source, &draft.asked) {
        (Source::Observed, Some(asked)) => format!("{family}/{}#{asked} {target}", draft.event_type),
        (Source::Observed, None) => format!("{family}/{} {target}", draft.event_type),
        // Of claims the same words with the same evidence are the same, whatever they are called.
        (Source::Kernel, Some(asked)) => format!("{OWN}{}#{asked}", draft.event_type),
        // Steps of no kind are known by their names alone.
        (Source::Told, _) if draft.tool_family == Family::Other => {
            format!("{family}/{} {target}", draft.event_type)
        }
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
