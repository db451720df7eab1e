//! `apply`: edit one file.

use m1nd_contract::Fault;
use m1nd_runtime::flows::editing::{self, Request, Verify, Wanted};
use m1nd_runtime::{Answer, Ctx, Effect, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::edited::{Edited, Replacement, edits};

pub struct Apply;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File to change
    file_path: String,
    /// The whole new text
    new_content: Option<String>,
    /// Or exact replacements in the file as it is
    edits: Option<Vec<Replacement>>,
    /// The file is new
    #[serde(default)]
    create: bool,
    /// sha256 that the file must have, from view or surgical_context
    #[serde(alias = "expected_hash")]
    expected_sha256: Option<String>,
    /// Write it although it brings syntax errors
    #[serde(default)]
    allow_syntax_errors: bool,
}

impl Tool for Apply {
    type Input = Input;
    type Output = Edited;
    const SPEC: Spec = Spec {
        name: "apply",
        summary: "Edit one file: exact replacements or whole new text. Refused if it brings syntax errors or the file is not as expected; says which callers break and which tests to run.",
        help: "Mode, line endings, byte order mark and final newline stay as the file has them. undo_batch takes it back.",
        intents: &["edit file", "write file", "replace text", "change code"],
        effect: Effect::WriteFiles,
        also_takes: &["expected_hash"],
        budget: Some(8_000),
        lean: true,
        family: Family::Edit,
        examples: &[Example {
            says: "One replacement",
            arguments: r#"{"file_path": "docs/guide.md", "edits": [{"old": "be greeted", "new": "be greeted well"}]}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Edited>, Fault> {
        let wanted = Wanted {
            path: &input.file_path,
            content: input.new_content,
            edits: edits(input.edits),
            create: input.create,
            expected: input.expected_sha256,
            ..Wanted::default()
        };
        let request = Request {
            changes: vec![editing::change(ctx, wanted)?],
            argument: &|_| "file_path".to_owned(),
            verify: Verify::Syntax,
            allow_syntax_errors: input.allow_syntax_errors,
            dry_run: false,
        };
        Ok(Edited::of(editing::apply(ctx, request)?).answer())
    }
}
