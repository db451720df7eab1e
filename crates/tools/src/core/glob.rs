//! `glob`: files by path pattern.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::flows::file_list::{self, Order};
use m1nd_runtime::{Answer, Ctx, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Glob;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    #[default]
    Path,
    Recent,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Path pattern: *.rs at any depth, src/**/*.ts, tests/, !*.md
    pattern: String,
    /// Folder to look in
    scope: Option<String>,
    /// Max files (1-5000)
    #[schemars(extend("default" = 200))]
    limit: Option<Int>,
    /// Order: by path, or last changed first
    #[serde(default)]
    #[schemars(extend("default" = "path"))]
    sort: Sort,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Workspace-relative paths.
    files: Vec<String>,
    /// Files that match, also beyond the limit.
    total: u64,
    /// True when files are missing from the answer.
    truncated: bool,
}

const DEFAULT_LIMIT: u64 = 200;

impl Tool for Glob {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "glob",
        summary: "Files by path pattern. Honours .gitignore; a pattern without a slash matches names at any depth.",
        help: "A leading / anchors at the workspace root, a trailing / means everything below a folder, a leading ! turns the pattern around.",
        intents: &["find file by name", "list files", "folder content", "path pattern"],
        budget: Some(32_000),
        fresh: true,
        family: Family::Orient,
        examples: &[
            Example { says: "All Rust files", arguments: r#"{"pattern": "*.rs"}"# },
            Example {
                says: "What changed last below src",
                arguments: r#"{"pattern": "*", "scope": "src", "sort": "recent", "limit": 10}"#,
            },
        ],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=5_000)?.unwrap_or(DEFAULT_LIMIT);
        let order = match input.sort {
            Sort::Path => Order::Path,
            Sort::Recent => Order::NewestFirst,
        };
        let mut files = file_list::run(ctx, &input.pattern, input.scope.as_deref(), order)?;
        let total = files.len() as u64;
        files.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        // A name that is not UTF-8 is shown, but cannot be asked for.
        let guidance = match files.iter().find(|path| !path.contains('\u{FFFD}')) {
            Some(first) => Guidance {
                next_suggested_tool: Some("view"),
                next_suggested_target: Some(first.clone()),
                next_step_hint: None,
            },
            None if total > 0 => Guidance::default(),
            None => {
                Guidance::hint("No file matches. Names are matched whole: put * around a part of a name.")
            }
        };
        let output = Output { truncated: total > files.len() as u64, files, total };
        Ok(Answer::of(output).candidates(total).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.files, excess) > 0
    }
}
