//! Claim: a conclusion, and whether what was seen carries it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::{Event, Source};
use crate::evidence::EvidenceClass;
use crate::ids::{ClaimId, EventId};

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
    /// Whether all its direct evidence is what the agent said of itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub self_reported: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Open,
    VerifiedForMission,
    Rejected,
    NeedsDirectEvidence,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::VerifiedForMission => "verified_for_mission",
            Self::Rejected => "rejected",
            Self::NeedsDirectEvidence => "needs_direct_evidence",
        }
    }

    pub fn is_settled(self) -> bool {
        matches!(self, Self::VerifiedForMission | Self::Rejected)
    }
}

/// A verdict with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    pub verdict: Verdict,
    pub reason: String,
    pub self_reported: bool,
}

/// Judges a claim by the events it cites. `is_current` says whether the file of an event is still as it was then.
pub(crate) fn judge(events: &[&Event], is_current: &dyn Fn(&Event) -> bool) -> Judgement {
    let needs =
        |reason: String| Judgement { verdict: Verdict::NeedsDirectEvidence, reason, self_reported: false };
    if events.is_empty() {
        return needs(
            "It cites no event: read the source, run the test, and cite what that recorded.".into(),
        );
    }
    let direct: Vec<&&Event> = events.iter().filter(|event| event.draft.is_direct()).collect();
    if direct.is_empty() {
        let classes: Vec<&str> = events
            .iter()
            .map(|event| event.draft.evidence_class.map_or("none", EvidenceClass::name))
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect();
        let classes = classes.join(", ");
        return needs(format!(
            "It rests on indirect evidence alone ({classes}): read the source or run it, and cite that."
        ));
    }
    let anchored: Vec<&&Event> = direct.into_iter().filter(|event| is_anchored(event)).collect();
    if anchored.is_empty() {
        return needs(
            "Its source reads name no file of this workspace: read the file itself and cite that.".into(),
        );
    }
    let current: Vec<&&Event> = anchored.into_iter().filter(|event| is_current(event)).collect();
    let Some(newest) = current.last() else {
        return needs(
            "Every file it rests on was changed since it was read: read it again and cite that.".into(),
        );
    };
    let self_reported = current.iter().all(|event| event.source == Source::Told);
    let against = current.iter().rev().find(|event| event.draft.refutes());
    match against {
        Some(against) => Judgement {
            verdict: Verdict::Rejected,
            reason: format!("{} says {}.", against.event_id, against.draft.outcome),
            self_reported,
        },
        None => Judgement {
            verdict: Verdict::VerifiedForMission,
            reason: format!(
                "Direct evidence: {} ({}).",
                newest.event_id,
                newest.draft.evidence_class.map_or("none", EvidenceClass::name)
            ),
            self_reported,
        },
    }
}

/// A read of the source is a witness only where it is known of which source.
fn is_anchored(event: &Event) -> bool {
    event.draft.evidence_class != Some(EvidenceClass::DirectSource) || event.draft.content_hash.is_some()
}
