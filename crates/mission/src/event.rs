//! Event: one thing that happened in a mission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::absence::Absence;
use crate::again::plain;
use crate::change_set::{ChangeSet, Review};
use crate::claim::{Claim, Judgement};
use crate::edits::Edit;
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::ids::{ClaimId, EventId, MissionId};
use crate::lines::Part;
use crate::mode::{Budget, Mode, Route};
use crate::needs::Gap;
use crate::runs::FAILED;
use crate::state::{DeadPath, Seen, TestRun, path_of};

pub const SCHEMA: &str = "m1nd-mission-event-v1";

/// The step of asking what comes next.
const ASKED_NEXT: &str = "mission_next";

/// The hash of a file without a byte.
pub const EMPTY_FILE: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Who saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A call went through the runtime, which recorded it.
    Observed,
    /// An agent said so.
    Told,
    /// The mission itself: it began, a claim was judged, it ended.
    Kernel,
}

/// One event of the stream. Fields are hashed in this order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub schema: String,
    pub event_id: EventId,
    pub mission_id: MissionId,
    /// From 1.
    pub sequence: u64,
    pub timestamp_ms: i64,
    pub actor: String,
    pub source: Source,
    #[serde(flatten)]
    pub draft: Draft,
    /// The hash of the event before; zeros for the first.
    pub prev_hash: String,
    /// Over everything above.
    pub hash: String,
}

/// What an event says, before it has its place in the stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    pub phase: String,
    pub event_type: String,
    pub tool_family: Family,
    pub target: String,
    /// Told from other questions about the same target: a digest of what else was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence_class: Option<EvidenceClass>,
    pub outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_confidence: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Of the file that the target names, when it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Other files that it showed, as they were then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<Shown>,
    /// Files that it showed and for which there was no room here.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_anchored: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Detail>>,
}

impl Draft {
    /// An event of the mission itself.
    pub(crate) fn kernel(
        phase: &str,
        event_type: &str,
        target: String,
        outcome: &str,
        detail: Detail,
    ) -> Self {
        Self {
            phase: phase.to_owned(),
            event_type: event_type.to_owned(),
            tool_family: Family::Mission,
            target,
            asked: None,
            evidence_class: None,
            outcome: outcome.to_owned(),
            duration_ms: None,
            agent_confidence: None,
            note: None,
            content_hash: None,
            shown: Vec::new(),
            not_anchored: 0,
            detail: Some(Box::new(detail)),
        }
    }

    pub fn is_direct(&self) -> bool {
        self.evidence_class.is_some_and(EvidenceClass::is_direct)
    }

    /// Whether it is direct evidence of something that is there: a read of the source is one only where it is known of
    /// which source, whatever class it is said to be of. An empty file shows nothing.
    pub fn carries(&self) -> bool {
        let shows = || self.anchors().any(|(_, hash)| hash != EMPTY_FILE);
        self.is_direct() && self.is_done() && (!self.is_read() || shows())
    }

    /// Whether it is a read of the source, whatever it is said to be.
    fn is_read(&self) -> bool {
        self.evidence_class == Some(EvidenceClass::DirectSource)
            || self.event_type.split('_').any(|word| ["read", "view", "grep"].contains(&word))
    }

    /// Whether it shows text of which somebody must say what it means: a read, or a change of files.
    pub(crate) fn shows_text(&self) -> bool {
        self.is_read() || self.evidence_class == Some(EvidenceClass::Diff) && self.is_anchored()
    }

    /// The line that somebody pointed at, and that stands there.
    pub fn quote(&self) -> Option<&str> {
        match self.detail.as_deref() {
            Some(Detail::Quoted { quote, .. }) => Some(quote),
            _ => None,
        }
    }

    /// Whether it only says what another event shows.
    pub fn is_finding(&self) -> bool {
        matches!(self.detail.as_deref(), Some(Detail::Quoted { of: Some(_), .. }))
    }

    /// The search that found nothing, if it was one.
    pub fn absence(&self) -> Option<&Absence> {
        match self.detail.as_deref() {
            Some(Detail::Absent { search }) => Some(search),
            _ => None,
        }
    }

    /// The search by text that it was, whether it found something or not.
    pub fn search(&self) -> Option<&Absence> {
        match self.detail.as_deref() {
            Some(Detail::Absent { search } | Detail::Showed { search: Some(search), .. }) => Some(search),
            _ => None,
        }
    }

    /// Whether what it tells of was done at all. A test that failed was run; a file whose read failed was not read.
    pub fn is_done(&self) -> bool {
        let outcome = self.outcome.as_str();
        if Speaks::of(outcome) != Speaks::Neither {
            return true;
        }
        let was_run = self.tool_family == Family::Run && FAILED.contains(&outcome);
        was_run || !(FAILED.contains(&outcome) || UNDONE.contains(&outcome) || outcome.starts_with("not_"))
    }

