//! `tasks_claim`: a task taken by one agent.

use m1nd_contract::Guidance;
use m1nd_memory::tasks::{self, ClaimOutput, ClaimRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Claim, tasks::claim, ClaimRequest => ClaimOutput, next point;
    name: "tasks_claim",
    summary: "Take a task so that no other agent does. Pass the `claim_token` with every change; calling again renews the lease.",
    intents: &["take a task", "lock a task", "several agents"],
    examples: &[
        Example {
            says: "Mine for ten minutes",
            arguments: r#"{"task": "TASK-001", "agent_id": "tester", "lease_seconds": 600}"#,
        },
    ],
    ..CHANGE
}

/// To what must be done.
fn point(_: &Ctx<'_>, claim: &ClaimOutput) -> Guidance {
    Guidance::next("tasks_radar", claim.task.clone(), "What is to be done, and what must be verified.")
}
