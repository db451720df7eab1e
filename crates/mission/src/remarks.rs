//! Remarks: what a mission did only by its agent's word.

use crate::claim::Verdict;
use crate::mode::Mode;
use crate::needs::{self, Need, is_document};
use crate::state::{Seen, State};
use crate::sweep::is_boilerplate;

/// Names that a remark has room for.
const NAMED: usize = 3;

/// One sentence for each thing that a mission of this kind needs and that no call of the runtime showed. Told steps
/// count; whoever reads the proof must know that they were told.
pub fn remarks(state: &State) -> Vec<String> {
    let mut said: Vec<String> =
        needs::of(state.mode).iter().filter_map(|need| only_told(*need, state)).collect();
    let (late, never) = state.edited_blindly();
    if !late.is_empty() && needs::of(state.mode).contains(&Need::ChangeRead) {
        said.push(format!("Read only after it was changed: {}.", list(&late)));
    }
    if !never.is_empty() && needs::of(state.mode).contains(&Need::ChangeRead) {
        said.push(format!("Changed, and never read: {}.", list(&never)));
    }
    let own = |verdict: Verdict| verdict == Verdict::VerifiedForMission;
    let claims =
        state.all_claims().filter(|claim| own(claim.verdict) && claim.self_reported && !claim.other_goal);
    let claims: Vec<&str> = claims.map(|claim| claim.claim_id.as_str()).collect();
    if !claims.is_empty() {
        said.push(format!("Only told: something that {} rests on.", list(&claims)));
    }
    said
}

fn only_told(need: Need, state: &State) -> Option<String> {
    match need {
        Need::SourceRead(count) => {
            let told: Vec<&str> =
                read(state).filter(|seen| seen.told).map(|seen| seen.path.as_str()).collect();
            let shown = read(state).filter(|seen| !seen.told).count();
            (shown < count && !told.is_empty()).then(|| format!("Only told: the reading of {}.", list(&told)))
        }
        Need::DocumentAndCode => {
            let kinds = [(true, "a document"), (false, "a file of code")];
            let of_kind = |document: bool| {
                read(state)
                    .filter(move |seen| is_document(&seen.path) == document && !is_boilerplate(&seen.path))
            };
            let told = kinds.iter().filter(|(document, _)| {
                of_kind(*document).next().is_some() && of_kind(*document).all(|seen| seen.told)
            });
            let told: Vec<&str> = told.map(|(_, name)| *name).collect();
            (!told.is_empty()).then(|| format!("Only told: the reading of {}.", told.join(" and ")))
        }
        Need::ChangedRead => {
            let set = state.change_set.iter().flat_map(|set| &set.held).map(|held| &held.path);
            let set: Vec<&String> = set.chain(&state.to_read).collect();
            let reads = || read(state).filter(|seen| set.contains(&&seen.path));
            let is_told = state.diff_read || reads().any(|seen| seen.told);
            (is_told && reads().all(|seen| seen.told))
                .then(|| "Only told: the reading of the change.".to_owned())
        }
        Need::Reviewed => (state.mode == Mode::Release && state.reviewed.is_none() && state.diff_read)
            .then(|| "Only told: the review of the change set.".to_owned()),
        Need::Tested => {
            let runs = state.inherited.tests.iter().chain(&state.tests).rev();
            let mut names: Vec<&str> = Vec::new();
            for run in runs {
                if !names.contains(&run.target.as_str()) {
                    names.push(&run.target);
                }
            }
            (!names.is_empty()).then(|| format!("Only told: what was run ({}).", list(&names)))
        }
        Need::Swept => {
            let was_shown = state.sweep_shown || state.inherited.swept && !state.inherited.swept_told;
            let was_told = !state.sweeps.is_empty() || state.inherited.swept;
            (state.has_finding() && was_told && !was_shown)
                .then(|| "Only told: the look for what the first finding hides.".to_owned())
        }
        Need::KnownRead
        | Need::Oriented
        | Need::DiffSeen
        | Need::Located
        | Need::Related
        | Need::GoalRead
        | Need::Planned
        | Need::Edited
        | Need::ChangeRead
        | Need::Claimed
        | Need::Settled
        | Need::Current
        | Need::SameChange => None,
    }
}

/// Files that this mission saw, or the one before it for the same goal.
fn read(state: &State) -> impl Iterator<Item = &Seen> {
    let before = state.inherited.files.iter().filter(|seen| !seen.other_goal);
    state.files.values().chain(before.filter(|seen| !state.files.contains_key(&seen.path)))
}

fn list(names: &[&str]) -> String {
    let more = names.len().saturating_sub(NAMED);
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| crate::short::of(name, 80)).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
