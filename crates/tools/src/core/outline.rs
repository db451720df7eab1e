//! `outline`: signatures only.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_graph::{Graph, NodeFlags, NodeIx, NodeKind};
use m1nd_runtime::faults::{from_graph, from_vfs};
use m1nd_runtime::flows::{coverage, outline, slice};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use m1nd_vfs::Root;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct Outline;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// File or folder
    file_path: Option<String>,
    /// Or a graph node
    node_id: Option<String>,
    /// Levels to show (1-10)
    #[schemars(extend("default" = 3))]
    depth: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The node that is outlined.
    node_id: String,
    /// One line for each part: first-last signature, indented by level.
    lines: Vec<String>,
    /// Lines in all.
    total: u64,
    /// True when there are levels below the ones shown.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    deeper: bool,
    /// True when lines are missing from the answer.
    truncated: bool,
}

impl Tool for Outline {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "outline",
        summary: "Signatures of a file, folder or node, one line each: the cheapest way to see what is in it.",
        help: "Lines are `first-last signature`; view shows them.",
        intents: &[
            "structure of file",
            "signatures",
            "what is in this file",
            "symbols",
            "overview of folder",
        ],
        needs: Needs::Graph,
        budget: Some(16_000),
        fresh: true,
        family: Family::Orient,
        examples: &[
            Example { says: "A file", arguments: r#"{"file_path": "src/main.rs"}"# },
            Example { says: "A folder, files only", arguments: r#"{"file_path": "src", "depth": 1}"# },
        ],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let depth = ctx.in_range("depth", input.depth, 1..=10)?.unwrap_or(3);
        let mut place = None;
        let (argument, name) = match (input.file_path, input.node_id) {
            (Some(path), None) => {
                let root = ctx.workspace()?.root();
                let path = root.locate(&path).map_err(|err| from_vfs::path(ctx.tool(), "file_path", err))?;
                let name = path.as_str().to_owned();
                place = Some(path);
                ("file_path", name)
            }
            (None, Some(node)) => ("node_id", node),
            _ => return Err(ctx.invalid("Give `file_path` or `node_id`, and not both.")),
        };
        let at = ctx.graph_view()?;
        let root = ctx.workspace()?.root();
        let node = if name.is_empty() {
            NodeIx(0)
        } else {
            from_graph::find(root, &at.graph, argument, &name).map_err(|fault| {
                let gap = place.as_ref().and_then(|path| coverage::gap(root, Some(&at.graph), path));
                match gap {
                    Some(gap) => Fault { message: format!("`{argument}`: {gap}"), ..fault },
                    None => fault,
                }
            })?
        };
        let found = outline::of(&at.graph, node, usize::try_from(depth).unwrap_or(1));
        let total = found.lines.len() as u64;
        let guidance = if found.lines.is_empty() {
            let gap = gap(root, &at.graph, node);
            let why = gap.unwrap_or_else(|| "Nothing is defined inside.".to_owned());
            let is_huge = place.as_ref().is_some_and(|path| {
                root.size_and_time(path).is_ok_and(|(size, _)| size > slice::MAX_FILE_BYTES)
            });
            Guidance::hint(format!("{why} Use {}.", if is_huge { "search" } else { "view or search" }))
        } else {
            damage(root, &at.graph, node).map_or_else(Guidance::default, Guidance::hint)
        };
        let output = Output {
            node_id: at.graph.node(node).id().to_owned(),
            lines: found.lines,
            total,
            deeper: found.deeper,
            truncated: false,
        };
        Ok(Answer::of(output).candidates(total).next(guidance))
    }
}

/// What is missing from a file that is known in part.
fn damage(root: &Root, graph: &Graph, node: NodeIx) -> Option<String> {
    let file = graph.node_by_path(graph.node(node).path())?;
    graph.node(file).flags().has(NodeFlags::PARTIAL).then(|| gap(root, graph, node)).flatten()
}

fn gap(root: &Root, graph: &Graph, node: NodeIx) -> Option<String> {
    let node = graph.node(node);
    if matches!(node.kind(), NodeKind::Directory | NodeKind::Repository) {
        return None;
    }
    coverage::gap(root, Some(graph), &root.relative(node.path()).ok()?)
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.lines, excess) > 0
    }
}
