//! `job_cancel`: stops work that outlasted its call.

use std::time::Duration;

use m1nd_contract::Fault;
use m1nd_runtime::flows::ingest::find;
use m1nd_runtime::{Answer, Ctx, Effect, Example, JobState, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct JobCancel;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The job
    job_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// cancelled, done or failed when it ended before, running when it needs a moment more.
    state: &'static str,
}

/// What a job gets to notice.
const PATIENCE: Duration = Duration::from_secs(1);

impl Tool for JobCancel {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "job_cancel",
        summary: "Stop a long ingest. The last good graph stays.",
        help: "",
        intents: &["stop job", "cancel ingest"],
        effect: Effect::Configure,
        needs: Needs::Nothing,
        examples: &[Example { says: "A job by its id", arguments: r#"{"job_id": "job-1"}"# }],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let job = find(ctx, &input.job_id)?;
        job.cancel.cancel();
        let state = match job.wait(PATIENCE, ctx.cancel()) {
            JobState::Running => "running",
            JobState::Done(_) => "done",
            JobState::Failed(_) => "failed",
            JobState::Cancelled => "cancelled",
        };
        Ok(Answer::of(Output { state }))
    }
}

m1nd_contract::fixed_size!(Output);
