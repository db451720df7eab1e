//! `tasks_release`: a claimed task, given back.

use m1nd_memory::tasks::{self, ReleaseOutput, ReleaseRequest};
use m1nd_runtime::Example;

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Release, tasks::release, ReleaseRequest => ReleaseOutput;
    name: "tasks_release",
    summary: "Give a claimed task back.",
    intents: &["give a task back", "unlock a task"],
    examples: &[
        Example { says: "Not mine any more", arguments: r#"{"task": "TASK-001", "agent_id": "tester"}"# },
    ],
    ..CHANGE
}
