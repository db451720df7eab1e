//! `lock_create`: take a region of the code down as it is.

use m1nd_contract::arg::Int;
use m1nd_contract::{Fault, Guidance, fixed_size};
use m1nd_runtime::flows::navigate::locks::{self, Wish};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct LockCreate;

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    Node,
    Subgraph,
    QueryNeighborhood,
    Path,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// node; subgraph: nodes and what is around; query_neighborhood; path: a file or folder, or a chain between nodes
    region: Scope,
    /// Ids, paths or names
    nodes: Option<Vec<String>>,
    /// For query_neighborhood
    query: Option<String>,
    /// For subgraph (1-4)
    #[schemars(extend("default" = 1))]
    radius: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    lock_id: String,
    /// What was locked.
    region: String,
    nodes: usize,
    edges: usize,
    generation: u64,
}

impl Tool for LockCreate {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "lock_create",
        summary: "Take a region of the code down as it is now, to be told later what changed in it: nodes, their text, relations. Nobody is kept from editing.",
        help: "At most 5000 nodes, 10000 relations, and 10 locks an agent; a lock that is not touched for 30 days is given up. Relations count where they start or end in the region.",
        intents: &["watch a region", "baseline", "lock", "did somebody change this"],
        examples: &[Example {
            says: "A function and what is around it",
            arguments: r#"{"region": "subgraph", "nodes": ["greet"], "radius": 1}"#,
        }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let radius = ctx.in_range("radius", input.radius, 1..=4)?.unwrap_or(1);
        if input.radius.is_some() && !matches!(input.region, Scope::Subgraph) {
            return Err(ctx.invalid("`radius` goes with `region` subgraph only; leave it out."));
        }
        if input.query.is_some() && !matches!(input.region, Scope::QueryNeighborhood) {
            return Err(ctx.invalid("`query` goes with `region` query_neighborhood only; leave it out."));
        }
        let nodes = input.nodes.unwrap_or_default();
        let wish = match (input.region, nodes.as_slice(), input.query.as_deref()) {
            (Scope::Node, [one], _) => Wish::Node(one),
            (Scope::Subgraph, [_, ..], _) => Wish::Subgraph(&nodes, usize::try_from(radius).unwrap_or(1)),
            (Scope::QueryNeighborhood, _, Some(query)) => Wish::QueryNeighborhood(query),
            (Scope::Path, [_, ..], _) => Wish::Path(&nodes),
            (Scope::Node, ..) => return Err(ctx.invalid("`region` node needs one name in `nodes`.")),
            (Scope::QueryNeighborhood, ..) => {
                return Err(ctx.invalid("`region` query_neighborhood needs a `query`."));
            }
            (Scope::Subgraph | Scope::Path, ..) => {
                return Err(ctx.invalid("This `region` needs names in `nodes`."));
            }
        };
        let at = ctx.graph_view()?;
        let lock = locks::create(ctx, &at, &wish)?;
        let output = Output {
            region: lock.region,
            nodes: lock.baseline.nodes.len(),
            edges: lock.baseline.edge_count(),
            generation: lock.baseline.generation,
            lock_id: lock.id.clone(),
        };
        let next = Guidance::next("lock_diff", lock.id, "Ask later what changed.");
        Ok(Answer::of(output).next(next))
    }
}

fixed_size!(Output);
