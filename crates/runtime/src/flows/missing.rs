//! Missing: what the siblings of a question's nodes have and one of them lacks.

use m1nd_contract::Fault;
use m1nd_graph::{Graph, NodeIx};
use m1nd_recall::engines::associate::{Noise, associate};
use m1nd_recall::engines::merge::Dimension;
use m1nd_recall::engines::siblings::{Hole, Lack, holes};
use m1nd_stdx::round::round2;
use schemars::JsonSchema;
use serde::Serialize;

use crate::ctx::{Ctx, GraphView};

/// Siblings that are named with a hole.
const NAMED: usize = 3;

/// What one node lacks.
#[derive(Clone, Debug, JsonSchema, PartialEq, Serialize)]
pub struct MissingPart {
    pub node_id: String,
    pub at: String,
    /// `calls`, `imports`, `references`, `implements`, `inherits`, or `member` for a method by name.
    pub relation: &'static str,
    /// The node, or the name of the member, that it lacks.
    pub lacks: String,
    /// How many of its siblings have it, the node counted among `of`.
    pub have: usize,
    pub of: usize,
    /// How many of `have` are guesses between two of that name; absent where none is.
    #[serde(skip_serializing_if = "is_none")]
    pub guessed: usize,
    /// What makes them siblings.
    pub family: String,
    /// Some that have it.
    pub siblings: Vec<String>,
    /// 0 to 1.
    pub weight: f64,
}

/// Holes around a question, those that say most first, and how many nodes it activated.
pub fn missing(
    ctx: &Ctx<'_>,
    at: &GraphView,
    query: &str,
    least: f32,
) -> Result<(Vec<MissingPart>, usize), Fault> {
    let graph = &at.graph;
    let names = ctx.workspace()?.names(graph);
    let found = associate(graph, &names, query, &Dimension::ALL, Noise::Cancelled);
    let mut active: Vec<(NodeIx, f32)> =
        found.activated.iter().map(|one| (one.node, one.activation)).collect();
    active.sort_unstable_by_key(|&(node, _)| node);
    let holes = holes(graph, &active, least);
    Ok((holes.iter().map(|hole| part(graph, hole)).collect(), active.len()))
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

fn part(graph: &Graph, hole: &Hole) -> MissingPart {
    let id = |ix: NodeIx| graph.node(ix).id().to_owned();
    let node = graph.node(hole.node);
    let (first, last) = node.lines();
    let (relation, lacks) = match &hole.lacks {
        Lack::Relation(kind, target) => (kind.name(), id(*target)),
        Lack::Member(name) => ("member", name.clone()),
    };
    MissingPart {
        node_id: id(hole.node),
        at: if first > 0 { format!("{}:{first}-{last}", node.path()) } else { node.path().to_owned() },
        relation,
        lacks,
        have: hole.have.len(),
        of: hole.of,
        guessed: hole.guessed,
        family: id(hole.family),
        siblings: hole.have.iter().take(NAMED).map(|&ix| id(ix)).collect(),
        weight: round2(hole.weight),
    }
}
