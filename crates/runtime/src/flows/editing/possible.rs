//! Possible: places that say the name of something that goes, on an object whose type is not known. No relation leads from
//! them, so that they are leads and no certain uses.

use m1nd_contract::Fault;
use m1nd_edit::Plan;
use m1nd_graph::{Graph, NodeIx};
use m1nd_vfs::Root;
use rayon::prelude::*;

use super::super::unattributed::{self, Asked, Within};
use super::defaults::has_default;
use super::shown::CallerShown;
use super::texts::Texts;
use crate::ctx::Ctx;

/// Definitions whose names are looked for; a batch that removes more is told by its certain uses.
const MAX_NAMES: usize = 8;
/// Fewer are looked for at once.
const FEW: usize = 3;
/// Leads of a kind for each.
const MAX_LEADS: usize = 6;

/// Leads to uses of nodes that `before` has and that go. Where only the plan is there, `today` is `before` too. `known` are the
/// uses that are told already.
pub(super) fn uses(
    ctx: &Ctx<'_>,
    before: &Graph,
    today: &Graph,
    gone: &[NodeIx],
    known: &[CallerShown],
) -> Result<Vec<CallerShown>, Fault> {
    let root: &Root = ctx.workspace()?.root();
    let mut texts = Texts::of(root);
    let mut found: Vec<CallerShown> = Vec::new();
    // What belongs to a type is used on its objects; anything else is found by its name.
    // The name of what every object has says nothing about whose it is.
    let members = gone.iter().copied().filter(|&ix| before.owner(ix).is_some() && !has_default(before, ix));
    let members: Vec<Asked<'_>> =
        members.take(MAX_NAMES).map(|node| Asked { graph: before, node, today }).collect();
    // Most names are said nowhere any more; who reads for several of them reads on all processors.
    let is_said = |asked: &&Asked<'_>| members.len() < FEW || unattributed::is_said_near(root, **asked);
    let said: Vec<Asked<'_>> = members.par_iter().with_max_len(1).filter(is_said).copied().collect();
    for asked in said {
        let name = before.node(asked.node).label();
        let is_empty = !known.iter().any(|one| one.uses == name && one.is_certain());
        for lead in unattributed::look(ctx, asked, Within::Near, is_empty, MAX_LEADS)?.leads {
            let Some(at) = lead.at else { continue };
            let Some((path, line)) = at.rsplit_once(':') else { continue };
            let line: u32 = line.parse().unwrap_or_default();
            let is_known = |one: &CallerShown| one.at == at;
            if known.iter().any(is_known) || found.iter().any(is_known) {
                continue;
            }
            found.push(CallerShown {
                source: texts.line(path, line),
                node_id: lead.node_id,
                uses: name.to_owned(),
                because: "removed",
                evidence: "inferred",
                at,
            });
        }
    }
    Ok(found)
}

/// The same before anything is written: of what a plan removes, in what it leaves as it is.
pub(super) fn planned(
    ctx: &Ctx<'_>,
    graph: &Graph,
    plan: &Plan,
    gone: &[NodeIx],
    known: &[CallerShown],
) -> Result<Vec<CallerShown>, Fault> {
    let mut found = uses(ctx, graph, graph, gone, known)?;
    found.retain(|one| !super::checks::is_rewritten(plan, one));
    Ok(found)
}
