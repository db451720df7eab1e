//! Tested: whether what ran proves that it works, as the files are now.

use crate::event::{RunsAfter, Shown, Speaks, is_passed};
use crate::evidence::EvidenceClass;
use crate::runs::FAILED;
use crate::situation::Situation;
use crate::state::{State, TestRun};

/// Why nothing proves that it works. A probe shows one thing; it does not take back a test that failed.
pub(crate) fn untested(state: &State, situation: &Situation<'_>) -> Option<String> {
    let all = Runs::of(state);
    let was_tested = all.counted().iter().any(|run| run.kind.is_none());
    let kind = match () {
        () if all.since(all.newest).any(|run| run.kind.is_none()) => None,
        () if was_tested => return Some("No test was run after the newest edit.".to_owned()),
        // Where nobody tests, a compiler's word is the best there is.
        () if all.since(all.newest).any(|run| run.kind == COMPILER) => COMPILER,
        () if all.counted().is_empty() => return Some("Nothing was run.".to_owned()),
        () => return Some("No test and no compiler was run after the newest edit.".to_owned()),
    };
    // What failed before the first edit shows what was to be mended. What failed since is mended when it passes, and not
    // when something else does. What does not compile was not tested.
    let runs: Vec<&TestRun> =
        all.since(all.first).rev().filter(|run| run.kind == kind || run.kind == COMPILER).copied().collect();
    let is_newest = |at: usize| !runs[..at].iter().any(|later| later.target == runs[at].target);
    let Some(bad) = (0..runs.len()).find(|at| is_newest(*at) && !is_passed(&runs[*at].outcome)) else {
        // Editors and calls without a mission change files, too.
        let changed = |file: &&Shown| !situation.is_current(&file.path, &file.content_hash);
        if let Some(Shown { path, .. }) = state.tested.iter().find(changed) {
            return Some(format!("{path} is not as it was when the newest test ran."));
        }
        let TestRun { target, event_id, .. } = failed_before(state)?;
        return Some(format!("{target} failed in the mission before ({event_id}) and was not run again."));
    };
    let TestRun { target, event_id, outcome, .. } = runs[bad];
    Some(match outcome.as_str() {
        failed if FAILED.contains(&failed) => format!("The newest run of {target} failed ({event_id})."),
        against if Speaks::of(against) == Speaks::Against => {
            format!("The newest run of {target} speaks against it ({event_id}).")
        }
        _ => format!("The newest run of {target} did not pass ({event_id}, {outcome})."),
    })
}

/// The newest run that did not pass and after which nothing was changed: to run it again would show the same.
pub(crate) fn failed_now<'s>(state: &'s State, situation: &Situation<'_>) -> Option<&'s TestRun> {
    untested(state, situation)?;
    let runs: Vec<&TestRun> =
        state.tests.iter().filter(|run| run.event_id.sequence() > state.changed_at).collect();
    let is_newest = |at: usize| !runs[at + 1..].iter().any(|later| later.target == runs[at].target);
    let is_bad = |run: &TestRun| {
        let is_run = run.kind.is_none() || run.kind == COMPILER;
        is_run && (FAILED.contains(&run.outcome.as_str()) || Speaks::of(&run.outcome) == Speaks::Against)
    };
    let at = (0..runs.len()).rev().find(|at| is_newest(*at) && is_bad(runs[*at]))?;
    // What another file was then may pass now.
    let changed = |file: &Shown| !situation.is_current(&file.path, &file.content_hash);
    (!state.tested.iter().any(changed)).then(|| runs[at])
}

const COMPILER: Option<EvidenceClass> = Some(EvidenceClass::Compiler);

/// Runs of the mission before and of this one, the oldest first, and where changes stand among them.
struct Runs<'s> {
    all: Vec<&'s TestRun>,
    /// The first of this goal.
    own: usize,
    /// The first after the first change.
    first: usize,
    /// The first after the newest change.
    newest: usize,
}

impl<'s> Runs<'s> {
    fn of(state: &'s State) -> Self {
        let before = &state.inherited;
        let count = before.tests.len();
        let after = |runs: usize| count.saturating_sub(runs);
        let since = |place: u64| {
            count + state.tests.iter().take_while(|run| run.event_id.sequence() <= place).count()
        };
        let newest =
            if state.changed_at > 0 { since(state.changed_at) } else { after(before.runs_after.newest) };
        let first_edit = state.edits().map(|edit| edit.event_id.sequence()).min();
        let first = match (before.edits.is_empty(), first_edit) {
            (true, Some(first)) => since(first),
            (true, None) if state.changed_at > 0 => newest,
            _ => after(before.runs_after.first),
        };
        let all = before.tests.iter().chain(&state.tests).collect();
        Self { all, own: after(before.runs_after.first), first, newest: newest.max(first) }
    }

    /// Those of this goal.
    fn counted(&self) -> &[&'s TestRun] {
        self.all.get(self.own..).unwrap_or_default()
    }

    fn since(&self, place: usize) -> impl DoubleEndedIterator<Item = &&'s TestRun> {
        self.all.get(place..).unwrap_or_default().iter()
    }
}

impl State {
    /// How many of its runs, with those it knows from the mission before, came after its changes.
    pub(crate) fn runs_after(&self, most: usize) -> RunsAfter {
        let runs = Runs::of(self);
        let count = |place: usize| runs.all.len().saturating_sub(place).min(most);
        RunsAfter { first: count(runs.first), newest: count(runs.newest) }
    }
}

/// A run that failed last in the mission before, and that this one did not run. Where that one made the change, only what
/// failed since counts, as in itself.
fn failed_before(state: &State) -> Option<&TestRun> {
    let before = &state.inherited.tests;
    if !state.inherited.edits.is_empty() {
        return None;
    }
    let is_last = |at: usize| !before[at + 1..].iter().any(|later| later.target == before[at].target);
    let was_run = |target: &str| state.tests.iter().any(|run| run.target == target);
    let failed = |run: &TestRun| FAILED.contains(&run.outcome.as_str()) && !was_run(&run.target);
    (0..before.len()).find(|&at| is_last(at) && failed(&before[at])).map(|at| &before[at])
}
