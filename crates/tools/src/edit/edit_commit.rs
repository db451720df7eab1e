//! `edit_commit`: make a previewed edit.

use m1nd_contract::Fault;
use m1nd_runtime::flows::editing::preview;
use m1nd_runtime::{Answer, Ctx, Effect, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::edited::Edited;

pub struct EditCommit;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// From edit_preview
    preview_id: String,
    /// Must be true
    #[serde(default)]
    confirm: bool,
    /// Write it although it brings syntax errors
    #[serde(default)]
    allow_syntax_errors: bool,
}

impl Tool for EditCommit {
    type Input = Input;
    type Output = Edited;
    const SPEC: Spec = Spec {
        name: "edit_commit",
        summary: "Write an edit that edit_preview showed; refused as stale if the file changed since. Says which callers and tests it concerns.",
        help: "Repeating it is no error and changes nothing. undo_batch takes it back.",
        intents: &["write previewed edit", "confirm edit", "commit change to file"],
        effect: Effect::WriteFiles,
        budget: Some(8_000),
        lean: true,
        family: Family::Edit,
        examples: &[Example {
            says: "The edit that was shown",
            arguments: r#"{"preview_id": "p-bc440385d4", "confirm": true}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Edited>, Fault> {
        if !input.confirm {
            return Err(ctx.invalid("`confirm` must be true: edit_commit writes the file."));
        }
        let made = preview::commit(ctx, &input.preview_id, input.allow_syntax_errors)?;
        Ok(Edited::of(made).answer())
    }
}