    /// Lets go of every file that is not to be counted; whether there was one.
    pub(crate) fn keep_only(&mut self, counts: impl Fn(&str) -> bool) -> bool {
        let before = self.anchors().count();
        if self.content_hash.is_some() && !counts(path_of(&self.target)) {
            self.content_hash = None;
        }
        self.shown.retain(|file| counts(&file.path));
        if let Some(Detail::Edited { files, .. }) = self.detail.as_deref_mut() {
            files.retain(|file| counts(&file.path));
        }
        let let_go = self.anchors().count() < before;
        if let_go && !self.is_anchored() {
            self.evidence_class = None;
            self.detail = None;
        }
        let_go
    }

    pub fn is_anchored(&self) -> bool {
        self.anchors().next().is_some()
    }

    /// Every file that it showed, with the hash that it had then.
    pub fn anchors(&self) -> impl Iterator<Item = (&str, &str)> {
        let own = self.content_hash.as_deref().map(|hash| (path_of(&self.target), hash));
        let edited = match self.detail.as_deref() {
            Some(Detail::Edited { files, .. }) => files.as_slice(),
            _ => &[],
        };
        let edited = edited.iter().filter_map(|file| Some((file.path.as_str(), file.sha256.as_deref()?)));
        let edited = edited.filter(move |file| Some(*file) != own);
        let shown = self.shown.iter().map(|file| (file.path.as_str(), file.content_hash.as_str()));
        own.into_iter().chain(edited).chain(shown)
    }

    /// What its outcome means for a claim. That something was read or written says how a step ended; what the text means
    /// somebody must say, with the line that shows it.
    pub fn speaks(&self) -> Speaks {
        let is_meant = || !ENDED.contains(&self.outcome.as_str());
        let is_said = match () {
            () if self.shows_text() => self.quote().is_some() && is_meant(),
            () if self.evidence_class == Some(EvidenceClass::Diff) => is_meant(),
            () => true,
        };
        if is_said { Speaks::of(&self.outcome) } else { Speaks::Neither }
    }

    /// Whether it says that what was looked for is not there, or not so.
    pub fn refutes(&self) -> bool {
        Speaks::of(&self.outcome) == Speaks::Against
    }

    /// Whether it only says what the mission did with itself, and shows nothing of what it is about.
    pub fn is_housekeeping(&self) -> bool {
        match self.detail.as_deref() {
            Some(
                Detail::Started { .. }
                | Detail::Claimed { .. }
                | Detail::Dissent { .. }
                | Detail::HandedOff { .. }
                | Detail::Closed { .. },
            ) => true,
            Some(
                Detail::Found { .. }
                | Detail::Edited { .. }
                | Detail::Judged { .. }
                | Detail::Reviewed { .. }
                | Detail::Showed { .. }
                | Detail::Quoted { .. }
                | Detail::Absent { .. },
            )
            | None => false,
        }
    }

    /// Whether somebody only asked again what comes next, and did nothing.
    pub(crate) fn is_idle(&self) -> bool {
        self.tool_family == Family::Mission && self.event_type == ASKED_NEXT
    }

    /// That the next step was asked for again and again.
    pub fn idle(mission: &MissionId) -> Self {
        let detail = Detail::Found { places: Vec::new() };
        let kernel = Self::kernel("next", ASKED_NEXT, mission.to_string(), "nothing_done", detail);
        Self { detail: None, ..kernel }
    }

    /// Whether nobody need go there again. That a file or a run speaks against one guess says nothing about the next.
    pub fn is_dead_path(&self) -> bool {
        matches!(self.outcome.as_str(), "dead_path" | "dead_end") || self.event_type == "dead_path"
    }
}

/// What an outcome means for a claim that cites it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaks {
    For,
    Against,
    /// It says how a step ended and not what that shows.
    Neither,
}

/// Outcomes that speak for a claim. What a reader saw is read or found; what it means is the claim.
pub const SUPPORT: [&str; 23] = [
    "supports",
    "hypothesis_supported",
    "hypothesis_confirmed",
    "supported",
    "confirmed",
    "verified",
    "proved",
    "reproduced",
    "observed",
    "passed",
    "pass",
    "ok",
    "success",
    "succeeded",
    "read",
    "seen",
    "found",
    "applied",
    "edited",
    "created",
    "deleted",
    "done",
    "approved",
];

/// Outcomes that speak against one.
pub const AGAINST: [&str; 14] = [
    "contradicts",
    "hypothesis_rejected",
    "hypothesis_refuted",
    "hypothesis_not_supported",
    "hypothesis_contradicted",
    "rejected",
    "refuted",
    "contradicted",
    "ruled_out",
    "not_supported",
    "not_confirmed",
    "not_reproduced",
    "disproved",
    "falsified",
];

/// Of these, those that say how a step ended: what a change means for a claim they do not say.
pub(crate) const ENDED: [&str; 9] =
    ["read", "seen", "found", "observed", "applied", "edited", "created", "deleted", "done"];

