//! Stage 2: is what the tool needs there, and may it run at all?

use m1nd_contract::{Code, Fault, Recovery};

use crate::faults;
use crate::registry::Row;
use crate::runtime::Runtime;
use crate::tool::Needs;
use crate::workspace::Workspace;

pub(super) fn check(
    runtime: &Runtime,
    row: &Row,
    workspace: Result<Option<&Workspace>, &Fault>,
) -> Result<(), Fault> {
    let spec = row.entry.spec;
    if runtime.settings().read_only && spec.effect.writes_state() {
        return Err(Fault::new(
            Code::InvalidParams,
            format!("{} writes, and this server was started read-only.", spec.name),
            Recovery::hint(
                "Ask the user to start the server without --read-only, or go on without this call.",
            ),
        ));
    }
    match (spec.needs, workspace) {
        (Needs::Nothing, _) | (Needs::Workspace | Needs::Graph, Ok(Some(_))) => Ok(()),
        (Needs::Workspace | Needs::Graph, Err(gone)) => Err(gone.clone()),
        (Needs::Workspace | Needs::Graph, Ok(None)) => {
            Err(faults::no_workspace(runtime.why_unbound().as_deref()))
        }
    }
}
