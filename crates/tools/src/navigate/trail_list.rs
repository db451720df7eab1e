//! `trail_list`: the trails that were saved.

use std::cmp::Reverse;

use m1nd_contract::arg::Int;
use m1nd_contract::budget::{cut_text, drop_tail};
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
    /// The next_cursor of the page before
    cursor: Option<String>,
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
    /// Pass it as `cursor` for those that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    truncated: bool,
}

impl Output {
    /// Says where the list goes on.
    fn mark(&mut self) {
        let last = self.trails.last().filter(|_| self.truncated);
        self.next_cursor = last.map(|last| format!("{}-{}", last.saved_ms, last.trail_id));
    }
}

/// What is left of a row where there is little room, in bytes and tags.
const SHORT_LABEL: usize = 80;
const SHORT_TAG: usize = 40;
const SHORT_TAGS: usize = 3;

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
        let mut fitting: Vec<Trail> = all.into_iter().map(|(trail, _)| trail).filter(fits).collect();
        let total = fitting.len() as u64;
        fitting.sort_by(|a, b| b.saved_ms.cmp(&a.saved_ms).then_with(|| a.id.cmp(&b.id)));
        if let Some(cursor) = &input.cursor {
            let place = cursor.split_once('-').and_then(|(ms, id)| Some((ms.parse::<i64>().ok()?, id)));
            let (ms, id) =
                place.ok_or_else(|| ctx.invalid("`cursor` must be a `next_cursor` of this tool."))?;
            // By its place and not by its number: trails may have come since.
            fitting.retain(|trail| (Reverse(trail.saved_ms), trail.id.as_str()) > (Reverse(ms), id));
        }
        let left = fitting.len();
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
            None if input.cursor.is_some() => Guidance::hint("There are no trails after these."),
            None => Guidance::hint("No such trail was saved; trail_save keeps one."),
        };
        let truncated = left > trails.len();
        let mut output = Output { trails, total, next_cursor: None, truncated };
        output.mark();
        Ok(Answer::of(output).candidates(total).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        // Which trails there are is worth more than all their words.
        let mut is_shorter = false;
        for row in self.trails.iter_mut() {
            is_shorter |= row.tags.len() > SHORT_TAGS || row.label.len() > SHORT_LABEL;
            row.tags.truncate(SHORT_TAGS);
            for (text, most) in
                row.tags.iter_mut().map(|tag| (tag, SHORT_TAG)).chain([(&mut row.label, SHORT_LABEL)])
            {
                is_shorter |= cut_text(text, most) > 0;
            }
        }
        // One stays: a page without any would lose it, because the cursor goes on.
        if !is_shorter && self.trails.len() > 1 {
            let mut rest = self.trails.split_off(1);
            is_shorter = drop_tail(&mut rest, excess) > 0;
            self.trails.append(&mut rest);
            self.mark();
        }
        is_shorter
    }
}
