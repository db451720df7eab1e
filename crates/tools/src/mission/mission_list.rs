//! `mission_list`: missions of this workspace.

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_mission::{Mode, Status, short};
use m1nd_runtime::faults::from_memory;
use m1nd_runtime::flows::missions;
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::READ;
use crate::saved;

pub struct MissionList;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// 1-200
    #[schemars(extend("default" = 20))]
    limit: Option<Int>,
    /// Only open, or only closed ones
    status: Option<Status>,
    /// The next_cursor of the page before
    cursor: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    /// Those that changed last, first.
    missions: Vec<Line>,
    /// Missions that are kept and cannot be read; `m1nd verify ID` says why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<String>,
    /// Where missions went that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    warning: Option<String>,
    /// Pass it as `cursor` for those that follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<u64>,
    truncated: bool,
    #[serde(skip)]
    first: u64,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Line {
    mission_id: String,
    goal: String,
    mode: Mode,
    status: Status,
    updated_ms: i64,
    events: u64,
}

/// Enough to know which goal it was, in bytes.
const SHORT_GOAL: usize = 60;
/// A workspace has hardly ever more missions than these.
const LOOKED_AT: usize = 2_000;

impl Tool for MissionList {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_list",
        summary: "Missions of this workspace, the newest first.",
        help: "mission_resume goes on from any of them.",
        intents: &["list missions", "open missions", "what was investigated"],
        budget: Some(6_000),
        examples: &[Example { says: "All", arguments: "{}" }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let limit = ctx.clamp("limit", input.limit, 20, 1..=200);
        let first = ctx.in_range("cursor", input.cursor, 0..=i64::MAX)?.unwrap_or(0);
        let ledger = missions::ledger(ctx)?;
        let found = ledger.list(LOOKED_AT).map_err(|err| from_memory::store(&err))?;
        let damaged = ledger.unreadable().map_err(|err| from_memory::store(&err))?;
        let wanted = found.into_iter().filter(|one| input.status.is_none_or(|status| status == one.status));
        let mut missions: Vec<Line> = wanted
            .map(|one| Line {
                mission_id: one.mission_id.to_string(),
                goal: one.goal,
                mode: one.mode,
                status: one.status,
                updated_ms: one.updated_ms,
                events: one.events,
            })
            .collect();
        let total = missions.len() as u64;
        missions.drain(..usize::try_from(first).unwrap_or(usize::MAX).min(missions.len()));
        let truncated = missions.len() > limit;
        missions.truncate(limit);
        let next_cursor = truncated.then_some(first + missions.len() as u64);
        let next = match missions.first() {
            Some(first) if first.status == Status::Open => {
                Guidance::next("mission_next", first.mission_id.clone(), "Go on with the newest.")
            }
            Some(first) => Guidance::next("mission_show", first.mission_id.clone(), "See how it ended."),
            None => Guidance::hint("There is none; mission_start begins one."),
        };
        let warning = saved::set_aside(&ctx.workspace()?.memories_set_aside());
        let output = Output { missions, damaged, warning, next_cursor, truncated, first };
        Ok(Answer::of(output).candidates(total).next(next))
    }
}

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        // Which missions there are is worth more than all words of their goals.
        let long = self.missions.iter_mut().filter(|line| line.goal.len() > SHORT_GOAL);
        if long.map(|line| short::text(&mut line.goal, SHORT_GOAL)).count() > 0 {
            return true;
        }
        // One stays: a page without any would lose it, because the cursor goes on.
        if self.missions.len() > 1 {
            let mut rest = self.missions.split_off(1);
            drop_tail(&mut rest, excess);
            self.missions.extend(rest);
            self.next_cursor = Some(self.first + self.missions.len() as u64);
            return true;
        }
        self.damaged.pop().is_some()
            || self.warning.as_mut().is_some_and(|warning| short::text(warning, SHORT_GOAL))
    }
}
