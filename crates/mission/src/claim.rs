//! Claim: a conclusion, and the verdict on it with all that this rests on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::absence::Absence;
use crate::counted::Counted;
use crate::event::{Shown, is_zero};
use crate::ids::{ClaimId, EventId};
use crate::situation::{HashOf, Situation, is_current};
use crate::state::TestRun;

/// A conclusion that somebody drew.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    pub claim_id: ClaimId,
    pub text: String,
    pub verdict: Verdict,
    /// What it rests on.
    pub event_ids: Vec<EventId>,
    /// Why the verdict is what it is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Whether something that the verdict rests on is only what the agent said of itself: no call that it cites showed it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_reported: bool,
    /// Files that the verdict rests on, as they were then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<Shown>,
    /// Runs that the verdict rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<TestRun>,
    /// Files that the verdict rests on and of which no hash is kept, so that nobody can check them.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_checked: u64,
    /// Searches that found nothing, and that the verdict rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<Absence>,
    /// Searches that show how many places there are, with how many there were, and that the verdict rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<Counted>,
    /// Whether nobody said yet what its evidence shows: outcome and quote are missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsaid: bool,
    /// The place to read that would show what it is about, as path or path:line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_at: Option<String>,
    /// Runs it rests on that something came after: an edit, or the same run with another end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overtaken: Vec<String>,
    /// Whether the mission that drew it had another goal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub other_goal: bool,
    /// Those of the files that are not as they were; only in answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale: Vec<String>,
    /// Those of these that are not there at all; only in answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<String>,
}

impl Claim {
    /// One that nobody has judged.
    pub(crate) fn open(claim_id: ClaimId, text: String, event_ids: Vec<EventId>) -> Self {
        let judgement = Judgement { event_ids, ..Judgement::default() };
        Self::of(claim_id, text, &judgement)
    }

    /// The same judged, anew or for the first time. Nothing came after what it rests on yet.
    pub(crate) fn judged(&self, judgement: &Judgement) -> Self {
        let other_goal = self.other_goal;
        Self { other_goal, ..Self::of(self.claim_id.clone(), self.text.clone(), judgement) }
    }

    fn of(claim_id: ClaimId, text: String, judgement: &Judgement) -> Self {
        let Judgement {
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
            stale: _,
        } = judgement.clone();
        Self {
            claim_id,
            text,
            verdict,
            event_ids,
            reason,
            self_reported,
            rests_on,
            runs,
            not_checked,
            absent,
            counted,
            unsaid,
            look_at,
            overtaken: Vec::new(),
            other_goal: false,
            stale: Vec::new(),
            gone: Vec::new(),
        }
    }

    /// Files that it rests on and that are not as they were.
    pub fn stale_files(&self, hash_of: HashOf<'_>) -> Vec<String> {
        let changed = |file: &&Shown| !is_current(hash_of, &file.path, &file.content_hash);
        let mut files: Vec<String> =
            self.rests_on.iter().filter(changed).map(|file| file.path.clone()).collect();
        files.sort();
        files.dedup();
        files
    }

    /// Whether what it rests on is not what it was.
    pub fn is_stale(&self, situation: &Situation<'_>) -> bool {
        !self.overtaken.is_empty()
            || !self.stale_files(situation.hash_of).is_empty()
            || self.found_since(situation).next().is_some()
    }

    /// Searches that found nothing, or less or more, when it was judged, or cannot be made again.
    pub(crate) fn found_since<'c>(
        &'c self,
        situation: &'c Situation<'_>,
    ) -> impl Iterator<Item = &'c Absence> {
        let found = self.absent.iter().filter(|absence| !situation.is_absent(absence));
        let is_as_many =
            |one: &&Counted| (situation.count)(&one.search).is_some_and(|count| count.total == one.total);
        let counted = self.counted.iter().filter(move |one| !is_as_many(one));
        found.chain(counted.map(|one| &one.search))
    }

    /// As answers show it that list many: hashes stay in the ledger, what changed since is named.
    #[must_use]
    pub fn as_shown(&self, hash_of: HashOf<'_>) -> Self {
        Self { rests_on: Vec::new(), runs: Vec::new(), ..self.as_judged(hash_of) }
    }

    /// The same with what it rests on.
    #[must_use]
    pub fn as_judged(&self, hash_of: HashOf<'_>) -> Self {
        let stale =
            if self.verdict == Verdict::VerifiedForMission { self.stale_files(hash_of) } else { Vec::new() };
        let gone = stale.iter().filter(|path| hash_of(path).is_none()).cloned().collect();
        Self { stale, gone, ..self.clone() }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    #[default]
    Open,
    VerifiedForMission,
    Rejected,
    NeedsDirectEvidence,
    /// Who drew it took it back before anybody proved or rejected it.
    Withdrawn,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::VerifiedForMission => "verified_for_mission",
            Self::Rejected => "rejected",
            Self::NeedsDirectEvidence => "needs_direct_evidence",
            Self::Withdrawn => "withdrawn",
        }
    }

    /// Whether what is cited decided it.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::VerifiedForMission | Self::Rejected)
    }

    /// Whether somebody still owes an answer.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Open | Self::NeedsDirectEvidence)
    }
}

/// A verdict with its reason and all that it rests on, as its event keeps it: the fields are hashed in this order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    pub verdict: Verdict,
    pub reason: String,
    /// What the claim cites.
    pub event_ids: Vec<EventId>,
    pub self_reported: bool,
    /// Files of the events that it rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rests_on: Vec<Shown>,
    /// Runs among these events.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<TestRun>,
    /// Files of these events of which no hash is kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub not_checked: u64,
    /// Searches among these events that found nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<Absence>,
    /// Searches among them that show how many places there are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<Counted>,
    /// Whether nobody said what the evidence shows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsaid: bool,
    /// A place that would show what the claim is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub look_at: Option<String>,
    /// Events that were cited and do not count, because what they showed has changed; the event keeps them not.
    #[serde(skip)]
    pub stale: Vec<EventId>,
}

impl Judgement {
    /// Without what only a verdict rests on: what carries nothing is nothing that a claim rests on.
    #[must_use]
    pub(crate) fn unsettled(self) -> Self {
        let Self { verdict, reason, event_ids, self_reported, unsaid, look_at, stale, .. } = self;
        Self { verdict, reason, event_ids, self_reported, unsaid, look_at, stale, ..Self::default() }
    }
}
