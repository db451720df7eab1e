//! `mission_resume`: going on where another agent ended.

use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_mission::missions::begin;
use m1nd_mission::{Move, Start, handoff, moves, short};
use m1nd_runtime::faults::from_mission;
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;
use crate::resumed::Resumed;

pub struct MissionResume;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission to go on from
    mission_id: Option<String>,
    /// Or its hand-off
    handoff_id: Option<String>,
    /// The goal, if it is another one now
    goal: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The new mission.
    mission_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_mission_id: Option<String>,
    goal: String,
    /// What to do first.
    next_move: Option<Move>,
    #[serde(flatten)]
    resumed: Resumed,
    /// What is wrong with the mission before: its claims count as open.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// Whether something had no room; mission_show has it.
    truncated: bool,
}

impl Tool for MissionResume {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_resume",
        summary: "Go on where another agent ended: a child mission that knows its claims, dead paths and files, and what went stale since.",
        help: "Inherited dead paths are in do_not of mission_next from the start.",
        intents: &["resume a mission", "take over", "go on from a hand-off"],
        budget: Some(4_000),
        examples: &[Example {
            says: "Where another agent ended",
            arguments: r#"{"mission_id": "msn_7c3e4084f6"}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let workspace = ctx.workspace()?;
        let sound = match (&input.mission_id, &input.handoff_id) {
            (Some(id), None) => missions::sound(ctx, id)?,
            (None, Some(id)) => {
                let (id, place) = missions::mission_of_handoff(id)
                    .ok_or_else(|| ctx.invalid("`handoff_id` is none that mission_handoff answered with."))?;
                missions::sound_since(ctx, &id, place)?
            }
            (None, None) => return Err(ctx.invalid("Give `mission_id` or `handoff_id`.")),
            (Some(_), Some(_)) => {
                return Err(ctx.invalid("Give `mission_id` or `handoff_id`, not both."));
            }
        };
        let warning = sound.warning();
        let before = sound.state;
        let class = missions::class_now(workspace, &before);
        let repo = missions::repo_now(workspace, &before);
        let inherited = handoff::inherited(&before, None);
        let start = Start {
            repo,
            goal: input.goal.unwrap_or_else(|| before.goal.clone()),
            mode: before.mode,
            budget: before.mode.budget(),
            known_paths: Vec::new(),
            context_guard: missions::bound(ctx, workspace, class, Some(&before.repo)),
            right_workspace: class != missions::ELSEWHERE,
            parent: Some(before.mission_id.clone()),
            inherited,
        };
        let now = ctx.runtime().clock().now().0;
        let state = begin(&*missions::ledger(ctx)?, &start, ctx.header().caller.name(), now)
            .map_err(|err| from_mission::refusal(ctx.tool(), &err))?;
        let mut next_move = missions::with_situation(ctx.runtime(), workspace, &state, |situation| {
            moves(&state, situation, 1).pop()
        });
        if let Some(step) = &mut next_move {
            step.called_by(ctx.header().caller.name());
        }
        let tool = next_move.as_ref().and_then(|step| step.tool).unwrap_or("mission_next");
        let target = next_move.as_ref().and_then(Move::target);
        let mut next = Guidance { next_suggested_tool: Some(tool), ..Guidance::default() };
        if !super::is_tight(ctx) {
            // A step about nothing in particular is one of the mission itself.
            let own = || tool.starts_with("mission_").then(|| state.mission_id.to_string());
            next.next_suggested_target = target.or_else(own);
            next.next_step_hint = Some("Pass mission_id with it.".to_owned());
        }
        let output = Output {
            mission_id: state.mission_id.to_string(),
            parent_mission_id: Some(before.mission_id.to_string()),
            goal: state.goal.clone(),
            next_move,
            resumed: Resumed::of(workspace, &state),
            warning,
            truncated: false,
        };
        Ok(Answer::of(output).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    /// What to do first goes last.
    fn trim(&mut self, _: usize) -> bool {
        self.truncated = true;
        short::text(&mut self.goal, GOAL)
            || self.resumed.cut()
            || short::text(&mut self.goal, SHORT_GOAL)
            || self.next_move.as_mut().is_some_and(|step| short::text(&mut step.why, SHORT_GOAL))
            || self.warning.as_mut().is_some_and(|warning| short::text(warning, SHORT_GOAL))
            || short::text(&mut self.goal, SHORTEST_GOAL)
            || self.parent_mission_id.take().is_some()
            || self.next_move.as_mut().is_some_and(|step| short::to_nothing(&mut step.why, 0))
            || self.warning.take().is_some()
            || self.next_move.as_mut().is_some_and(Move::without_arguments)
            || self.next_move.take().is_some()
    }
}

/// What a goal keeps beside what was found out, in bytes.
const GOAL: usize = 300;
/// Enough to know which goal it was, in bytes.
const SHORT_GOAL: usize = 80;
/// Where there is room for next to nothing, in bytes.
const SHORTEST_GOAL: usize = 20;
