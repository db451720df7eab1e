//! `branchmind_export`: a plan or task with its newest notes and trace.

use m1nd_memory::notes::{self, ExportOutput, ExportRequest};
use m1nd_runtime::Example;

use crate::recall::{LIST, READ, memory_tool};

memory_tool! {
    Export, notes::export, ExportRequest => ExportOutput, within LIST;
    name: "branchmind_export",
    summary: "A plan or task with its newest notes and trace in one call.",
    intents: &["snapshot of a task", "resume a task"],
    examples: &[Example { says: "Everything about a task", arguments: r#"{"target": "TASK-001"}"# }],
    ..READ
}
