//! `batch_view`: several files or line ranges under one budget.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{cut_text, json_len};
use m1nd_contract::{Fault, Trim};
use m1nd_runtime::flows::context_guard;
use m1nd_runtime::flows::numbered::Numbered;
use m1nd_runtime::flows::slice::{self, Wanted};
use m1nd_runtime::{Answer, Ctx, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub struct BatchView;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Up to 50 paths; path:12-40 names lines
    #[schemars(with = "Vec<String>")]
    files: Vec<File>,
}

/// A path, or an object such as `view` takes.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected a path, or an object with file_path, offset and limit")]
enum File {
    Path(String),
    Lines(Lines),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    file_path: String,
    offset: Option<Int>,
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The files in the order asked for; each with its lines or its error.
    files: Vec<Shown>,
    /// Files that could not be shown.
    failed: u64,
    /// Files at the end of the list for which there was no room.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

/// One of them.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Shown {
    #[serde(flatten)]
    file: Option<Numbered>,
    /// The path as it was asked for, when it could not be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested: Option<String>,
    /// Why the file could not be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Refused>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Refused {
    code: &'static str,
    message: String,
    /// Where a path leads elsewhere: its repository, and the ways there.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_guard: Option<Map<String, Value>>,
}

const MAX_FILES: usize = 50;

/// A path that does not exist is echoed no longer than this.
const MAX_ECHO: usize = 60;

impl Tool for BatchView {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "batch_view",
        summary: "Several files or line ranges at once, under one budget. A file that cannot be shown does not fail the others.",
        help: "When the budget is tight, the longest files are shortened first, and next_offset says where each goes on.",
        intents: &["read files", "several files", "show many"],
        budget: Some(60_000),
        fresh: true,
        family: Family::Read,
        examples: &[Example {
            says: "Two places at once",
            arguments: r#"{"files": ["src/main.rs:1-5", "src/main.rs"]}"#,
        }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        if input.files.is_empty() || input.files.len() > MAX_FILES {
            return Err(ctx.invalid(format!("`files` must name 1 to {MAX_FILES} files.")));
        }
        let root = ctx.workspace()?.root();
        let mut files = Vec::new();
        for file in input.files {
            let wanted = wanted(ctx, file)?;
            files.push(match slice::read(root, ctx.tool(), "files", &wanted) {
                Ok(slice) => Shown::of(slice.into()),
                Err(fault) => {
                    let guard = context_guard::of_fault(ctx, &fault);
                    Shown::refused(wanted.path, fault, guard)
                }
            });
        }
        let failed = files.iter().filter(|shown| shown.error.is_some()).count() as u64;
        let shown = files.len() as u64 - failed;
        let output = Output { files, failed, left_out: None };
        Ok(Answer::of(output).candidates(shown))
    }
}

fn wanted(ctx: &Ctx<'_>, file: File) -> Result<Wanted, Fault> {
    Ok(match file {
        File::Path(path) => Wanted { path, offset: None, limit: None },
        File::Lines(lines) => Wanted {
            path: lines.file_path,
            offset: ctx.in_range("offset", lines.offset, 1..=i64::MAX)?,
            limit: ctx.in_range("limit", lines.limit, 1..=i64::MAX)?,
        },
    })
}

impl Shown {
    fn of(file: Numbered) -> Self {
        Self { file: Some(file), requested: None, error: None }
    }

    fn refused(mut path: String, fault: Fault, context_guard: Option<Map<String, Value>>) -> Self {
        cut_text(&mut path, MAX_ECHO);
        Self {
            file: None,
            requested: Some(path),
            error: Some(Refused { code: fault.code.as_str(), message: fault.message, context_guard }),
        }
    }
}

impl Trim for Output {
    /// The longest file gives way first, so that short ones stay whole; then the last ones go.
    fn trim(&mut self, excess: usize) -> bool {
        let mut dropped = 0;
        while dropped < excess {
            let now = match self.shorten_longest(excess - dropped) {
                0 => self.leave_out_last(),
                bytes => bytes,
            };
            if now == 0 {
                break;
            }
            dropped += now;
        }
        dropped > 0
    }
}

impl Output {
    fn leave_out_last(&mut self) -> usize {
        if self.files.len() < 2 {
            return 0;
        }
        self.left_out = Some(self.left_out.unwrap_or_default() + 1);
        self.files.pop().map_or(0, |shown| json_len(&shown) + 1)
    }

    fn shorten_longest(&mut self, excess: usize) -> usize {
        let shown = self.files.iter_mut().filter_map(|shown| shown.file.as_mut());
        let mut shown: Vec<&mut Numbered> = shown.collect();
        shown.sort_by_key(|file| std::cmp::Reverse(file.content_len()));
        let second = shown.get(1).map_or(0, |file| file.content_len());
        let Some(longest) = shown.first_mut() else { return 0 };
        let above = longest.content_len().saturating_sub(second);
        longest.shorten(excess.min(above.max(longest.content_len() / 4)).max(1))
    }
}
