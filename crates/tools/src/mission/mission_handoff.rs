//! `mission_handoff`: what the next agent must know to go on.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_mission::{Command, Handoff, handed, handoff};
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::WRITE;

pub struct MissionHandoff;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission
    mission_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    handoff: Handoff,
}

/// Bytes of a hand-off.
const MOST: usize = 3_600;

impl Tool for MissionHandoff {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_handoff",
        summary: "Hand a mission over: claims, dead paths, files read, tests run, anchors and the next required move, in under 4 KB.",
        help: "The next agent calls mission_resume with the handoff_id or the mission_id and inherits all of it, also what had no room here.",
        intents: &["hand off", "hand over", "end of session", "pass to another agent"],
        budget: Some(4_000),
        examples: &[Example {
            says: "To whoever comes next",
            arguments: r#"{"mission_id": "msn_7c3e4084f6"}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let workspace = ctx.workspace()?;
        // What nobody can prove any more is not handed on as proved.
        missions::sound(ctx, &input.mission_id)?.whole()?;
        let made = std::cell::RefCell::new(None);
        missions::act(ctx, &input.mission_id, |state| {
            let mut handoff = missions::with_situation(ctx.runtime(), workspace, state, |situation| {
                handoff::of(state, situation, MOST)
            });
            for anchor in &mut handoff.graph_anchors {
                anchor.today = Some(missions::today(workspace, &anchor.path, &anchor.content_hash));
            }
            handoff::seal(&mut handoff);
            let value = json!(handoff);
            made.replace(Some(handoff));
            Command::HandOff(value)
        })?;
        let handoff = made.into_inner().ok_or_else(|| ctx.invalid("Nothing was handed over."))?;
        let next = if super::is_tight(ctx) {
            Guidance { next_suggested_tool: Some(handed::TAKEN_UP_BY), ..Guidance::default() }
        } else {
            Guidance::next(handed::TAKEN_UP_BY, handoff.handoff_id.clone(), handed::HINT)
        };
        Ok(Answer::of(Output { handoff }).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        handoff::cut(&mut self.handoff, excess)
    }
}
