//! `lock_watch`: wait for a change in a region.

use std::time::Duration;

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::navigate::locks;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;
use super::lock_diff::{Difference, EMPTY};

pub struct LockWatch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The lock
    lock_id: String,
    /// How long to wait for a change (0-8000)
    #[schemars(extend("default" = 0))]
    wait_ms: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    lock_id: String,
    region: String,
    /// Whether anything in the region is different.
    has_changed: bool,
    /// Milliseconds that were waited at most.
    wait_ms: u64,
    #[serde(flatten)]
    difference: Difference,
    truncated: bool,
}

impl Tool for LockWatch {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "lock_watch",
        summary: "Say whether a locked region changed, or wait until it does, at most so long.",
        intents: &["wait for a change", "watch a lock", "tell me when it changes"],
        budget: Some(5_000),
        examples: &[Example { says: "A lock", arguments: r#"{"lock_id": "lock_1"}"# }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let wait_ms = ctx.in_range("wait_ms", input.wait_ms, 0..=8_000)?.unwrap_or(0);
        let (lock, changes) = locks::watch(ctx, &input.lock_id, Duration::from_millis(wait_ms))?;
        let has_changed = !changes.is_empty();
        let next = match has_changed {
            false if lock.baseline.nodes.is_empty() => Guidance::next("lock_release", lock.id.clone(), EMPTY),
            true => Guidance::next(
                "lock_diff",
                lock.id.clone(),
                "See all of it, or take the region down anew with lock_rebase.",
            ),
            false => Guidance::hint("Nothing in the region changed; ask again later."),
        };
        let difference = Difference::of(changes);
        let output = Output {
            lock_id: lock.id,
            region: lock.region,
            has_changed,
            wait_ms,
            difference,
            truncated: false,
        };
        Ok(Answer::of(output).proof(ProofState::Proving).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        self.difference.trim(excess)
    }
}
