//! Stage 3: run the tool in its lane. A panic becomes a fault, and the server goes on.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use m1nd_contract::{Code, Fault, Header, Recovery};
use m1nd_stdx::cancel::CancelToken;
use m1nd_stdx::digest::short_name;
use serde_json::{Map, Value, json};

use super::{Done, Progress};
use crate::ctx::Ctx;
use crate::faults;
use crate::registry::Row;
use crate::runtime::Runtime;
use crate::workspace::Workspace;

pub(super) fn run(
    runtime: &Runtime,
    row: &Row,
    header: &Header,
    arguments: Map<String, Value>,
    workspace: Option<Arc<Workspace>>,
    cancel: &CancelToken,
    progress: &dyn Progress,
) -> Result<Done, Fault> {
    let spec = row.entry.spec;
    let _lane = runtime.lanes().enter(spec.effect, cancel).map_err(faults::stopped)?;
    let ctx = Ctx {
        runtime,
        tool: spec.name,
        header,
        cancel,
        progress,
        workspace,
        clamped: RefCell::default(),
        behind: Cell::default(),
        commits_so_far: Cell::default(),
    };
    // Tools share only immutable views, atomics and locks that do not poison.
    let outcome = catch_unwind(AssertUnwindSafe(|| (row.entry.run)(&ctx, arguments)));
    let answer = outcome.unwrap_or_else(|panic| Err(report(runtime, spec.name, panic.as_ref())))?;
    Ok(Done {
        answer,
        behind: ctx.behind.get(),
        commits_so_far: ctx.commits_so_far.get(),
        clamped: ctx.clamped.into_inner(),
    })
}

/// Logs the panic and tells the caller how to name it.
fn report(runtime: &Runtime, tool: &'static str, panic: &(dyn Any + Send)) -> Fault {
    let said = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without a message".into());
    let seen = format!("{tool} {said} {}", runtime.clock().now().0);
    let id = format!("r-{}", short_name(seen.as_bytes(), 10));
    tracing::error!(tool, report = id, panic = said, "a tool panicked");
    Fault::new(
        Code::Internal,
        format!("{tool} failed through a defect in m1nd (report {id})."),
        Recovery::hint("The server goes on. Try other arguments; the log has the report."),
    )
    .with_detail(json!({ "report_id": id }))
}
