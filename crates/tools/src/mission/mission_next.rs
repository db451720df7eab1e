//! `mission_next`: exactly one next step, and what to leave alone.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_mission::missions::Refusal;
use m1nd_mission::{Advice, Command, EventId, MissionError, Status, advise};
use m1nd_runtime::faults::from_mission;
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;
use crate::told::Told;

pub struct MissionNext;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission
    mission_id: String,
    /// A step just taken, as in mission_event; recorded first
    last_event: Option<Told>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    advice: Advice,
    /// The event that `last_event` became.
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<EventId>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for MissionNext {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_next",
        summary: "The one next step of a mission, with the tool and arguments, what not to do now, and what evidence is still missing.",
        help: "fill_in names what only you can say, to be added to arguments. Ignoring do_not is allowed: it is recorded as dissent, with the note of the event as its reason.",
        intents: &["what next", "next step", "which tool now", "am I done"],
        budget: Some(4_000),
        examples: &[Example { says: "The next step", arguments: r#"{"mission_id": "msn_7c3e4084f6"}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let (state, recorded, warnings) = match input.last_event {
            Some(told) => {
                let telling = told.telling(ctx)?;
                let done = missions::act(ctx, &input.mission_id, |_| Command::Tell(telling.clone()))?;
                let recorded = done.events.first().map(|event| event.event_id.clone());
                (done.state, recorded, done.warnings)
            }
            None => {
                let kept = missions::state(ctx, &input.mission_id)?;
                let mut warnings: Vec<String> = kept.made_again.into_iter().collect();
                let state = match missions::asked_again(ctx, &kept.state)? {
                    Some(again) => {
                        warnings.extend(again.warnings);
                        again.state.unwrap_or(kept.state)
                    }
                    None => kept.state,
                };
                (state, None, warnings)
            }
        };
        if state.status == Status::Closed {
            let closed = Refusal::Mission(MissionError::Closed(state.mission_id.clone()));
            return Err(from_mission::refusal(ctx.tool(), &closed));
        }
        let mut advice = missions::with_situation(ctx.runtime(), ctx.workspace()?, &state, |situation| {
            advise(&state, situation)
        });
        advice.next_move.called_by(ctx.header().caller.name());
        let guidance = match advice.next_move.tool {
            Some(tool) => Guidance {
                next_suggested_tool: Some(tool),
                next_suggested_target: advice.next_move.target(),
                next_step_hint: None,
            },
            None => Guidance::next(
                "mission_event",
                input.mission_id,
                "Do this with the host's tools, then record it.",
            ),
        };
        Ok(Answer::of(Output { advice, recorded, warnings }).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        self.advice.cut() || self.warnings.pop().is_some()
    }
}
