//! `job_status`: how far work is that outlasted its call.

use m1nd_contract::Fault;
use m1nd_runtime::flows::ingest::{find, shown};
use m1nd_runtime::{Answer, Ctx, Example, JobState, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub struct JobStatus;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// A job; all of them without it
    job_id: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Jobs, oldest first: state (running, done, failed, cancelled), job_id, tool, files_read of files_listed while it runs, and the numbers of a finished one.
    #[schemars(with = "Vec<Job>")]
    jobs: Vec<Value>,
}

/// One of them.
#[derive(JsonSchema)]
#[allow(dead_code)]
pub struct Job {
    state: String,
    job_id: String,
    tool: String,
}

impl Tool for JobStatus {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "job_status",
        summary: "How far a long ingest is, and what a finished one did.",
        help: "",
        intents: &["progress of job", "is ingest done"],
        needs: Needs::Nothing,
        examples: &[Example { says: "All jobs", arguments: "{}" }],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let runtime = ctx.runtime();
        let jobs = match &input.job_id {
            Some(id) => vec![find(ctx, id)?],
            None => runtime.jobs(),
        };
        let shown = jobs.iter().map(|job| {
            let mut shown = shown(job, &job.state());
            shown["tool"] = json!(job.tool);
            // Only one ingest runs at a time, so what is being read is read for it.
            if let (JobState::Running, "ingest", Ok(workspace)) = (job.state(), job.tool, ctx.workspace()) {
                let (read, listed) = workspace.progress();
                shown["files_read"] = json!(read);
                shown["files_listed"] = json!(listed);
            }
            shown
        });
        Ok(Answer::of(Output { jobs: shown.collect() }).candidates(jobs.len() as u64))
    }
}

m1nd_contract::fixed_size!(Output);
