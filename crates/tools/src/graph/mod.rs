//! Graph: keeping the graph, the work that makes it, its shape, and what goes with what.

mod activate;
mod audit;
mod cross_verify;
mod diagram;
mod diverge;
mod drift;
mod ghost_edges;
mod job_cancel;
mod job_status;
mod learn;
mod metrics;
mod missing;
mod persist;
mod resonate;
mod twins;
mod warmup;
mod why;

use m1nd_runtime::{Entry, entry};

pub const TOOLS: &[Entry] = &[
    entry::<activate::Activate>(),
    entry::<why::Why>(),
    entry::<ghost_edges::GhostEdges>(),
    entry::<resonate::Resonate>(),
    entry::<drift::Drift>(),
    entry::<diverge::Diverge>(),
    entry::<twins::Twins>(),
    entry::<missing::Missing>(),
    entry::<warmup::Warmup>(),
    entry::<learn::Learn>(),
    entry::<audit::Audit>(),
    entry::<metrics::Metrics>(),
    entry::<diagram::Diagram>(),
    entry::<cross_verify::CrossVerify>(),
    entry::<persist::Persist>(),
    entry::<job_status::JobStatus>(),
    entry::<job_cancel::JobCancel>(),
];
