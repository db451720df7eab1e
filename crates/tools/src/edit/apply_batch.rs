//! `apply_batch`: change several files, all or none.

use m1nd_contract::Fault;
use m1nd_runtime::flows::editing::{self, DiffBytes, Request, Wanted};
use m1nd_runtime::{Answer, Ctx, Effect, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::edited::{Edited, Replacement, edits};

pub struct ApplyBatch;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileEdit {
    /// File to change
    file_path: String,
    /// The whole new text
    new_content: Option<String>,
    /// Or exact replacements
    edits: Option<Vec<Replacement>>,
    /// sha256 that the file must have
    expected_sha256: Option<String>,
    /// Remove the file
    #[serde(default)]
    delete: bool,
    /// The file is new
    #[serde(default)]
    create: bool,
    /// New path; edits may go with it
    rename_to: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    None,
    #[default]
    Syntax,
    Graph,
    Command,
}

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiffEncoding {
    #[default]
    Utf8,
    Latin1,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// One entry a file
    #[serde(default)]
    edits: Vec<FileEdit>,
    /// Or a unified diff
    diff: Option<String>,
    /// latin1: each letter of the diff is one byte
    #[serde(default)]
    #[schemars(extend("default" = "utf8"))]
    diff_encoding: DiffEncoding,
    /// graph: taken back if certain callers or imports dangle; command: if the user's verify_commands fail
    #[serde(default)]
    #[schemars(extend("default" = "syntax"))]
    verify: Verify,
    /// Write it although it brings syntax errors
    #[serde(default)]
    allow_syntax_errors: bool,
    /// Write nothing, show the diff
    #[serde(default)]
    dry_run: bool,
}

/// A larger batch is several.
const MAX_EDITS: usize = 500;

impl Tool for ApplyBatch {
    type Input = Input;
    type Output = Edited;
    const SPEC: Spec = Spec {
        name: "apply_batch",
        summary: "Change, make, delete and rename several files, all or none, even through a crash. Refused if it brings syntax errors; says what dangles, which callers to check and which tests to run.",
        help: "Each `old` must be in its file exactly once, as the file is before the batch. Modes, line endings, byte order marks and final newlines stay. \
            `command` runs only what the user wrote as verify_commands into config.toml in M1ND_HOME, for at most 50 seconds. undo_batch takes a batch back.",
        intents: &[
            "edit several files",
            "refactor",
            "rename file",
            "delete file",
            "apply patch",
            "atomic edit",
        ],
        effect: Effect::WriteFiles,
        budget: Some(10_000),
        lean: true,
        family: Family::Edit,
        examples: &[Example {
            says: "Two files at once",
            arguments: r##"{"edits": [{"file_path": "docs/guide.md", "edits": [{"old": "# Guide", "new": "# Guide\n"}]}, {"file_path": "docs/bye.md", "new_content": "# Bye\n"}]}"##,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Edited>, Fault> {
        let encoding = match input.diff_encoding {
            DiffEncoding::Utf8 => DiffBytes::Utf8,
            DiffEncoding::Latin1 => DiffBytes::Latin1,
        };
        let changes = match (&input.diff, input.edits.len()) {
            (Some(diff), 0) => editing::patched(ctx, diff, encoding)?,
            (None, 1..=MAX_EDITS) => {
                let entries = input.edits.into_iter().enumerate();
                entries.map(|(at, entry)| change(ctx, at, entry)).collect::<Result<Vec<_>, Fault>>()?
            }
            (Some(_), _) => return Err(ctx.invalid("Give `edits` or `diff`, not both.")),
            (None, _) => return Err(ctx.invalid(format!("`edits` must have 1 to {MAX_EDITS} entries."))),
        };
        let from_diff = input.diff.is_some();
        let argument =
            |at: usize| if from_diff { "diff".to_owned() } else { format!("edits[{at}].file_path") };
        let request = Request {
            changes,
            argument: &argument,
            verify: match input.verify {
                Verify::None => editing::Verify::None,
                Verify::Syntax => editing::Verify::Syntax,
                Verify::Graph => editing::Verify::Graph,
                Verify::Command => editing::Verify::Command,
            },
            allow_syntax_errors: input.allow_syntax_errors,
            dry_run: input.dry_run,
        };
        Ok(Edited::of(editing::apply(ctx, request)?).answer())
    }
}

fn change(ctx: &Ctx<'_>, at: usize, entry: FileEdit) -> Result<m1nd_edit::Change, Fault> {
    let wanted = Wanted {
        argument: format!("edits[{at}]"),
        path: &entry.file_path,
        content: entry.new_content,
        edits: edits(entry.edits),
        expected: entry.expected_sha256,
        delete: entry.delete,
        create: entry.create,
        rename_to: entry.rename_to.as_deref(),
    };
    editing::change(ctx, wanted)
}
