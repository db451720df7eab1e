//! `mission_claim`: a conclusion, with the events that led to it.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_mission::{Claim, Command, EventId, short};
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct MissionClaim;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission
    mission_id: String,
    /// The conclusion, in a sentence that could be wrong
    claim: String,
    /// Events that it rests on
    event_ids: Option<Vec<EventId>>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    claim: Claim,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for MissionClaim {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_claim",
        summary: "Register a conclusion of a mission with the events it rests on; it stays open until mission_verify judges it.",
        help: "That nothing was found is a conclusion too.",
        intents: &["claim", "conclusion", "finding", "hypothesis"],
        examples: &[Example {
            says: "A conclusion",
            arguments: r#"{"mission_id": "msn_7c3e4084f6", "claim": "greet forgets the exclamation mark"}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let event_ids = input.event_ids.unwrap_or_default();
        let done = missions::act(ctx, &input.mission_id, |_| Command::Claim {
            text: input.claim.clone(),
            event_ids: event_ids.clone(),
        })?;
        let claim = done.claim.as_ref().and_then(|id| done.state.claim(id)).cloned();
        let claim = claim.ok_or_else(|| ctx.invalid("Nothing was recorded."))?;
        let hint = "Cite the direct evidence and let it be judged.";
        let next = Guidance::next("mission_verify", claim.claim_id.to_string(), hint);
        let claim = missions::shown_claim(ctx.workspace()?, &claim);
        Ok(Answer::of(Output { claim, warnings: done.warnings }).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        [300, 120, 60].into_iter().any(|bytes| short::claim(&mut self.claim, bytes))
            || self.warnings.pop().is_some()
            || !std::mem::take(&mut self.claim.event_ids).is_empty()
    }
}
