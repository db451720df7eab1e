//! `undo_batch`: take a batch back.

use m1nd_contract::Fault;
use m1nd_runtime::flows::editing;
use m1nd_runtime::{Answer, Ctx, Effect, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::edited::Edited;

pub struct UndoBatch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// From apply, apply_batch or edit_commit
    batch_id: String,
}

impl Tool for UndoBatch {
    type Input = Input;
    type Output = Edited;
    const SPEC: Spec = Spec {
        name: "undo_batch",
        summary: "Take a batch of edits back, byte for byte, all or none; refused if one of its files changed since.",
        help: "The newest 20 batches can be taken back. Taking back is a batch too, and can be undone. Repeating it is no error and changes nothing.",
        intents: &["undo edit", "revert change", "roll back batch"],
        effect: Effect::WriteFiles,
        budget: Some(8_000),
        lean: true,
        family: Family::Edit,
        examples: &[Example { says: "The last batch", arguments: r#"{"batch_id": "b-d251f95c54"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Edited>, Fault> {
        Ok(Edited::of(editing::take_back(ctx, &input.batch_id)?).answer())
    }
}
