//! Judging: a claim is made, made again, and judged by what it cites.

use m1nd_stdx::digest::short_name;

use crate::again::{plain, said_again};
use crate::claim::{Claim, Judgement, Verdict};
use crate::error::MissionError;
use crate::event::{Detail, Draft};
use crate::finding::{Unfound, finding};
use crate::ids::{ClaimId, EventId};
use crate::machine::{MAX_TEXT, Machine, ordinal, text};
use crate::state::LOOP;
use crate::telling::Telling;
use crate::verdict::judge;

/// Letters by which a claim with its evidence is known again.
const TURN: usize = 16;

/// The outcome by which an agent takes a claim back.
pub(crate) const WITHDRAWN: &str = "withdrawn";

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

impl Machine<'_> {
    pub(crate) fn claim(
        &mut self,
        said: String,
        event_ids: Vec<EventId>,
        asked: Option<String>,
    ) -> Result<ClaimId, MissionError> {
        text("claim", &said, MAX_TEXT)?;
        self.cited(&event_ids)?;
        if let Some(known) = self.state.same_claim(&said).cloned() {
            return Ok(self.claim_again(&known, event_ids, asked));
        }
        let id = self.state.next_claim_id();
        self.take_up(id.clone(), said, event_ids, asked);
        Ok(id)
    }

    /// The same said once more is the same claim: it keeps its verdict, and an open one rests on more. One of the mission
    /// before is taken up under its name.
    fn claim_again(&mut self, known: &Claim, cited: Vec<EventId>, asked: Option<String>) -> ClaimId {
        self.says_the_same(known);
        let id = known.claim_id.clone();
        let is_own = self.state.claim(&id).is_some();
        let earlier = known.event_ids.iter().filter(|one| is_own && !cited.contains(one));
        let event_ids = earlier.cloned().chain(cited.iter().cloned()).collect();
        self.take_up(id.clone(), known.text.clone(), event_ids, asked);
        id
    }

    fn says_the_same(&mut self, known: &Claim) {
        let (id, verdict) = (&known.claim_id, known.verdict.name());
        self.warnings.push(format!("{id} ({verdict}) says the same: this is that claim, not a new one."));
    }

    /// What a claim says and rests on, in a few letters: the same again with the same evidence is no step forward.
    pub(crate) fn turn_of(&self, said: &str, event_ids: &[EventId], quote: Option<&str>) -> Option<String> {
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
    pub(crate) fn warn_of_turns(&mut self, what: &str, instead: &str) {
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

    pub(crate) fn verify(&mut self, verify: Verify) -> Result<(), MissionError> {
        if verify.outcome.as_deref() == Some(WITHDRAWN) {
            return self.withdraw(verify);
        }
        let Verify { claim_id, text, mut event_ids, evidence, outcome, quote } = verify;
        if claim_id.is_some() && text.is_some() {
            return Err(MissionError::invalid(
                "claim",
                "not taken beside claim_id: needed is one of them, and not both",
            ));
        }
        let finding = finding(outcome, quote)?;
        let pointed = finding.as_ref().map(|(outcome, quote)| format!("{outcome} {quote}"));
        self.cited(&event_ids)?;
        let same = text.as_deref().filter(|_| claim_id.is_none());
        let same = same.and_then(|text| self.state.same_claim(text)).cloned();
        let (claim_id, text) = match &same {
            Some(known) => (Some(known.claim_id.clone()), None),
            None => (claim_id, text),
        };
        if let Some(known) = &same {
            self.says_the_same(known);
        }
        if let Some(id) = &claim_id {
            let claim = self.known_claim(id)?;
            // A verified one can be contradicted, and must be judged again when its files changed.
            let is_new = |event: &&EventId| !claim.event_ids.contains(event);
            let brings =
                event_ids.iter().any(|event| is_new(&event)) || !evidence.is_empty() || finding.is_some();
            let may_change =
                claim.verdict == Verdict::VerifiedForMission && (brings || claim.is_stale(self.situation));
            if !claim.verdict.is_open() && !may_change && same.is_none() {
                return Err(MissionError::Settled { id: id.clone(), state: claim.verdict.name() });
            }
            if self.state.claim(id).is_some() {
                let earlier: Vec<EventId> =
                    claim.event_ids.iter().filter(|id| !event_ids.contains(id)).cloned().collect();
                event_ids.splice(0..0, earlier);
            } else {
                // What the mission before knew rests on its events; here it begins anew, under the same name.
                self.take_up(id.clone(), claim.text, Vec::new(), None);
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
        let mut judgement = judge(&self.state, &said, &cited.iter().collect::<Vec<_>>(), self.situation);
        if let Some(unfound) = misquoted {
            judgement = judgement.misquoted(unfound);
        } else if judgement.verdict == Verdict::VerifiedForMission
            && let Some(why) = said_again(&self.state, &id, &cited)
        {
            judgement.verdict = Verdict::NeedsDirectEvidence;
            judgement.reason = why;
        }
        if !judgement.verdict.is_settled() {
            judgement = judgement.unsettled();
        }
        let (verdict, self_reported) = (judgement.verdict, judgement.self_reported);
        if !judgement.stale.is_empty() {
            let names: Vec<&str> = judgement.stale.iter().map(EventId::as_str).collect();
            let names = names.join(", ");
            self.warnings
                .push(format!("What {names} showed is not as it was: not counted, read or run it again."));
        }
        let outcome = verdict.name();
        let asked = self.turn_of(&said, &event_ids, pointed.as_deref());
        let detail = Detail::Judged { claim_id: id.clone(), judgement };
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
}

impl Machine<'_> {
    /// Takes an open claim back. It stays in the stream with all that it cites; one that was proved or rejected is not undone
    /// by a word.
    fn withdraw(&mut self, verify: Verify) -> Result<(), MissionError> {
        let Verify { claim_id, text, event_ids, evidence, quote, .. } = verify;
        let Some(id) = claim_id else {
            return Err(MissionError::invalid("claim_id", "needed to take a claim back"));
        };
        if text.is_some() || quote.is_some() || !event_ids.is_empty() || !evidence.is_empty() {
            return Err(MissionError::invalid("outcome", "withdrawn, which takes claim_id and nothing else"));
        }
        let claim = self.known_claim(&id)?;
        if !claim.verdict.is_open() {
            return Err(MissionError::Settled { id, state: claim.verdict.name() });
        }
        if self.state.claim(&id).is_none() {
            self.take_up(id.clone(), claim.text, Vec::new(), None);
        }
        let event_ids = self.state.claim(&id).map(|claim| claim.event_ids.clone()).unwrap_or_default();
        let reason = match (claim.verdict, claim.reason.as_str()) {
            (Verdict::NeedsDirectEvidence, why) if !why.is_empty() => {
                format!("Taken back. It was open: {why}")
            }
            _ => "Taken back before it was judged.".to_owned(),
        };
        let judgement = Judgement { verdict: Verdict::Withdrawn, reason, event_ids, ..Judgement::default() };
        let detail = Detail::Judged { claim_id: id.clone(), judgement };
        self.own(Draft::kernel("verify", "judged", id.to_string(), WITHDRAWN, detail));
        self.claim = Some(id);
        Ok(())
    }

    fn known_claim(&self, id: &ClaimId) -> Result<Claim, MissionError> {
        let mut all = self.state.all_claims();
        all.find(|claim| claim.claim_id == *id).cloned().ok_or_else(|| {
            let known = self.state.all_claims().map(|claim| claim.claim_id.clone()).collect();
            MissionError::UnknownClaim { mission: self.state.mission_id.clone(), id: id.clone(), known }
        })
    }
}

impl Judgement {
    /// The same where the line that was pointed at stands nowhere: who points at what is not there has not said what is.
    fn misquoted(mut self, unfound: Unfound) -> Self {
        let Unfound { why, look_at } = unfound;
        let is_beyond = look_at.is_some();
        self.look_at = look_at.or(self.look_at);
        self.unsaid |= self.verdict.is_settled();
        if self.verdict.is_settled() || self.unsaid || is_beyond {
            self.verdict = Verdict::NeedsDirectEvidence;
            self.reason = why;
        }
        self
    }
}
