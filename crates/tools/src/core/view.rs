//! `view`: numbered lines of one file, with its hash.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::numbered::Numbered;
use m1nd_runtime::flows::places;
use m1nd_runtime::flows::slice::{self, Wanted};
use m1nd_runtime::{Answer, Ctx, Example, Family, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct View;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File to show; path:12-40 names lines, path:12 what is around one
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
    /// Definitions around the line that was named, or the first shown, outermost first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    enclosing: Vec<String>,
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
        family: Family::Read,
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
        let offset = ctx.in_range("offset", input.offset, 1..=i64::MAX)?;
        let limit = ctx.in_range("limit", input.limit, 1..=i64::MAX)?;
        let wanted = match (input.file_path, input.node_id) {
            (Some(path), None) => Wanted { path, offset, limit },
            (None, Some(node)) => lines_of(ctx, &node, offset, limit)?,
            (None, None) => return Err(ctx.invalid("`file_path` is missing.")),
            (Some(_), Some(_)) => return Err(ctx.invalid("Give `file_path` or `node_id`, not both.")),
        };
        let root = ctx.workspace()?.root();
        let mut slice = slice::read(root, ctx.tool(), "file_path", &wanted)?;
        let graph = ctx.graph_of(std::iter::once(&slice.path))?;
        let (path, line) = (slice.path.as_str().to_owned(), slice.first_line);
        let enclosing = match &graph {
            Some(graph) if line > 1 => places::enclosing(graph, &path, line),
            _ => Vec::new(),
        };
        let mut guidance = Guidance::default();
        if slice.around_a_line {
            let (first, count) = places::lines_around(graph.as_deref(), &path, line);
            let wanted = Wanted { path: path.clone(), offset: Some(first), limit: Some(count) };
            slice = slice::read(root, ctx.tool(), "file_path", &wanted)?;
            // Whoever comes to one line is on the way to an edit.
            if graph.is_some_and(|graph| places::is_program(&graph, &path, line)) {
                guidance.next_suggested_tool = Some("surgical_context_v2");
                guidance.next_suggested_target = Some(format!("{path}:{line}"));
            }
        }
        Ok(Answer::of(Output { file: Numbered::from(slice), enclosing }).candidates(1).next(guidance))
    }
}

/// The lines of a node, or the part of its file that was asked for.
fn lines_of(ctx: &Ctx<'_>, name: &str, offset: Option<u64>, limit: Option<u64>) -> Result<Wanted, Fault> {
    let at = ctx.graph_view()?;
    let node = at.graph.node(from_graph::find(ctx.workspace()?.root(), &at.graph, "node_id", name)?);
    let (first, last) = node.lines();
    if first == 0 {
        return Err(ctx.invalid(format!("`node_id`: {} has no lines of its own.", node.id())));
    }
    Ok(Wanted {
        path: node.path().to_owned(),
        offset: offset.or(Some(u64::from(first))),
        limit: limit.or(Some(u64::from(last - first) + 1)),
    })
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.file.shorten(excess) > 0
    }
}
