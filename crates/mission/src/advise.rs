//! Advise: from what a mission has done to the one step that comes next.

use serde_json::{Value, json};

use crate::advice::{Advice, DoNot, Move};
use crate::claim::Claim;
use crate::event::{Draft, Source};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::handoff;
use crate::machine::{Start, start};
use crate::mode::{Mode, Route};
use crate::needs::{self, Need, SWEEPS};
use crate::short;
use crate::situation::Situation;
use crate::state::{LOOP, State, Status, path_of};

/// Dead paths that are named in one answer; the newest.
const DEAD_PATHS: usize = 5;

/// A longer note is in the ledger, in bytes.
const NOTE: usize = 300;
/// What a search is asked at most, in bytes: a goal may be a page.
const QUESTION: usize = 300;
/// A claim as a reason names it, in bytes.
const CLAIM: usize = 200;

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
    steps.into_iter().take(most).map(|step| step.shown(state)).collect()
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
    let first = start(&state.mission_id, begin, "", situation.now_ms).ok()?;
    let mut next = moves(&State::begin(&first)?, situation, 1).pop()?;
    if let Some(arguments) = next.arguments.as_mut().and_then(Value::as_object_mut) {
        arguments.remove("mission_id");
    }
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
    for dead in dead.iter().rev().take(DEAD_PATHS) {
        let why = short::of(dead.note.as_deref().unwrap_or(NOTHING_THERE), NOTE);
        all.push(DoNot { tool_family: None, target: Some(dead.target.clone()), why });
    }
    all
}

const LOOPS: &str = "Asked three times without anything new: ask something else, or conclude.";
const NOTHING_THERE: &str = "Nothing was found there.";

/// Dead paths hold whether they are named or not.
fn more_dead_paths(state: &State) -> Option<String> {
    let more = state.all_dead_paths().count().saturating_sub(DEAD_PATHS);
    (more > 0).then(|| format!("{more} more dead paths hold as well; mission_show lists them."))
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
    let dead = dead_ends(state, draft);
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
fn dead_ends<'s>(state: &'s State, draft: &Draft) -> Vec<&'s crate::state::DeadPath> {
    let read = draft.shown.iter().filter(|_| draft.content_hash.is_some()).map(|file| file.path.as_str());
    let mut dead: Vec<&crate::state::DeadPath> =
        std::iter::once(draft.target.as_str()).chain(read).filter_map(|to| state.dead_path(to)).collect();
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

/// A move before it is shown.
struct Step {
    family: Family,
    tool: Option<&'static str>,
    arguments: Option<Value>,
    /// What only the agent can say.
    fill_in: &'static [&'static str],
    why: String,
    stop: &'static str,
    fallback: &'static str,
}

impl Step {
    fn shown(self, state: &State) -> Move {
        let mut arguments = self.tool.and(self.arguments);
        if let Some(arguments) = &mut arguments {
            arguments["mission_id"] = json!(state.mission_id.as_str());
        }
        Move {
            tool_family: self.family,
            tool: self.tool,
            arguments,
            fill_in: self.tool.map_or(&[][..], |_| self.fill_in).to_vec(),
            why: self.why,
        }
    }
}

struct Planner<'a> {
    state: &'a State,
    situation: &'a Situation<'a>,
}

