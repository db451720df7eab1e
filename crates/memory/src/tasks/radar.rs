//! Where a task stands, in one look.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Checkpoint;
use super::decompose::StepLine;
use super::last_note::LastNote;
use super::selector::{path_text, task_or_focus};
use crate::anchors::Anchor;
use crate::budget::{Budget, json_size, shorten_text};
use crate::error::MemoryError;
use crate::ids::{EntityKind, WorkspaceId};
use crate::notes::TargetCard;
use crate::port::{self, EntityRow, Rows, Status, StepRow, WorkspaceRow};
use crate::ports::Ports;
use crate::stale::{Stale, StaleAnchor};
use crate::target::ReasoningRef;
use crate::text::cut;
use crate::writer;

/// Shows where a plan or task stands and what comes next.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TasksRadarRequest {
    /// The workspace.
    pub workspace: String,
    /// The plan or task; the one in focus if none is given.
    #[serde(default, alias = "target", alias = "plan")]
    pub task: Option<String>,
    /// Byte budget of the answer
    #[serde(default)]
    pub max_chars: Option<i64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TasksRadarOutput {
    pub target: TargetCard,
    pub reasoning_ref: ReasoningRef,
    pub radar: Radar,
    pub steps: StepStats,
    /// Places in the code that changed since the task, or a note or card of it, spoke of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stale_anchors: Vec<StalePlace>,
    /// Whether something was left out or shortened.
    pub truncated: bool,
}

