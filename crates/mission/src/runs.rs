//! Runs: what a test, a compiler or a probe still says after what came later.

use crate::claim::Verdict;
use crate::event::{Event, Speaks, is_passed};
use crate::evidence::EvidenceClass;
use crate::ids::EventId;
use crate::state::{State, TestRun};

impl State {
    /// Why a run no longer says what it said: something was changed, or the same run ended otherwise since.
    pub(crate) fn overtaken(&self, event: &Event) -> Option<String> {
        if !is_run(event) {
            return None;
        }
        if event.sequence < self.changed_at {
            return Some(format!("{} was run before the newest edit", event.draft.target));
        }
        let later = self.tests.iter().rev().find(|run| run.target == event.draft.target)?;
        let is_later = later.event_id.sequence() > event.sequence;
        (is_later && contradicts(&later.outcome, &event.draft.outcome))
            .then(|| format!("{} says {} since, {}", later.target, later.outcome, later.event_id))
    }

    /// Marks verified claims that rest on a run which this event overtakes: it changed a file, or it is the same run
    /// with another end.
    pub(crate) fn overtake(&mut self, event: &Event) {
        let is_change = self.changed_at == event.sequence;
        if !is_change && !is_run(event) {
            return;
        }
        if is_run(event) && event.draft.evidence_class != Some(EvidenceClass::RuntimeProbe) {
            self.tested.clone_from(&event.draft.shown);
        }
        let said = |run: &TestRun| -> Option<String> {
            if run.event_id == event.event_id || Speaks::of(&run.outcome) == Speaks::Neither {
                return None;
            }
            if is_change {
                return Some(format!("{} ({}) was run before {}", run.target, run.event_id, event.event_id));
            }
            let is_same = run.target == event.draft.target;
            (is_same && contradicts(&event.draft.outcome, &run.outcome)).then(|| {
                let (id, outcome) = (&event.event_id, &event.draft.outcome);
                format!("{} ({}) says {outcome} since, {id}", run.target, run.event_id)
            })
        };
        let runs = self.inherited.tests.iter().chain(&self.tests);
        let overtaken: Vec<(EventId, String)> =
            runs.filter_map(|run| Some((run.event_id.clone(), said(run)?))).collect();
        let claims = self.claims.iter_mut().chain(&mut self.inherited.claims);
        for claim in claims.filter(|claim| claim.verdict == Verdict::VerifiedForMission) {
            let cited = overtaken.iter().filter(|(id, _)| claim.event_ids.contains(id));
            let said: Vec<String> = cited.map(|(_, said)| said.clone()).collect();
            // The newest word on a claim is enough: what overtook it before is in the stream.
            if !said.is_empty() {
                claim.overtaken = said;
            }
        }
    }
}

pub(crate) fn is_run(event: &Event) -> bool {
    event.draft.evidence_class.is_some_and(EvidenceClass::is_run)
}

/// Outcomes of a run that ended badly.
pub(crate) const FAILED: [&str; 6] = ["failed", "fail", "failure", "error", "timeout", "crashed"];

/// Whether a run that ends so takes back what an earlier one said. One that was skipped says nothing.
fn contradicts(later: &str, earlier: &str) -> bool {
    let is_failed = FAILED.contains(&later) && is_passed(earlier);
    is_failed || (Speaks::of(later) == Speaks::Against && Speaks::of(earlier) == Speaks::For)
}
