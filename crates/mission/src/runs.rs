//! Runs: what a test, a compiler or a probe still says after what came later.

use std::collections::{HashMap, HashSet};

use crate::claim::Verdict;
use crate::event::{Event, Speaks, is_passed};
use crate::evidence::EvidenceClass;
use crate::ids::EventId;
use crate::state::{KEPT, State, TestRun};

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
        if !is_change && !can_contradict(&event.draft.outcome) {
            return;
        }
        // A change overtakes every run before it; a run those of the same target that it contradicts. Most do neither.
        let is_overtaken = |run: &&TestRun| {
            let says = run.event_id != event.event_id && Speaks::of(&run.outcome) != Speaks::Neither;
            let is_same = || run.target == event.draft.target;
            says && (is_change || is_same() && contradicts(&event.draft.outcome, &run.outcome))
        };
        let runs = self.inherited.tests.iter().chain(&self.tests).filter(is_overtaken);
        let runs: HashMap<&EventId, (usize, &TestRun)> =
            runs.enumerate().map(|(at, run)| (&run.event_id, (at, run))).collect();
        let said = |(_, run): &(usize, &TestRun)| {
            let (TestRun { target, event_id: before, .. }, id) = (run, &event.event_id);
            if is_change {
                format!("{target} ({before}) was run before {id}")
            } else {
                format!("{target} ({before}) says {} since, {id}", event.draft.outcome)
            }
        };
        let claims = self.claims.iter_mut().chain(&mut self.inherited.claims);
        for claim in claims.filter(|claim| claim.verdict == Verdict::VerifiedForMission) {
            // A claim knows its runs, however many came after them; one that was judged by an earlier build knows their ids.
            let own = claim.runs.iter().filter(is_overtaken).enumerate();
            let cited = claim.event_ids.iter().filter_map(|id| runs.get(id).copied());
            let mut cited: Vec<(usize, &TestRun)> =
                if claim.runs.is_empty() { cited.collect() } else { own.collect() };
            cited.sort_by_key(|(at, _)| *at);
            // The newest word on a claim is enough: what overtook it before is in the stream.
            if !cited.is_empty() {
                claim.overtaken = cited.iter().map(said).collect();
            }
        }
    }
}

impl State {
    /// Adds a run. Where there is no more room, those go that say nothing any more: the same was run again since. Runs that
    /// failed and were not run again go last, or enough other runs would make them forgotten.
    pub(crate) fn keep_run(&mut self, run: TestRun) {
        self.tests.push(run);
        if self.tests.len() < KEPT + SLACK {
            return;
        }
        let newest: HashMap<&str, usize> =
            self.tests.iter().enumerate().map(|(at, run)| (run.target.as_str(), at)).collect();
        let worth = |(at, run): (usize, &TestRun)| match () {
            () if newest[run.target.as_str()] != at => (0, at),
            () if is_passed(&run.outcome) => (1, at),
            () => (2, at),
        };
        let mut worths: Vec<(u8, usize)> = self.tests.iter().enumerate().map(worth).collect();
        worths.sort_unstable();
        let gone: HashSet<usize> = worths[..worths.len() - KEPT].iter().map(|(_, at)| *at).collect();
        let mut at = 0..;
        self.tests.retain(|_| at.next().is_none_or(|at| !gone.contains(&at)));
    }
}

/// Runs beyond those that are kept before some go: to look which costs as much for one as for many.
const SLACK: usize = 100;

impl TestRun {
    /// The run that an event tells of.
    pub(crate) fn of(event: &Event) -> Self {
        let Event { draft, event_id, .. } = event;
        Self {
            target: draft.target.clone(),
            outcome: draft.outcome.clone(),
            event_id: event_id.clone(),
            kind: draft.evidence_class.filter(|class| *class != EvidenceClass::TestRun),
        }
    }
}

pub(crate) fn is_run(event: &Event) -> bool {
    event.draft.evidence_class.is_some_and(EvidenceClass::is_run)
}

/// Outcomes of a run that ended badly.
pub(crate) const FAILED: [&str; 6] = ["failed", "fail", "failure", "error", "timeout", "crashed"];

/// Whether a run that ends so can take back what any other said.
fn can_contradict(outcome: &str) -> bool {
    FAILED.contains(&outcome) || Speaks::of(outcome) == Speaks::Against
}

/// Whether a run that ends so takes back what an earlier one said. One that was skipped says nothing.
fn contradicts(later: &str, earlier: &str) -> bool {
    let is_failed = FAILED.contains(&later) && is_passed(earlier);
    is_failed || (Speaks::of(later) == Speaks::Against && Speaks::of(earlier) == Speaks::For)
}
