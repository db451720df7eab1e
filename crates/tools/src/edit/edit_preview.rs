//! `edit_preview`: what an edit of one file would do, without doing it.

use m1nd_contract::budget::{cut_text, drop_tail};
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_runtime::flows::editing::preview::{self, Previewed};
use m1nd_runtime::flows::editing::{CallerShown, SymbolShown, SyntaxShown, Wanted, change};
use m1nd_runtime::{Answer, Ctx, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edited::{Replacement, edits};

pub struct EditPreview;

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
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// For edit_commit, for 5 minutes.
    preview_id: String,
    file_path: String,
    /// Of the file as it is; missing for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    /// Of what it would hold.
    new_sha256: String,
    /// Unified.
    diff: String,
    /// Errors that the edit brings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    syntax_errors: Vec<SyntaxShown>,
    syntax_checked: bool,
    /// Why it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    syntax_unchecked: Option<&'static str>,
    /// Definitions that would differ.
    symbols: Vec<SymbolShown>,
    /// Callers, on lines that stay, of what is removed or has another signature.
    callers: Vec<CallerShown>,
    truncated: bool,
}

impl Tool for EditPreview {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "edit_preview",
        summary: "Show what an edit of one file would do, writing nothing: diff, syntax errors it brings, symbols changed, callers that break. edit_commit makes it.",
        help: "Line endings, byte order mark and final newline stay as the file has them; newlines in `old` match either ending.",
        intents: &["preview edit", "dry run", "diff before writing", "would this break"],
        budget: Some(12_000),
        lean: true,
        family: Family::Plan,
        examples: &[Example {
            says: "One replacement",
            arguments: r#"{"file_path": "src/main.rs", "edits": [{"old": "Hello", "new": "Good day"}]}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let wanted = Wanted {
            path: &input.file_path,
            content: input.new_content,
            edits: edits(input.edits),
            create: input.create,
            ..Wanted::default()
        };
        let Previewed { id, path, before, after, diff, syntax, unchecked, symbols, callers, unknown } =
            preview::show(ctx, change(ctx, wanted)?)?;
        let (proof, guidance) = match (syntax.first(), callers.first()) {
            (Some(_), _) => {
                (ProofState::Blocked, Guidance::hint("The edit would not parse: mend it and preview again."))
            }
            (None, Some(caller)) => {
                let hint = "This caller may break: look at it, and edit both with apply_batch.";
                (ProofState::Proving, Guidance::next("view", caller.at.clone(), hint))
            }
            (None, None) if unknown.is_some() => {
                (ProofState::Proving, Guidance::hint(unknown.unwrap_or_default()))
            }
            (None, None) => {
                let hint = "edit_commit with this preview_id and confirm: true writes it.";
                (ProofState::ReadyToEdit, Guidance::next("edit_commit", id.clone(), hint))
            }
        };
        let output = Output {
            preview_id: id,
            file_path: path,
            sha256: before,
            new_sha256: after,
            diff,
            syntax_errors: syntax,
            syntax_checked: unchecked.is_none(),
            syntax_unchecked: unchecked,
            symbols,
            callers,
            truncated: false,
        };
        Ok(Answer::of(output).candidates(1).proof(proof).next(guidance))
    }
}

/// A diff of this many bytes gives way last.
const SHORT: usize = 400;

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        self.callers.len() > 3 && drop_tail(&mut self.callers, excess) > 0
            || self.diff.len() > SHORT && cut(&mut self.diff, excess)
            || drop_tail(&mut self.symbols, excess) > 0
            || drop_tail(&mut self.callers, excess) > 0
            || drop_tail(&mut self.syntax_errors, excess) > 0
            || cut(&mut self.diff, excess + SHORT)
    }
}

fn cut(diff: &mut String, excess: usize) -> bool {
    let keep = diff.len().saturating_sub(excess);
    cut_text(diff, keep) > 0
}
