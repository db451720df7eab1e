//! Turning: what would change the verdict of a claim.

use crate::claim::{Claim, Verdict};

/// What nobody judged of a claim that a line was quoted for.
const NOT_JUDGED: &str = "What the quoted line means was not judged: it was shown, is as it was and is about what the claim names; that the claim follows from it is the agent's word.";

impl Claim {
    /// What its verdict does not say.
    pub fn non_claims(&self) -> Vec<&'static str> {
        let is_read = self.verdict == Verdict::VerifiedForMission && !self.rests_on.is_empty();
        // A run and a person speak for themselves, and are told as such.
        if is_read && self.runs.is_empty() { vec![NOT_JUDGED] } else { Vec::new() }
    }

    /// What would have to be seen or said for another verdict.
    pub fn would_change(&self) -> String {
        let id = &self.claim_id;
        match self.verdict {
            Verdict::VerifiedForMission => {
                "An event that contradicts it, or a change of what it rests on.".to_owned()
            }
            Verdict::Rejected => {
                "Nothing that was seen before: only what is seen from now on and shows otherwise, cited by a new claim."
                    .to_owned()
            }
            Verdict::Withdrawn => "Nothing: it was taken back. Who says so again makes a new claim.".to_owned(),
            Verdict::Open | Verdict::NeedsDirectEvidence => match (&self.look_at, self.unsaid) {
                (Some(place), _) => {
                    format!("A view of {place} with this mission_id, cited with claim_id {id}, outcome and quote.")
                }
                (None, true) => {
                    format!("mission_verify with claim_id {id}, outcome (supports or contradicts) and quote, a line of what it cites.")
                }
                (None, false) => format!(
                    "Something else than it cites now: what the reason asks for, seen with this mission_id and cited with claim_id {id}; \
                     or a claim that says less. The same call again gives the same verdict."
                ),
            },
        }
    }
}
