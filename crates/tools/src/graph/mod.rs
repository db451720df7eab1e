//! Graph: keeping the graph, and the work that makes it.

mod job_cancel;
mod job_status;
mod persist;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] =
    &[entry::<persist::Persist>(), entry::<job_status::JobStatus>(), entry::<job_cancel::JobCancel>()];
