//! `antibody_scan`: where the code looks like a bug that was confirmed before.

use std::collections::BTreeMap;

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, ProofState, Trim};
use m1nd_graph::Graph;
use m1nd_runtime::flows::immunity::{self, Hit};
use m1nd_runtime::flows::survey::is_within;
use m1nd_runtime::{Answer, Ctx, Example, Family, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::antibody_list::NONE;

pub struct AntibodyScan;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Folder or file to keep to
    scope: Option<String>,
    /// Only these; all by default
    #[serde(default)]
    antibody_ids: Vec<String>,
    /// Places shown, 1-500
    #[schemars(extend("default" = 50))]
    limit: Option<Int>,
}

/// A place that looks like the bug.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Place {
    antibody_id: String,
    node_id: String,
    line: u32,
}

/// What was looked for.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Looked {
    antibody_id: String,
    name: String,
    severity: &'static str,
    pattern: String,
    matches: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// By severity, then the most specific first.
    matches: Vec<Place>,
    total: u64,
    /// The antibodies that fit something.
    antibodies: Vec<Looked>,
    /// How many were looked for.
    scanned: u64,
    /// Those that were not looked for everywhere because their steps ran out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    no_data: Option<&'static str>,
    truncated: bool,
}

impl Tool for AntibodyScan {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "antibody_scan",
        summary: "Places that look like a bug confirmed before: every node that a kept pattern fits.",
        help: "Steps (relations and sources looked at) are counted, 2,000,000 for one pattern and 20,000,000 for all, so that the same graph gives the same answer on any machine; \
            a pattern whose steps ran out is named in cut. Test code is searched only by patterns made from test code.",
        intents: &["scan for known bugs", "find similar bugs", "bug pattern matches"],
        needs: Needs::Graph,
        budget: Some(6_000),
        fresh: true,
        lean: true,
        family: Family::Relate,
        examples: &[Example { says: "The whole workspace", arguments: "{}" }],
        ..Spec::READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=500)?.unwrap_or(50);
        let scope = ctx.scope(input.scope.as_deref())?;
        let mut antibodies = immunity::all(ctx)?;
        let no_data = antibodies.is_empty().then_some(NONE);
        if let Some(id) = input.antibody_ids.iter().find(|id| !antibodies.iter().any(|one| one.id == **id)) {
            return Err(ctx.invalid(format!("There is no antibody {id:?}. See antibody_list.")));
        }
        antibodies.retain(|one| input.antibody_ids.is_empty() || input.antibody_ids.contains(&one.id));
        let at = ctx.graph_view()?;
        let graph = &at.graph;
        let mut found = immunity::scan(ctx, graph, &antibodies)?;
        found.hits.retain(|hit| is_within(graph.node(hit.node).path(), &scope));
        let total = found.hits.len() as u64;
        let looked = looked(&found.hits);
        let limit = usize::try_from(limit).unwrap_or(50);
        let matches: Vec<Place> = found.hits.iter().take(limit).map(|hit| place(graph, hit)).collect();
        let guidance = match matches.first() {
            Some(_) => {
                let node = graph.node(found.hits[0].node);
                let (first, last) = node.lines();
                let lines = format!("{}:{first}-{last}", node.path());
                Guidance::next("view", lines, "Read it: a pattern is a hint, not a proof.")
            }
            None if no_data.is_some() => Guidance::hint("Keep the pattern of a confirmed bug first."),
            None => Guidance::hint("Nothing here looks like a bug that is known."),
        };
        let guidance =
            guidance.with_rest(matches.len(), total, "a higher one (to 500) shows more, `scope` a part");
        let output = Output {
            truncated: total > matches.len() as u64,
            matches,
            total,
            antibodies: looked,
            scanned: antibodies.len() as u64,
            cut: found.cut.into_iter().map(str::to_owned).collect(),
            no_data,
        };
        Ok(Answer::of(output).candidates(total).proof(ProofState::Triaging).next(guidance))
    }
}

fn place(graph: &Graph, hit: &Hit<'_>) -> Place {
    let node = graph.node(hit.node);
    Place { antibody_id: hit.antibody.id.clone(), node_id: node.id().to_owned(), line: node.lines().0 }
}

/// Each antibody once, in the order of the places.
fn looked(hits: &[Hit<'_>]) -> Vec<Looked> {
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut all: Vec<Looked> = Vec::new();
    for hit in hits {
        let one = hit.antibody;
        let place = *at.entry(&one.id).or_insert_with(|| {
            let (antibody_id, name) = (one.id.clone(), one.name.clone());
            let (severity, pattern) = (one.severity.name(), one.pattern.to_string());
            all.push(Looked { antibody_id, name, severity, pattern, matches: 0 });
            all.len() - 1
        });
        all[place].matches += 1;
    }
    all
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.matches, excess) > 0
            || drop_tail(&mut self.antibodies, excess) > 0
            || drop_tail(&mut self.cut, excess) > 0
    }
}