/// A stale anchor, and what carries it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StalePlace {
    /// The task, the card, or the number of the note.
    pub on: String,
    #[serde(flatten)]
    pub anchor: Anchor,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Radar {
    /// What is being worked on.
    pub now: String,
    /// What it is for.
    pub why: String,
    /// The full length of a shortened `why`, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_length: Option<usize>,
    /// What the plan promises, when `why` says something else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    /// The full length of a shortened `contract`, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_length: Option<usize>,
    /// The newest note on it: how far the work got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_note: Option<LastNote>,
    /// What must be confirmed before the present step is done.
    pub verify: Vec<String>,
    /// What comes after it.
    pub next: Vec<String>,
    /// How many more come after those; `tasks_context` with `task` lists all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_next: usize,
    /// What is in the way.
    pub blockers: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Counts over the steps of a task; over the tasks of a plan.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepStats {
    pub total: usize,
    pub open: usize,
    pub completed: usize,
    /// Tasks of a plan that were given up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cancelled: usize,
    /// Open steps whose criteria are not confirmed.
    pub missing_criteria: usize,
    /// Open steps whose tests are not confirmed.
    pub missing_tests: usize,
    /// The first open step that has no open step below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_open: Option<StepLine>,
}

impl Radar {
    fn shorten_contract(&mut self, max: usize) {
        if let Some(promise) = &mut self.contract
            && promise.len() > max
        {
            self.contract_length.get_or_insert(promise.len());
            promise.truncate(cut(promise, max).len());
        }
    }
}

/// The longest contract of a plan that a task's radar repeats, in bytes.
const LONGEST_PROMISE: usize = 1_000;

/// How many further steps are named.
const NEXT: usize = 5;

pub fn radar(ports: &Ports<'_>, request: &TasksRadarRequest) -> Result<TasksRadarOutput, MemoryError> {
    let workspace = WorkspaceId::parse(&request.workspace)?;
    let budget = Budget::of(request.max_chars)?;
    port::read(ports.store, |rows| {
        let ws = writer::workspace(rows, &workspace)?;
        let row = task_or_focus(rows, &ws, request.task.as_deref())?;
        let (radar, steps) = standing(rows, &ws, &row)?;
        let note = radar.last_note.as_ref();
        let shortened = radar.contract_length.is_some() || note.is_some_and(|note| note.truncated);
        let more = radar.more_next > 0 || shortened;
        let mut stale = Stale::new(ports, rows, &ws);
        stale.look(&row.id.to_string(), &row.anchors);
        stale.branch(&row.id.branch())?;
        let partial = stale.is_partial();
        let place = |found: StaleAnchor| StalePlace { on: found.on, anchor: found.anchor };
        let mut out = TasksRadarOutput {
            target: TargetCard { anchors: Vec::new(), ..TargetCard::of(&row, ports) },
            reasoning_ref: ReasoningRef::of(row.id),
            radar,
            steps,
            stale_anchors: stale.found().into_iter().map(place).collect(),
            truncated: more || partial,
        };
        trim(&mut out, budget);
        Ok(out)
    })
}

/// Where a plan or task stands.
pub(crate) fn standing(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    row: &EntityRow,
) -> Result<(Radar, StepStats), MemoryError> {
    match row.id.kind {
        EntityKind::Task => of_task(rows, ws, row),
        EntityKind::Plan => of_plan(rows, ws, row),
    }
}

fn of_task(rows: &dyn Rows, ws: &WorkspaceRow, row: &EntityRow) -> Result<(Radar, StepStats), MemoryError> {
    let steps = rows.steps(ws.no, row.id)?;
    let is_open = |step: &&StepRow| step.completed.is_none();
    let has_open_below = |step: &StepRow| {
        let below =
            |other: &StepRow| other.path.len() > step.path.len() && other.path.starts_with(&step.path);
        steps.iter().any(|other| other.completed.is_none() && below(other))
    };
    // A parent is finished after its children, so the work is at the leaves.
    let mut queue: Vec<&StepRow> =
        steps.iter().filter(is_open).filter(|step| !has_open_below(step)).collect();
    // Nobody works on what is over, though steps of it are open.
    if is_over(row) {
        queue.clear();
    }
    let first = queue.first().copied();
    let missing = |gate: Checkpoint| {
        steps.iter().filter(is_open).filter(|step| Checkpoint::missing(step).contains(&gate)).count()
    };
    let open = steps.iter().filter(is_open).count();
    let stats = StepStats {
        total: steps.len(),
        open,
        completed: steps.len() - open,
        cancelled: 0,
        missing_criteria: missing(Checkpoint::Criteria),
        missing_tests: missing(Checkpoint::Tests),
        first_open: first.map(StepLine::of),
    };
    let line = |step: &StepRow| format!("{} {}", path_text(&step.path), step.title);
    let now = match first {
        Some(step) => line(step),
        None => format!("{} is {}", row.id, row.status.as_str()),
    };
    let mut verify = Vec::new();
    if let Some(step) = first {
        for gate in Checkpoint::missing(step) {
            let (name, items) = match gate {
                Checkpoint::Criteria => ("criteria", &step.success_criteria),
                Checkpoint::Tests => ("tests", &step.tests),
            };
            if items.is_empty() {
                verify.push(format!("{name}: none defined"));
            }
            verify.extend(items.iter().map(|item| format!("{name}: {item}")));
        }
    }
    let mut next: Vec<String> = queue.iter().skip(1).take(NEXT).map(|step| line(step)).collect();
    if steps.is_empty() && !is_over(row) {
        next.push("no steps yet".to_owned());
    } else if open == 0 && !is_over(row) {
        next.push(format!(
            "all steps of {} are done: tasks_decompose adds what is missing, tasks_edit with status done closes it",
            row.id
        ));
    }
    let plan = match row.parent {
        Some(plan) => rows.entity(ws.no, plan)?,
        None => None,
    };
    let mut blockers = Vec::new();
    if let Some(plan) = plan.as_ref().filter(|plan| is_over(plan) && !is_over(row)) {
        blockers.push(format!("{} is {}: {}", plan.id, plan.status.as_str(), plan.title));
    }
    // Nothing is in the way of what is over.
    let waits = if is_over(row) { &[] } else { row.depends_on.as_slice() };
    for id in waits {
        if let Some(other) = rows.entity(ws.no, *id)?
            && other.status != Status::Done
        {
            blockers.push(format!("{id} is {}: {}", other.status.as_str(), other.title));
        }
    }
    for step in steps.iter().filter(is_open).filter(|_| !is_over(row)) {
        blockers.extend(step.blockers.iter().map(|blocker| format!("{} {blocker}", path_text(&step.path))));
    }
    let promise = plan.as_ref().and_then(|plan| plan.contract.clone());
    let why = [row.description.clone(), row.contract.clone(), promise.clone(), plan.map(|plan| plan.title)];
    let why = why.into_iter().flatten().next().unwrap_or_else(|| row.title.clone());
    let mut radar = Radar {
        contract: promise.filter(|promise| *promise != why),
        last_note: LastNote::of(rows, ws, row)?,
        more_next: queue.len().saturating_sub(1 + NEXT),
        ..Radar { now, why, verify, next, blockers, ..Radar::default() }
    };
    radar.shorten_contract(LONGEST_PROMISE);
    Ok((radar, stats))
}

fn is_over(row: &EntityRow) -> bool {
    matches!(row.status, Status::Done | Status::Cancelled)
}

fn of_plan(rows: &dyn Rows, ws: &WorkspaceRow, row: &EntityRow) -> Result<(Radar, StepStats), MemoryError> {
    let tasks = rows.children(ws.no, row.id)?;
    let mut open: Vec<&EntityRow> = tasks.iter().filter(|task| !is_over(task)).collect();
    let count = |status: Status| tasks.iter().filter(|task| task.status == status).count();
    let stats = StepStats {
        total: tasks.len(),
        open: open.len(),
        completed: count(Status::Done),
        cancelled: count(Status::Cancelled),
        ..StepStats::default()
    };
    // Tasks of a plan that is over are not ready, whatever their own status.
    if is_over(row) {
        open.clear();
    }
    let line = |task: &&EntityRow| format!("{} {}: {}", task.id, task.status.as_str(), task.title);
    let mut next: Vec<String> = open.iter().skip(1).take(NEXT).map(line).collect();
    // A plan is closed by whoever says that its contract is kept.
    if !tasks.is_empty() && open.is_empty() && !is_over(row) {
        let how = if stats.completed > 0 {
            "done or cancelled: tasks_edit with status done closes it"
        } else {
            "cancelled: tasks_create adds others, tasks_edit with status cancelled gives it up"
        };
        next.push(format!("all tasks of {} are {how}", row.id));
    }
    let radar = Radar {
        now: open.first().map_or_else(|| format!("{} is {}", row.id, row.status.as_str()), line),
        why: row.contract.clone().or_else(|| row.description.clone()).unwrap_or_else(|| row.title.clone()),
        last_note: LastNote::of(rows, ws, row)?,
        next,
        more_next: open.len().saturating_sub(1 + NEXT),
        blockers: open.iter().filter(|task| task.status == Status::Blocked).map(line).collect(),
        ..Radar::default()
    };
    Ok((radar, stats))
}

/// The far end of each list goes first, then the ends of the texts, then the lists themselves.
fn trim(out: &mut TasksRadarOutput, budget: Budget) {
    while json_size(out) > budget.0 {
        out.truncated = true;
        let radar = &mut out.radar;
        let lists = [&mut radar.next, &mut radar.blockers, &mut radar.verify];
        let longest = lists.into_iter().max_by_key(|list| list.len()).filter(|list| list.len() > 1);
        match longest {
            Some(longest) => drop(longest.pop()),
            None if out.stale_anchors.len() > 1 => drop(out.stale_anchors.pop()),
            None => break,
        }
    }
    if json_size(out) > budget.0 {
        out.radar.why_length = Some(out.radar.why.len());
        let excess = json_size(out) - budget.0;
        shorten_text(&mut out.radar.why, excess);
    }
    for max in [120, 40] {
        if json_size(out) > budget.0 {
            out.radar.shorten_contract(max);
            if let Some(note) = &mut out.radar.last_note {
                note.shorten(max);
            }
            shorten_lines(out, max);
        }
    }
    if json_size(out) > budget.0 {
        out.stale_anchors.clear();
    }
    for at in 0..3 {
        if json_size(out) > budget.0 {
            [&mut out.radar.next, &mut out.radar.blockers, &mut out.radar.verify][at].clear();
        }
    }
    if json_size(out) > budget.0 {
        out.steps.first_open = None;
    }
    if json_size(out) > budget.0 {
        (out.radar.contract, out.radar.contract_length, out.radar.last_note) = (None, None, None);
    }
}

/// Cuts every line to `max` bytes; titles are in full in `tasks_context`.
fn shorten_lines(out: &mut TasksRadarOutput, max: usize) {
    let radar = &mut out.radar;
    let lists = [&mut radar.next, &mut radar.blockers, &mut radar.verify];
    let lines = lists.into_iter().flatten().chain([&mut radar.now]);
    let first = out.steps.first_open.as_mut().map(|step| &mut step.title);
    for line in lines.chain(first) {
        line.truncate(cut(line, max).len());
    }
    out.target.shorten_title(max);
}
