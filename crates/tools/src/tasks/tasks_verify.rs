//! `tasks_verify`: what proves that a step holds.

use m1nd_memory::tasks::{self, StepOutput, TasksVerifyRequest};
use m1nd_runtime::Example;

use crate::recall::{CHANGE, memory_tool};

memory_tool! {
    Verify, tasks::verify, TasksVerifyRequest => StepOutput;
    name: "tasks_verify",
    summary: "Confirm a step's checkpoints (`criteria`, `tests`) with a receipt: command and exit code, commit, or file and hash.",
    intents: &["confirm a step", "record evidence", "tests passed"],
    examples: &[
        Example {
            says: "The tests passed",
            arguments: r#"{"task": "TASK-001", "path": "s:0", "checkpoints": {"criteria": {"confirmed": true, "evidence": {"commit": "0f3c2a1"}}, "tests": {"confirmed": true, "evidence": {"command": "cargo test greet", "exit_code": 0}}}}"#,
        },
    ],
    ..CHANGE
}
