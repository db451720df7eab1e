//! Finding the step that a call means.

use crate::error::MemoryError;
use crate::ids::{EntityId, EntityKind, StepId};
use crate::port::{EntityRow, Rows, StepRow, WorkspaceRow};
use crate::target;

/// A task with its steps, and which of them is meant.
pub(super) struct Selected {
    pub(super) task: EntityRow,
    pub(super) steps: Vec<StepRow>,
    pub(super) at: usize,
}

impl Selected {
    pub(super) fn step(&mut self) -> &mut StepRow {
        &mut self.steps[self.at]
    }

    pub(super) fn path(&self) -> String {
        path_text(&self.steps[self.at].path)
    }
}

/// `s:0.s:1`
pub(super) fn path_text(path: &[u32]) -> String {
    path.iter().map(|at| format!("s:{at}")).collect::<Vec<_>>().join(".")
}

pub(super) fn parse_path(text: &str) -> Result<Vec<u32>, MemoryError> {
    let part = |part: &str| part.strip_prefix("s:").and_then(|at| at.parse::<u32>().ok());
    text.split('.')
        .map(part)
        .collect::<Option<Vec<u32>>>()
        .filter(|path| path_text(path) == text)
        .ok_or_else(|| MemoryError::invalid("path", format!("{text:?} is not a path such as s:0.s:1")))
}

/// The task of a call: named, or in focus.
pub(super) fn task_or_focus(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    named: Option<&str>,
) -> Result<EntityRow, MemoryError> {
    match (named, ws.focus) {
        (Some(named), _) => target::entity(rows, ws, "task", named),
        (None, Some(focus)) => rows.entity(ws.no, focus)?.ok_or_else(|| target::unknown(rows, ws, focus)),
        (None, None) => Err(MemoryError::NoTarget),
    }
}

/// The task of a call that works on steps, which must not be a plan.
pub(super) fn only_task(row: EntityRow) -> Result<EntityRow, MemoryError> {
    not_plan(row, "it has no steps")
}

/// The task of a call that means one agent's work, which must not be a plan.
pub(super) fn claimable(row: EntityRow) -> Result<EntityRow, MemoryError> {
    not_plan(row, "agents claim its tasks, which tasks_ready lists")
}

fn not_plan(row: EntityRow, why: &str) -> Result<EntityRow, MemoryError> {
    match row.id.kind {
        EntityKind::Task => Ok(row),
        EntityKind::Plan => Err(MemoryError::invalid("task", format!("{} is a plan; {why}", row.id))),
    }
}

/// The step of a call: by `step_id`, by `path`, or by both if they agree.
pub(super) fn select(
    rows: &dyn Rows,
    ws: &WorkspaceRow,
    task: Option<&str>,
    step_id: Option<&str>,
    path: Option<&str>,
) -> Result<Selected, MemoryError> {
    let step_id = step_id.map(StepId::parse).transpose()?;
    let path = path.map(parse_path).transpose()?;
    let row = match (task, &step_id) {
        (None, Some(id)) => match rows.task_of_step(ws.no, id)? {
            Some(task) => rows.entity(ws.no, task)?.ok_or_else(|| target::unknown(rows, ws, task))?,
            None => return Err(MemoryError::NoSuchStep { step: id.clone() }),
        },
        _ => task_or_focus(rows, ws, task)?,
    };
    let row = only_task(row)?;
    let steps = rows.steps(ws.no, row.id)?;
    let by_id =
        step_id.as_ref().map(|id| find(&steps, row.id, id.as_str(), |step| step.id == *id)).transpose()?;
    let by_path = path
        .as_ref()
        .map(|path| find(&steps, row.id, &path_text(path), |step| step.path == *path))
        .transpose()?;
    let at = match (by_id, by_path) {
        (Some(a), Some(b)) if a != b => {
            return Err(MemoryError::SelectorDisagrees {
                by_id: path_text(&steps[a].path),
                by_path: path_text(&steps[b].path),
            });
        }
        (Some(at), _) | (None, Some(at)) => at,
        (None, None) => {
            return Err(MemoryError::OneOf { first: "step_id", second: "path" });
        }
    };
    Ok(Selected { task: row, steps, at })
}

fn find(
    steps: &[StepRow],
    task: EntityId,
    selector: &str,
    is_it: impl Fn(&StepRow) -> bool,
) -> Result<usize, MemoryError> {
    steps.iter().position(is_it).ok_or_else(|| unknown(task, selector.to_owned(), steps))
}

fn unknown(task: EntityId, selector: String, steps: &[StepRow]) -> MemoryError {
    let known: Vec<String> =
        steps.iter().flat_map(|step| [path_text(&step.path), step.id.to_string()]).collect();
    let nearest = crate::text::nearest(&selector, &known);
    MemoryError::StepUnknown { task, selector, nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_spelling() {
        assert_eq!(parse_path("s:0.s:12").unwrap(), [0, 12]);
        for bad in ["", "s:", "0.1", "s:0.", "s:01", "s:-1", "s:0 .s:1"] {
            assert!(parse_path(bad).is_err(), "{bad}");
        }
    }
}
