//! `trail_list`: the trails that were saved.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_navigate::{Standing, Trail};
use m1nd_runtime::flows::navigate::trails;
use m1nd_runtime::{Answer, Ctx, Example, Needs, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;

pub struct TrailList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only with all of these
    tags: Option<Vec<String>>,
    /// Only those of this agent
    of_agent: Option<String>,
    /// 1-200
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Row {
    trail_id: String,
    label: String,
    agent: String,
    nodes: usize,
    /// Hypotheses that are open.
    open_hypotheses: usize,
    open_questions: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    saved_ms: i64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Newest first.
    trails: Vec<Row>,
    total: u64,
    truncated: bool,
}

impl Tool for TrailList {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "trail_list",
        summary: "Trails that were saved in this workspace, newest first.",
        intents: &["saved trails", "list investigations", "what did others look at"],
        needs: Needs::Nothing,
        fresh: false,
        budget: Some(4_000),
        examples: &[Example { says: "All", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.in_range("limit", input.limit, 1..=200)?.unwrap_or(20);
        let tags = input.tags.unwrap_or_default();
        let all: Vec<(Trail, i64)> = trails::shelf(ctx)?.all()?;
        let fits = |trail: &Trail| {
            tags.iter().all(|tag| trail.tags.contains(tag))
                && input.of_agent.as_ref().is_none_or(|agent| trail.agent == *agent)
        };
        let fitting: Vec<Trail> = all.into_iter().map(|(trail, _)| trail).filter(fits).collect();
        let total = fitting.len() as u64;
        let row = |trail: Trail| Row {
            nodes: trail.visited.len(),
            open_hypotheses: trail.hypotheses.iter().filter(|one| one.standing == Standing::Open).count(),
            open_questions: trail.open_questions.len(),
            trail_id: trail.id,
            label: trail.label,
            agent: trail.agent,
            tags: trail.tags,
            saved_ms: trail.saved_ms,
        };
        let trails: Vec<Row> =
            fitting.into_iter().take(usize::try_from(limit).unwrap_or(20)).map(row).collect();
        let next = match trails.first() {
            Some(first) => Guidance::next("trail_resume", first.trail_id.clone(), "Take up the newest."),
            None => Guidance::hint("No such trail was saved; trail_save keeps one."),
        };
        let truncated = total > trails.len() as u64;
        Ok(Answer::of(Output { trails, total, truncated }).candidates(total).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.trails, excess) > 0
    }
}
