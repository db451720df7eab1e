//! `tasks_radar`: where a plan or task stands.

use m1nd_memory::tasks::{self, TasksRadarOutput, TasksRadarRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Radar, tasks::radar, TasksRadarRequest => TasksRadarOutput, within LIST;
    name: "tasks_radar",
    summary: "Where a plan or task stands: what now, why, what to verify, what next, what blocks, the last note, and code that changed under it. Resume with this.",
    help: "All steps, the contract and the evidence: tasks_context with `task`.",
    intents: &["resume a task", "what is next", "where does it stand"],
    also_takes: &["target", "plan"],
    examples: &[
        Example { says: "The one in focus", arguments: r#"{}"# },
        Example { says: "A named one", arguments: r#"{"task": "TASK-001"}"# },
    ],
    ..READ
}
