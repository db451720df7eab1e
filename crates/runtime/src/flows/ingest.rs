//! Ingest: a job that reads the workspace, an index or an exported graph into the graph, and saves it.

use std::sync::Arc;
use std::time::Duration;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::clock::Clock;
use m1nd_vfs::RelPath;
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::ctx::Ctx;
use crate::faults::{self, from_bring};
use crate::flows::roots;
use crate::jobs::{Job, JobState};
use crate::pipeline::Step;
use crate::workspace::{BringError, Keep, Reuse, Workspace};

/// Hosts give up after a minute, many sooner; a job goes on without them.
const PATIENCE: Duration = Duration::from_secs(8);
/// How often a waiting host hears how far the work is.
const TELL_EVERY: Duration = Duration::from_secs(1);

/// What is read.
#[derive(Clone, Debug)]
pub enum What {
    /// The workspace's own files.
    Files(Reuse),
    /// A compiler's index of them.
    Index(RelPath, Keep),
    /// A graph that was exported.
    Export(RelPath),
}

/// Starts the ingest and waits for it a while.
pub fn run(ctx: &Ctx<'_>, what: What) -> Result<(Arc<Job>, JobState), Fault> {
    let workspace = ctx.shared_workspace()?;
    let clock = ctx.runtime().shared_clock();
    let refused: Arc<Mutex<Option<Fault>>> = Arc::default();
    let (slot, tool) = (Arc::clone(&refused), ctx.tool());
    let watched = Arc::clone(&workspace);
    let job = ctx
        .runtime()
        .start_job(tool, move |cancel| match read(&workspace, &what, clock.as_ref(), cancel) {
            Ok(mut report) => {
                // What is on the disk already is not written again: that costs more than finding that nothing changed.
                if (workspace.is_unsaved() || workspace.last_save().is_none())
                    && let Err(err) = workspace.save()
                {
                    tracing::warn!(%err, "the graph was not saved");
                    report["not_saved"] = json!(err.to_string());
                }
                JobState::Done(report)
            }
            Err(BringError::Stopped(_)) => JobState::Cancelled,
            Err(err) => {
                let said = err.to_string();
                *slot.lock() = Some(from_bring::fault(tool, err));
                JobState::Failed(said)
            }
        })
        .map_err(|err| {
            Fault::new(
                Code::Busy,
                format!("No thread could be started for the ingest: {err}."),
                Recovery::hint("Call again in a few seconds."),
            )
        })?;
    let mut state = JobState::Running;
    for _ in 0..PATIENCE.as_secs() {
        state = job.wait(TELL_EVERY, ctx.cancel());
        if state != JobState::Running {
            break;
        }
        let (read, listed) = watched.progress();
        let message = format!("{read} of {listed} files read");
        ctx.report(Step { done: read, total: (listed > 0).then_some(listed), message });
    }
    match refused.lock().take() {
        Some(fault) => Err(fault),
        None if state == JobState::Cancelled => Err(faults::stopped(m1nd_stdx::cancel::Stop::Cancelled)),
        None => Ok((job, state)),
    }
}

fn read(
    workspace: &Workspace,
    what: &What,
    clock: &dyn Clock,
    cancel: &CancelToken,
) -> Result<Value, BringError> {
    let shown = match what {
        What::Files(reuse) => {
            let report = workspace.ingest(*reuse, clock, cancel)?;
            let mut shown = json!(report);
            let others = workspace.added_roots();
            if !others.is_empty() {
                shown["roots"] = json!(others.iter().map(roots::shown).collect::<Vec<_>>());
            }
            let overlays = workspace.overlays();
            if !overlays.is_empty() {
                shown["overlays"] = json!(overlays);
            }
            workspace.note_report(&shown);
            shown
        }
        What::Index(path, keep) => json!(workspace.lay_index(path, *keep, clock, cancel)?),
        What::Export(path) => {
            let view = workspace.import(path, clock, cancel)?;
            json!({
                "imported_from": path.as_str(),
                "nodes": view.node_count(),
                "edges": view.edge_count(),
                "generation": view.generation(),
            })
        }
    };
    Ok(shown)
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
