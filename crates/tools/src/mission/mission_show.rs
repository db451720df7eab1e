//! `mission_show`: a mission as it is, or as it was after one of its events.

use std::collections::BTreeSet;
use std::sync::Arc;

use m1nd_contract::arg::Int;
use m1nd_contract::budget::drop_tail;
use m1nd_contract::{Fault, Guidance, Trim};
use m1nd_mission::{Claim, Counters, DeadPath, Gap, State, Status, TestRun, gaps, short};
use m1nd_runtime::faults::from_memory;
use m1nd_runtime::flows::missions::{self, Sound};
use m1nd_runtime::{Answer, Ctx, Example, Spec, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::READ;

pub struct MissionShow;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The mission
    mission_id: String,
    /// As it was after this event: its id or its place
    at_event: Option<String>,
    /// Events to list, the newest first (0-500)
    #[schemars(extend("default" = 20))]
    events: Option<Int>,
    /// List events before this place
    before: Option<Int>,
}

#[derive(Debug, JsonSchema, Serialize)]
pub struct Output {
    schema: String,
    mission_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_mission_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    repo: Option<String>,
    goal: String,
    mode: &'static str,
    route: &'static str,
    status: Status,
    #[serde(skip_serializing_if = "Value::is_null")]
    context_guard: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    counters: Option<Counters>,
    /// The newest first, as all lists of what happened; also what it knows from the mission before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    claims: Vec<Claim>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dead_paths: Vec<DeadPath>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files_read: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests_run: Vec<TestRun>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    gaps: Vec<Gap>,
    /// What is wrong with its events. Claims are then shown as what is left of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    broken: Vec<String>,
    /// What was stored of the state is damaged; this is what the events say, and they are whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    made_again: Option<String>,
    /// How many events there are by then.
    sequence: u64,
    /// The hash of the newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    head: Option<String>,
    /// Where its proof packet is, once it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    packet_path: Option<String>,
    /// The newest first.
    events: Vec<Value>,
    /// Pass it as `before` to list older ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_before: Option<u64>,
    truncated: bool,
}

impl Tool for MissionShow {
    type Input = Input;
    type Output = Output;
    const SPEC: Spec = Spec {
        name: "mission_show",
        summary: "A mission in full: claims, dead paths, files read, gaps, counters and events; with at_event as it was then.",
        help: "The state is what the events come to, so it can be seen as it was after any of them.",
        intents: &["show a mission", "mission state", "replay", "time travel"],
        budget: Some(8_000),
        examples: &[Example {
            says: "With its newest events",
            arguments: r#"{"mission_id": "msn_7c3e4084f6", "events": 5}"#,
        }],
        ..READ
    };

