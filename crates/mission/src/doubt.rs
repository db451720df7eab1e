//! Doubt: what is left of a mission whose events are not as they were recorded.

use crate::claim::{Claim, Verdict};
use crate::event::RunsAfter;
use crate::state::State;

/// Why a claim that was settled is open again.
const REASON: &str = "The events of its mission are not as they were recorded: prove it again.";

impl State {
    /// The same without anything that rests on the word of its events. Where nothing was found is kept: nobody is led
    /// astray by not going there.
    #[must_use]
    pub fn doubted(mut self) -> Self {
        self.claims.iter_mut().chain(&mut self.inherited.claims).for_each(doubt);
        self.sweeps.clear();
        self.sweep_shown = false;
        self.inherited.swept = false;
        self.inherited.swept_told = false;
        // That something was tested, and that a change set was looked at, is the word of its events, too.
        self.changed_at = self.sequence + 1;
        self.tested.clear();
        self.reviewed = None;
        self.change_set = None;
        self.inherited.runs_after = RunsAfter::default();
        self.inherited.review = None;
        self
    }
}

fn doubt(claim: &mut Claim) {
    if !claim.verdict.is_open() {
        claim.verdict = Verdict::NeedsDirectEvidence;
        REASON.clone_into(&mut claim.reason);
        claim.rests_on.clear();
        claim.runs.clear();
        claim.not_checked = 0;
        claim.absent.clear();
        claim.counted.clear();
        claim.unsaid = false;
        claim.look_at = None;
        claim.overtaken.clear();
        claim.self_reported = false;
    }
}
