//! One plan or task in full: what it promises, who holds it, and its steps page by page.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::{EntityLine, TasksContextOutput};
use super::selector::path_text;
use crate::anchors::{self, Anchor};
use crate::budget::{Budget, Fit, Item, fit, json_size, shorten_text};
use crate::error::MemoryError;
use crate::ids::{EntityKind, StepId};
use crate::page::Pagination;
use crate::port::{CheckpointRow, EntityRow, Object, Rows, StepRow, WorkspaceRow};
use crate::ports::Ports;
use crate::text::timestamp;

/// What a list leaves out of a plan or task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntityDetail {
    pub id: String,
    /// This and the other texts are on the first page only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_data: Option<Object>,
    /// Who holds it, and until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<Held>,
    /// Places in the code that it speaks of, and whether they changed since.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub anchors: Vec<Anchor>,
    /// The full length of what the budget shortened or left out, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_length: Option<FullLength>,
    /// How many steps the task has in all.
    pub steps_total: usize,
    /// The steps of this page, by path.
    pub steps: Vec<StepDetail>,
}

/// Bytes of a text, or of an object as JSON.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FullLength {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_data: Option<usize>,
    /// How many anchors there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchors: Option<usize>,
}

/// A claim without its token.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    pub by: String,
    pub until: String,
}

impl Held {
    pub(crate) fn of(row: &EntityRow, now: m1nd_stdx::clock::UnixMs) -> Option<Self> {
        let claim = row.held(now)?;
        Some(Self { by: claim.agent.clone(), until: timestamp(claim.expires()) })
    }
}

/// A step in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepDetail {
    pub step_id: StepId,
    /// Its place in the tree, such as `s:0.s:1`.
    pub path: String,
    pub title: String,
    pub completed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<String>,
    pub success_criteria: Vec<String>,
    pub tests: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blockers: Vec<String>,
    pub checkpoints: CheckpointStates,
    /// Whether the budget shortened this step.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The full length of a shortened step, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_length: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointStates {
    pub criteria: CheckpointState,
    pub tests: CheckpointState,
}

/// Whether a checkpoint was confirmed, when, and by what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CheckpointState {
    pub confirmed: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Object>,
}

impl CheckpointState {
    fn of(row: &CheckpointRow) -> Self {
        let at = row.at_ms.map(|at| timestamp(m1nd_stdx::clock::UnixMs(at)));
        Self { confirmed: row.confirmed, at, evidence: row.evidence.clone() }
    }
}

impl StepDetail {
    fn of(row: &StepRow) -> Self {
        Self {
            step_id: row.id.clone(),
            path: path_text(&row.path),
            title: row.title.clone(),
            completed: row.completed.is_some(),
            completed_at: row.completed.map(timestamp),
            success_criteria: row.success_criteria.clone(),
            tests: row.tests.clone(),
            blockers: row.blockers.clone(),
            checkpoints: CheckpointStates {
                criteria: CheckpointState::of(&row.criteria),
                tests: CheckpointState::of(&row.tests_passed),
            },
            truncated: false,
            full_length: None,
        }
    }
}

impl Item for StepDetail {
    /// Receipts go first, then the far end of the longest list, then the end of the texts.
    fn shorten(&mut self, bytes: usize) {
        self.full_length = Some(json_size(self));
        self.truncated = true;
        for gate in [&mut self.checkpoints.tests, &mut self.checkpoints.criteria] {
            gate.evidence = None;
        }
        while json_size(self) > bytes {
            let lists = [&mut self.blockers, &mut self.tests, &mut self.success_criteria];
            let Some(longest) = lists.into_iter().max_by_key(|list| list.len()).filter(|list| list.len() > 1)
            else {
                break;
            };
            longest.pop();
        }
        for at in 0..3 {
            let excess = json_size(self).saturating_sub(bytes);
            let list = [&mut self.blockers, &mut self.tests, &mut self.success_criteria][at].first_mut();
            if let Some(text) = list {
                shorten_text(text, excess);
            }
        }
        let excess = json_size(self).saturating_sub(bytes);
        shorten_text(&mut self.title, excess);
    }
}

