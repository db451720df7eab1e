//! `mission_event`: one step that was really taken.

use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_mission::{Command, EventId, Remaining};
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::Serialize;

use super::WRITE;
use crate::told::told;

pub struct MissionEvent;

told!(Input {
    /// The mission
    mission_id: String,
});

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    event_id: EventId,
    sequence: u64,
    timestamp_ms: i64,
    actor: String,
    prev_hash: String,
    hash: String,
    /// Of the file that the target names, as it is now; without it the event alone carries no claim about source.
    #[serde(skip_serializing_if = "Option::is_none")]
    content_hash: Option<String>,
    budget_remaining: Remaining,
    /// Loops, and evidence that carries nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for MissionEvent {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_event",
        summary: "Record one step that you really took in a mission: a file read, a test run, a dead end. Calls with mission_id record themselves.",
        help: "A read settles a claim only with an outcome that says what it shows and a quote of it. Direct kinds of evidence are direct_source, test_run, compiler, runtime_probe, diff and human. The same step on the same target for the third time without anything new is told as a loop.",
        intents: &["record a step", "log evidence", "dead end", "test result"],
        examples: &[Example {
            says: "A test that failed",
            arguments: r#"{"mission_id": "msn_7c3e4084f6", "event_type": "test_run", "target": "cargo test greet", "evidence_class": "test_run", "outcome": "failed"}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let mission_id = input.mission_id.clone();
        let telling = input.telling(ctx)?;
        let done = missions::act(ctx, &mission_id, |_| Command::Tell(telling.clone()))?;
        let event = done.events.into_iter().next().ok_or_else(|| ctx.invalid("Nothing was recorded."))?;
        let output = Output {
            event_id: event.event_id,
            sequence: event.sequence,
            timestamp_ms: event.timestamp_ms,
            actor: event.actor,
            prev_hash: event.prev_hash,
            hash: event.hash,
            content_hash: event.draft.content_hash,
            budget_remaining: done.state.remaining(ctx.runtime().clock().now().0),
            warnings: done.warnings,
        };
        let next = Guidance::next("mission_next", mission_id, "Ask what comes next.");
        Ok(Answer::of(output).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, _: usize) -> bool {
        self.warnings.pop().is_some()
    }
}
