//! `mission_start`: a goal, a route to it, and what it may cost.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_mission::missions::begin;
use m1nd_mission::{Budget, Inherited, Mode, Move, Route, Start, handoff, moves};
use m1nd_runtime::faults::from_mission;
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::WRITE;
use crate::resumed::Resumed;

pub struct MissionStart;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What is to be found out or done
    goal: String,
    /// Kind of work
    mode: Mode,
    /// Files that the goal names
    known_paths: Option<Vec<String>>,
    /// Most calls, files read and milliseconds; overspending warns
    budget: Option<Limits>,
    /// The mission to go on from
    parent_mission_id: Option<String>,
    /// Repository that is meant, if the host may be bound to another
    repo: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    tool_calls_max: Option<Int>,
    files_read_max: Option<Int>,
    soft_deadline_ms: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Pass it to every call that belongs to the mission.
    mission_id: String,
    route: Route,
    budget: Budget,
    /// Which workspace, graph and program the mission is bound to.
    context_guard: Value,
    /// The first steps, in order.
    starter_moves: Vec<Move>,
    non_goals: Vec<&'static str>,
    /// What the parent mission found, as mission_resume gives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    inherited: Option<Inheritance>,
    /// Known paths that are not there or lead nowhere, and what is wrong with the mission before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Inheritance {
    parent_mission_id: String,
    /// What to do first.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_move: Option<Move>,
    #[serde(flatten)]
    resumed: Resumed,
}

/// Steps that are named at the start.
const STARTERS: usize = 3;

impl Tool for MissionStart {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_start",
        summary: "Begin work with a goal: a route, a budget, first steps, and a ledger that keeps what proves what.",
        help: "Pass `mission_id` to view, search, seek and the others, and each call is recorded as evidence. mission_next then names one step at a time; mission_close writes the proof packet.",
        intents: &["start a mission", "bug hunt", "work with evidence", "plan an investigation"],
        examples: &[Example {
            says: "Hunt a bug in a known file",
            arguments: r#"{"goal": "greet drops the last name", "mode": "bug_hunt", "known_paths": ["src/main.rs"]}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let workspace = ctx.workspace()?;
        let (repo, known) = (input.repo.as_deref(), input.known_paths.as_deref());
        // A goal that names a file of another repository is about that one, where nobody says which is meant.
        let in_goal =
            missions::meant_by_goal(workspace, &input.goal).filter(|_| repo.is_none() && known.is_none());
        let repo = repo.or(in_goal.as_deref());
        let class = missions::class_of(ctx, repo, known)?;
        let context_guard =
            missions::bound(ctx, workspace, class, missions::asked_elsewhere(ctx, repo, known));
        let limits = limits(ctx, input.mode, input.budget.as_ref())?;
        let parent = input.parent_mission_id.as_deref();
        let parent = parent.map(|parent| missions::sound(ctx, parent)).transpose()?;
        let inherited =
            parent.as_ref().map_or_else(Inherited::default, |parent| handoff::inherited(&parent.state, None));
        let broken = parent.as_ref().and_then(|parent| parent.warning());
        let parent = parent.map(|parent| parent.state.mission_id.clone());
        let known_paths = input.known_paths.unwrap_or_default();
        let known: Vec<String> = known_paths.iter().map(|path| missions::as_known(workspace, path)).collect();
        let (known_paths, missing): (Vec<String>, Vec<String>) =
            known.into_iter().partition(|path| missions::content_hash(workspace, path).is_some());
        let missing = missing
            .iter()
            .map(|path| format!("{path:?} is no file of this workspace: it is left out of known_paths."));
        let mut warnings: Vec<String> = broken.into_iter().chain(missing).collect();
        let meant = context_guard["repository"].as_str().map(str::to_owned);
        let meant = meant.or_else(|| missions::added_repo(workspace, repo?));
        let start = Start {
            // What is meant, and not what the server happens to be bound to.
            repo: meant.unwrap_or_else(|| missions::repo_of(workspace)),
            goal: input.goal,
            mode: input.mode,
            budget: limits,
            known_paths,
            context_guard,
            right_workspace: class != missions::ELSEWHERE,
            parent,
            inherited,
        };
        let ledger = missions::ledger(ctx)?;
        let now = ctx.runtime().clock().now().0;
        let state = begin(&*ledger, &start, ctx.header().caller.name(), now)
            .map_err(|err| from_mission::refusal(ctx.tool(), &err))?;
        let mut starter_moves = missions::with_situation(ctx.runtime(), workspace, &state, |situation| {
            moves(&state, situation, STARTERS)
        });
        starter_moves.iter_mut().for_each(|step| step.called_by(ctx.header().caller.name()));
        warnings.extend(state.known_paths.iter().filter_map(|path| {
            let dead = state.dead_path(path, &|path| missions::hash_now(workspace, path))?;
            Some(format!(
                "{path:?} is a dead path of the mission before ({}): it is not asked for.",
                dead.event_id
            ))
        }));
        let inherited = state.parent_mission_id.as_ref().map(|parent| Inheritance {
            parent_mission_id: parent.to_string(),
            next_move: starter_moves.first().cloned(),
            resumed: Resumed::of(workspace, &state),
        });
        let next = starter_moves.first().and_then(|step| Some((step.tool?, step.target())));
        let id = state.mission_id.to_string();
        let guidance = match next {
            Some((tool, target)) => Guidance {
                next_suggested_tool: Some(tool),
                next_suggested_target: target,
                next_step_hint: Some("Pass mission_id with it; then ask mission_next.".into()),
            },
            None => Guidance::next("mission_next", id.clone(), "Ask for the first step."),
        };
        let output = Output {
            mission_id: id,
            route: state.route,
            budget: state.budget,
            context_guard: state.context_guard.clone(),
            starter_moves,
            non_goals: state.mode.non_goals().to_vec(),
            inherited,
            warnings,
        };
        Ok(Answer::of(output).budget(4_000).proof(ProofState::Triaging).next(guidance))
    }
}

fn limits(ctx: &Ctx<'_>, mode: Mode, given: Option<&Limits>) -> Result<Budget, Fault> {
    let mut budget = mode.budget();
    let Some(given) = given else { return Ok(budget) };
    for (name, value, slot) in [
        ("budget.tool_calls_max", given.tool_calls_max, &mut budget.tool_calls_max),
        ("budget.files_read_max", given.files_read_max, &mut budget.files_read_max),
        ("budget.soft_deadline_ms", given.soft_deadline_ms, &mut budget.soft_deadline_ms),
    ] {
        if let Some(value) = ctx.in_range(name, value, 1..=1_000_000_000)? {
            *slot = value;
        }
    }
    Ok(budget)
}

impl Trim for Output {
    /// The mission knows all that it inherited; the answer shows the newest of it, the settled last to go.
    fn trim(&mut self, _: usize) -> bool {
        let cut = self.inherited.as_mut().is_some_and(|inherited| inherited.resumed.cut());
        cut || self.shorten()
    }
}

impl Output {
    /// The first step and what class the workspace is of stay.
    fn shorten(&mut self) -> bool {
        if self.starter_moves.len() > 1 {
            self.starter_moves.pop();
            return true;
        }
        if !self.non_goals.is_empty() {
            self.non_goals.clear();
            return true;
        }
        let Some(guard) = self.context_guard.as_object_mut().filter(|guard| guard.len() > 2) else {
            // The next step says it, too.
            return self.starter_moves.pop().is_some();
        };
        guard.retain(|name, _| matches!(name.as_str(), "class" | "workspace_match"));
        true
    }
}
