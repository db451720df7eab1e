//! `diagram`: a small picture of what surrounds a node.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_graph::{Graph, NodeIx};
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::flows::diagram::{self, Format};
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub struct Diagram;

#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    Mermaid,
    Dot,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Node id, path, path:line or name; default: the whole repository
    center: Option<String>,
    /// Language of the diagram
    #[serde(default)]
    #[schemars(extend("default" = "mermaid"))]
    format: Language,
    /// Nodes to draw (2-100)
    #[schemars(extend("default" = 20))]
    max_nodes: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The diagram.
    diagram: String,
    /// Nodes drawn.
    nodes: usize,
    /// Edges drawn.
    edges: usize,
    /// Of those, edges known only by name; they are dashed.
    inferred: usize,
    /// Nodes next to these that are not drawn.
    left_out: usize,
    #[serde(skip)]
    #[schemars(skip)]
    again: Again,
}

/// What a smaller drawing needs.
#[derive(Debug)]
pub struct Again {
    graph: Arc<Graph>,
    center: NodeIx,
    format: Format,
}

impl Tool for Diagram {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "diagram",
        summary: "Draw a function or type with its neighbours, or a file or folder as files, as Mermaid or Graphviz text. Inferred edges are dashed.",
        help: "Nearest first, then most used. Edges without a label are calls; between files any dependency.",
        intents: &["draw", "mermaid", "graphviz", "picture of dependencies", "architecture diagram"],
        needs: Needs::Graph,
        budget: Some(8_000),
        fresh: true,
        family: Family::Orient,
        examples: &[
            Example { says: "Around a function", arguments: r#"{"center": "greet"}"# },
            Example {
                says: "A folder, for Graphviz",
                arguments: r#"{"center": "src", "format": "dot", "max_nodes": 10}"#,
            },
        ],
        lean: true,
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let most = ctx.in_range("max_nodes", input.max_nodes, 2..=100)?.unwrap_or(20);
        let at = ctx.graph_view()?;
        let center = match input.center.as_deref() {
            None | Some(".") => NodeIx(0),
            Some(name) => {
                let root = ctx.workspace()?.root();
                from_graph::find(root, &at.graph, "center", name.trim_end_matches('/'))?
            }
        };
        let format = match input.format {
            Language::Mermaid => Format::Mermaid,
            Language::Dot => Format::Dot,
        };
        let again = Again { graph: Arc::clone(&at.graph), center, format };
        let output = Output::draw(again, usize::try_from(most).unwrap_or(20));
        let guidance = match output.nodes {
            0 | 1 => Guidance::hint("Nothing is known to be related to it; callers says what that rests on."),
            _ => Guidance::default(),
        };
        let nodes = output.nodes as u64;
        Ok(Answer::of(output).candidates(nodes).next(guidance))
    }
}

impl Output {
    fn draw(again: Again, most: usize) -> Self {
        let drawn = diagram::around(&again.graph, again.center, most, again.format);
        Self {
            diagram: drawn.text,
            nodes: drawn.nodes,
            edges: drawn.edges,
            inferred: drawn.inferred,
            left_out: drawn.left_out,
            again,
        }
    }
}

impl Trim for Output {
    /// A picture with its end cut off is no picture: it is drawn again with fewer nodes.
    fn trim(&mut self, _: usize) -> bool {
        if self.nodes < 2 {
            return false;
        }
        let again = Again {
            graph: Arc::clone(&self.again.graph),
            center: self.again.center,
            format: self.again.format,
        };
        *self = Self::draw(again, (self.nodes * 3 / 4).max(1));
        true
    }
}
