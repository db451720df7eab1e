//! `type_trace`: where values of a type come from and go to.

use std::collections::BTreeMap;

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_risk::types;
use m1nd_runtime::faults::from_graph;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub struct TypeTrace;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Class, struct, enum, trait, interface or alias
    node_id: String,
    /// Calls to follow from what returns it (1-5)
    #[schemars(extend("default" = 2))]
    max_hops: Option<Int>,
    /// 1-500
    #[schemars(extend("default" = 60))]
    limit: Option<Int>,
}

/// A place that has to do with the type.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    node_id: String,
    /// makes, returns, takes, holds, extends, receives or uses
    role: &'static str,
    hop_distance: u32,
    at: String,
    /// Set where the relation is a guess by name.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    inferred: bool,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    node_id: String,
    /// Where it is defined.
    at: String,
    /// The nearest first; one row for each node, by its first role in the order of roles.
    trace: Vec<Row>,
    /// How many nodes have each role.
    roles: BTreeMap<&'static str, u64>,
    total: u64,
    truncated: bool,
}

impl Tool for TypeTrace {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "type_trace",
        summary: "Where a type flows: who makes it, returns it, takes it as a parameter, holds it in a field, extends it, and who receives it through calls.",
        help: "From references and calls of the graph; a signature's words tell parameters from results. Without annotations (Python, JavaScript) only constructors, subclasses and names in bodies are seen.",
        intents: &[
            "where is this type used",
            "who constructs",
            "functions that return type",
            "follow a type",
        ],
        needs: Needs::Graph,
        budget: Some(5_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "By name", arguments: r#"{"node_id": "greet"}"# }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let max_hops = ctx.in_range("max_hops", input.max_hops, 1..=5)?.unwrap_or(2);
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(60);
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let node = from_graph::find_code(ctx.workspace()?.root(), graph, "node_id", &input.node_id)?;
        let asked = graph.node(node);
        let is_type = asked.kind().is_type();
        let stops = if is_type {
            types::trace(graph, node, u32::try_from(max_hops).unwrap_or(2))
        } else {
            Vec::new()
        };
        let mut roles: BTreeMap<&'static str, u64> = BTreeMap::new();
        for stop in &stops {
            *roles.entry(stop.role.name()).or_default() += 1;
        }
        let total = stops.len() as u64;
        let rows = stops.iter().take(usize::try_from(limit).unwrap_or(60)).map(|stop| {
            let there = graph.node(stop.node);
            Row {
                node_id: there.id().to_owned(),
                role: stop.role.name(),
                hop_distance: stop.hops,
                at: format!("{}:{}", there.path(), stop.line),
                inferred: stop.is_guess,
            }
        });
        let trace: Vec<Row> = rows.collect();
        let (proof, guidance) = match trace.first() {
            Some(first) => {
                (ProofState::Proving, Guidance::next("view", first.at.clone(), "Read the first place."))
            }
            None if !is_type => {
                let hint = "That is no type. Ask callers who uses it, or name a class, struct, enum, trait, interface or alias.";
                (ProofState::Blocked, Guidance::next("callers", asked.id().to_owned(), hint))
            }
            None => {
                let hint = "Nothing is known to use it. Search for its name to be sure.";
                (ProofState::Blocked, Guidance::next("search", asked.label().to_owned(), hint))
            }
        };
        let guidance = guidance.with_rest(trace.len(), total, "a higher one (to 500) shows more");
        let output = Output {
            node_id: asked.id().to_owned(),
            at: format!("{}:{}", asked.path(), asked.lines().0),
            truncated: total > trace.len() as u64,
            trace,
            roles,
            total,
        };
        Ok(Answer::of(output).candidates(total).proof(proof).next(guidance))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.trace, excess) > 0
    }
}
