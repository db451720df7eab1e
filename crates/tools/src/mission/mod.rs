//! Mission: work with a goal, a budget and a ledger of evidence, from its start to a proof packet or a hand-off; and
//! whether what answers can be trusted, with the way back when not.

mod doctor;
mod hosts_status;
mod mission_claim;
mod mission_close;
mod mission_event;
mod mission_handoff;
mod mission_list;
mod mission_next;
mod mission_resume;
mod mission_show;
mod mission_start;
mod mission_verify;
mod recovery_playbook;
mod route_explain;
mod session_handshake;
mod trust_selftest;
mod update_check;

use m1nd_contract::Fault;
use m1nd_contract::header::Field;
use m1nd_guard::hosts::{HOSTS, Host, host};
use m1nd_runtime::{Ctx, Effect, Entry, Family, Spec, entry};

/// A tool that asks about missions.
const READ: Spec = Spec { family: Family::Mission, lean: true, caller: Field::AgentId, ..Spec::READ };
/// A tool that adds to one.
const WRITE: Spec = Spec { effect: Effect::Remember, ..READ };

/// Characters below which there is no room for words about the answer itself.
const TIGHT: usize = 1_000;

/// Whether what to do in a mission is worth more than how to take it up.
fn is_tight(ctx: &Ctx<'_>) -> bool {
    ctx.header().max_chars.is_some_and(|room| room < TIGHT)
}

/// What a look at programs and hosts does not claim.
const NO_UPDATE: [&str; 3] = [
    "does not say that a host was updated or rebound: only a new handshake shows that",
    "does not say that a newer release exists: nothing is fetched",
    "does not repair what a graph holds",
];

/// The host of a name that was given.
fn host_named(ctx: &Ctx<'_>, name: Option<&str>) -> Result<Option<&'static Host>, Fault> {
    let Some(name) = name else { return Ok(None) };
    let known = || HOSTS.iter().map(|host| host.name).collect::<Vec<_>>().join(", ");
    host(name).map(Some).ok_or_else(|| ctx.invalid(format!("`host` must be one of {}.", known())))
}

pub const TOOLS: &[Entry] = &[
    entry::<mission_start::MissionStart>(),
    entry::<mission_next::MissionNext>(),
    entry::<mission_event::MissionEvent>(),
    entry::<mission_claim::MissionClaim>(),
    entry::<mission_verify::MissionVerify>(),
    entry::<mission_handoff::MissionHandoff>(),
    entry::<mission_resume::MissionResume>(),
    entry::<mission_close::MissionClose>(),
    entry::<mission_list::MissionList>(),
    entry::<mission_show::MissionShow>(),
    entry::<route_explain::RouteExplain>(),
    entry::<session_handshake::SessionHandshake>(),
    entry::<trust_selftest::TrustSelftest>(),
    entry::<recovery_playbook::RecoveryPlaybook>(),
    entry::<doctor::Doctor>(),
    entry::<update_check::UpdateCheck>(),
    entry::<hosts_status::HostsStatus>(),
];
