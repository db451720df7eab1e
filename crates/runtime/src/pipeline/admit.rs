//! Stage 2: is what the tool needs there, and may it run at all?

use m1nd_contract::{Code, Fault, Header, Recovery};
use m1nd_mission::Family;

use m1nd_mission::missions::{self, Refusal};
use m1nd_mission::{MissionError, Status};

use crate::faults::{self, from_memory, from_mission};
use crate::registry::Row;
use crate::runtime::Runtime;
use crate::tool::{Needs, Spec};
use crate::workspace::Workspace;

pub(super) fn check(
    runtime: &Runtime,
    row: &Row,
    header: &Header,
    workspace: Result<Option<&Workspace>, &Fault>,
) -> Result<(), Fault> {
    let spec = row.entry.spec;
    if runtime.settings().read_only && header.mission_id.is_some() && spec.family != Family::Mission {
        return Err(faults::invalid_params(
            spec.name,
            "`mission_id`: this server was started read-only, so nothing can be recorded; leave it out.",
        ));
    }
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
        (Needs::Nothing, _) => Ok(()),
        (Needs::Workspace | Needs::Graph, Ok(Some(workspace))) => open_mission(spec, header, workspace),
        (Needs::Workspace | Needs::Graph, Err(gone)) => Err(gone.clone()),
        (Needs::Workspace | Needs::Graph, Ok(None)) => {
            Err(faults::no_workspace(runtime.why_unbound().as_deref()))
        }
    }
}

/// A call that is to be recorded needs a mission that can be added to: told before it runs, so that no work is lost.
fn open_mission(spec: &Spec, header: &Header, workspace: &Workspace) -> Result<(), Fault> {
    let Some(id) = header.mission_id.as_deref().filter(|_| spec.family != Family::Mission) else {
        return Ok(());
    };
    let refuse = |err| from_mission::refusal(spec.name, &err);
    let store = workspace.memory().map_err(|err| from_memory::store(&err))?;
    let state = missions::state(&*store, id).map_err(refuse)?;
    match state.status {
        Status::Open => Ok(()),
        Status::Closed => Err(refuse(Refusal::Mission(MissionError::Closed(state.mission_id.clone())))),
    }
}
