//! Trails: what an agent saw and thought, saved and taken up again.

use m1nd_contract::budget::cut_text;
use m1nd_contract::{Fault, Recovery};
use m1nd_memory::drawers::Room;
use m1nd_navigate::{Checked, Merged, NavigateError, Today, Trail, Visit, merge, resume};
use m1nd_recall::feedback::Primed;
use serde_json::json;

use super::perspectives::{refused, shelf as walks};
use super::{Kind, Shelf, Texts};
use crate::ctx::{Ctx, GraphView};

/// Trails that are kept; they are shared, so that another agent can go on.
const MOST: usize = 2_000;
/// Bytes of a label that is made of those of several trails.
const MAX_LABEL: usize = 200;

const TRAILS: Kind = Kind {
    name: "trail",
    called: "trails",
    lister: "trail_list",
    way_out: "Find one that is not needed any more: trail_save with it as `replace` takes its place.",
    room: Room { most: MOST, idle_ms: None },
    shared: true,
};

pub fn shelf<'c>(ctx: &'c Ctx<'c>) -> Result<Shelf<'c>, Fault> {
    Shelf::of(ctx, TRAILS)
}

/// The nodes that a walk came to, oldest first.
pub fn of_walk(ctx: &Ctx<'_>, id: &str) -> Result<Vec<String>, Fault> {
    let walk: m1nd_navigate::Walk = walks(ctx)?.get("perspective_id", id)?;
    let mut seen: Vec<String> = walk.seen().into_iter().map(str::to_owned).collect();
    seen.reverse();
    Ok(seen)
}

/// Saves a trail with the texts of its places as they are now: as a new one, or in the place of an earlier one.
pub fn save(
    ctx: &Ctx<'_>,
    at: &GraphView,
    trail: &Trail,
    nodes: &[String],
    replace: Option<&str>,
) -> Result<Trail, Fault> {
    let mut texts = Texts::new(ctx);
    let mut visited: Vec<Visit> = Vec::with_capacity(nodes.len());
    for node in nodes {
        if visited.iter().all(|known| known.node != *node) {
            let hash = at.graph.node_by_id(node).and_then(|ix| texts.hash(&at.graph, ix));
            visited.push(Visit { node: node.clone(), hash });
        }
    }
    let (agent, saved_ms) = (ctx.header().caller.name().to_owned(), ctx.runtime().clock().now().0);
    let made = |id| Trail { id, agent: agent.clone(), visited: visited.clone(), saved_ms, ..trail.clone() };
    let Some(earlier) = replace else { return shelf(ctx)?.add(made) };
    let replaced = shelf(ctx)?.change("replace", earlier, |known: &mut Trail| {
        *known = made(known.id.clone());
        Ok(())
    })?;
    Ok(replaced.0)
}

/// Takes up a trail: holds it against today's code, and lifts its nodes in the answers to this agent.
pub fn take_up(ctx: &Ctx<'_>, at: &GraphView, id: &str, force: bool) -> Result<(Trail, Checked), Fault> {
    let trail: Trail = shelf(ctx)?.get("trail_id", id)?;
    let mut texts = Texts::new(ctx);
    let mut today = |node: &str, hash: Option<&str>| match at.graph.node_by_id(node) {
        None => Today::Gone,
        Some(ix) => match (texts.hash(&at.graph, ix), hash) {
            (Some(now), Some(then)) if now != then => Today::Changed,
            _ => Today::Current,
        },
    };
    let checked = resume(&trail, force, &mut today).map_err(|err| match err {
        NavigateError::TrailStale { .. } => {
            let forced = json!({ "trail_id": id, "force": true });
            let hint = "Resume it with force: true to see what is left, or begin anew.";
            Fault { recovery: Recovery::call(hint, "trail_resume", forced), ..refused(&err) }
        }
        err => refused(&err),
    })?;
    let lifts: Vec<(String, f32)> =
        trail.boosts.iter().map(|(node, boost)| (node.clone(), *boost as f32)).collect();
    if !lifts.is_empty() {
        let about = format!("{} {}", trail.label, trail.summary.as_deref().unwrap_or_default());
        ctx.workspace()?.prime(ctx.header().caller.name(), Some(Primed::of(&about, lifts)));
    }
    Ok((trail, checked))
}

/// Merges trails into a new one.
pub fn join(ctx: &Ctx<'_>, at: &GraphView, ids: &[String], label: Option<String>) -> Result<Merged, Fault> {
    let shelf = shelf(ctx)?;
    let trails = ids.iter().map(|id| shelf.get("trail_ids", id)).collect::<Result<Vec<Trail>, _>>()?;
    let mut merged = merge(&at.graph, &trails).map_err(|err| refused(&err))?;
    let labels = || {
        let mut all = trails.iter().map(|trail| trail.label.as_str()).collect::<Vec<_>>().join(" + ");
        cut_text(&mut all, MAX_LABEL);
        all
    };
    merged.trail.label = label.unwrap_or_else(labels);
    let kept = shelf.add(|id| Trail {
        id,
        agent: ctx.header().caller.name().to_owned(),
        saved_ms: ctx.runtime().clock().now().0,
        ..merged.trail.clone()
    })?;
    merged.trail = kept;
    Ok(merged)
}
