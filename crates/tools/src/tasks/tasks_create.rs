//! `tasks_create`: a new plan or task.

use m1nd_contract::Guidance;
use m1nd_memory::ids::EntityKind;
use m1nd_memory::tasks::{self, TasksCreateOutput, TasksCreateRequest};
use m1nd_runtime::{Ctx, Example};

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Create, tasks::create, TasksCreateRequest => TasksCreateOutput, next point;
    name: "tasks_create",
    summary: "Make a plan, or with `parent` a task of it, with steps if you know them.",
    intents: &["new task", "make a plan", "to do"],
    examples: &[
        Example { says: "A plan", arguments: r#"{"title": "Ship the greeter"}"# },
        Example {
            says: "A task of it with a step",
            arguments: r#"{"title": "Greet in French", "parent": "PLAN-001", "depends_on": ["TASK-001"], "steps": [{"title": "Translate", "success_criteria": ["says Bonjour"], "tests": ["cargo test french"]}]}"#,
        },
    ],
    ..CHANGE
}

/// A plan wants tasks, a task without steps wants steps.
fn point(_: &Ctx<'_>, made: &TasksCreateOutput) -> Guidance {
    match made.kind {
        EntityKind::Plan => {
            Guidance::next("tasks_create", made.id.clone(), "Add tasks with this as `parent`.")
        }
        EntityKind::Task if made.steps.is_empty() => {
            Guidance::next("tasks_decompose", made.id.clone(), "Add steps that can be verified.")
        }
        EntityKind::Task => Guidance::default(),
    }
}
