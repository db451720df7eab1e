//! Advise: from what a mission has done to the one step that comes next.

use serde_json::{Map, Value};

use crate::advice::{Advice, DoNot, Move};
use crate::event::{Draft, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::handoff;
use crate::machine::{Start, begun};
use crate::mode::{Mode, Route};
use crate::needs;
use crate::planner::{Planner, Step};
use crate::short;
use crate::situation::Situation;
use crate::state::{LOOP, State, Status, path_of};

/// Dead paths that are named in one answer; the newest.
const DEAD_PATHS: usize = 5;

/// A longer note is in the ledger, in bytes.
pub(crate) const NOTE: usize = 300;

/// The one next move.
pub fn advise(state: &State, situation: &Situation<'_>) -> Advice {
    let plan = Planner { state, situation };
    let step = plan.step();
    let families = plan.families(step.family);
    let others = families.iter().flat_map(|family| situation.shelf.of(*family));
    // The tool of the step itself comes first, however many its family has.
    let mut allowed: Vec<&'static str> = step.tool.into_iter().collect();
    allowed.extend(others.filter(|tool| Some(*tool) != step.tool));
    let remaining = state.remaining(situation.now_ms);
    Advice {
        preferred_tool: step.tool.or_else(|| situation.shelf.of(step.family).first().copied()),
        allowed_tools: allowed,
        do_not: do_not(state, situation),
        more_dead_paths: more_dead_paths(state),
        stop_condition: step.stop.to_owned(),
        fallback: step.fallback.to_owned(),
        next_move: step.shown(state),
        evidence_required: evidence_required(state),
        budget_remaining: remaining,
        budget_warning: remaining
            .is_overspent()
            .then(|| "More was spent than planned: settle the open claims, hand off or close.".to_owned()),
    }
}

/// The next steps as things stand, in order; the first is the one that [`advise`] gives.
pub fn moves(state: &State, situation: &Situation<'_>, most: usize) -> Vec<Move> {
    let plan = Planner { state, situation };
    let mut steps: Vec<Step> = plan.recovery().into_iter().collect();
    if situation.right_workspace {
        let unmet = needs::of(state.mode).iter().filter(|need| !need.is_met(state, situation));
        steps.extend(unmet.map(|need| plan.towards(*need)));
        if state.status == Status::Open {
            steps.push(plan.close());
        }
    }
    // A step that names no call is none to begin with, where there are others.
    if steps.iter().any(|step| step.tool.is_some()) {
        steps.retain(|step| step.tool.is_some() || step.family == Family::Recover);
    }
    // Two needs may lead to the same call; one step fulfils both.
    let mut moves: Vec<Move> = Vec::new();
    for step in steps.into_iter().map(|step| step.shown(state)) {
        let is_same = |one: &Move| {
            one.tool == step.tool && one.arguments == step.arguments && one.tool_family == step.tool_family
        };
        if moves.len() < most && !moves.iter().any(is_same) {
            moves.push(step);
        }
    }
    moves
}

/// What a mission that goes on from this one would do first. Its id is not known yet: whoever begins it puts it in.
pub fn next_for_child(state: &State, situation: &Situation<'_>) -> Option<Move> {
    let begin = Start {
        repo: state.repo.clone(),
        goal: state.goal.clone(),
        mode: state.mode,
        budget: state.budget,
        known_paths: Vec::new(),
        context_guard: Value::Null,
        right_workspace: situation.right_workspace,
        parent: Some(state.mission_id.clone()),
        inherited: handoff::inherited(state, None),
    };
    let first = begun(begin).ok()?;
    let child = State::begun(&state.mission_id, first.detail.as_deref()?, situation.now_ms)?;
    let mut next = moves(&child, situation, 1).pop()?;
    if let Some(arguments) = next.arguments.as_mut().and_then(Value::as_object_mut) {
        arguments.remove("mission_id");
        next.fill_in.extend(["agent_id", "mission_id"]);
    }
    next.arguments = next.arguments.filter(|arguments| *arguments != Value::Object(Map::new()));
    Some(next)
}

/// What to leave alone now.
pub fn do_not(state: &State, situation: &Situation<'_>) -> Vec<DoNot> {
    let family =
        |family: Family, why: &str| DoNot { tool_family: Some(family), target: None, why: why.to_owned() };
    let mut all = Vec::new();
    if !situation.right_workspace {
        let why = "The runtime is bound to another workspace: its answers are about other code.";
        let all_of_it =
            [Family::Orient, Family::Retrieve, Family::Relate, Family::Read, Family::Plan, Family::Edit];
        all.extend(all_of_it.map(|one| family(one, why)));
    } else if state.route == Route::Direct && needs::unread(state, situation).is_some() {
        let why = "The file is known: read it first.";
        all.extend([Family::Orient, Family::Retrieve].map(|one| family(one, why)));
    } else if state.retrieval_blocked && state.recovered.is_empty() {
        all.push(family(
            Family::Retrieve,
            "The last search was blocked or empty: find out why before the next.",
        ));
    }
    if state.mode == Mode::BugHunt || state.mode == Mode::Review || state.mode == Mode::Orientation {
        all.push(family(Family::Edit, "This mission changes nothing."));
    }
    let loops = state.turns.iter().filter(|(_, count)| **count >= LOOP);
    for target in loops.filter_map(|(turn, _)| Some(turn.split_once(' ')?.1)) {
        all.push(DoNot { tool_family: None, target: Some(target.to_owned()), why: LOOPS.to_owned() });
    }
    let dead: Vec<&crate::state::DeadPath> = state.all_dead_paths().collect();
    // Nobody need be warned off what is not there any more.
    let is_there = |dead: &crate::state::DeadPath| {
        dead.content_hash.is_none() || situation.exists(path_of(&dead.target))
    };
    let live = dead.iter().rev().filter(|dead| dead.holds(situation.hash_of) && is_there(dead));
    for dead in live.take(DEAD_PATHS) {
        let why = short::of(dead.note.as_deref().unwrap_or(NOTHING_THERE), NOTE);
        all.push(DoNot { tool_family: None, target: Some(dead.target.clone()), why });
    }
    all
}

const LOOPS: &str = "Asked three times without anything new: ask something else, or conclude.";
const NOTHING_THERE: &str = "Nothing was found there.";

/// Dead paths hold whether they are named or not. Which of the others are open again is not looked up here: there may be
/// hundreds.
fn more_dead_paths(state: &State) -> Option<String> {
    let more = state.all_dead_paths().count().saturating_sub(DEAD_PATHS);
    (more > 0).then(|| {
        format!(
            "{more} more dead paths hold as well, unless their file changed; mission_show lists them all."
        )
    })
}

/// Why a step was advised against, if it was: by its kind, as a circle, or because it leads into a dead path.
pub(crate) fn against(
    state: &State,
    situation: &Situation<'_>,
    draft: &Draft,
    source: Source,
) -> Option<String> {
    // Whoever tells of a dead end does not walk into it.
    if draft.is_dead_path() {
        return None;
    }
    let dead = dead_ends(state, situation, draft);
    if let [first, more @ ..] = dead.as_slice() {
        let why = short::of(first.note.as_deref().unwrap_or(NOTHING_THERE), NOTE);
        let more: String = more.iter().map(|dead| format!(" So is {}.", dead.target)).collect();
        return Some(format!("{} is a dead path: {why}{more}", first.target));
    }
    if state.turns_of(source, draft) >= LOOP {
        return Some(LOOPS.to_owned());
    }
    let all = do_not(state, situation);
    let kind = all.into_iter().find(|no| no.target.is_none() && no.tool_family == Some(draft.tool_family));
    kind.map(|no| no.why)
}

/// Dead paths that a step leads into: its target, and every file that it was asked for. A search shows what it finds.
fn dead_ends<'s>(
    state: &'s State,
    situation: &Situation<'_>,
    draft: &Draft,
) -> Vec<&'s crate::state::DeadPath> {
    let read = draft.shown.iter().filter(|_| draft.content_hash.is_some()).map(|file| file.path.as_str());
    let to = std::iter::once(draft.target.as_str()).chain(read);
    let mut dead: Vec<&crate::state::DeadPath> =
        to.filter_map(|to| state.dead_path(to, situation.hash_of)).collect();
    // What ran before a change says nothing of a run after it.
    dead.retain(|dead| {
        let is_own = state.dead_paths.contains(dead);
        let since = if is_own { dead.event_id.sequence() } else { 0 };
        draft.tool_family != Family::Run || state.changed_at <= since
    });
    dead.dedup();
    dead
}

/// Kinds of evidence that would carry the claims of this mission.
fn evidence_required(state: &State) -> Vec<EvidenceClass> {
    match state.mode {
        Mode::Orientation | Mode::DocsDrift => vec![EvidenceClass::DirectSource],
        Mode::BugHunt | Mode::Review => {
            vec![EvidenceClass::DirectSource, EvidenceClass::TestRun, EvidenceClass::RuntimeProbe]
        }
        Mode::Refactor | Mode::Edit => vec![EvidenceClass::Diff, EvidenceClass::TestRun],
        Mode::Release => vec![EvidenceClass::TestRun, EvidenceClass::Compiler],
    }
}