/// Outcomes that say that something was not done, or came to nothing.
const UNDONE: [&str; 20] = [
    "skipped",
    "skip",
    "inconclusive",
    "unclear",
    "unknown",
    "no",
    "none",
    "na",
    "errored",
    "aborted",
    "cancelled",
    "canceled",
    "interrupted",
    "denied",
    "refused",
    "unavailable",
    "unreadable",
    "missing",
    "pending",
    "todo",
];

/// Outcomes of a run that ended well.
const PASSED: [&str; 9] = [
    "passed",
    "pass",
    "ok",
    "success",
    "succeeded",
    "confirmed",
    "verified",
    "supported",
    "hypothesis_supported",
];

/// Whether an outcome says that a run ended well.
pub(crate) fn is_passed(outcome: &str) -> bool {
    PASSED.contains(&outcome)
}

impl Speaks {
    pub fn of(outcome: &str) -> Self {
        match outcome {
            known if SUPPORT.contains(&known) => Self::For,
            known if AGAINST.contains(&known) => Self::Against,
            _ => Self::Neither,
        }
    }
}

/// A file that was shown, as it was then.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Shown {
    pub path: String,
    pub content_hash: String,
}

pub(crate) fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What only the mission's own events say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(
    clippy::large_enum_variant,
    reason = "only the first event of a mission is the large one, and it is boxed"
)]
pub enum Detail {
    Started {
        repo: String,
        goal: String,
        mode: Mode,
        route: Route,
        budget: Budget,
        known_paths: Vec<String>,
        context_guard: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent_mission_id: Option<MissionId>,
        #[serde(default, skip_serializing_if = "Inherited::is_empty")]
        inherited: Inherited,
    },
    /// Places that an answer pointed to, the best first.
    Found {
        places: Vec<String>,
    },
    /// Files that a batch changed.
    Edited {
        batch_id: String,
        files: Vec<EditedFile>,
        /// The batch that this one took back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        undoes: Option<String>,
    },
    /// A change set that was looked at as a whole.
    Reviewed {
        changed_files: u64,
        /// Those of them that are there to be read, as far as the answer named them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        files: Vec<String>,
        /// How it was asked for and what it was, so that it is known again.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        set: Option<ChangeSet>,
    },
    /// A search that found nothing.
    Absent {
        search: Absence,
    },
    /// Lines that an answer showed.
    Showed {
        parts: Vec<Part>,
        /// The search by text that found them, if it was one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        search: Option<Absence>,
    },
    /// A line that somebody pointed at, and that stands where the event says.
    Quoted {
        quote: String,
        /// The event that showed it, where this one only says what that means.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        of: Option<EventId>,
    },
    Claimed {
        claim_id: ClaimId,
        text: String,
        event_ids: Vec<EventId>,
    },
    Judged {
        claim_id: ClaimId,
        #[serde(flatten)]
        judgement: Judgement,
    },
    Dissent {
        against: String,
        reason: String,
    },
    HandedOff {
        handoff: Value,
    },
    Closed {
        gaps: Vec<Gap>,
        forced: bool,
    },
}

/// A file that a batch changed, and what it held afterwards.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EditedFile {
    pub path: String,
    /// Missing when it was deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Whether it was not there before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub created: bool,
}

/// What a mission knows from the one before it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inherited {
    /// What the one before was to find out.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub goal: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<Claim>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dead_paths: Vec<DeadPath>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Seen>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestRun>,
    /// How many of the newest runs came after the first change, and after the newest.
    #[serde(skip_serializing_if = "is_none_after")]
    pub runs_after: RunsAfter,
    /// What the newest test or compiler ran with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tested: Vec<Shown>,
    /// Changes that were made and that nobody took back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<Edit>,
    /// The change set that was looked at as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review: Option<Review>,
    /// Whether somebody looked already for what the first finding hides.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub swept: bool,
    /// Whether that is only told.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub swept_told: bool,
    /// Where the one before stood: a stream that was cut since is found by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stood_at: Option<StoodAt>,
    /// What the one before would have done next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_move: Option<Value>,
}

impl Inherited {
    /// What was found out for another goal is known, and fulfils nothing of this one.
    pub(crate) fn for_goal(&mut self, goal: &str) {
        if self.goal.is_empty() || plain(&self.goal) == plain(goal) {
            return;
        }
        self.claims.iter_mut().for_each(|claim| claim.other_goal = true);
        self.files.iter_mut().for_each(|seen| seen.other_goal = true);
        self.runs_after = RunsAfter::default();
        self.tested.clear();
        self.edits.clear();
        self.review = None;
        self.swept = false;
        self.swept_told = false;
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// How far a stream had come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoodAt {
    pub mission_id: MissionId,
    pub sequence: u64,
    /// Of the event at that place.
    pub hash: String,
}

/// Of the runs of the mission before, the newest so many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunsAfter {
    /// Came after its first change; all where nothing was changed.
    pub first: usize,
    /// Came after its newest change.
    pub newest: usize,
}

fn is_none_after(runs: &RunsAfter) -> bool {
    *runs == RunsAfter::default()
}
