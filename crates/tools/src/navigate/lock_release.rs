//! `lock_release`: give a lock up.

use m1nd_contract::{Fault, Guidance, fixed_size};
use m1nd_runtime::flows::navigate::locks;
use m1nd_runtime::{Answer, Ctx, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct LockRelease;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The lock
    lock_id: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    lock_id: String,
    /// True.
    released: bool,
}

impl Tool for LockRelease {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "lock_release",
        summary: "Give a lock up.",
        intents: &["release a lock", "unlock", "stop watching"],
        needs: Needs::Nothing,
        fresh: false,
        examples: &[Example { says: "A lock", arguments: r#"{"lock_id": "lock_1"}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        locks::shelf(ctx)?.remove("lock_id", &input.lock_id)?;
        let output = Output { lock_id: input.lock_id.trim().to_owned(), released: true };
        Ok(Answer::of(output).next(Guidance::hint("lock_diff without a lock_id lists what is left.")))
    }
}

fixed_size!(Output);
