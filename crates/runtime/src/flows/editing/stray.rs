//! Stray: imports that a batch writes and that lead nowhere, and names that it leaves without one.

use m1nd_contract::Fault;
use m1nd_edit::{FileChange, Plan};
use m1nd_graph::{Evidence, Graph};
use m1nd_vfs::grep::Pattern;

use super::checks::Checked;
use super::shown::{CallerShown, old};
use crate::ctx::Ctx;
use crate::flows::imports::{self, Certainty, Changed, World, Worlds};
use crate::flows::review::held::Held;
use crate::flows::review::{TIME_LIMIT, said};
use crate::workspace::Texts;

/// Why such a line is told.
pub(super) const BECAUSE: &str = "import";

/// The same of a plan, beside the uses that are known already.
pub(super) fn planned(
    ctx: &Ctx<'_>,
    graph: &Graph,
    plan: &Plan,
    checked: &Checked,
    known: &[CallerShown],
) -> Result<Vec<CallerShown>, Fault> {
    let mut found = uses(ctx, (graph, graph), plan, checked)?;
    found.retain(|one| known.iter().all(|known| known.at != one.at));
    Ok(found)
}

/// One for each line; `graph` is the newest that is known, the files are those of the plan. `before` has them as they were.
pub(super) fn uses(
    ctx: &Ctx<'_>,
    (before, graph): (&Graph, &Graph),
    plan: &Plan,
    checked: &Checked,
) -> Result<Vec<CallerShown>, Fault> {
    let root = ctx.workspace()?.root();
    let held = |file: &FileChange| file.after.as_ref().map(|after| after.bytes.clone());
    let after: Texts = plan.files.iter().map(|file| (file.path.clone(), held(file))).collect();
    let changed: Vec<Changed<'_>> = plan
        .files
        .iter()
        .filter_map(|file| {
            let (path_before, old) = old(&plan.files, file);
            let new = after.get(&file.path)?.as_deref()?;
            Some(Changed {
                path: &file.path,
                path_before,
                old,
                new,
                imports: checked.imports.get(&file.path),
            })
        })
        .collect();
    let was = |file: &FileChange| file.before.as_ref().map(|held| held.bytes.clone());
    let texts_before: Texts = plan.files.iter().map(|file| (file.path.clone(), was(file))).collect();
    let mut world = World::of(graph, root, &after, Held::of(root, &[], &after));
    let said = |pattern: &Pattern, family: &'static str| said(ctx, &after, pattern, family, TIME_LIMIT);
    let mut broken = imports::broken(&mut world, &said, &changed)?;
    let mut then = World::of(before, root, &texts_before, Held::of(root, &[], &texts_before));
    broken.extend(imports::astray(Worlds { then: &mut then, now: &mut world }, &changed));
    let worlds = Worlds { then: &mut then, now: &mut world };
    broken.extend(imports::ungiven(worlds, &said, before, &changed)?);
    let mut found = Vec::new();
    for one in broken {
        let evidence = match one.certainty {
            Certainty::Certain => Evidence::Resolved,
            Certainty::Likely => Evidence::Inferred { candidates: 1 },
        };
        let lines = if one.lines.is_empty() { vec![one.line] } else { one.lines };
        for line in lines {
            let node = graph.node_at(&one.path, line).or_else(|| graph.node_by_path(&one.path));
            found.push(CallerShown {
                at: format!("{}:{line}", one.path),
                node_id: node.map_or_else(String::new, |ix| graph.node(ix).id().to_owned()),
                uses: one.name.clone(),
                because: BECAUSE,
                evidence: evidence.name(),
                source: world.line(&one.path, line).trim().to_owned(),
            });
        }
    }
    Ok(found)
}
