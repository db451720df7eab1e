//! Ingest: a job that reads the workspace into the graph and saves it.

use std::sync::Arc;
use std::time::Duration;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_stdx::cancel::Stop;
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::jobs::{Job, JobState};
use crate::workspace::Reuse;

/// Hosts give up after a minute, many sooner; a job goes on without them.
const PATIENCE: Duration = Duration::from_secs(8);

/// Starts the ingest and waits for it a while.
pub fn run(ctx: &Ctx<'_>, reuse: Reuse) -> Result<(Arc<Job>, JobState), Fault> {
    let workspace = ctx.shared_workspace()?;
    let clock = ctx.runtime().shared_clock();
    let job = ctx
        .runtime()
        .start_job(ctx.tool(), move |cancel| match workspace.ingest(reuse, clock.as_ref(), cancel) {
            Ok(report) => {
                let saved = workspace.save();
                match serde_json::to_value(&report) {
                    Ok(mut shown) => {
                        if let Err(err) = saved {
                            tracing::warn!(%err, "the graph was not saved");
                            shown["not_saved"] = json!(err.to_string());
                        }
                        JobState::Done(shown)
                    }
                    Err(err) => JobState::Failed(err.to_string()),
                }
            }
            Err(Stop::Cancelled) => JobState::Cancelled,
            Err(Stop::TimedOut) => JobState::Failed("time ran out".into()),
        })
        .map_err(|err| {
            Fault::new(
                Code::Busy,
                format!("No thread could be started for the ingest: {err}."),
                Recovery::hint("Call again in a few seconds."),
            )
        })?;
    let state = job.wait(PATIENCE, ctx.cancel());
    Ok((job, state))
}

/// The job of that id.
pub fn find(ctx: &Ctx<'_>, id: &str) -> Result<Arc<Job>, Fault> {
    ctx.runtime().job(id).ok_or_else(|| {
        Fault::new(
            Code::UnknownTarget,
            format!("There is no job {:?}.", &id[..id.floor_char_boundary(60)]),
            Recovery::call("List the jobs of this process.", "job_status", json!({})),
        )
    })
}

/// A job as `ingest` and `job_status` show it.
pub fn shown(job: &Job, state: &JobState) -> Value {
    match state {
        JobState::Running => json!({ "state": "running", "job_id": job.id }),
        JobState::Done(report) => {
            let mut shown = json!({ "state": "done", "job_id": job.id });
            if let (Value::Object(shown), Value::Object(report)) = (&mut shown, report) {
                shown.extend(report.clone());
            }
            shown
        }
        JobState::Failed(why) => json!({ "state": "failed", "job_id": job.id, "why": why }),
        JobState::Cancelled => json!({ "state": "cancelled", "job_id": job.id }),
    }
}
