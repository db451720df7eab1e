//! Sound: a mission held against its own events, before anybody is told what it proved.

use std::sync::Arc;

use m1nd_contract::{Code, Fault, Recovery};
use m1nd_memory::StoreError;
use m1nd_mission::missions::Refusal;
use m1nd_mission::{MissionId, Proven, State, StoodAt, hear, missions};
use parking_lot::Mutex;
use serde_json::json;

use super::witness::Witnesses;
use super::{Missions, ledger, refused};
use crate::ctx::Ctx;
use crate::faults::from_memory;

/// A mission as far as its events carry it.
pub struct Sound {
    pub state: Arc<State>,
    /// What is wrong with its events. Then nothing that they settled counts as settled.
    pub faults: Vec<String>,
    /// What was stored of its state is damaged, and was made again from the events.
    pub made_again: Option<String>,
}

/// Missions that were held against their events in this process: of these, only what came since is taken apart.
#[derive(Debug, Default)]
pub struct Proofs(Mutex<Vec<Proven>>);

/// Missions that are remembered: those that agents of one process work at, and those they are compared with.
const REMEMBERED: usize = 8;

/// Events after which a stream that is added to is read whole again.
const STRIDE: u64 = 64;

impl Proofs {
    fn of(&self, id: &str) -> Option<Proven> {
        self.0.lock().iter().find(|proven| proven.mission().as_str() == id).cloned()
    }

    fn remember(&self, proven: Proven) {
        let mut all = self.0.lock();
        all.retain(|other| other.mission() != proven.mission());
        all.insert(0, proven);
        all.truncate(REMEMBERED);
    }
}

/// Refuses a mission of which any event is not as it was recorded, before one is added. The whole stream is read for the first
/// event that a process adds to it; then every so often, and only its bytes are compared.
pub(super) fn be_whole(proofs: &Proofs, ledger: &Missions, state: &State) -> Result<(), Refusal<StoreError>> {
    let id = &state.mission_id;
    let before = proofs.of(id.as_str());
    let is_due = |proven: &Proven| proven.sequence() / STRIDE < state.sequence / STRIDE;
    if before.as_ref().is_some_and(|proven| !is_due(proven)) {
        return Ok(());
    }
    let heard = hear(ledger, id, before.as_ref()).map_err(Refusal::Store)?;
    let Some(heard) = heard else { return Ok(()) };
    if let Some(first) = heard.faults.first() {
        let what = format!("the stream of {id}");
        return Err(Refusal::Store(StoreError::Unreadable { what, detail: first.clone() }));
    }
    if let Some(proven) = heard.proven {
        proofs.remember(proven);
    }
    Ok(())
}

/// The mission that an id names, with every event read again.
pub fn sound(ctx: &Ctx<'_>, id: &str) -> Result<Sound, Fault> {
    sound_for(ctx, id, None)
}

/// The same of a mission that was handed over: it must have come as far as that.
pub fn sound_since(ctx: &Ctx<'_>, id: &str, handed_over: u64) -> Result<Sound, Fault> {
    sound_for(ctx, id, Some(handed_over))
}

fn sound_for(ctx: &Ctx<'_>, id: &str, handed_over: Option<u64>) -> Result<Sound, Fault> {
    let (ledger, proofs) = (ledger(ctx)?, ctx.workspace()?.proofs());
    let named = MissionId::parse(id);
    let root = ctx.workspace()?.runtime_root();
    let beside = named.as_ref().map(|id| {
        let beside = Witnesses::beside(root, id);
        let stood = |sequence| StoodAt { mission_id: id.clone(), sequence, hash: String::new() };
        handed_over.map(stood).into_iter().fold(beside, |beside, stood| beside.with("the hand-off", stood))
    });
    let heard = missions::sound(&*ledger, id, proofs.of(id).as_ref()).map_err(|err| refused(ctx, &err))?;
    if let Some(proven) = heard.proven {
        proofs.remember(proven);
    }
    let (mut faults, made_again) = (heard.faults, heard.made_again);
    if let (Some(state), Some(beside)) = (&heard.state, &beside) {
        let more = beside.faults(&*ledger, &state.mission_id, state.sequence);
        faults.extend(more.map_err(|err| from_memory::store(&err))?);
    }
    match heard.state {
        Some(state) if faults.is_empty() => Ok(Sound { state, faults, made_again }),
        Some(state) => {
            let state = Arc::new(Arc::unwrap_or_clone(state).doubted());
            Ok(Sound { state, faults, made_again })
        }
        None => {
            let first = faults.first().cloned().unwrap_or_default();
            Err(Fault::new(
                Code::Storage,
                format!("Nothing of {id} can be told: {first}."),
                Recovery::call(
                    "Its other events cannot be understood without the first. Tell the user, and begin anew with mission_start; these are the others.",
                    "mission_list",
                    json!({}),
                ),
            ))
        }
    }
}

impl Sound {
    /// The mission, if nothing is wrong with its events.
    pub fn whole(self) -> Result<Arc<State>, Fault> {
        let Some(said) = self.broken() else { return Ok(self.state) };
        let id = self.state.mission_id.as_str();
        Err(Fault::new(
            Code::Storage,
            format!("{said} Nothing was recorded, and no proof can be made of it."),
            Recovery::call(
                "`m1nd verify` with its id lists all that is wrong. A child goes on from what is left of it; what it concluded must be proved again there.",
                "mission_resume",
                json!({ "mission_id": id }),
            ),
        ))
    }

    /// What to say of it; nothing while nothing is wrong.
    pub fn warning(&self) -> Option<String> {
        self.broken().or_else(|| self.made_again.clone())
    }

    fn broken(&self) -> Option<String> {
        let first = self.faults.first()?;
        let more = match self.faults.len() {
            1 => String::new(),
            count => format!(" ({} more)", count - 1),
        };
        let id = &self.state.mission_id;
        Some(format!("What is kept of {id} is not as it was recorded: {first}{more}."))
    }
}