impl Planner<'_> {
    fn step(&self) -> Step {
        if let Some(step) = self.recovery() {
            return step;
        }
        let unmet = needs::of(self.state.mode).iter().find(|need| !need.is_met(self.state, self.situation));
        unmet.map_or_else(|| self.close(), |need| self.towards(*need))
    }

    /// What stands before all work.
    fn recovery(&self) -> Option<Step> {
        let state = self.state;
        if !self.situation.right_workspace {
            let asked = |tool: &str| state.recovered.iter().any(|used| used == tool);
            let playbook = self.first(&["recovery_playbook"]).filter(|tool| !asked(tool));
            let tool = playbook.or_else(|| self.first(&["session_handshake", "health"]));
            let mut arguments = json!({ "scope": state.repo });
            if playbook.is_some() {
                arguments["trust_mode"] = json!("wrong_workspace_binding");
            }
            if tool == Some("health") {
                arguments = json!({});
            }
            return Some(Step {
                family: if playbook.is_some() { Family::Recover } else { Family::Trust },
                tool,
                arguments: Some(arguments),
                fill_in: &[],
                why: format!(
                    "The runtime is not bound to {}: rebind the host, or put that repository into this graph on purpose. Its own files prove nothing here.",
                    state.repo
                ),
                stop: "A new handshake says that the workspace is the mission's.",
                fallback: "Hand off to an agent whose host is bound to that repository.",
            });
        }
        if self.situation.stale_binary
            && let Some(step) = self.stale_binary()
        {
            return Some(step);
        }
        let wants_graph = needs::of(state.mode)
            .iter()
            .take_while(|need| !matches!(need, Need::Claimed))
            .any(|need| !need.is_met(state, self.situation) && need.asks_graph());
        if self.situation.graph_is_empty && wants_graph {
            return Some(Step {
                family: Family::Ingest,
                tool: self.first(&["ingest"]),
                arguments: Some(json!({})),
                fill_in: &[],
                why: "The graph is empty: every question to it would be answered with nothing.".to_owned(),
                stop: "ingest says done.",
                fallback: "Search and read the files themselves.",
            });
        }
        (state.retrieval_blocked && wants_graph).then(|| self.blocked())
    }

    /// The program on disk is another one: a plan, a host that was rebound, and a check that it was.
    fn stale_binary(&self) -> Option<Step> {
        let stages: [(&'static str, Value, &str, &'static str); 3] = [
            (
                "update_check",
                json!({}),
                "The program on disk is another one than the one that answers: see which is which, and the plan.",
                "You know what the user must restart.",
            ),
            (
                "recovery_playbook",
                json!({ "trust_mode": "stale_binding_suspected" }),
                "Rebind: ask the user to restart the host's server, as the playbook says.",
                "The host was restarted.",
            ),
            (
                "trust_selftest",
                json!({}),
                "Check what answers now: only a new handshake shows that a host was rebound.",
                "It says which build answers.",
            ),
        ];
        let open = stages.into_iter().find(|(tool, ..)| {
            self.situation.shelf.has(tool) && !self.state.recovered.iter().any(|used| used == tool)
        });
        let (tool, arguments, why, stop) = open?;
        Some(Step {
            family: if tool == "trust_selftest" { Family::Trust } else { Family::Recover },
            tool: Some(tool),
            arguments: Some(arguments),
            fill_in: &[],
            why: why.to_owned(),
            stop,
            fallback: "Go on, and say in the claims which build answered.",
        })
    }

    /// The graph has nodes and answers with nothing: recovery, doctor, and then the text itself.
    fn blocked(&self) -> Step {
        let said = json!({ "observed_tool": "seek", "observed_candidates": 0, "trust_mode": "retrieval_needs_recovery" });
        let stages = [("recovery_playbook", said), ("doctor", json!({}))];
        let open = stages.into_iter().find(|(tool, _)| {
            self.situation.shelf.has(tool) && !self.state.recovered.iter().any(|used| used == tool)
        });
        match open {
            Some((tool, arguments)) => Step {
                family: Family::Recover,
                tool: Some(tool),
                arguments: Some(arguments),
                fill_in: &[],
                why: "The graph has nodes and the last search was blocked or empty.".to_owned(),
                stop: "It says why.",
                fallback: "Search for a literal word of the goal.",
            },
            None => self.literal_search(&self.state.goal),
        }
    }

    fn towards(&self, need: Need) -> Step {
        match need {
            Need::KnownRead => {
                let path = needs::unread(self.state, self.situation).map(str::to_owned);
                self.read(path, "It was named at the start.")
            }
            Need::Oriented => Step {
                family: Family::Orient,
                tool: self.first(&["audit", "outline"]),
                arguments: Some(json!({})),
                fill_in: &[],
                why: "The repository is unknown: one look at the whole costs less than ten at parts."
                    .to_owned(),
                stop: "You can name the two or three folders that matter for the goal.",
                fallback: "List the top folder and read the README.",
            },
            Need::Reviewed | Need::DiffSeen => Step {
                family: Family::Plan,
                tool: self.first(&["review", "impact"]),
                // The same question would be answered as before: only the agent knows which commits are meant.
                arguments: (self.state.reviewed != Some(0)).then(|| json!({})),
                fill_in: if self.state.reviewed == Some(0) { &["base"] } else { &[] },
                why: if self.state.reviewed == Some(0) {
                    "review found no change: give it `base` or `diff`, for the last commit HEAD~1..HEAD.".to_owned()
                } else {
                    "What the change set reaches comes before its lines.".to_owned()
                },
                stop: "You know the riskiest files and what is not tested.",
                fallback: "Read the diff, and record it as an event of class diff.",
            },
            Need::Located => Step {
                family: Family::Retrieve,
                tool: self.first(&["seek", "search"]),
                arguments: Some(json!({ "query": short::question(&self.state.goal, QUESTION) })),
                fill_in: &[],
                why: "From the goal's words to the places they mean.".to_owned(),
                stop: "One place is plausible enough to read.",
                fallback: "Search for a literal word of the goal.",
            },
            Need::Related => match self.subject() {
                Some(place) => Step {
                    family: Family::Relate,
                    tool: self.first(&["impact", "callers"]),
                    arguments: Some(json!({ "node_id": place })),
                    fill_in: &[],
                    why: "Who depends on it decides what may change.".to_owned(),
                    stop: "Every direct caller is known.",
                    fallback: "Search for the name.",
                },
                None => self.literal_search(&self.state.goal),
            },
            Need::SourceRead(_) | Need::DocumentAndCode => {
                self.read(self.place(), "A place is a guess until its source was read.")
            }
            Need::ReadBefore => self.read(
                self.state.edits.iter().find(|edit| !edit.read_before).map(|edit| edit.path.clone()),
                "It was changed before anybody had read it. Read what it is now; the gap stays on record unless the change is made again.",
            ),
            Need::Current => self.read_again(),
            Need::Planned => Step {
                family: Family::Plan,
                tool: self.first(&["validate_plan"]),
                arguments: None,
                fill_in: &["actions"],
                why: "Name the files that will change: what is missing is cheaper now than later.".to_owned(),
                stop: "Its gaps are in the plan, or dismissed with a reason.",
                fallback: "Ask for the callers and tests of each file.",
            },
            Need::Edited => Step {
                family: Family::Edit,
                tool: self.first(&["apply_batch", "apply"]),
                arguments: None,
                fill_in: &["edits"],
                why: "Everything that the change needs is known.".to_owned(),
                stop: "The change is recorded as an event of class diff.",
                fallback: "Edit with the host's tools and record it with mission_event.",
            },
            Need::Tested => Step {
                family: Family::Run,
                tool: None,
                arguments: None,
                fill_in: &[],
                why: "Nothing that ran says yet that it works.".to_owned(),
                stop: "The newest run after the newest edit passed, recorded as an event of class test_run.",
                fallback: "Compile it, and record that.",
            },
            Need::Claimed => Step {
                family: Family::Mission,
                tool: self.first(&["mission_claim"]),
                arguments: None,
                fill_in: &["claim", "event_ids"],
                why: "What was seen comes to something: say it, with the events that show it.".to_owned(),
                stop: "Every conclusion is a claim.",
                fallback: "That nothing was found is a claim too.",
            },
            Need::Settled => self.settle(),
            Need::Swept => self.sweep(),
        }
    }

    fn settle(&self) -> Step {
        let state = self.state;
        let Some(claim) = state.unsettled().next() else { return self.close() };
        let reason = if claim.reason.is_empty() { "nobody has judged it" } else { claim.reason.as_str() };
        let (said, reason) = (short::of(&claim.text, CLAIM), short::of(reason, NOTE));
        let why = format!("{} ({said:?}) is open: {reason}", claim.claim_id);
        let since = state.judged.get(claim.claim_id.as_str()).copied().unwrap_or(0);
        let is_unjudged = claim.verdict == crate::claim::Verdict::Open && claim.reason.is_empty();
        let is_own = state.claim(&claim.claim_id).is_some();
        if is_own && is_unjudged && !claim.event_ids.is_empty() {
            return self.verify(claim, json!(claim.event_ids), why);
        }
        // Evidence that came after it was judged may settle it; the same evidence again would not.
        if let Some(newest) = state.newest_direct.as_ref().filter(|event| event.sequence() > since) {
            return self.verify(claim, json!([newest]), why);
        }
        match self.place() {
            Some(place) => self.read(Some(place), &why),
            None => Step { why, ..self.literal_search(&claim.text) },
        }
    }

    fn verify(&self, claim: &Claim, event_ids: Value, why: String) -> Step {
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_verify"]),
            arguments: Some(json!({ "claim_id": claim.claim_id, "event_ids": event_ids })),
            fill_in: &[],
            why,
            stop: "It is verified or rejected.",
            fallback: "Read the source or run the test that would decide it.",
        }
    }

    /// A verified claim rests on a file that changed: read it, and judge the claim by what it says now.
    fn read_again(&self) -> Step {
        let state = self.state;
        let stale = state.stale_claims(self.situation.is_current);
        let Some((claim, files)) = stale.first() else { return self.close() };
        let since = state.judged.get(claim.claim_id.as_str()).copied().unwrap_or(0);
        let read = files.iter().filter_map(|path| state.files.get(path)).find(|seen| {
            let hash = seen.content_hash.as_deref().unwrap_or_default();
            seen.event_id.sequence() > since && (self.situation.is_current)(&seen.path, hash)
        });
        let why = format!("{} was verified by {}, which changed since.", claim.claim_id, files.join(", "));
        match (read, files.iter().find(|path| (self.situation.exists)(path))) {
            (Some(seen), _) => self.verify(claim, json!([seen.event_id]), why),
            (None, Some(path)) => self.read(Some(path.clone()), &format!("{why} Read it again.")),
            // Nothing is left to read: the claim is open again.
            (None, None) => self.verify(claim, json!([]), why),
        }
    }

    fn sweep(&self) -> Step {
        let state = self.state;
        let kind = SWEEPS[state.claims.len() % SWEEPS.len()];
        let why = format!(
            "One finding hides others. Look once, directly, at: {}. Begin with {kind}.",
            SWEEPS.join(", ")
        );
        let stop = "A file that no finding rests on was read with this mission_id, or an event of phase sweep is recorded.";
        let fallback = "Run a probe with a boundary value and record it with phase sweep.";
        let is_covered = |path: &str| {
            state.all_claims().flat_map(|claim| &claim.rests_on).any(|file| file.path == path_of(path))
        };
        let step = match self.place().filter(|place| !is_covered(place)) {
            Some(place) => self.read(Some(place), &why),
            None => {
                // The words of the findings lead to what uses them, and to the documents that speak of it.
                let said: Vec<&str> = state.all_claims().map(|claim| claim.text.as_str()).collect();
                self.literal_search(&format!("{} {}", state.goal, said.join(" ")))
            }
        };
        Step { why, stop, fallback, ..step }
    }

    fn close(&self) -> Step {
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_close"]),
            arguments: Some(json!({})),
            fill_in: &[],
            why: "Everything that this kind of mission needs is done.".to_owned(),
            stop: "The proof packet is written.",
            fallback: "Hand off to the next agent.",
        }
    }

    fn read(&self, place: Option<String>, why: &str) -> Step {
        let Some(place) = place else {
            return Step { why: why.to_owned(), ..self.literal_search(&self.state.goal) };
        };
        Step {
            family: Family::Read,
            tool: self.first(&["view"]),
            arguments: Some(json!({ "file_path": around(&place) })),
            fill_in: &[],
            why: why.to_owned(),
            stop: "You can say what the source does, or that it is not here.",
            fallback: "Read it with the host's tools and record that with mission_event.",
        }
    }

    /// Text on disk, by a word that was not asked for yet; where all were, the agent must know more than the mission does.
    fn literal_search(&self, said: &str) -> Step {
        let mut words: Vec<&str> = said
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| word.chars().count() > 2 && !self.state.was_asked(word))
            .collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        let word = words.first();
        Step {
            family: Family::Read,
            tool: word.and_then(|_| self.first(&["search"])),
            arguments: word.map(|word| json!({ "query": word, "mode": "literal" })),
            fill_in: &[],
            why: "Text on disk can be trusted when the graph's answers cannot.".to_owned(),
            stop: "A line is found, or the word is nowhere.",
            fallback: "Read the source or run the test that would decide it, and record it with mission_event.",
        }
    }

    /// What the mission is about: a place that was found, a file that was named, or one that was read.
    fn subject(&self) -> Option<String> {
        self.place().or_else(|| self.state.files.keys().next().cloned())
    }

    /// The best place that nobody has read and that is no dead end.
    fn place(&self) -> Option<String> {
        let state = self.state;
        let open = |place: &&String| {
            let path = path_of(place);
            !state.files.contains_key(path) && !state.is_dead(place) && (self.situation.exists)(path)
        };
        state.places.iter().chain(&state.known_paths).find(open).cloned()
    }

    fn first(&self, tools: &[&'static str]) -> Option<&'static str> {
        tools.iter().copied().find(|tool| self.situation.shelf.has(tool))
    }

    /// Families whose tools help with a step.
    fn families(&self, family: Family) -> Vec<Family> {
        let also: &[Family] = match family {
            Family::Retrieve => &[Family::Read],
            Family::Relate | Family::Plan => &[Family::Relate, Family::Read],
            Family::Read => &[Family::Relate],
            Family::Edit => &[Family::Read],
            _ => &[],
        };
        let mut all = vec![family];
        all.extend(also.iter().copied().filter(|one| *one != family));
        all.retain(|one| {
            !do_not(self.state, self.situation)
                .iter()
                .any(|no| no.target.is_none() && no.tool_family == Some(*one))
        });
        all
    }
}

/// The lines around a place that names one, as `view` takes them: a whole file costs many times as much.
fn around(place: &str) -> String {
    let path = path_of(place);
    let line = place[path.len()..]
        .trim_start_matches(':')
        .split('-')
        .next()
        .and_then(|line| line.parse::<u64>().ok());
    line.map_or_else(
        || path.to_owned(),
        |line| format!("{path}:{}-{}", line.saturating_sub(BEFORE).max(1), line.saturating_add(AFTER)),
    )
}

/// Lines that show where a place stands, and those of most functions that begin there.
const BEFORE: u64 = 10;
const AFTER: u64 = 70;

impl Need {
    fn asks_graph(self) -> bool {
        matches!(self, Self::Oriented | Self::Reviewed | Self::Located | Self::Related | Self::Planned)
    }
}
