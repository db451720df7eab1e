//! Navigate: walks through the code, trails of what was found on them, locks on regions, small facts, and what was seen.

mod boot_memory;
mod coverage_session;
mod lock_create;
mod lock_diff;
mod lock_rebase;
mod lock_release;
mod lock_watch;
mod perspective_affinity;
mod perspective_back;
mod perspective_branch;
mod perspective_close;
mod perspective_compare;
mod perspective_follow;
mod perspective_inspect;
mod perspective_list;
mod perspective_peek;
mod perspective_routes;
mod perspective_start;
mod perspective_suggest;
mod trail_list;
mod trail_merge;
mod trail_resume;
mod trail_save;

use m1nd_contract::arg::Int;
use m1nd_contract::header::Field;
use m1nd_contract::{Fault, Guidance, ProofState};
use m1nd_runtime::{Answer, Ctx, Effect, Entry, Family, Needs, Spec, entry};

/// A tool that looks around.
const READ: Spec = Spec {
    needs: Needs::Graph,
    fresh: true,
    lean: true,
    caller: Field::AgentId,
    family: Family::Relate,
    ..Spec::READ
};
/// A tool that takes a step or keeps something.
const WRITE: Spec = Spec { effect: Effect::Remember, ..READ };

pub const TOOLS: &[Entry] = &[
    entry::<perspective_start::PerspectiveStart>(),
    entry::<perspective_routes::PerspectiveRoutes>(),
    entry::<perspective_inspect::PerspectiveInspect>(),
    entry::<perspective_peek::PerspectivePeek>(),
    entry::<perspective_follow::PerspectiveFollow>(),
    entry::<perspective_suggest::PerspectiveSuggest>(),
    entry::<perspective_affinity::PerspectiveAffinity>(),
    entry::<perspective_branch::PerspectiveBranch>(),
    entry::<perspective_back::PerspectiveBack>(),
    entry::<perspective_compare::PerspectiveCompare>(),
    entry::<perspective_list::PerspectiveList>(),
    entry::<perspective_close::PerspectiveClose>(),
    entry::<trail_save::TrailSave>(),
    entry::<trail_resume::TrailResume>(),
    entry::<trail_list::TrailList>(),
    entry::<trail_merge::TrailMerge>(),
    entry::<lock_create::LockCreate>(),
    entry::<lock_watch::LockWatch>(),
    entry::<lock_diff::LockDiff>(),
    entry::<lock_rebase::LockRebase>(),
    entry::<lock_release::LockRelease>(),
    entry::<boot_memory::BootMemory>(),
    entry::<coverage_session::CoverageSession>(),
];

/// A version of routes that the caller has.
fn version(ctx: &Ctx<'_>, given: Option<Int>) -> Result<Option<u64>, Fault> {
    ctx.in_range("route_set_version", given, 0..=i64::MAX)
}

/// An answer about a route that is gone: the ways on now are in it.
fn gone<O>(output: O) -> Answer<O> {
    let hint = Guidance::hint("That way is gone. These are the ways on now.");
    Answer::of(output).candidates(0).proof(ProofState::Triaging).next(hint)
}

/// A share from 0 to 1.
fn share(ctx: &Ctx<'_>, name: &str, given: f64) -> Result<f64, Fault> {
    match (0.0..=1.0).contains(&given) {
        true => Ok(given),
        false => Err(ctx.invalid(format!("`{name}` must be from 0 to 1."))),
    }
}
