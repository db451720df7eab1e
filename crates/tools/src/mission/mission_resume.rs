//! `mission_resume`: going on where another agent ended.

use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_mission::missions::begin;
use m1nd_mission::{Anchor, Claim, DeadPath, Move, Start, TestRun, Today, Verdict, handoff, moves};
use m1nd_runtime::faults::from_mission;
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

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
    parent_mission_id: String,
    goal: String,
    /// What to do first.
    next_move: Option<Move>,
    verified_claims: Vec<Claim>,
    rejected_claims: Vec<Claim>,
    /// Neither verified nor rejected; they are the parent's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    open_hypotheses: Vec<Claim>,
    /// Where not to look again.
    dead_paths: Vec<DeadPath>,
    /// Files that changed since they were read: what rests on them must be looked at again.
    stale: Vec<Anchor>,
    /// Files that were read and are as they were.
    current: Vec<String>,
    tests_run: Vec<TestRun>,
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
        let parent = match (&input.mission_id, &input.handoff_id) {
            (Some(id), None) => id.clone(),
            (None, Some(id)) => missions::mission_of_handoff(id)
                .ok_or_else(|| ctx.invalid("`handoff_id` is none that mission_handoff answered with."))?,
            _ => return Err(ctx.invalid("Give `mission_id` or `handoff_id`, not both.")),
        };
        let before = missions::state(ctx, &parent)?;
        let repo = missions::repo_of(workspace);
        let class = if before.repo == repo { "single_repo" } else { missions::ELSEWHERE };
        let inherited = handoff::inherited(&before, None);
        let start = Start {
            repo: before.repo.clone(),
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
        let next_move = missions::with_situation(ctx.runtime(), workspace, &state.repo, |situation| {
            moves(&state, situation, 1).pop()
        });
        let (mut stale, mut current) = (Vec::new(), Vec::new());
        for seen in &state.inherited.files {
            let Some(hash) = &seen.content_hash else { continue };
            match missions::today(workspace, &seen.path, hash) {
                Today::Current => current.push(seen.path.clone()),
                today => stale.push(Anchor {
                    path: seen.path.clone(),
                    content_hash: hash.clone(),
                    today: Some(today),
                }),
            }
        }
        let claims = |verdict: Verdict| {
            let all = state.inherited.claims.iter().filter(move |claim| claim.verdict == verdict);
            all.cloned().collect::<Vec<_>>()
        };
        let next = match next_move.as_ref().and_then(|step| Some((step.tool?, step.target()))) {
            Some((tool, target)) => Guidance {
                next_suggested_tool: Some(tool),
                next_suggested_target: target.map(str::to_owned),
                next_step_hint: Some("Pass mission_id with it.".into()),
            },
            None => Guidance::next("mission_next", state.mission_id.to_string(), "Pass mission_id with it."),
        };
        let output = Output {
            mission_id: state.mission_id.to_string(),
            parent_mission_id: before.mission_id.to_string(),
            goal: state.goal.clone(),
            next_move,
            verified_claims: claims(Verdict::VerifiedForMission),
            rejected_claims: claims(Verdict::Rejected),
            open_hypotheses: before.unsettled().cloned().collect(),
            dead_paths: state.inherited.dead_paths.clone(),
            stale,
            current,
            tests_run: state.inherited.tests.clone(),
            truncated: false,
        };
        Ok(Answer::of(output).proof(ProofState::Triaging).next(next))
    }
}

impl Trim for Output {
    /// What can be found again goes first, the oldest of it.
    fn trim(&mut self, _: usize) -> bool {
        self.truncated = true;
        fn oldest<T>(list: &mut Vec<T>, keep: usize) -> bool {
            let cut = list.len() > keep;
            if cut {
                list.drain(..(list.len() - keep).div_ceil(4));
            }
            cut
        }
        [5, 0].into_iter().any(|keep| {
            oldest(&mut self.current, keep)
                || oldest(&mut self.tests_run, keep)
                || oldest(&mut self.dead_paths, keep)
                || oldest(&mut self.rejected_claims, keep)
                || oldest(&mut self.open_hypotheses, keep)
                || oldest(&mut self.stale, keep)
                || oldest(&mut self.verified_claims, keep)
        })
    }
}