    fn run(ctx: &Ctx<'_>, input: Input) -> Result<Answer<Output>, Fault> {
        let Sound { state: now, faults: broken, made_again } = missions::sound(ctx, &input.mission_id)?;
        let limit = ctx.clamp("events", input.events, 20, 0..=500);
        let ledger = missions::ledger(ctx)?;
        let read = |after: u64, count: usize| {
            ledger.events(&now.mission_id, after, count).map_err(|err| from_memory::store(&err))
        };
        let upto = match &input.at_event {
            Some(event) => missions::place_of(ctx, &now, event)?,
            None => now.sequence,
        };
        let state = if upto == now.sequence {
            Arc::clone(&now)
        } else {
            let count = usize::try_from(upto).unwrap_or(usize::MAX);
            let then = State::of(&read(0, count)?);
            let then = then.ok_or_else(|| ctx.invalid("The mission has no events."))?;
            Arc::new(if broken.is_empty() { then } else { then.doubted() })
        };
        let before = ctx.in_range("before", input.before, 1..=i64::MAX)?.unwrap_or(upto + 1).min(upto + 1);
        let first = before.saturating_sub(1).saturating_sub(limit as u64);
        let count = usize::try_from(before - 1 - first).unwrap_or(limit);
        let listed = match read(first, count) {
            // Which one cannot be read is said; the others are listed.
            Err(_) if !broken.is_empty() => {
                let one = |place: u64| read(place, 1).ok()?.pop();
                (first..before - 1).filter_map(one).collect()
            }
            listed => listed?,
        };
        let mut events: Vec<Value> = listed.iter().map(|event| json!(event)).collect();
        events.reverse();
        let workspace = ctx.workspace()?;
        let packet =
            (now.status == Status::Closed).then(|| missions::packet_path(workspace, &now.mission_id));
        let next = match state.status {
            Status::Open => Guidance::next("mission_next", input.mission_id, "Ask what comes next."),
            Status::Closed if packet.as_ref().is_some_and(|path| !path.exists()) => Guidance::next(
                "mission_close",
                input.mission_id,
                "Its packet is not there: closing it again writes it from the events.",
            ),
            Status::Closed => Guidance::next("mission_resume", input.mission_id, "Go on in a child of it."),
        };
        let open_gaps =
            missions::with_situation(ctx.runtime(), workspace, &state, |situation| gaps(&state, situation));
        let now_is = |path: &str| missions::hash_now(workspace, path);
        let dead_paths: Vec<DeadPath> = state.all_dead_paths().map(|dead| dead.as_shown(&now_is)).collect();
        let claims: Vec<Claim> = state.all_claims().cloned().collect();
        let tests: Vec<TestRun> = state.inherited.tests.iter().chain(&state.tests).cloned().collect();
        let before = state.inherited.files.iter().map(|seen| seen.path.clone());
        let files: BTreeSet<String> = state.files.keys().cloned().chain(before).collect();
        let output = Output {
            schema: state.schema.clone(),
            mission_id: state.mission_id.to_string(),
            parent_mission_id: state.parent_mission_id.as_ref().map(ToString::to_string),
            repo: Some(state.repo.clone()),
            goal: state.goal.clone(),
            mode: state.mode.name(),
            route: state.route.name(),
            status: state.status,
            context_guard: state.context_guard.clone(),
            counters: Some(state.counters.clone()),
            gaps: if state.status == Status::Closed { state.gaps.clone() } else { open_gaps },
            claims: claims.iter().rev().map(|claim| missions::judged_claim(workspace, claim)).collect(),
            dead_paths: dead_paths.into_iter().rev().collect(),
            files_read: files.into_iter().collect(),
            tests_run: tests.into_iter().rev().collect(),
            broken: broken.into_iter().take(SHOWN).collect(),
            made_again,
            sequence: state.sequence,
            head: Some(state.head.clone()),
            events,
            next_before: (first > 0).then_some(first + 1),
            packet_path: packet.map(|path| path.display().to_string()),
            truncated: false,
        };
        Ok(Answer::of(output).next(next))
    }
}

/// What stays of an event for which there is no room.
const SHORT: [&str; 4] = ["event_id", "sequence", "event_type", "outcome"];

/// Of each list this many stand beside the events; a caller that wants more asks with a larger budget.
const SHOWN: usize = 20;

impl Trim for Output {
    fn trim(&mut self, excess: usize) -> bool {
        self.truncated = true;
        // Long lists give way before events: one of them alone may be larger than any answer.
        let lists = [self.files_read.len(), self.dead_paths.len(), self.claims.len(), self.tests_run.len()];
        if lists.iter().any(|items| *items > SHOWN) {
            self.files_read.truncate(SHOWN);
            self.dead_paths.truncate(SHOWN);
            self.claims.truncate(SHOWN);
            self.tests_run.truncate(SHOWN);
            return true;
        }
        let place = |event: Option<&Value>| event.and_then(|event| event["sequence"].as_u64());
        if self.events.len() > 1 {
            let mut rest = self.events.split_off(1);
            drop_tail(&mut rest, excess);
            self.events.extend(rest);
            self.next_before = place(self.events.last());
            return true;
        }
        let cut = drop_tail(&mut self.files_read, excess) > 0
            || drop_tail(&mut self.tests_run, excess) > 0
            || drop_tail(&mut self.dead_paths, excess) > 0
            || drop_tail(&mut self.claims, excess) > 0
            || !std::mem::take(&mut self.context_guard).is_null()
            || self.gaps.pop().is_some()
            || self.counters.take().is_some()
            || self.packet_path.take().is_some()
            || short::text(&mut self.goal, SHORT_GOAL);
        if cut {
            return true;
        }
        // The last one stays, in short: a page without any would lose it, because the cursor goes on.
        let fields = self.events.first_mut().and_then(Value::as_object_mut);
        if let Some(fields) = fields.filter(|fields| fields.len() > SHORT.len()) {
            fields.retain(|name, _| SHORT.contains(&name.as_str()));
            return true;
        }
        if self.broken.len() > 1 {
            return self.broken.pop().is_some();
        }
        self.head.take().is_some()
            || self.repo.take().is_some()
            || self.parent_mission_id.take().is_some()
            || short::text(&mut self.goal, SHORTEST_GOAL)
    }
}

/// Enough to know which goal it was, in bytes.
const SHORT_GOAL: usize = 80;
/// Where there is room for next to nothing, in bytes.
const SHORTEST_GOAL: usize = 20;
