//! Advise: from what a mission has done to the one step that comes next.

use serde_json::{Value, json};

use crate::advice::{Advice, DoNot, Move};
use crate::evidence::EvidenceClass;
use crate::family::Family;
use crate::mode::{Mode, Route};
use crate::needs::{self, Need, SWEEPS};
use crate::situation::Situation;
use crate::state::{LOOP, State, Status, path_of};

/// Dead paths that are named in one answer; the newest.
const DEAD_PATHS: usize = 5;

/// The one next move.
pub fn advise(state: &State, situation: &Situation<'_>) -> Advice {
    let plan = Planner { state, situation };
    let step = plan.step();
    let families = plan.families(step.family);
    let allowed: Vec<&'static str> = families.iter().flat_map(|family| situation.shelf.of(*family)).collect();
    let remaining = state.remaining(situation.now_ms);
    Advice {
        preferred_tool: step.tool.or_else(|| situation.shelf.of(step.family).first().copied()),
        allowed_tools: allowed,
        do_not: do_not(state, situation),
        stop_condition: step.stop.to_owned(),
        fallback: step.fallback.to_owned(),
        next_move: step.shown(),
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
    let unmet = needs::of(state.mode).iter().filter(|need| !need.is_met(state));
    let mut steps: Vec<Step> = plan.recovery().into_iter().collect();
    steps.extend(unmet.map(|need| plan.towards(*need)));
    if state.status == Status::Open {
        steps.push(plan.close());
    }
    steps.into_iter().take(most).map(Step::shown).collect()
}

/// What to leave alone now.
pub fn do_not(state: &State, situation: &Situation<'_>) -> Vec<DoNot> {
    let family =
        |family: Family, why: &str| DoNot { tool_family: Some(family), target: None, why: why.to_owned() };
    let mut all = Vec::new();
    if !situation.right_workspace {
        let why = "The runtime is bound to another workspace: its answers are about other code.";
        all.extend([Family::Orient, Family::Retrieve, Family::Relate].map(|one| family(one, why)));
    } else if state.route == Route::Direct && needs::unread(state).is_some() {
        let why = "The file is known: read it first.";
        all.extend([Family::Orient, Family::Retrieve].map(|one| family(one, why)));
    } else if state.retrieval_blocked && !state.used(Family::Recover) {
        all.push(family(
            Family::Retrieve,
            "The last search was blocked or empty: find out why before the next.",
        ));
    }
    if state.mode == Mode::BugHunt || state.mode == Mode::Review || state.mode == Mode::Orientation {
        all.push(family(Family::Edit, "This mission changes nothing."));
    }
    for (turn, _) in state.turns.iter().filter(|(_, count)| **count >= LOOP) {
        let target = turn.split_once(' ').map(|(_, target)| target.to_owned());
        let why = "Asked three times without anything new: ask something else, or conclude.";
        all.push(DoNot { tool_family: None, target, why: why.to_owned() });
    }
    let dead: Vec<&crate::state::DeadPath> = state.all_dead_paths().collect();
    for dead in dead.iter().rev().take(DEAD_PATHS) {
        let why = dead.note.clone().unwrap_or_else(|| "Nothing was found there.".to_owned());
        all.push(DoNot { tool_family: None, target: Some(dead.target.clone()), why });
    }
    all
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
    why: String,
    stop: &'static str,
    fallback: &'static str,
}

impl Step {
    fn shown(self) -> Move {
        Move {
            tool_family: self.family,
            tool: self.tool,
            arguments: self.tool.and(self.arguments),
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
        let unmet = needs::of(self.state.mode).iter().find(|need| !need.is_met(self.state));
        unmet.map_or_else(|| self.close(), |need| self.towards(*need))
    }

    /// What stands before all work.
    fn recovery(&self) -> Option<Step> {
        let state = self.state;
        if !self.situation.right_workspace {
            return Some(Step {
                family: Family::Recover,
                tool: self.first(&["recovery_playbook", "health"]),
                arguments: Some(json!({})),
                why: format!("The runtime is not bound to {}: rebind the host first.", state.repo),
                stop: "A new handshake says that the workspace is the mission's.",
                fallback: "Work with the host's own file tools and record what they show.",
            });
        }
        if self.situation.stale_binary && !state.used(Family::Recover) {
            return Some(Step {
                family: Family::Recover,
                tool: self.first(&["update_check", "health"]),
                arguments: Some(json!({})),
                why: "The program on disk is another one than the one that answers.".to_owned(),
                stop: "The host was restarted and a new handshake shows the new build.",
                fallback: "Go on, and say in the claims which build answered.",
            });
        }
        let wants_graph = needs::of(state.mode)
            .iter()
            .take_while(|need| !matches!(need, Need::Claimed))
            .any(|need| !need.is_met(state) && need.asks_graph());
        if self.situation.graph_is_empty && wants_graph {
            return Some(Step {
                family: Family::Ingest,
                tool: self.first(&["ingest"]),
                arguments: Some(json!({})),
                why: "The graph is empty: every question to it would be answered with nothing.".to_owned(),
                stop: "ingest says done.",
                fallback: "Search and read the files themselves.",
            });
        }
        if state.retrieval_blocked && wants_graph {
            return Some(if state.used(Family::Recover) {
                self.literal_search()
            } else {
                Step {
                    family: Family::Recover,
                    tool: self.first(&["doctor", "trust_selftest", "health"]),
                    arguments: Some(json!({})),
                    why: "The graph has nodes and the last search was blocked or empty.".to_owned(),
                    stop: "It says why.",
                    fallback: "Search for a literal word of the goal.",
                }
            });
        }
        None
    }

    fn towards(&self, need: Need) -> Step {
        match need {
            Need::KnownRead => {
                self.read(needs::unread(self.state).map(str::to_owned), "It was named at the start.")
            }
            Need::Oriented => Step {
                family: Family::Orient,
                tool: self.first(&["audit", "outline"]),
                arguments: Some(json!({})),
                why: "The repository is unknown: one look at the whole costs less than ten at parts."
                    .to_owned(),
                stop: "You can name the two or three folders that matter for the goal.",
                fallback: "List the top folder and read the README.",
            },
            Need::Reviewed => Step {
                family: Family::Plan,
                tool: self.first(&["review", "impact"]),
                arguments: Some(json!({})),
                why: "What the change set reaches comes before its lines.".to_owned(),
                stop: "You know the riskiest files and what is not tested.",
                fallback: "Read the diff and ask for the callers of what it changes.",
            },
            Need::Located => Step {
                family: Family::Retrieve,
                tool: self.first(&["seek", "search"]),
                arguments: Some(json!({ "query": self.state.goal })),
                why: "From the goal's words to the places they mean.".to_owned(),
                stop: "One place is plausible enough to read.",
                fallback: "Search for a literal word of the goal.",
            },
            Need::Related => Step {
                family: Family::Relate,
                tool: self.first(&["impact", "callers"]),
                arguments: self.place().map(|place| json!({ "node_id": place })),
                why: "Who depends on it decides what may change.".to_owned(),
                stop: "Every direct caller is known.",
                fallback: "Search for the name.",
            },
            Need::SourceRead(_) => self.read(self.place(), "A place is a guess until its source was read."),
            Need::Planned => Step {
                family: Family::Plan,
                tool: self.first(&["validate_plan"]),
                arguments: None,
                why: "Name the files that will change: what is missing is cheaper now than later.".to_owned(),
                stop: "Its gaps are in the plan, or dismissed with a reason.",
                fallback: "Ask for the callers and tests of each file.",
            },
            Need::Edited => Step {
                family: Family::Edit,
                tool: self.first(&["apply_batch", "apply"]),
                arguments: None,
                why: "Everything that the change needs is known.".to_owned(),
                stop: "The change is recorded as an event of class diff.",
                fallback: "Edit with the host's tools and record it with mission_event.",
            },
            Need::Tested => Step {
                family: Family::Run,
                tool: None,
                arguments: None,
                why: "Nothing that ran says yet that it works.".to_owned(),
                stop: "The newest run after the newest edit passed, recorded as an event of class test_run.",
                fallback: "Compile it, and record that.",
            },
            Need::Claimed => Step {
                family: Family::Mission,
                tool: self.first(&["mission_claim"]),
                arguments: None,
                why: "What was seen comes to something: say it, with the events that show it.".to_owned(),
                stop: "Every conclusion is a claim.",
                fallback: "That nothing was found is a claim too.",
            },
            Need::Settled => self.settle(),
            Need::Swept => self.sweep(),
        }
    }

    fn settle(&self) -> Step {
        let open = self.state.unsettled().next();
        let why = open.map_or_else(String::new, |claim| {
            let reason = if claim.reason.is_empty() { "nobody has judged it" } else { claim.reason.as_str() };
            format!("{} is open: {reason}", claim.claim_id)
        });
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_verify"]),
            arguments: open.map(|claim| json!({ "claim_id": claim.claim_id, "event_ids": claim.event_ids })),
            why,
            stop: "It is verified or rejected.",
            fallback: "Read the source or run the test that would decide it.",
        }
    }

    fn sweep(&self) -> Step {
        let kind = SWEEPS[self.state.claims.len() % SWEEPS.len()];
        Step {
            family: Family::Read,
            tool: self.first(&["view", "search"]),
            arguments: self.place().map(|place| json!({ "file_path": path_of(&place) })),
            why: format!(
                "One finding hides others. Look once, directly, at: {}. Begin with {kind}.",
                SWEEPS.join(", ")
            ),
            stop: "One direct event of phase sweep is recorded.",
            fallback: "Run a probe with a boundary value and record it with phase sweep.",
        }
    }

    fn close(&self) -> Step {
        Step {
            family: Family::Mission,
            tool: self.first(&["mission_close"]),
            arguments: Some(json!({})),
            why: "Everything that this kind of mission needs is done.".to_owned(),
            stop: "The proof packet is written.",
            fallback: "Hand off to the next agent.",
        }
    }

    fn read(&self, place: Option<String>, why: &str) -> Step {
        Step {
            family: Family::Read,
            tool: self.first(&["view"]),
            arguments: place.map(|place| json!({ "file_path": around(&place) })),
            why: why.to_owned(),
            stop: "You can say what the source does, or that it is not here.",
            fallback: "Read it with the host's tools and record that with mission_event.",
        }
    }

    fn literal_search(&self) -> Step {
        let word = self.state.goal.split(|c: char| !c.is_alphanumeric() && c != '_');
        let word = word.max_by_key(|word| word.len()).unwrap_or_default();
        Step {
            family: Family::Read,
            tool: self.first(&["search"]),
            arguments: Some(json!({ "query": word, "mode": "literal" })),
            why: "Text on disk can be trusted when the graph's answers cannot.".to_owned(),
            stop: "A line is found, or the word is nowhere.",
            fallback: "Search for another word of the goal.",
        }
    }

    /// The best place that nobody has read and that is no dead end.
    fn place(&self) -> Option<String> {
        let state = self.state;
        let open = |place: &&String| {
            !state.files.contains_key(path_of(place))
                && !state.is_dead(place)
                && !state.is_dead(path_of(place))
        };
        let found = state.places.iter().chain(&state.known_paths).find(open).cloned();
        found.or_else(|| state.known_paths.first().cloned())
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
