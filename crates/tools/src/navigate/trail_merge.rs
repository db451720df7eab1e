//! `trail_merge`: several trails as one.

use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_runtime::flows::navigate::trails;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use m1nd_stdx::round::round3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::WRITE;

pub struct TrailMerge;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Two to ten
    trail_ids: Vec<String>,
    /// What the new one is about
    label: Option<String>,
}

/// Something that more than one says.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Agreement {
    statement: String,
    trails: Vec<String>,
}

/// A hypothesis that they judge differently.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Conflict {
    statement: String,
    supported_by: Vec<String>,
    rejected_by: Vec<String>,
    /// supported, rejected or undecided.
    decision: &'static str,
    margin: f64,
}

/// A node of both, or a relation between nodes of each.
#[derive(Debug, JsonSchema, Serialize)]
pub struct Bridge {
    from: String,
    to: String,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// The new trail.
    trail_id: String,
    label: String,
    nodes: usize,
    agreements: Vec<Agreement>,
    conflicts: Vec<Conflict>,
    /// Where they touch: the first 20.
    bridges: Vec<Bridge>,
    bridges_total: usize,
    open_questions: Vec<String>,
    truncated: bool,
}

const MAX_LABEL: usize = 2_000;
/// Those that an answer can have.
const MAX_BRIDGES: usize = 20;

impl Tool for TrailMerge {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "trail_merge",
        summary: "Make one trail of several: what they agree on, where they contradict each other, where they touch. The old ones stay.",
        help: "Statements with the same words are the same. A conflict is decided by 0.7 confidence + 0.3 recency (half after 30 days); less than 0.1 apart is undecided, and the hypothesis stays open. \
            The new trail has at most 5000 nodes and 1000 of everything else.",
        intents: &["merge trails", "combine investigations", "do they agree"],
        budget: Some(4_000),
        examples: &[Example { says: "Two", arguments: r#"{"trail_ids": ["trail_1", "trail_2"]}"# }],
        ..WRITE
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let mut ids = input.trail_ids;
        ids.sort();
        ids.dedup();
        if !(2..=10).contains(&ids.len()) {
            return Err(ctx.invalid("`trail_ids` must name 2 to 10 different trails."));
        }
        let at = ctx.graph_view()?;
        let label = input.label.map(|label| label.trim().to_owned());
        if label.as_ref().is_some_and(|label| label.is_empty() || label.len() > MAX_LABEL) {
            return Err(ctx.invalid(format!(
                "`label` must have 1 to {MAX_LABEL} bytes; leave it out for those of the trails."
            )));
        }
        let found = trails::join(ctx, &at, &ids, label)?;
        let output = Output {
            trail_id: found.trail.id.clone(),
            label: found.trail.label,
            nodes: found.trail.visited.len(),
            agreements: found
                .agreements
                .into_iter()
                .map(|one| Agreement { statement: one.statement, trails: one.trails })
                .collect(),
            conflicts: found
                .conflicts
                .into_iter()
                .map(|one| Conflict {
                    statement: one.statement,
                    supported_by: one.supported_by,
                    rejected_by: one.rejected_by,
                    decision: one.decision,
                    margin: round3(one.margin),
                })
                .collect(),
            bridges: found.bridges.into_iter().map(|one| Bridge { from: one.from, to: one.to }).collect(),
            truncated: found.bridges_total > MAX_BRIDGES,
            bridges_total: found.bridges_total,
            open_questions: found.trail.open_questions,
        };
        let next = Guidance::next("trail_resume", found.trail.id, "Take up the merged one.");
        Ok(Answer::of(output).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        drop_tail(&mut self.bridges, excess) > 0
            || drop_tail(&mut self.open_questions, excess) > 0
            || drop_tail(&mut self.agreements, excess) > 0
            || drop_tail(&mut self.conflicts, excess) > 0
    }
}