/// One page of a plan's tasks or a task's steps; the first page says what the plan or task is, too. A budget that
/// cannot be shared out fairly gets the smallest form.
pub(super) fn detail(
    ports: &Ports<'_>,
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    row: &EntityRow,
    out: TasksContextOutput,
    budget: Budget,
) -> Result<TasksContextOutput, MemoryError> {
    let shared = shared_out(ports, rows, ws, row, out.clone(), budget)?;
    if json_size(&shared) <= budget.0 {
        return Ok(shared);
    }
    shared_out(ports, rows, ws, row, out, Budget(1))
}

fn shared_out(
    ports: &Ports<'_>,
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    row: &EntityRow,
    mut out: TasksContextOutput,
    budget: Budget,
) -> Result<TasksContextOutput, MemoryError> {
    let (from, limit) = (out.pagination.cursor, out.pagination.limit);
    let skip = usize::try_from(from).unwrap_or(usize::MAX);
    let now = ports.clock.now();
    let mut about =
        EntityDetail { id: row.id.to_string(), claim: Held::of(row, now), ..EntityDetail::default() };
    if from == 0 {
        about.description = row.description.clone();
        about.contract = row.contract.clone();
        about.contract_data = row.contract_data.clone();
        about.anchors = anchors::show(ports.code, &row.anchors);
    }
    let mut line = EntityLine::of(row, now);
    if json_size(&line) > budget.0 / 4 {
        line.shorten(budget.0 / 4);
    }
    let (total, count) = match row.id.kind {
        EntityKind::Task => {
            out.tasks.push(line);
            let all = rows.steps(ws.no, row.id)?;
            about.steps_total = all.len();
            let mut steps: Vec<StepDetail> = all.iter().skip(skip).take(limit).map(StepDetail::of).collect();
            out.truncated = about.make_room(budget.0.saturating_sub(json_size(&out)));
            out.detail = Some(about);
            out.truncated |= fit(&mut steps, budget.0.saturating_sub(json_size(&out))) == Fit::Trimmed;
            let count = steps.len();
            if let Some(about) = &mut out.detail {
                about.steps = steps;
            }
            (all.len(), count)
        }
        EntityKind::Plan => {
            out.plans.push(line);
            let all = rows.children(ws.no, row.id)?;
            let mut tasks: Vec<EntityLine> =
                all.iter().skip(skip).take(limit).map(|task| EntityLine::of(task, now)).collect();
            out.truncated = about.make_room(budget.0.saturating_sub(json_size(&out)));
            out.detail = Some(about);
            out.truncated |= fit(&mut tasks, budget.0.saturating_sub(json_size(&out))) == Fit::Trimmed;
            let count = tasks.len();
            out.tasks = tasks;
            (all.len(), count)
        }
    };
    let end = skip.saturating_add(count);
    let next = i64::try_from(end).ok().filter(|_| count > 0 && end < total);
    out.truncated |= next.is_some();
    out.pagination = Pagination::new(from, limit, count, next);
    Ok(out)
}

impl EntityDetail {
    /// Leaves half of `room` to what follows: the data goes first, then anchors, then the end of the texts.
    /// Says whether something went.
    fn make_room(&mut self, room: usize) -> bool {
        let most = room / 2;
        if json_size(self) <= most {
            return false;
        }
        let contract_data = self.contract_data.take().map(|data| json_size(&data));
        let mut full = FullLength { contract_data, ..FullLength::default() };
        self.full_length = Some(full.clone());
        if json_size(self) > most && !self.anchors.is_empty() {
            full.anchors = Some(self.anchors.len());
            self.anchors.clear();
            self.full_length = Some(full.clone());
        }
        // The widest mark of a length, so that adding it cannot break the budget.
        const MARK: usize = 40;
        let excess = (json_size(self) + MARK).saturating_sub(most);
        if let Some(text) = &mut self.description {
            full.description = shorten_text(text, excess);
        }
        let excess = (json_size(self) + MARK).saturating_sub(most);
        if let Some(text) = &mut self.contract {
            full.contract = shorten_text(text, excess);
        }
        self.full_length = Some(full);
        true
    }
}
