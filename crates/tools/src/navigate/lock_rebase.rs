//! `lock_rebase`: take a region down anew.

use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::navigate::locks;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;
use super::lock_diff::{Difference, EMPTY};

pub struct LockRebase;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The lock
    lock_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    lock_id: String,
    region: String,
    /// Whether anything in the region is different.
    has_changed: bool,
    #[serde(flatten)]
    difference: Difference,
    truncated: bool,
}

impl Tool for LockRebase {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "lock_rebase",
        summary: "Take a locked region down again as it is now; answers with what was different.",
        intents: &["accept the changes", "rebase a lock", "new baseline"],
        budget: Some(5_000),
        examples: &[Example { says: "A lock", arguments: r#"{"lock_id": "lock_1"}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let at = ctx.graph_view()?;
        let (lock, changes) = locks::rebase(ctx, &at, &input.lock_id)?;
        let has_changed = !changes.is_empty();
        let next = match lock.baseline.nodes.is_empty() {
            true => Guidance::next("lock_release", lock.id.clone(), EMPTY),
            false => Guidance::next("lock_diff", lock.id.clone(), "Ask later what changed since now."),
        };
        let difference = Difference::of(changes);
        let output =
            Output { lock_id: lock.id, region: lock.region, has_changed, difference, truncated: false };
        Ok(Answer::of(output).proof(ProofState::Proving).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        self.difference.trim(excess)
    }
}
