//! Stray: imports that the change wrote and that lead nowhere, and names that it left without one.

use m1nd_contract::Fault;
use m1nd_graph::Graph;
use m1nd_graph::change::How;
use m1nd_risk::plan::Severity;
use m1nd_vfs::grep::Pattern;

use super::held::Held;
use super::lines::MAX_PLACES;
use super::{Edited, Finding, removed};
use crate::ctx::Ctx;
use crate::flows::imports::{self, Broken, Certainty, Changed, World, Worlds};
use crate::workspace::Texts;

/// A file, what it held, and what it holds.
type States<'e> = (&'e Edited, Option<&'e [u8]>, Vec<u8>);

pub fn found(
    ctx: &Ctx<'_>,
    held: &mut Held<'_>,
    before: Option<&Graph>,
    graph: &Graph,
    edited: &[Edited],
    after: &Texts,
) -> Result<Vec<Finding>, Fault> {
    let root = ctx.workspace()?.root();
    let mut texts: Vec<States<'_>> = Vec::new();
    for one in edited.iter().filter(|one| one.file.how != How::Deleted && one.broken.is_none()) {
        match (&one.texts, one.file.how) {
            ((Some(old), Some(new)), _) => texts.push((one, Some(old), new.clone())),
            // Of a file whose earlier text is not known nobody can say what is new in it.
            (_, How::Added) => {
                let new = held.text(&one.file.path).map(|text| text.into_owned().into_bytes());
                texts.extend(new.map(|new| (one, None, new)));
            }
            _ => {}
        }
    }
    let changed: Vec<Changed<'_>> = texts
        .iter()
        .map(|(one, old, new)| Changed {
            path: &one.file.path,
            path_before: one.path_before(),
            old: *old,
            new,
            imports: None,
        })
        .collect();
    let mut world = World::of(graph, root, after, Held::of(root, edited, after));
    let said = |pattern: &Pattern, family: &'static str| {
        removed::said(ctx, after, pattern, family, removed::TIME_LIMIT)
    };
    let mut broken = imports::broken(&mut world, &said, &changed)?;
    let gone: Vec<&str> = edited.iter().filter_map(gone).collect();
    if let Some(graph_before) = before {
        let then = texts_before(edited, after);
        let mut then = World::of(graph_before, root, &then, Held::of(root, &[], &then));
        broken.extend(imports::left(Worlds { then: &mut then, now: &mut world }, &said, &changed, &gone)?);
        let mut taken =
            imports::ungiven(Worlds { then: &mut then, now: &mut world }, &said, graph_before, &changed)?;
        taken.retain(|one| broken.iter().all(|known| (&known.path, known.line) != (&one.path, one.line)));
        broken.extend(taken);
    }
    Ok(broken.into_iter().map(finding).collect())
}

/// The path at which a file is no more.
fn gone(one: &Edited) -> Option<&str> {
    match one.file.how {
        How::Deleted => Some(&one.file.path),
        How::Renamed => one.file.was.as_deref(),
        How::Added | How::Modified => None,
    }
}

/// What files held before the change, where that is not what they hold now. What went is known by the graph alone.
fn texts_before(edited: &[Edited], after: &Texts) -> Texts {
    let mut texts = after.clone();
    for one in edited {
        let old = one.texts.0.clone();
        match (one.file.how, &one.file.was) {
            (How::Added, _) => drop(texts.insert(one.file.path.clone(), None)),
            (How::Deleted, _) => drop(texts.remove(&one.file.path)),
            (How::Renamed, Some(was)) => {
                texts.insert(one.file.path.clone(), None);
                texts.insert(was.clone(), old);
            }
            (How::Renamed | How::Modified, _) => drop(texts.insert(one.file.path.clone(), old)),
        }
    }
    texts
}

fn finding(one: Broken) -> Finding {
    let severity = match one.certainty {
        Certainty::Certain => Severity::High,
        Certainty::Likely => Severity::Medium,
    };
    let lines = one.lines.iter().skip(1).map(|line| format!("{}:{line}", one.path));
    Finding {
        kind: "broken_import",
        severity: severity.name(),
        at: format!("{}:{}", one.path, one.line),
        message: one.message,
        places: one.places.into_iter().chain(lines).take(MAX_PLACES).collect(),
    }
}
