//! Graph: keeping the graph, the work that makes it, and its shape.

mod audit;
mod cross_verify;
mod diagram;
mod job_cancel;
mod job_status;
mod metrics;
mod persist;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<audit::Audit>(),
    entry::<metrics::Metrics>(),
    entry::<diagram::Diagram>(),
    entry::<cross_verify::CrossVerify>(),
    entry::<persist::Persist>(),
    entry::<job_status::JobStatus>(),
    entry::<job_cancel::JobCancel>(),
];
