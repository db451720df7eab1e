//! Dry run: what `verify: graph` would say of a batch that is not made, by a graph that has it and is nobody else's.

use std::sync::Arc;

use m1nd_contract::Fault;
use m1nd_edit::{FileChange, Plan};
use m1nd_graph::Graph;
use m1nd_ingest::history::HistoryError;

use super::checks::Checked;
use super::making::{Made, Verify};
use super::{broken, dangling, refusal, stray};
use crate::ctx::Ctx;
use crate::faults;
use crate::flows::review::Finding;
use crate::workspace::Texts;

/// Findings that may break something and are told.
const MAX_DOUBTS: usize = 3;

/// Adds what would dangle, and why the batch would be taken back; places are those of the files as they are.
pub(super) fn verify(
    ctx: &Ctx<'_>,
    before: &Arc<Graph>,
    plan: &Plan,
    checked: &Checked,
    made: &mut Made,
) -> Result<(), Fault> {
    let workspace = ctx.workspace()?;
    let held = |file: &FileChange| file.after.as_ref().map(|after| after.bytes.clone());
    let texts: Texts = plan.files.iter().map(|file| (file.path.clone(), held(file))).collect();
    let after = workspace.graph_with(&texts, ctx.runtime().clock(), ctx.cancel());
    let after = after.map_err(|err| match err {
        HistoryError::Stopped(stop) => faults::stopped(stop),
        err => ctx.invalid(format!("`verify`: the graph of the batch cannot be made: {err}.")),
    })?;
    let lost = dangling::find(workspace.root(), before, &after, plan, checked);
    made.dangling = lost.into_iter().filter(|one| one.because != dangling::DEFAULT).collect();
    made.take_stray(stray::uses(ctx, (before, &after), plan, checked)?);
    let found = broken::by(ctx, before, &after, plan, &texts)?;
    let (certain, likely): (Vec<Finding>, Vec<Finding>) = found.into_iter().partition(broken::is_certain);
    let refusal = refusal::of(ctx, Verify::Graph, made, &certain, (Some(before), plan, checked));
    for one in &mut made.dangling {
        one.at = refusal::on_disk(plan, &one.at);
    }
    let dangling = &made.dangling;
    made.callers.retain(|one| dangling.iter().all(|known| known.at != one.at || known.uses != one.uses));
    made.callers.retain(|one| one.because != stray::BECAUSE);
    made.insights.extend(likely.iter().take(MAX_DOUBTS).map(broken::sentence));
    made.refused =
        refusal.map(|refusal| refusal.message.replacen("was taken back", "would be taken back", 1));
    Ok(())
}
