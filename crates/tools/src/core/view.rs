//! `view`: numbered lines of one file, with its hash.

use m1nd_contract::arg::Int;
use m1nd_contract::{Code, Fault, Recovery, Trim};
use m1nd_runtime::flows::numbered::Numbered;
use m1nd_runtime::flows::slice::{self, Wanted};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub struct View;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File to show; path:12 and path:12-40 name lines too
    file_path: Option<String>,
    /// First line, 1-based
    offset: Option<Int>,
    /// Lines to show
    limit: Option<Int>,
    /// Show this graph node instead of a path
    node_id: Option<String>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    #[serde(flatten)]
    file: Numbered,
}

impl Tool for View {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "view",
        summary: "Numbered lines of a file, with the sha256 that edits are checked against.",
        help: "Each line is its number, a tab, and its text. When lines follow, next_offset says where to go on.",
        intents: &["read file", "show code", "open lines", "content"],
        budget: Some(40_000),
        fresh: true,
        examples: &[
            Example {
                says: "Ten lines from line 1",
                arguments: r#"{"file_path": "src/main.rs", "offset": 1, "limit": 10}"#,
            },
            Example { says: "The same in one string", arguments: r#"{"file_path": "src/main.rs:1-10"}"# },
        ],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let path = match (input.file_path, input.node_id) {
            (Some(path), None) => path,
            (None, Some(node)) => return Err(no_graph(&node)),
            (None, None) => return Err(ctx.invalid("`file_path` is missing.")),
            (Some(_), Some(_)) => return Err(ctx.invalid("Give `file_path` or `node_id`, not both.")),
        };
        let wanted = Wanted {
            path,
            offset: ctx.in_range("offset", input.offset, 1..=i64::MAX)?,
            limit: ctx.in_range("limit", input.limit, 1..=i64::MAX)?,
        };
        let slice = slice::read(ctx.workspace()?.root(), ctx.tool(), "file_path", &wanted)?;
        Ok(Answer::of(Output { file: Numbered::from(slice) }).candidates(1))
    }
}

fn no_graph(node: &str) -> Fault {
    let name = node.rsplit("::").next().unwrap_or(node);
    Fault::new(
        Code::EmptyGraph,
        "Nothing is ingested, so there are no nodes to show.",
        Recovery::call(
            "Find the place by its text, then view it by path.",
            "search",
            json!({ "query": &name[..name.floor_char_boundary(100)] }),
        ),
    )
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.file.shorten(excess)
    }
}
